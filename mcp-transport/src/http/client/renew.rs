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
use mcp_errors::Failure;
use mcp_types::RawParams;
use tokio::sync::watch;

use super::{HttpClient, SessionLost, stream::HttpExchange};
use crate::{
    exchange::{Event, Exchange as _, Notification, Reply, Request},
    message,
};

/// How the session began, so that another can begin like it, and when that was last tried.
pub(super) struct Renewal {
    enabled: bool,
    begun: Mutex<Option<Request>>,
    /// Whoever holds it renews; the others wait and find the session renewed.
    last: tokio::sync::Mutex<Last>,
    count: AtomicU64,
    /// How often a session took the place of another.
    generation: watch::Sender<u64>,
}

#[derive(Default)]
struct Last {
    /// When a session was last begun in place of a lost one.
    tried: Option<Instant>,
    /// When the session that seemed to be lost was last found to be there.
    alive: Option<Instant>,
}

/// What became of a session that seemed to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renewed {
    /// There is another in its place.
    Yes,
    /// It is lost, as far as can be told.
    No,
    /// It is there.
    Alive,
}

impl Renewal {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            begun: Mutex::default(),
            last: tokio::sync::Mutex::default(),
            count: AtomicU64::new(0),
            generation: watch::Sender::new(0),
        }
    }

    /// The session began with `request`, perhaps in place of another.
    pub(super) fn begun(&self, request: Request, replaced: bool) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
        if replaced {
            self.generation.send_modify(|generation| *generation += 1);
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// How often a session took the place of another.
    pub(super) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    /// Waits until `is_over` says so of the generation.
    pub(super) async fn replaced(&self, is_over: impl FnMut(&u64) -> bool) {
        // The sender is here, so this does not fail.
        let _ = self.generation.subscribe().wait_for(is_over).await;
    }

    fn request(&self) -> Option<Request> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.clone().filter(|_| self.enabled)
    }
}

impl HttpClient {
    /// Begins another session in place of `lost`, unless that has happened.
    ///
    /// Of many calls at once one does it. It is given up after [`Limits::renew_time`] and not tried again before
    /// [`Limits::renew_pause`] is over, so a server that loses every session is not asked without end.
    ///
    /// Where the loss is not `certain`, a ping in the session tells: one that answers is there, and whatever was refused
    /// was refused for another reason. A session that was begun on such a suspicion and in which nothing was ever
    /// answered is not suspected again.
    ///
    /// [`Limits::renew_time`]: crate::proto::limits::Limits::renew_time
    /// [`Limits::renew_pause`]: crate::proto::limits::Limits::renew_pause
    pub(super) async fn renew(&self, lost: &HeaderValue, certain: bool) -> Renewed {
        let core = &self.core;
        let mut last = core.renewal.last.lock().await;
        if core.lock().is_beyond(lost) {
            return Renewed::Yes;
        }
        let pause = core.limits.renew_pause;
        let recent = |then: Instant| core.clock.now().duration_since(then) < pause;
        let Some(request) = core
            .renewal
            .request()
            .filter(|_| !last.tried.is_some_and(recent))
        else {
            return Renewed::No;
        };
        let deadline = core.clock.deadline(core.limits.renew_time);
        if !certain {
            if last.alive.is_some_and(recent) {
                return Renewed::Alive;
            }
            if core.lock().is_unproven() {
                return Renewed::No;
            }
            let gone = tokio::select! {
                gone = self.is_gone() => gone,
                () = core.clock.sleep_until(deadline) => None,
            };
            match gone {
                Some(true) => {}
                Some(false) => {
                    last.alive = Some(core.clock.now());
                    return Renewed::Alive;
                }
                None => return Renewed::No,
            }
        }
        let renewed = tokio::select! {
            renewed = self.begin_again(request) => renewed,
            () = core.clock.sleep_until(deadline) => false,
        };
        *last = Last {
            tried: Some(core.clock.now()),
            alive: None,
        };
        if !renewed {
            return Renewed::No;
        }
        if !certain {
            core.lock().doubt();
        }
        core.renewal.count.fetch_add(1, Ordering::Relaxed);
        Renewed::Yes
    }

    /// Asks in the session whether it is there; `None` if that cannot be told.
    async fn is_gone(&self) -> Option<bool> {
        let ping = Request::new("ping", RawParams::empty());
        let exchange = self.post_legacy(ping).ok()?.without_another_way();
        match outcome(exchange).await {
            Ok(_) => Some(false),
            Err(failure) if SessionLost::of(&failure).is_some() => Some(true),
            // It is the session that answers, whatever.
            Err(failure) if failure.peer_error().is_some() => Some(false),
            Err(_) => None,
        }
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
        if let Err(failure) = outcome(exchange).await {
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

async fn outcome(exchange: HttpExchange) -> Result<Reply, Failure> {
    let mut exchange = Box::pin(exchange);
    loop {
        match poll_fn(|cx| exchange.as_mut().poll_event(cx)).await {
            Event::Outcome(outcome) => return outcome,
            Event::Notification(_) | Event::Ask(..) => {}
        }
    }
}
