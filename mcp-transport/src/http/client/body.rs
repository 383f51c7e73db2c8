//! A response body gathered up to a limit.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use reqwest::Body;

/// Gathers a body; a body of one piece is not copied.
#[derive(Debug)]
pub(super) struct Gather {
    body: Body,
    first: Bytes,
    more: Option<BytesMut>,
    limit: usize,
}

/// A gathered body.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) bytes: Bytes,
    /// Whether the body went on beyond the limit, or beyond what was waited for.
    pub(super) cut: bool,
}

impl Gather {
    pub(super) fn new(body: Body, limit: usize) -> Self {
        Self {
            body,
            first: Bytes::new(),
            more: None,
            limit,
        }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Gathered, reqwest::Error>> {
        while let Some(piece) = ready!(poll_piece(&mut self.body, cx)) {
            let mut piece = piece?;
            let room = self.limit - self.len();
            let cut = piece.len() > room;
            piece.truncate(room);
            if self.first.is_empty() {
                self.first = piece;
            } else {
                self.more
                    .get_or_insert_with(|| BytesMut::from(&self.first[..]))
                    .extend_from_slice(&piece);
            }
            if cut {
                return Poll::Ready(Ok(self.take(true)));
            }
        }
        Poll::Ready(Ok(self.take(false)))
    }

    /// What came until now.
    pub(super) fn give_up(&mut self) -> Gathered {
        self.take(true)
    }

    fn len(&self) -> usize {
        self.more.as_ref().map_or(self.first.len(), BytesMut::len)
    }

    fn take(&mut self, cut: bool) -> Gathered {
        let first = std::mem::take(&mut self.first);
        let bytes = self.more.take().map_or(first, BytesMut::freeze);
        Gathered { bytes, cut }
    }
}

/// The next piece of data; trailers are passed over.
pub(super) fn poll_piece(
    body: &mut Body,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Bytes, reqwest::Error>>> {
    loop {
        match ready!(Pin::new(&mut *body).poll_frame(cx)) {
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Poll::Ready(Some(Ok(data)));
                }
            }
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None => return Poll::Ready(None),
        }
    }
}
