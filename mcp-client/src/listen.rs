//! What a legacy server sends unasked.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use mcp_errors::Failure;
use mcp_transport::{Event, Exchange, Notification, Request};
use mcp_types::{Era, RawParams};

use crate::{
    client::Client,
    error::{Error, What},
    wait,
};

const METHOD: &str = "subscriptions/listen";

/// Notifications that belong to no request, in order, until the connection ends. Dropping it stops listening.
pub struct Listener {
    client: Client,
    exchange: Option<Pin<Box<dyn Exchange>>>,
    /// Why the connection ended, until it was told.
    failure: Option<Failure>,
}

impl Listener {
    pub(crate) fn open(client: &Client) -> Result<Self, Error> {
        if let Some(failure) = client.ended() {
            return Err(Error::failed(what(), failure));
        }
        if client.link().era != Era::Legacy {
            return Err(Error::invalid(
                what(),
                "a modern server sends nothing unasked: list again when a list may have changed"
                    .into(),
            ));
        }
        let mut request = Request::new(METHOD, RawParams::empty());
        if !client.headers().is_empty() {
            request.ext.insert(client.headers().clone());
        }
        Ok(Self {
            exchange: Some(client.endpoint().open(request)),
            client: client.clone(),
            failure: None,
        })
    }

    /// The next notification; `None` once the connection has ended.
    ///
    /// # Errors
    /// [`Error::is_timeout`] when none came `within` that time: the listener still listens. Any other
    /// error is why the connection ended, told once.
    pub async fn next(&mut self, within: Duration) -> Result<Option<Notification>, Error> {
        let client = self.client.clone();
        let deadline = client.clock().deadline(within);
        wait::until(client.clock(), deadline, poll_fn(|cx| self.poll_next(cx)))
            .await
            .unwrap_or_else(|| {
                let detail = format!("no notification within {within:.1?}");
                let failure = Failure::new(mcp_errors::FailureKind::Timeout, detail)
                    .with_executed(mcp_errors::Executed::No);
                Err(Error::failed(what(), failure))
            })
    }

    /// The same as [`Listener::next`] without a deadline, for an event loop that has one.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Notification>, Error>> {
        while let Some(exchange) = &mut self.exchange {
            match exchange.as_mut().poll_event(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Event::Notification(notification)) => {
                    return Poll::Ready(Ok(Some(notification)));
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    self.exchange = None;
                    self.failure = outcome.err();
                }
                Poll::Ready(_) => {}
            }
        }
        Poll::Ready(match self.failure.take() {
            Some(failure) => Err(Error::failed(what(), failure)),
            None => Ok(None),
        })
    }
}

fn what() -> What {
    What {
        method: METHOD,
        name: None,
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("open", &self.exchange.is_some())
            .finish_non_exhaustive()
    }
}
