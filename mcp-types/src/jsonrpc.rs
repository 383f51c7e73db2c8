//! The JSON-RPC 2.0 envelope: what a message is, read in one pass and written in one.
//!
//! Source: the specification's page *Base protocol*, and JSON-RPC 2.0.

mod decode;
mod encode;
mod error;
mod id;
mod malformed;

pub use self::{
    decode::{
        MAX_DEPTH, Message, NotificationMessage, RequestMessage, ResponseMessage, decode,
        decode_batch,
    },
    encode::{ErrorId, write_error, write_notification, write_request, write_result},
    error::{ErrorCode, ErrorObject},
    id::{ProgressToken, RequestId},
    malformed::{Flaw, Malformed, MalformedKind},
};

#[cfg(test)]
mod tests;
