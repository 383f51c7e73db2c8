//! What leaves: domain values written for the revision that was negotiated; and what comes, where an old
//! revision has other words for it.
//!
//! Stamping (`resultType`, cache hints, `serverInfo`) happens here and nowhere else, so that a legacy
//! peer can never see it; and a result that is not complete can never reach one.

mod ask;
mod output;
mod page;
mod read;
mod result;
mod stamp;
mod tool;

pub(crate) use self::output::wrap_value;
pub use self::{
    ask::{Unsupported, encode_answer, encode_ask},
    output::wraps_output,
    page::{Item, PageFrame, encode_page},
    read::decode_result,
    result::{encode_outcome, encode_params},
    stamp::{NotExpressible, Stamp, TextMirror},
};

#[cfg(test)]
mod tests;
