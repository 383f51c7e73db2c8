//! What a server tells beside its answers: unasked in the legacy era, and in the modern one where it is subscribed to.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use mcp_errors::Failure;
use mcp_transport::{Event, Exchange, Notification, Request};
use mcp_types::{
    Era, RawParams, RequestMeta,
    subscription::{AcknowledgedParams, ListenParams, SubscriptionFilter},
    wire::encode_params,
};

use crate::{
    client::Client,
    error::{Error, What},
    wait,
};

const METHOD: &str = "subscriptions/listen";

/// Notifications that belong to no other request, in order, until the connection or the subscription ends. Dropping it
/// stops listening.
pub struct Listener {
    client: Client,
    exchange: Option<Pin<Box<dyn Exchange>>>,
    /// What is wanted, where the server was not told.
    sieve: Option<SubscriptionFilter>,
    acknowledged: Option<SubscriptionFilter>,
    /// Why it ended, until it was told.
    failure: Option<Failure>,
}

impl Listener {
    /// Listens to what `wanted` names; without it to all lists, and to whatever else a legacy server sends unasked.
    pub(crate) fn open(client: &Client, wanted: Option<SubscriptionFilter>) -> Result<Self, Error> {
        if let Some(failure) = client.ended() {
            return Err(Error::failed(what(), failure));
        }
        let link = client.link();
        let (params, meta, sieve) = match link.era {
            Era::Modern => {
                let params = ListenParams::new(wanted.unwrap_or_else(all_lists));
                let meta = client.identity().meta(link.revision, &RequestMeta::new());
                (encode_params(&params, link.revision), meta, None)
            }
            _ => (RawParams::empty(), RequestMeta::new(), wanted),
        };
        let mut request = Request::new(METHOD, params).with_meta(meta);
        if !client.headers().is_empty() {
            request.ext.insert(client.headers().clone());
        }
        Ok(Self {
            exchange: Some(client.endpoint().open(request)),
            client: client.clone(),
            sieve,
            acknowledged: None,
            failure: None,
        })
    }

    /// What a modern server has said that it will tell; `None` before it has, which is when the first notification is
    /// waited for, and on a legacy connection.
    pub fn acknowledged(&self) -> Option<&SubscriptionFilter> {
        self.acknowledged.as_ref()
    }

    /// The next notification; `None` once the connection, or the subscription, has ended in good order. A subscription
    /// that its server has ended can be opened again, after the lists were read anew.
    ///
    /// # Errors
    /// [`Error::is_timeout`] when none came `within` that time: the listener still listens. Any other
    /// error is why it ended, told once.
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
                    if let Some(notification) = self.hear(notification) {
                        return Poll::Ready(Ok(Some(notification)));
                    }
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

    /// What of it is for who listens: not that the server has heard, nor what was not wanted.
    fn hear(&mut self, notification: Notification) -> Option<Notification> {
        let is_modern = self.client.is_modern();
        match notification.method.as_str() {
            "notifications/subscriptions/acknowledged" if is_modern => {
                match notification.params.decode::<AcknowledgedParams>() {
                    Ok(params) => self.acknowledged = Some(params.notifications),
                    Err(error) => tracing::debug!(%error, "an acknowledgement that cannot be read"),
                }
                None
            }
            // The server ends it; a result need not follow.
            "notifications/cancelled" if is_modern => {
                self.exchange = None;
                None
            }
            method => {
                let subject = ["uri", "taskId"].iter().find_map(|name| {
                    let subject = notification.params.decode_member::<String>(name);
                    subject.ok().flatten()
                });
                let sieve = self.sieve.as_ref();
                sieve
                    .is_none_or(|wanted| wanted.wants(method, subject.as_deref()))
                    .then_some(notification)
            }
        }
    }
}

/// Changes of all lists.
fn all_lists() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(true),
        resources_list_changed: Some(true),
        ..SubscriptionFilter::default()
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
