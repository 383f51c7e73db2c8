//! Streams whose events an app writes itself.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::BytesMut;

/// A stream of events with names, ids and a pace of their own, for [`HttpAnswer::frames`](super::HttpAnswer::frames).
///
/// Keep-alive comments are the service's. It is polled only while the client takes what comes, and dropped when the
/// client goes away.
pub trait Frames: Send {
    /// Appends the next events to `out` ([`proto::sse::Frame`](crate::proto::sse::Frame) writes them), at least one;
    /// `None` at the end of the stream, after which it is not polled again.
    fn poll_frames(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut BytesMut,
    ) -> Poll<Option<()>>;
}
