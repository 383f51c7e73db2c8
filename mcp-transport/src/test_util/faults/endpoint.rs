//! An endpoint with faults.

use std::{
    fmt, mem,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker, ready},
};

use mcp_errors::{Failure, FailureKind};

use super::{Fault, FaultLog, Faults, Loss};
use crate::{
    clock::{Clock, Sleep},
    exchange::{Ended, Endpoint, Event, Exchange, Full, Notification, Request},
};

/// An endpoint whose exchanges go wrong as a plan says: the first is stretch 0 of lane 0, and so on.
///
/// Notifications that are sent ([`Endpoint::notify`]) pass untouched. An exchange that is silent for ever is what a
/// peer's half-closed connection looks like; only its caller's deadline ends it.
///
/// ```
/// use std::{pin::Pin, sync::Arc, task::{Context, Poll, Waker}};
/// use mcp_transport::{
///     Endpoint, Event, Request, clock::ManualClock,
///     test_util::{Faults, FaultyEndpoint, Script},
/// };
/// use mcp_types::RawParams;
///
/// let server = Script::new().expects("ping").replies(serde_json::json!({})).into_endpoint();
/// let clock = Arc::new(ManualClock::new());
/// let faulty = FaultyEndpoint::new(Arc::new(server), Faults::seeded(1).cut(1.0), clock);
/// let mut exchange = faulty.open(Request::new("ping", RawParams::empty()));
/// let event = exchange.as_mut().poll_event(&mut Context::from_waker(Waker::noop()));
/// assert!(matches!(event, Poll::Ready(Event::Outcome(Err(_)))));
/// assert_eq!(faulty.log().total(), 1);
/// ```
pub struct FaultyEndpoint {
    inner: Arc<dyn Endpoint>,
    faults: Faults,
    clock: Arc<dyn Clock>,
    log: FaultLog,
    opened: AtomicU64,
    order: Arc<Order>,
}

/// Which exchanges wait for a later one to end.
#[derive(Default)]
struct Order(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    ended: u64,
    wakers: Vec<Waker>,
}

impl FaultyEndpoint {
    /// Faults between `inner` and whoever calls this. Delays go by `clock`.
    pub fn new(inner: Arc<dyn Endpoint>, faults: Faults, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner,
            faults,
            clock,
            log: FaultLog::new(),
            opened: AtomicU64::new(0),
            order: Arc::default(),
        }
    }

    /// Counts its faults in `log`.
    #[must_use]
    pub fn logging(mut self, log: FaultLog) -> Self {
        self.log = log;
        self
    }

    /// What has gone wrong so far.
    pub fn log(&self) -> &FaultLog {
        &self.log
    }
}

impl Endpoint for FaultyEndpoint {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let index = self.opened.fetch_add(1, Ordering::Relaxed);
        let fault = self.faults.at(0, index);
        if let Some(fault) = &fault {
            self.log.record(fault);
        }
        if fault == Some(Fault::Cut(Loss::Request)) {
            return Ended::boxed(Err(lost()));
        }
        let mut sleep = None;
        let twist = match fault {
            Some(Fault::Delay(wait)) => {
                sleep = Some(self.clock.sleep_until(self.clock.deadline(wait)));
                Twist::None
            }
            Some(Fault::Reorder(most)) => {
                let until = self.clock.sleep_until(self.clock.deadline(most));
                Twist::After(until)
            }
            Some(Fault::Cut(_)) => Twist::Instead(lost),
            Some(Fault::Garbage(_)) => Twist::Instead(garbage),
            Some(Fault::HalfClose) => Twist::Never,
            Some(Fault::Chop(_)) | None => Twist::None,
        };
        Box::pin(Faulty {
            inner: Some(self.inner.open(request)),
            sleep,
            twist,
            held: None,
            order: Arc::clone(&self.order),
        })
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.inner.notify(notification)
    }
}

impl fmt::Debug for FaultyEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyEndpoint")
            .field("faults", &self.faults)
            .field("opened", &self.opened)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

/// What becomes of the outcome.
enum Twist {
    None,
    /// It comes after that of another exchange, or then.
    After(Sleep),
    /// This comes instead.
    Instead(fn() -> Failure),
    /// It never comes.
    Never,
}

struct Faulty {
    /// Gone once it gave its outcome.
    inner: Option<Pin<Box<dyn Exchange>>>,
    /// Nothing happens before.
    sleep: Option<Sleep>,
    twist: Twist,
    /// An outcome that is held back, and how many had ended when it came.
    held: Option<(Event, u64)>,
    order: Arc<Order>,
}

impl Exchange for Faulty {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        if let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(cx));
            self.sleep = None;
        }
        if self.held.is_some() {
            return self.poll_held(cx);
        }
        let Some(inner) = &mut self.inner else {
            return Poll::Pending;
        };
        let event = ready!(inner.as_mut().poll_event(cx));
        if !matches!(event, Event::Outcome(_)) {
            return Poll::Ready(event);
        }
        self.inner = None;
        match &self.twist {
            Twist::None => {}
            Twist::Instead(failure) => {
                let failure = failure();
                self.order.handle_ended();
                return Poll::Ready(Event::Outcome(Err(failure)));
            }
            Twist::Never => return Poll::Pending,
            Twist::After(_) => {
                let ended = self.order.lock().ended;
                self.held = Some((event, ended));
                return self.poll_held(cx);
            }
        }
        self.order.handle_ended();
        Poll::Ready(event)
    }
}

impl Faulty {
    fn poll_held(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        let Some((_, before)) = &self.held else {
            return Poll::Pending;
        };
        let overtaken = self.order.poll_ended(*before, cx).is_ready();
        if let (Twist::After(until), false) = (&mut self.twist, overtaken) {
            ready!(until.as_mut().poll(cx));
        }
        match self.held.take() {
            Some((event, _)) => {
                self.order.handle_ended();
                Poll::Ready(event)
            }
            None => Poll::Pending,
        }
    }
}

impl Order {
    fn handle_ended(&self) {
        let mut waiting = self.lock();
        waiting.ended += 1;
        let wakers = mem::take(&mut waiting.wakers);
        drop(waiting);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Ready once more have ended than `before`.
    fn poll_ended(&self, before: u64, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.lock();
        if waiting.ended > before {
            return Poll::Ready(());
        }
        if !waiting
            .wakers
            .iter()
            .any(|waker| waker.will_wake(cx.waker()))
        {
            waiting.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lost() -> Failure {
    let detail = "the connection broke, as the plan of faults says";
    Failure::new(FailureKind::Lost, detail)
}

fn garbage() -> Failure {
    let detail = "the answer is garbage, as the plan of faults says";
    Failure::new(FailureKind::Malformed, detail)
}
