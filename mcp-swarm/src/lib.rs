//! A gateway that hands a live conversation to a specialist and gets it back.
