//! Reading a request's body: whole, within its limit, before its deadline, and no slower than its rate.

use std::{
    future::poll_fn,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use bytes::{Buf, Bytes, BytesMut};
use http::StatusCode;
use mcp_types::{ErrorCode, ErrorObject, jsonrpc::ErrorId};

use super::answer::HttpAnswer;
use crate::{
    clock::{Clock, Sleep},
    proto::{http::Refusal, limits::Limits},
};

/// Why a body was not read to its end. The connection is closed after the answer.
#[derive(Debug)]
pub(super) enum Unread {
    TooLarge(usize),
    TooSlow(Duration),
    Broken,
}

/// Reads `body`.
pub(super) async fn read_body<B>(
    body: B,
    limits: &Limits,
    clock: &dyn Clock,
) -> Result<Bytes, Unread>
where
    B: http_body::Body,
    B::Data: Buf,
{
    let limit = limits.request_body;
    let mut body = pin!(body);
    let mut read = Collected::default();
    // Most bodies are there already when their head is, and need no timer.
    let mut waiting: Option<Waiting> = None;
    poll_fn(|cx| {
        loop {
            match body.as_mut().poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let Ok(data) = frame.into_data() else {
                        continue;
                    };
                    if data.remaining() > limit - read.len() {
                        return Poll::Ready(Err(Unread::TooLarge(limit)));
                    }
                    read.push(data);
                }
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(Unread::Broken)),
                Poll::Ready(None) => return Poll::Ready(Ok(std::mem::take(&mut read).into())),
                Poll::Pending => break,
            }
        }
        let patience = limits.body_patience(read.len());
        let waiting = waiting.get_or_insert_with(|| Waiting::new(clock, patience));
        waiting.extend(clock, patience);
        let late = waiting.sleep.as_mut().poll(cx);
        late.map(|()| Err(Unread::TooSlow(patience)))
    })
    .await
}

/// A body that is not all there yet.
struct Waiting {
    since: Instant,
    patience: Duration,
    sleep: Sleep,
}

impl Waiting {
    fn new(clock: &dyn Clock, patience: Duration) -> Self {
        Self {
            since: clock.now(),
            patience,
            sleep: clock.sleep_until(clock.deadline(patience)),
        }
    }

    /// What has come in the meantime may have earned it more time.
    fn extend(&mut self, clock: &dyn Clock, patience: Duration) {
        if patience > self.patience {
            let spent = clock.now().saturating_duration_since(self.since);
            self.patience = patience;
            self.sleep = clock.sleep_until(clock.deadline(patience.saturating_sub(spent)));
        }
    }
}

/// One chunk stays where it is; more are joined.
#[derive(Default)]
struct Collected {
    first: Bytes,
    joined: BytesMut,
}

impl Collected {
    fn len(&self) -> usize {
        self.first.len() + self.joined.len()
    }

    fn push(&mut self, mut data: impl Buf) {
        if self.len() == 0 {
            self.first = data.copy_to_bytes(data.remaining());
            return;
        }
        if !self.first.is_empty() {
            self.joined = BytesMut::from(&*std::mem::take(&mut self.first));
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            self.joined.extend_from_slice(chunk);
            data.advance(chunk.len());
        }
    }
}

impl From<Collected> for Bytes {
    fn from(collected: Collected) -> Self {
        match collected.joined.is_empty() {
            true => collected.first,
            false => collected.joined.freeze(),
        }
    }
}

impl From<Unread> for HttpAnswer {
    fn from(unread: Unread) -> Self {
        let (status, message) = match unread {
            Unread::TooLarge(limit) => return Refusal::TooLarge { limit }.into(),
            Unread::TooSlow(time) => (
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "The body was not complete within {:.1} s; it may take longer the faster it comes.",
                    time.as_secs_f64()
                ),
            ),
            Unread::Broken => (
                StatusCode::BAD_REQUEST,
                "The body ended before it was complete.".to_owned(),
            ),
        };
        let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
        Self::error(status, &ErrorId::Omitted, &error).closing()
    }
}
