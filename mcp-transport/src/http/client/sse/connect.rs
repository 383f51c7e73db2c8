//! Opening the stream, and its bytes to events.

use std::{future::poll_fn, sync::Arc};

use ::http::{HeaderMap, Method, header};
use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use reqwest::{Body, Url};

use super::{
    super::{
        Core, HttpClient, HttpClientBuilder, Sent,
        body::{Gather, Gathered, poll_piece},
        failure::{self, Verdict},
        head, redirect,
        sieve::{quote, sieve},
    },
    place,
};
use crate::proto::{
    answer::{Head, read_head},
    sse::{Decoder, Event},
};

/// A stream that has said where to post.
pub(super) struct Opened {
    pub(super) messages: HttpClient,
    pub(super) stream: Stream,
    /// Events that came before that.
    pub(super) early: Vec<Event>,
}

/// So many events may come before the endpoint is announced, together no larger than one may be; more are dropped.
const EARLY: usize = 64;
/// A GET stays one, so these change nothing but the place.
const FOLLOWED: [u16; 4] = [301, 302, 307, 308];

pub(super) async fn open(settings: HttpClientBuilder) -> Result<Opened, Failure> {
    let fixed = settings.message_url.clone();
    let client = settings.clone().build()?;
    let core = &client.core;
    let mut early = Vec::new();
    let deadline = core.clock.deadline(core.limits.connect_time);
    let announced = tokio::select! {
        announced = announced(core, &mut early) => Some(announced),
        () = core.clock.sleep_until(deadline) => None,
    };
    let Some(announced) = announced else {
        return Err(silent(core, &early));
    };
    let (origin, endpoint, stream) = announced?;
    let url = match fixed {
        Some(fixed) => redirect::parse(&fixed)?.0,
        None => place::resolve(&origin, &endpoint)?,
    };
    // Its credentials are headers by now.
    let messages = settings.at(url.as_str()).build()?;
    Ok(Opened {
        messages,
        stream,
        early,
    })
}

/// The final URL of the stream, what it announces, and the stream behind that.
async fn announced(
    core: &Arc<Core>,
    early: &mut Vec<Event>,
) -> Result<(Url, String, Stream), Failure> {
    let mut headers = core.base_headers(None);
    headers.remove(header::CONTENT_TYPE);
    headers.insert(header::ACCEPT, head::ACCEPT_EVENTS);
    let sent = core
        .send_following(&FOLLOWED, Method::GET, headers, None)
        .await?;
    if read_head(sent.answer.status(), sent.answer.headers()) != Head::Events {
        return Err(refused(core, sent).await);
    }
    let url = sent.url;
    let mut stream = Stream::new(core, sent.answer.into_body());
    let mut room = core.limits.event;
    while let Some(event) = stream.next(core).await? {
        if event.name.as_deref() == Some("endpoint") {
            let data = event.data.unwrap_or_default();
            return Ok((url, String::from_utf8_lossy(&data).into_owned(), stream));
        }
        let Some(size) = event.data.as_ref().map(Bytes::len) else {
            continue;
        };
        if early.len() < EARLY && size <= room {
            room -= size;
            early.push(event);
        }
    }
    let detail = format!(
        "the stream of {} ended before it announced an endpoint",
        core.place()
    );
    Err(Failure::new(FailureKind::Lost, detail))
}

/// What is no stream of events: a refusal, or another kind of server.
async fn refused(core: &Core, sent: Sent) -> Failure {
    let head = read_head(sent.answer.status(), sent.answer.headers());
    let (parts, body) = sent.answer.into_parts();
    let body = gather(core, body, core.limits.error_body).await;
    let (kind, what) = match head {
        Head::Denied => (FailureKind::Unauthorized, "the stream is not authorized"),
        _ if parts.status.is_success() => (FailureKind::Malformed, "there is no stream of events"),
        _ => (FailureKind::Http, "the stream was refused"),
    };
    let place = core.place();
    verdict(core, &place, &sent.headers).answer(kind, what, parts, &body.bytes)
}

pub(super) fn verdict<'a>(core: &'a Core, place: &'a str, sent: &'a HeaderMap) -> Verdict<'a> {
    Verdict {
        place,
        sent,
        limits: &core.limits,
        clock: &*core.clock,
        in_session: false,
        resumes: false,
    }
}

/// What there is of a body that is not waited for long.
pub(super) async fn gather(core: &Core, body: Body, limit: usize) -> Gathered {
    let mut gather = Gather::new(body, limit);
    let deadline = core.clock.deadline(core.limits.farewell_time);
    let gathered = tokio::select! {
        gathered = poll_fn(|cx| gather.poll(cx)) => gathered.ok(),
        () = core.clock.sleep_until(deadline) => None,
    };
    gathered.unwrap_or_else(|| gather.give_up())
}

/// Some servers leave the name of the event out: what came instead tells.
fn silent(core: &Core, early: &[Event]) -> Failure {
    let (place, time) = (core.place(), core.limits.connect_time);
    let mut detail = format!("{place} announced no endpoint within {time:?}");
    if let Some(event) = early.first() {
        let name = event.name.as_deref().unwrap_or("message");
        let data = event.data.as_deref().unwrap_or_default();
        let data = &data[..data.len().min(core.limits.error_body)];
        let data = quote(&sieve(data, &core.base_headers(None)));
        detail.push_str(&format!("; its first event was {name:?} with {data}"));
    }
    Failure::new(FailureKind::Timeout, detail)
}

/// The bytes of the stream.
pub(super) struct Stream {
    body: Body,
    decoder: Decoder,
}

impl Stream {
    fn new(core: &Core, body: Body) -> Self {
        let limit = core.limits.event;
        let decoder = Decoder::new()
            .with_line_limit(limit.saturating_add(64))
            .with_event_limit(limit);
        Self { body, decoder }
    }

    /// The next event; `None` at the end of the stream.
    pub(super) async fn next(&mut self, core: &Core) -> Result<Option<Event>, Failure> {
        loop {
            let event = self.decoder.next_event().map_err(|error| {
                let detail = format!("{}: {error}", core.place());
                Failure::new(FailureKind::TooLarge, detail).with_source(error)
            })?;
            if event.is_some() {
                return Ok(event);
            }
            let patience = core.limits.stream_idle_time;
            let deadline = core.clock.deadline(patience);
            let piece = tokio::select! {
                piece = poll_fn(|cx| poll_piece(&mut self.body, cx)) => piece,
                () = core.clock.sleep_until(deadline) => {
                    let detail = format!("the stream of {} was silent for {patience:?}", core.place());
                    return Err(Failure::new(FailureKind::Lost, detail));
                }
            };
            match piece {
                Some(Ok(piece)) => self.decoder.push(&piece),
                Some(Err(error)) => return Err(failure::broken(error, &core.place(), None)),
                None => return Ok(None),
            }
        }
    }
}
