//! Client and server in one process: an exchange is a call.
//!
//! Nothing is framed and, unless asked for, nothing is encoded. [`Memory::strict`] sends each message
//! as a line of stdio and reads it from there, so that a test meets what a wire would do to it.

#[cfg(test)]
mod tests;

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use mcp_errors::{Failure, FailureKind};
use mcp_types::{
    Message, RequestId,
    jsonrpc::{self, ErrorId, Malformed, ResponseMessage},
};

use crate::{
    ask::Ask,
    exchange::{Ended, Endpoint, Event, Exchange, Full, Notification, Reply, Request},
    message,
    proto::lines::{Line, LineDecoder, one_line},
};

/// A client's endpoint whose other end is a server in the same process.
#[derive(Clone)]
pub struct Memory {
    server: Arc<dyn Endpoint>,
    strict: bool,
}

impl Memory {
    /// Hands each request to `server` as it is, its extensions included.
    pub fn new(server: Arc<dyn Endpoint>) -> Self {
        Self {
            server,
            strict: false,
        }
    }

    /// Writes and reads each message as a line of stdio, in both directions, and drops extensions as a wire does.
    pub fn strict(server: Arc<dyn Endpoint>) -> Self {
        Self {
            server,
            strict: true,
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("strict", &self.strict)
            .finish_non_exhaustive()
    }
}

impl Endpoint for Memory {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        if !self.strict {
            return self.server.open(request);
        }
        match request_over_wire(&request) {
            Ok(request) => Box::pin(Strict(self.server.open(request))),
            Err(failure) => Ended::boxed(Err(failure)),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        match self.strict.then(|| notification_over_wire(&notification)) {
            None => self.server.notify(notification),
            Some(Ok(notification)) => self.server.notify(notification),
            // A message that does not survive its JSON would not arrive over a wire either.
            Some(Err(_)) => Ok(()),
        }
    }
}

struct Strict(Pin<Box<dyn Exchange>>);

impl Exchange for Strict {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        loop {
            let event = match self.0.as_mut().poll_event(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(event) => event,
            };
            return Poll::Ready(match event {
                Event::Notification(notification) => match notification_over_wire(&notification) {
                    Ok(notification) => Event::Notification(notification),
                    Err(_) => continue,
                },
                Event::Ask(ask, reply) => match ask_over_wire(&ask) {
                    Ok(ask) => Event::Ask(ask, reply),
                    // Its reply says that it did not arrive.
                    Err(_) => continue,
                },
                Event::Outcome(outcome) => Event::Outcome(outcome_over_wire(outcome)),
            });
        }
    }
}

fn id() -> RequestId {
    RequestId::Number(1)
}

/// What comes out of a line that a message was written to; `None` if that is not one line.
fn over_wire(message: Bytes) -> Option<Result<Message, Malformed>> {
    let mut decoder = LineDecoder::new(usize::MAX);
    decoder.push(&one_line(message));
    decoder.push(b"\n");
    let line = decoder.next_line();
    match (line, decoder.finish()) {
        (Some(Line::Text(line)), None) => Some(jsonrpc::decode(&line)),
        _ => None,
    }
}

fn request_over_wire(request: &Request) -> Result<Request, Failure> {
    match over_wire(message::write_request(&id(), request)?) {
        Some(Ok(Message::Request(request))) => Ok(message::read_request(request)),
        other => Err(changed("request", &other)),
    }
}

fn notification_over_wire(notification: &Notification) -> Result<Notification, Failure> {
    match over_wire(message::write_notification(notification)) {
        Some(Ok(Message::Notification(notification))) => {
            Ok(message::read_notification(notification))
        }
        other => Err(changed("notification", &other)),
    }
}

fn ask_over_wire(ask: &Ask) -> Result<Ask, Failure> {
    match jsonrpc::decode(&ask.to_message()) {
        Ok(Message::Request(request)) => Ok(Ask::new(request.id, request.method, request.params)),
        other => Err(changed("ask", &other)),
    }
}

fn outcome_over_wire(outcome: Result<Reply, Failure>) -> Result<Reply, Failure> {
    let mut text = Vec::new();
    match &outcome {
        Ok(reply) => jsonrpc::write_result(&id(), &reply.result, &mut text),
        Err(failure) => match failure.peer_error() {
            Some(error) => jsonrpc::write_error(&ErrorId::Known(id()), error, &mut text),
            // Only the peer's own errors are messages.
            None => return outcome,
        },
    }
    match over_wire(text.into()) {
        Some(Ok(Message::Response(ResponseMessage {
            body: Ok(result), ..
        }))) => Ok(Reply::new(result)),
        Some(Ok(Message::Response(ResponseMessage {
            body: Err(error), ..
        }))) => Err(Failure::peer(error)),
        other => Err(changed("response", &other)),
    }
}

fn changed(what: &str, got: &impl fmt::Debug) -> Failure {
    Failure::new(
        FailureKind::Malformed,
        format!("the {what} does not survive its JSON; it became {got:?}"),
    )
}
