//! `subscriptions/listen` (2026-07-28): who hears of what changes, until they or the server end it.
//!
//! The request goes through the layers as any other, so that they can refuse it; its answer is there at once. What the
//! client gets before that answer comes from here, so that no layer has to last as long as a subscription does.

mod exchange;
mod policy;

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use mcp_transport::{Clock, Request};
use mcp_types::{ErrorCode, ErrorObject, RawJson, RequestId, subscription::SubscriptionFilter};
use serde_json::json;

pub(crate) use self::exchange::{FULL_STATUS, Listening};
pub use self::policy::SubscriptionPolicy;
use crate::{
    hub::{Change, Following, Hub, Listener},
    principal::Principal,
    proto::listen::{Place, Places, Reached, Said, Subscription},
};

/// The method.
pub(crate) const METHOD: &str = "subscriptions/listen";

/// For how many seconds a client over the limit is asked to wait.
const RETRY_AFTER: u64 = 5;

/// Those who listen at one host: on one connection, or on HTTP. When it is dropped, their subscriptions end.
pub(crate) struct Listens(Arc<Host>);

struct Host {
    policy: SubscriptionPolicy,
    clock: Option<Arc<dyn Clock>>,
    places: Mutex<Places<Arc<Ear>>>,
}

impl Listens {
    /// Those of one connection.
    pub(crate) fn of_connection(
        policy: &SubscriptionPolicy,
        clock: Option<Arc<dyn Clock>>,
    ) -> Self {
        Self::new(
            policy,
            clock,
            Places::new(policy.per_connection, usize::MAX),
        )
    }

    /// Those of a host where each request stands alone.
    #[cfg(feature = "http")]
    pub(crate) fn of_host(policy: &SubscriptionPolicy, clock: Arc<dyn Clock>) -> Self {
        let places = Places::new(policy.total, policy.per_principal);
        Self::new(policy, Some(clock), places)
    }

    fn new(
        policy: &SubscriptionPolicy,
        clock: Option<Arc<dyn Clock>>,
        places: Places<Arc<Ear>>,
    ) -> Self {
        Self(Arc::new(Host {
            policy: policy.clone(),
            clock,
            places: Mutex::new(places),
        }))
    }

    /// Gives a request to listen a place, and the way to it for the router.
    ///
    /// # Errors
    /// When there are as many as there may be.
    pub(crate) fn open(&self, hub: &Hub, request: &mut Request) -> Result<Seat, ErrorObject> {
        let ear = Arc::new(Ear::default());
        let (place, is_closed) = {
            let mut places = self.0.places();
            let place = places.take(Arc::clone(&ear));
            (place.map_err(full)?, places.is_closed())
        };
        if is_closed {
            ear.close();
        }
        let SubscriptionId(id) = request.ext.remove().unwrap_or_else(SubscriptionId::fresh);
        request.ext.insert(Opening {
            ear: Arc::clone(&ear),
            id: id.clone(),
            announces: self.0.policy.announces_end,
            host: Arc::downgrade(&self.0),
            place,
        });
        let listener: Weak<Ear> = Arc::downgrade(&ear);
        Ok(Seat {
            following: hub.follow(listener),
            ear,
            id,
            host: Arc::downgrade(&self.0),
            place,
        })
    }

    /// Ends all subscriptions with their result, and those that come later as soon as they are acknowledged.
    #[cfg(any(feature = "http", feature = "stdio"))]
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

impl fmt::Debug for Listens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.places().fmt(f)
    }
}

impl Host {
    fn places(&self) -> MutexGuard<'_, Places<Arc<Ear>>> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let ears = self.places().close();
        ears.iter().for_each(|ear| ear.close());
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.close();
    }
}

/// The place of one subscription, which it gives back when it is dropped.
pub(crate) struct Seat {
    #[expect(dead_code, reason = "dropping it ends the following")]
    following: Following,
    ear: Arc<Ear>,
    id: RequestId,
    host: Weak<Host>,
    place: Place,
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(host) = self.host.upgrade() {
            host.places().leave(self.place);
        }
    }
}

/// What the router gets of a subscription that is to be opened.
#[derive(Clone)]
pub(crate) struct Opening {
    ear: Arc<Ear>,
    id: RequestId,
    announces: bool,
    host: Weak<Host>,
    place: Place,
}

impl Opening {
    /// The id of the request, which is that of the subscription.
    pub(crate) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Says who listens, as far as the layers have found out.
    ///
    /// # Errors
    /// When there are as many subscriptions of theirs as there may be.
    pub(crate) fn claim(&self, principal: Option<&Principal>) -> Result<(), ErrorObject> {
        let (Some(principal), Some(host)) = (principal, self.host.upgrade()) else {
            return Ok(());
        };
        let claimed = host.places().name(self.place, &principal.0);
        claimed.map_err(|reached| {
            self.ear.hearing().is_refused = true;
            full(reached)
        })
    }

    /// From here on the client hears of what `honoured` names.
    pub(crate) fn begin(&self, honoured: SubscriptionFilter) {
        self.ear.begin(Subscription::new(honoured, self.announces));
    }
}

/// The id of a request to listen, in [`Request::ext`]: the seam has none, and the client is to find its own again.
#[derive(Debug, Clone)]
pub(crate) struct SubscriptionId(RequestId);

impl SubscriptionId {
    /// Puts the `id` of a request into `ext`, if it is one to listen.
    #[cfg(any(feature = "http", feature = "stdio"))]
    pub(crate) fn put(method: &str, id: &RequestId, ext: &mut mcp_transport::Extensions) {
        if method == METHOD {
            ext.insert(Self(id.clone()));
        }
    }

    /// One that no other subscription within this process has.
    fn fresh() -> Self {
        static NEXT: AtomicI64 = AtomicI64::new(1);
        Self(RequestId::Number(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

/// A subscription between the hub that has news and the exchange that tells them.
#[derive(Debug, Default)]
struct Ear(Mutex<Hearing>);

#[derive(Debug, Default)]
struct Hearing {
    /// `None` until it is known what is honoured.
    subscription: Option<Subscription>,
    /// The server ends it, or will as soon as it has begun.
    is_closed: bool,
    /// Who listens has as many subscriptions as they may.
    is_refused: bool,
    waker: Option<Waker>,
}

impl Ear {
    fn begin(&self, mut subscription: Subscription) {
        let mut hearing = self.hearing();
        if hearing.is_closed {
            subscription.handle_close();
        }
        hearing.subscription = Some(subscription);
    }

    fn is_refused(&self) -> bool {
        self.hearing().is_refused
    }

    fn has_begun(&self) -> bool {
        self.hearing().subscription.is_some()
    }

    fn close(&self) {
        let mut hearing = self.hearing();
        hearing.is_closed = true;
        if let Some(subscription) = &mut hearing.subscription {
            subscription.handle_close();
        }
        wake(hearing);
    }

    /// What to tell the client next.
    fn poll(&self, cx: &mut Context<'_>) -> Poll<Said> {
        let mut hearing = self.hearing();
        let said = hearing.subscription.as_mut().and_then(Subscription::poll);
        if said.is_none() {
            hearing.waker = Some(cx.waker().clone());
        }
        said.map_or(Poll::Pending, Poll::Ready)
    }

    fn hearing(&self) -> MutexGuard<'_, Hearing> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Ear {
    fn deliver(&self, change: &Change) {
        let mut hearing = self.hearing();
        let subscription = hearing.subscription.as_mut();
        if subscription.is_some_and(|subscription| subscription.handle_change(change)) {
            wake(hearing);
        }
    }
}

/// Wakes who waits, under no lock.
fn wake(mut hearing: MutexGuard<'_, Hearing>) {
    let waker = hearing.waker.take();
    drop(hearing);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// What a client is told that listens too often.
pub(crate) fn full(Reached(limit): Reached) -> ErrorObject {
    let mut error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Subscription limit reached");
    let data = json!({"code": "at_capacity", "retryAfter": RETRY_AFTER, "limit": limit});
    error.data = RawJson::from_serialize(&data).ok();
    error
}
