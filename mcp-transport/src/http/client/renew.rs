//! Another legacy session in place of one that the server lost.

use std::{
    future::poll_fn,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use ::http::{HeaderValue, Method as HttpMethod};
use mcp_types::RawParams;

use super::HttpClient;
use crate::{
    exchange::{Event, Exchange as _, Notification, Request},
    message,
};

/// How the session began, so that another can begin like it, and when that was last tried.
pub(super) struct Renewal {
    enabled: bool,
    begun: Mutex<Option<Request>>,
    /// Whoever holds it renews; the others wait and find the session renewed.
    last: tokio::sync::Mutex<Option<Instant>>,
    count: AtomicU64,
}

impl Renewal {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            begun: Mutex::default(),
            last: tokio::sync::Mutex::default(),
            count: AtomicU64::new(0),
        }
    }

    /// The session began with `request`.
    pub(super) fn begun(&self, request: Request) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn request(&self) -> Option<Request> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.clone().filter(|_| self.enabled)
    }
}

impl HttpClient {
    /// Begins another session in place of `lost`, unless that has happened; whether there is another now.
    ///
    /// Of many calls at once one does it. It is given up after [`Limits::renew_time`] and not tried again before
    /// [`Limits::renew_pause`] is over, so a server that loses every session is not asked without end.
    ///
    /// [`Limits::renew_time`]: crate::proto::limits::Limits::renew_time
    /// [`Limits::renew_pause`]: crate::proto::limits::Limits::renew_pause
    pub(super) async fn renew(&self, lost: &HeaderValue) -> bool {
        let core = &self.core;
        let mut last = core.renewal.last.lock().await;
        if core.lock().is_beyond(lost) {
            return true;
        }
        let pause = core.limits.renew_pause;
        let paused = last.is_some_and(|last| core.clock.now().duration_since(last) < pause);
        let Some(request) = core.renewal.request().filter(|_| !paused) else {
            return false;
        };
        let deadline = core.clock.deadline(core.limits.renew_time);
        let renewed = tokio::select! {
            renewed = self.begin_again(request) => renewed,
            () = core.clock.sleep_until(deadline) => false,
        };
        *last = Some(core.clock.now());
        if renewed {
            core.renewal.count.fetch_add(1, Ordering::Relaxed);
        }
        renewed
    }

    /// Sends `initialize` and `notifications/initialized` once more. A server that now speaks another revision gets no
    /// further calls: they are written for the old one.
    async fn begin_again(&self, request: Request) -> bool {
        let core = &self.core;
        let before = core.lock().clone();
        if before.is_over() {
            return false;
        }
        let Ok(exchange) = self.post_legacy(request) else {
            return false;
        };
        let mut exchange = Box::pin(exchange);
        let outcome = loop {
            match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
                Event::Outcome(outcome) => break outcome,
                Event::Notification(_) => {}
            }
        };
        if let Err(failure) = outcome {
            tracing::debug!(%failure, "the lost session could not be renewed");
            return false;
        }
        let alike = core.lock().speaks_like(&before);
        if !alike {
            *core.lock() = before;
            tracing::debug!("the lost session is not renewed: the server speaks another revision");
            return false;
        }
        let initialized = Notification::new("notifications/initialized", RawParams::empty());
        let mut headers = core.base_headers(None);
        core.lock().tag(&mut headers);
        let body = message::write_notification(&initialized);
        // Any answer will do, as to every notification.
        let _ = core.send(HttpMethod::POST, headers, Some(body)).await;
        true
    }
}
