//! Specialists that misbehave: held back, dead, or answering with whatever a test says.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use mcp_errors::{Failure, FailureKind};
use mcp_server::{Answer, BoxFuture, Call, Server, Service, Tool};
use mcp_transport::exchange::Ended;
use mcp_transport::{Endpoint, Event, Exchange, Full, Notification, Request};
use mcp_types::tool::Tool as Definition;
use mcp_types::{Outcome, Payload, RawJson, RawObject};

/// A server that answers nothing until it is let go.
#[derive(Clone, Default)]
pub(super) struct Hold(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Hold {
    pub(super) fn around(
        &self,
        connect: impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static,
    ) -> impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static {
        let hold = self.clone();
        move || {
            Arc::new(Held {
                hold: hold.clone(),
                inner: connect(),
            })
        }
    }

    pub(super) fn let_go(&self) {
        let wakers = {
            let mut state = self.0.lock().unwrap();
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(super) fn hold(&self) {
        self.0.lock().unwrap().0 = false;
    }

    fn is_held(&self, cx: &Context<'_>) -> bool {
        let mut state = self.0.lock().unwrap();
        if !state.0 {
            state.1.push(cx.waker().clone());
        }
        !state.0
    }
}

struct Held {
    hold: Hold,
    inner: Arc<dyn Endpoint>,
}

impl Endpoint for Held {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        Box::pin(HeldExchange {
            hold: self.hold.clone(),
            inner: self.inner.open(request),
        })
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.inner.notify(notification)
    }
}

struct HeldExchange {
    hold: Hold,
    inner: Pin<Box<dyn Exchange>>,
}

impl Exchange for HeldExchange {
    fn poll_event(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Event> {
        if self.hold.is_held(cx) {
            return Poll::Pending;
        }
        self.inner.as_mut().poll_event(cx)
    }
}

/// A server whose calls of `method` fail on the way, as long as a test says so. Counts its connections.
#[derive(Clone)]
pub(super) struct Broken {
    method: Arc<Mutex<Option<(&'static str, FailureKind)>>>,
    pub(super) connections: Arc<AtomicUsize>,
}

impl Broken {
    pub(super) fn new() -> Self {
        Self {
            method: Arc::default(),
            connections: Arc::default(),
        }
    }

    pub(super) fn fail(&self, method: &'static str, kind: FailureKind) {
        *self.method.lock().unwrap() = Some((method, kind));
    }

    pub(super) fn mend(&self) {
        *self.method.lock().unwrap() = None;
    }

    pub(super) fn around(
        &self,
        connect: impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static,
    ) -> impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static {
        let broken = self.clone();
        move || {
            broken.connections.fetch_add(1, Ordering::Relaxed);
            Arc::new(BrokenEnd(broken.clone(), connect()))
        }
    }
}

struct BrokenEnd(Broken, Arc<dyn Endpoint>);

impl Endpoint for BrokenEnd {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        let failing = *self.0.method.lock().unwrap();
        match failing {
            Some((method, kind)) if request.method == method => {
                Ended::boxed(Err(Failure::new(kind, "broken at 10.0.0.1 with secret")))
            }
            _ => self.1.open(request),
        }
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.1.notify(notification)
    }
}

/// A tool that is defined by its JSON, and answers as `answer` says. Anything is let in.
pub(super) fn raw_tool(
    definition: &str,
    answer: impl Fn(&Call) -> Answer + Send + Sync + 'static,
) -> Tool {
    let definition: Definition = serde_json::from_str(definition).unwrap();
    Tool::from_service(definition, Arc::new(Raw(answer)))
}

struct Raw<F>(F);

impl<F: Fn(&Call) -> Answer + Send + Sync> Service for Raw<F> {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        Box::pin(std::future::ready((self.0)(&call)))
    }
}

/// A result of exactly this JSON.
pub(super) fn result(json: &str) -> Answer {
    let object: RawObject = RawJson::parse(json).unwrap().decode().unwrap();
    Answer::new(Outcome::Complete(Payload::Raw(object)))
}

/// A server of one tool `do`, which answers as `answer` says.
pub(super) fn doer(answer: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Server {
    let tool = raw_tool(r#"{"name":"do","inputSchema":{"type":"object"}}"#, answer);
    Server::new("doer", "1.0").tool(tool)
}

/// Polls once: what it gave, if it is done.
pub(super) async fn poll_once<F: Future + Unpin>(work: &mut F) -> Option<F::Output> {
    poll_fn(|cx| {
        Poll::Ready(match Pin::new(&mut *work).poll(cx) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        })
    })
    .await
}
