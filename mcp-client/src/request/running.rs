//! A call under way: what comes before its outcome, and the outcome.

use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use mcp_errors::Failure;
use mcp_transport::{Notification, Reply, Request};
use mcp_types::{
    jsonrpc::ProgressToken,
    method::RequestType,
    notification::ProgressParams,
    outcome::{COMPLETE, call_type, result_type},
    wire::decode_result,
};

use super::{
    OnProgress,
    relist::{Relisting, is_refused, relist},
};
use crate::{
    client::Client,
    error::{Error, What},
    wait::{Came, Waiting, late},
};

/// A call that was sent. Dropping it cancels the call.
#[must_use = "dropping a call cancels it"]
pub struct Running<M: RequestType> {
    client: Client,
    what: What,
    /// `None` once the outcome is there.
    waiting: Option<Waiting>,
    /// The call once more, should its headers be refused.
    again: Option<Box<Request>>,
    relisting: Option<Relisting>,
    deadline: Instant,
    outcome: Option<Result<Reply, Failure>>,
    within: Duration,
    hearing: Hearing,
    kind: PhantomData<fn() -> M>,
}

/// Who hears of progress, under which token.
pub(super) struct Hearing {
    pub(super) token: Option<ProgressToken>,
    pub(super) on_progress: Option<OnProgress>,
}

impl<M: RequestType> Running<M> {
    pub(super) fn new(
        client: Client,
        (request, again): (Request, Option<Box<Request>>),
        what: What,
        hearing: Hearing,
        (now, deadline): (Instant, Instant),
    ) -> Self {
        let exchange = client.endpoint().open(request);
        Self {
            waiting: Some(Waiting::new(exchange, client.clock(), deadline)),
            again,
            relisting: None,
            deadline,
            client,
            what,
            outcome: None,
            within: deadline.saturating_duration_since(now),
            hearing,
            kind: PhantomData,
        }
    }

    /// The next notification of the call; `None` once there is an outcome or the deadline has passed.
    pub async fn next(&mut self) -> Option<Notification> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The same as [`Running::next`], to be polled.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Notification>> {
        loop {
            if let Some(relisting) = &mut self.relisting {
                let listed = ready!(relisting.as_mut().poll(cx));
                self.relisting = None;
                match listed {
                    Ok(request) => {
                        let exchange = self.client.endpoint().open(request);
                        let clock = self.client.clock();
                        self.waiting = Some(Waiting::new(exchange, clock, self.deadline));
                    }
                    Err(failure) => self.outcome = Some(Err(failure)),
                }
            }
            let Some(waiting) = &mut self.waiting else {
                return Poll::Ready(None);
            };
            let outcome = match ready!(waiting.poll(cx)) {
                Came::Notification(notification) => {
                    self.hearing.hear(&notification);
                    return Poll::Ready(Some(notification));
                }
                Came::Outcome(outcome) => outcome,
                Came::Deadline(noise) => Err(late("no result", self.within, noise.as_deref())),
            };
            // On a timeout this is what cancels the call.
            self.waiting = None;
            match (outcome, self.again.take()) {
                (Err(failure), Some(request)) if is_refused(&failure) => {
                    let client = self.client.clone();
                    self.relisting = Some(relist(client, request, failure, self.deadline));
                }
                (outcome, _) => self.outcome = Some(outcome),
            }
        }
    }

    /// The result as it came, whatever its type.
    ///
    /// # Errors
    /// When there is none.
    pub async fn reply(mut self) -> Result<Reply, Error> {
        while self.next().await.is_some() {}
        match self.outcome.take() {
            Some(Ok(reply)) => {
                if M::METHOD == "tools/list"
                    && let Some(mut mirrors) = self.client.mirrors()
                {
                    mirrors.learn(&reply.result);
                }
                Ok(reply)
            }
            Some(Err(failure)) => Err(Error::failed(self.what, failure)),
            // The loop above ends only with an outcome.
            None => Err(Error::invalid(self.what, "the call has no outcome".into())),
        }
    }

    /// The complete result.
    ///
    /// # Errors
    /// When there is none, it is of another type than `complete`, or it cannot be read.
    pub async fn outcome(self) -> Result<M::Result, Error> {
        let (what, client) = (self.what.clone(), self.client.clone());
        let reply = self.reply().await?;
        let kind = match M::METHOD {
            "tools/call" => call_type(&reply.result),
            _ => result_type(&reply.result),
        };
        match kind {
            Ok(kind) if &*kind == COMPLETE => {}
            Ok(kind) => return Err(Error::result_type(what, &kind)),
            Err(error) => {
                return Err(Error::shape(
                    what,
                    &format!("the result cannot be read: {error}"),
                ));
            }
        }
        decode_result::<M>(&reply.result, client.link().revision)
            .map_err(|error| Error::shape(what, &format!("the result cannot be read: {error}")))
    }
}

impl Hearing {
    fn hear(&mut self, notification: &Notification) {
        let (Some(token), Some(on_progress)) = (&self.token, &mut self.on_progress) else {
            return;
        };
        if notification.method != "notifications/progress" {
            return;
        }
        match notification.params.decode::<ProgressParams>() {
            Ok(progress) if progress.progress_token == *token => on_progress(progress),
            // It is another call's, or nobody's.
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "progress that cannot be read"),
        }
    }
}

impl<M: RequestType> fmt::Debug for Running<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("call", &format_args!("{}", self.what))
            .field("ended", &self.waiting.is_none())
            .finish_non_exhaustive()
    }
}
