//! Server-sent events both ways: bytes to events and events to bytes.
//!
//! [`Decoder`] takes chunks cut anywhere and gives the same events for every cut. [`Frame`] and
//! [`comment`] write events that no payload can break out of. Both follow the [event stream format
//! of the HTML standard][sse], which the Streamable HTTP transport of every revision uses.
//!
//! [sse]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

mod decode;
mod encode;
#[cfg(test)]
mod tests;

pub use decode::{Decoder, Event, TooLarge};
pub use encode::{BadField, Frame, comment};
