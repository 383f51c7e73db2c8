//! What leaves: domain values written for the revision that was negotiated.
//!
//! Stamping (`resultType`, cache hints, `serverInfo`) happens here and nowhere else, so that a legacy
//! peer can never see it; and a result that is not complete can never reach one.

mod output;
mod result;

pub use self::{
    output::wraps_output,
    result::{NotExpressible, Stamp, encode_outcome, encode_params},
};

#[cfg(test)]
mod tests;
