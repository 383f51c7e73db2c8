//! An answer that is one body: gathered, then read as a whole.

use std::{
    borrow::Cow,
    task::{Context, Poll, ready},
};

use ::http::response::Parts;
use bytes::Bytes;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_types::RequestId;

use super::{
    super::{
        body::{Gather, Gathered},
        failure::{self, Verdict},
        sieve::{quote, sieve},
    },
    HttpExchange,
};
use crate::{
    clock::Sleep,
    exchange::Reply,
    proto::answer::{Head, foreign_id, read_body},
};

pub(super) struct Gathering {
    pub(super) head: Head,
    pub(super) parts: Parts,
    pub(super) gather: Gather,
    /// A body that only illustrates a status is not waited for longer than this.
    pub(super) patience: Option<Sleep>,
}

impl Gathering {
    /// The body, or what there is of it where that is enough: a status tells by itself that a request was refused.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Gathered, reqwest::Error>> {
        let refused = self.head != Head::Json || !self.parts.status.is_success();
        match self.gather.poll(cx) {
            Poll::Ready(Err(_)) if refused => Poll::Ready(Ok(self.gather.give_up())),
            Poll::Ready(gathered) => Poll::Ready(gathered),
            Poll::Pending => {
                let Some(patience) = &mut self.patience else {
                    return Poll::Pending;
                };
                ready!(patience.as_mut().poll(cx));
                Poll::Ready(Ok(self.gather.give_up()))
            }
        }
    }
}

impl HttpExchange {
    /// What the body says, or that it broke off.
    pub(super) fn conclude(
        &self,
        mut gathering: Gathering,
        gathered: Result<Gathered, reqwest::Error>,
    ) -> Result<Reply, Failure> {
        match gathered {
            Ok(body) => self.read(gathering.head, gathering.parts, &body),
            Err(error) => {
                let came = gathering.gather.give_up().bytes;
                let kept = &came[..came.len().min(self.client.core.limits.error_body)];
                let quoted = (came.len(), quote(&sieve(kept, &self.sent)));
                let came = Some(quoted).filter(|_| !came.is_empty());
                Err(failure::broken(error, &self.client.core.place(), came)
                    .with_http_status(gathering.parts.status.as_u16()))
            }
        }
    }

    fn read(&self, head: Head, parts: Parts, body: &Gathered) -> Result<Reply, Failure> {
        let place = self.client.core.place();
        let core = &self.client.core;
        let verdict = Verdict {
            place: &place,
            limits: &core.limits,
            clock: &*core.clock,
            sent: &self.sent,
            in_session: self.session.is_some() && self.may_lose_session(),
            resumes: self.id.is_some() && self.reopened(),
        };
        let success = parts.status.is_success();
        let (kind, what) = match head {
            Head::Json if body.cut && success => {
                return Err(too_large(&place, core.limits.response_body));
            }
            Head::Json => match self.id.as_ref().and_then(|id| read_body(&body.bytes, id)) {
                Some(Ok(result)) => return Ok(self.reply(parts, result)),
                Some(Err(error)) => return Err(verdict.peer(error, &parts)),
                None if success => (FailureKind::Malformed, self.unfit(&body.bytes)),
                None => (FailureKind::Http, REFUSED),
            },
            Head::Denied => (
                FailureKind::Unauthorized,
                Cow::Borrowed("the request is not authorized"),
            ),
            Head::Coded => (
                FailureKind::Malformed,
                Cow::Borrowed("the answer has a content coding that was not asked for"),
            ),
            Head::Empty => (
                FailureKind::Malformed,
                Cow::Borrowed("the answer to the request is empty"),
            ),
            Head::Foreign => (
                FailureKind::Malformed,
                Cow::Borrowed("the answer is no MCP message; is this an MCP endpoint?"),
            ),
            Head::Redirect | Head::Events | Head::Bare => (FailureKind::Http, REFUSED),
        };
        Err(verdict.answer(kind, &what, parts, &body.bytes))
    }

    /// Why a body is no answer to this request.
    fn unfit(&self, body: &Bytes) -> Cow<'static, str> {
        match self.id.as_ref().map(|id| (id, foreign_id(body, id))) {
            Some((id, Some(other))) => Cow::Owned(answers_another(&other, id)),
            _ => Cow::Borrowed("the answer is no MCP message for this request"),
        }
    }
}

const REFUSED: Cow<'static, str> = Cow::Borrowed("the request was refused");

/// Servers in the field give back `"1"` for `1`.
pub(super) fn answers_another(other: &RequestId, id: &RequestId) -> String {
    let shown = |id: &RequestId| match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
    };
    format!(
        "an answer is for the request {}, and this is {}; an id comes back as it was sent",
        shown(other),
        shown(id)
    )
}

pub(super) fn too_large(place: &str, limit: usize) -> Failure {
    let detail =
        format!("the answer of {place} is larger than {limit} bytes; raise the limit to take it");
    Failure::new(FailureKind::TooLarge, detail).with_executed(Executed::Yes)
}
