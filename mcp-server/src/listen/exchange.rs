//! A subscription, seen from a transport: an exchange that lasts.

use std::{
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use mcp_transport::{Clock, Event, Exchange, Notification, Reply, clock::Sleep};
use mcp_types::{
    RawJson, RawObject, Revision, meta, notification::CancelledParams,
    subscription::AcknowledgedParams, wire::encode_params,
};

use super::{Listens, Seat};
use crate::proto::listen::Said;

/// The HTTP status of a request to listen that finds no place.
pub(crate) const FULL_STATUS: u16 = 503;

/// The exchange of one subscription: its acknowledgement, its news, and at last its result. Dropping it ends it.
pub(crate) struct Listening {
    state: State,
    revision: Revision,
    /// When it is over at the latest, from when it has begun.
    over: Option<Sleep>,
    limit: Option<(Arc<dyn Clock>, Duration)>,
}

enum State {
    /// The layers and the router judge it.
    Opening(Pin<Box<dyn Exchange>>, Seat),
    /// Its result waits until it ends.
    Open(Reply, Seat),
    Ended,
}

impl Listening {
    /// A subscription whose answer is that of `opening`.
    pub(crate) fn new(
        listens: &Listens,
        seat: Seat,
        opening: Pin<Box<dyn Exchange>>,
        revision: Revision,
    ) -> Self {
        let host = &listens.0;
        let limit = host.policy.max_duration.and_then(|limit| {
            if host.clock.is_none() {
                tracing::error!(
                    "there is no clock to end a subscription by: pass one with `Server::clock`, or turn on the \
                     feature `http` or `stdio`"
                );
            }
            Some((host.clock.clone()?, limit))
        });
        Self {
            state: State::Opening(opening, seat),
            revision,
            over: None,
            limit,
        }
    }

    fn end(&mut self, last: Event) -> Poll<Event> {
        self.state = State::Ended;
        self.over = None;
        Poll::Ready(last)
    }
}

impl Exchange for Listening {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        let this = &mut *self;
        while let State::Opening(opening, seat) = &mut this.state {
            match ready!(opening.as_mut().poll_event(cx)) {
                Event::Outcome(Ok(reply)) if seat.ear.has_begun() => {
                    let State::Opening(_, seat) = mem::replace(&mut this.state, State::Ended)
                    else {
                        return Poll::Pending;
                    };
                    this.state = State::Open(reply, seat);
                    let limit = this.limit.take();
                    this.over =
                        limit.map(|(clock, limit)| clock.sleep_until(clock.deadline(limit)));
                }
                Event::Outcome(Err(failure)) if seat.ear.is_refused() => {
                    let failure = failure.with_http_status(FULL_STATUS);
                    return this.end(Event::Outcome(Err(failure)));
                }
                Event::Outcome(outcome) => return this.end(Event::Outcome(outcome)),
                // Whatever a layer says would come before the acknowledgement, and nothing may.
                _ => {}
            }
        }
        let State::Open(reply, seat) = &this.state else {
            return Poll::Pending;
        };
        if let Some(over) = &mut this.over
            && over.as_mut().poll(cx).is_ready()
        {
            this.over = None;
            seat.ear.close();
        }
        match ready!(seat.ear.poll(cx)) {
            Said::Ended => {
                let reply = reply.clone();
                this.end(Event::Outcome(Ok(reply)))
            }
            said => Poll::Ready(Event::Notification(seat.notification(said, this.revision))),
        }
    }
}

impl Seat {
    /// What tells the client `said`; all of it carries the subscription's id.
    fn notification(&self, said: Said, revision: Revision) -> Notification {
        match said {
            Said::Acknowledged(honoured) => {
                let params = AcknowledgedParams::new(&self.id, honoured);
                let params = encode_params(&params, revision);
                Notification::new("notifications/subscriptions/acknowledged", params)
            }
            Said::News(change) => self.tagged(change.notification(revision)),
            Said::Cancelled | Said::Ended => {
                let params = encode_params(&CancelledParams::new(self.id.clone()), revision);
                self.tagged(Notification::new("notifications/cancelled", params))
            }
        }
    }

    fn tagged(&self, mut notification: Notification) -> Notification {
        let own = notification.params.decode_member::<RawObject>("_meta");
        let mut members = own.ok().flatten().unwrap_or_default();
        for (key, value) in meta::of_subscription(&self.id).iter() {
            members.set(key, value.clone());
        }
        if let Ok(members) = RawJson::from_serialize(&members) {
            notification.params = notification.params.with("_meta", &members);
        }
        notification
    }
}
