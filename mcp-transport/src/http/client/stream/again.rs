//! The second ways of a legacy exchange: another session for a request that was not run, another connection for a
//! stream that broke.

use std::{
    error::Error as _,
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Instant,
};

use ::http::{HeaderMap, HeaderValue, Method as HttpMethod, header};
use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::Method;

use super::{
    super::{Core, HttpAnswer, Sent, SessionLost, head, renew::Renewed},
    HttpExchange, State,
};
use crate::{
    exchange::Reply,
    proto::{
        headers::{LAST_EVENT_ID, MCP_SESSION_ID},
        resume::Resume,
        sse::Event,
    },
};

/// A legacy request as it can be sent in another session.
pub(super) struct Again {
    method: Method,
    /// The headers of the call.
    call: Option<HeaderMap>,
    body: Bytes,
}

impl Again {
    pub(super) fn new(method: Method, call: Option<HeaderMap>, body: Bytes) -> Self {
        Self { method, call, body }
    }

    /// Only what provably did not run is repeated, or what changes nothing however often it runs.
    fn repeats(&self, executed: Executed) -> bool {
        executed == Executed::No || is_query(self.method.as_str())
    }
}

fn is_query(method: &str) -> bool {
    matches!(
        method,
        "ping" | "completion/complete" | "prompts/get" | "resources/read"
    ) || method.ends_with("/list")
}

/// The place in a legacy stream, over all its connections.
pub(super) struct Place {
    resume: Resume,
    /// The headers of the call.
    call: Option<HeaderMap>,
    /// The standalone stream can begin anew; an answer is only taken up where an event of it was numbered.
    standalone: bool,
    /// Since when the connection gives events.
    since: Option<Instant>,
    /// Whether there was a connection that gave events.
    opened: bool,
    /// Whether it is not on its first connection any more.
    reopened: bool,
}

impl Place {
    pub(super) fn of_answer(call: Option<HeaderMap>) -> Self {
        Self {
            resume: Resume::new(),
            call,
            standalone: false,
            since: None,
            opened: false,
            reopened: false,
        }
    }

    pub(super) fn of_session(call: Option<HeaderMap>) -> Self {
        Self {
            standalone: true,
            ..Self::of_answer(call)
        }
    }

    /// The headers of the call.
    pub(super) fn into_call(self) -> Option<HeaderMap> {
        self.call
    }

    pub(super) fn opened(&mut self, now: Instant) {
        self.since = Some(now);
        self.opened = true;
    }

    pub(super) fn saw(&mut self, event: &Event) {
        self.resume.saw(event);
    }

    /// The request for what comes next.
    pub(super) fn get(&self, core: &Core) -> Get {
        let mut headers = core.base_headers(self.call.as_ref());
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::ACCEPT, head::ACCEPT_EVENTS);
        core.lock().aside(None, &mut headers);
        let last = self.resume.last_id().map(HeaderValue::from_str);
        if let Some(Ok(last)) = last {
            headers.insert(LAST_EVENT_ID, last);
        }
        Get {
            session: headers.get(MCP_SESSION_ID).cloned(),
            headers,
        }
    }
}

/// A GET for a stream.
pub(super) struct Get {
    headers: HeaderMap,
    pub(super) session: Option<HeaderValue>,
}

impl Get {
    /// Sends it; its head has to come within [`Limits::head_time`](crate::proto::limits::Limits::head_time).
    pub(super) async fn send(self, core: &Core) -> Result<Sent, Failure> {
        let deadline = core.clock.deadline(core.limits.head_time);
        tokio::select! {
            answer = core.send(HttpMethod::GET, self.headers, None) => answer,
            () = core.clock.sleep_until(deadline) => {
                let waited = core.limits.head_time;
                let detail = format!("{} opened no stream within {waited:?}", core.place());
                Err(Failure::new(FailureKind::Timeout, detail))
            }
        }
    }
}

impl HttpExchange {
    /// Whether this is the second connection of a stream, or a later one.
    pub(super) fn reopened(&self) -> bool {
        self.resume.as_ref().is_some_and(|place| place.reopened)
    }

    /// A first GET that is refused means that there is no standalone stream, whatever the status.
    pub(super) fn may_lose_session(&self) -> bool {
        let opened = self.resume.as_ref().is_some_and(|place| place.opened);
        self.id.is_some() || opened
    }

    /// `None` if there is another way to go on than to end with `outcome`, which is then begun.
    pub(super) fn another_way(
        &mut self,
        outcome: Result<Reply, Failure>,
    ) -> Option<Result<Reply, Failure>> {
        match outcome {
            Ok(reply) => Some(Ok(reply)),
            Err(failure) if !self.reopened() && SessionLost::of(&failure).is_some() => {
                self.in_another_session(failure).map(Err)
            }
            Err(failure) => self.on_another_connection(failure).map(Err),
        }
    }

    fn in_another_session(&mut self, failure: Failure) -> Option<Failure> {
        let (Some(lost), Some(again)) = (self.session.clone(), self.again.take()) else {
            return Some(failure);
        };
        let certain = failure.executed() == Executed::No;
        let repeats = again.repeats(failure.executed());
        let client = self.client.clone();
        self.flight.recall();
        let flight = Arc::clone(&self.flight);
        self.state = State::Sending(Box::pin(async move {
            match client.renew(&lost, certain).await {
                Renewed::Yes if repeats => {}
                Renewed::Yes | Renewed::No => return Err(failure),
                Renewed::Alive => return Err(not_lost(failure)),
            }
            let core = &client.core;
            flight.leave(core);
            let mut headers = core.base_headers(again.call.as_ref());
            core.lock().legacy(&again.method, &mut headers);
            core.send(HttpMethod::POST, headers, Some(again.body)).await
        }));
        None
    }

    fn on_another_connection(&mut self, failure: Failure) -> Option<Failure> {
        let core = Arc::clone(&self.client.core);
        let Some(place) = &mut self.resume else {
            return Some(failure);
        };
        let now = core.clock.now();
        let lived = place.since.take().map(|since| now.duration_since(since));
        let known = place.standalone || place.resume.last_id().is_some();
        if known && is_passing(&failure) {
            let wait = place.resume.again(lived.unwrap_or_default(), random());
            if let Some(wait) = wait {
                tracing::debug!(%failure, ?wait, "the stream broke; it is taken up again");
                self.state = State::Waiting(core.clock.sleep_until(core.clock.deadline(wait)));
                return None;
            }
        }
        if place.standalone || !place.reopened {
            return Some(failure);
        }
        // The request had been taken, whatever became of the attempt to get the rest of its answer.
        let refused = match failure.kind() {
            FailureKind::Redirected | FailureKind::Unreachable | FailureKind::Timeout => true,
            FailureKind::Http | FailureKind::Malformed => has_answer(&failure),
            _ => false,
        };
        if !refused {
            return Some(failure);
        }
        let detail = format!(
            "the stream of {} ended without an answer and cannot be taken up again: {failure}",
            core.place()
        );
        let lost = Failure::new(FailureKind::Lost, detail);
        Some(match SessionLost::of(&failure) {
            Some(session) => lost.with_source(session.clone()),
            None => lost.with_source(failure),
        })
    }

    /// Asks for what follows the last event.
    pub(super) fn reopen(&mut self) {
        let core = Arc::clone(&self.client.core);
        let Some(place) = &mut self.resume else {
            return;
        };
        place.reopened = true;
        let get = place.get(&core);
        if place.standalone {
            self.flight.leave(&core);
        }
        self.session.clone_from(&get.session);
        self.state = State::Sending(Box::pin(async move { get.send(&core).await }));
    }
}

/// A suspicion that was wrong: what is left is the peer's error.
fn not_lost(failure: Failure) -> Failure {
    let Some(error) = failure.peer_error() else {
        return failure;
    };
    let mut plain = Failure::peer(error.clone());
    if let Some(status) = failure.http_status() {
        plain = plain.with_http_status(status);
    }
    match failure.retry_after() {
        Some(wait) => plain.with_retry_after(wait),
        None => plain,
    }
}

/// Whether another connection may do better.
fn is_passing(failure: &Failure) -> bool {
    match failure.kind() {
        FailureKind::Lost | FailureKind::Timeout | FailureKind::Unreachable => true,
        FailureKind::Http => matches!(failure.http_status(), Some(408 | 429 | 500 | 502..=599)),
        _ => false,
    }
}

/// Whether it is HTTP's answer that was no MCP message.
fn has_answer(failure: &Failure) -> bool {
    let source = failure.source();
    source.is_some_and(|source| source.is::<HttpAnswer>() || source.is::<SessionLost>())
}

/// Spreads the clients of a server that restarts; nothing secret hangs on it.
fn random() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_run_twice_is_what_only_asks() {
        let check = |method: &str, expected| {
            let again = Again::new(method.into(), None, Bytes::new());
            assert_eq!(again.repeats(Executed::Unknown), expected, "{method}");
            assert!(again.repeats(Executed::No));
        };
        for method in [
            "ping",
            "tools/list",
            "resources/templates/list",
            "prompts/get",
        ] {
            check(method, true);
        }
        for method in ["tools/call", "tasks/cancel", "logging/setLevel", "custom"] {
            check(method, false);
        }
    }
}
