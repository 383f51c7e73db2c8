//! Input: what a server asks in the middle of a request, in either era.
//!
//! Source: the specification's page *Multi round-trip requests* (2026-07-28). A modern server ends the request
//! with [`InputRequired`]; the client asks its user or model and sends the request again, with
//! [`InputResponses`] and the state that it was given. A legacy server asks with a request of its own, and
//! [`encode_ask`](crate::wire::encode_ask) writes its parameters.

mod request;
mod required;
mod response;

pub use self::{
    request::{InputRequest, InputRequests, Question},
    required::{InputRequired, NothingRequired},
    response::{InputResponse, InputResponses},
};

#[cfg(test)]
mod tests;
