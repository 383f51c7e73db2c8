//! What goes out beside the requests: notifications, cancellations and answers to the server, one after the other.

use std::sync::{Arc, Mutex, PoisonError};

use ::http::{HeaderMap, Method as HttpMethod};
use bytes::Bytes;
use mcp_types::{
    ErrorCode, ErrorObject, Method, RawJson, RequestId,
    jsonrpc::{self, ErrorId, RequestMessage},
    notification::CancelledParams,
};
use tokio::sync::{mpsc, watch};

use super::Core;
use crate::{
    exchange::{Full, Notification},
    message,
    proto::limits::Limits,
};

/// The queue beside the requests and the task that posts it.
///
/// The task starts with the first message and ends when the last handle to the queue is gone.
pub(super) struct Side {
    sender: mpsc::Sender<Post>,
    start: Mutex<Option<(mpsc::Receiver<Post>, watch::Sender<u64>)>>,
    /// How many notifications were queued.
    queued: Mutex<u64>,
    /// How many of them were posted.
    posted: watch::Receiver<u64>,
}

struct Post {
    headers: HeaderMap,
    body: Bytes,
    /// Whether later requests wait for it.
    counts: bool,
}

impl Side {
    pub(super) fn new(limits: &Limits) -> Self {
        let (sender, receiver) = mpsc::channel(limits.outbound_messages.max(1));
        let (done, posted) = watch::channel(0);
        Self {
            sender,
            start: Mutex::new(Some((receiver, done))),
            queued: Mutex::new(0),
            posted,
        }
    }

    /// Queues a notification of the caller.
    pub(super) fn notify(
        &self,
        core: &Arc<Core>,
        body: Bytes,
        method: &Method,
    ) -> Result<(), Full> {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        self.post(core, body, Some(method), true)?;
        *queued += 1;
        Ok(())
    }

    /// Tells a legacy server that nobody waits for the answer to `id` any more.
    pub(super) fn cancel(&self, core: &Arc<Core>, id: RequestId) {
        let Ok(params) = mcp_types::RawParams::from_serialize(&CancelledParams::new(id)) else {
            return;
        };
        let notification = Notification::new("notifications/cancelled", params);
        let body = message::write_notification(&notification);
        // A full queue means that the server is not listening anyway.
        let _ = self.post(core, body, Some(&notification.method), false);
    }

    /// Answers a request of a legacy server: a ping is a ping, and nothing else is offered here.
    pub(super) fn answer(&self, core: &Arc<Core>, request: &RequestMessage) {
        let mut body = Vec::new();
        match (request.method.as_str(), RawJson::parse("{}")) {
            ("ping", Ok(empty)) => jsonrpc::write_result(&request.id, &empty, &mut body),
            (method, _) => {
                let error = ErrorObject::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    format!("Method not found: {method}"),
                );
                jsonrpc::write_error(&ErrorId::Known(request.id.clone()), &error, &mut body);
            }
        }
        let _ = self.post(core, body.into(), None, false);
    }

    /// A mark for [`Self::settled`]: what was queued until now.
    pub(super) fn mark(&self) -> u64 {
        *self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the notifications up to `mark` are posted, so that they do not overtake one another.
    pub(super) async fn settled(&self, mark: u64) {
        // An error means that the task is gone, and with it what it had to post.
        let _ = self.posted.clone().wait_for(|posted| *posted >= mark).await;
    }

    fn post(
        &self,
        core: &Arc<Core>,
        body: Bytes,
        method: Option<&Method>,
        counts: bool,
    ) -> Result<(), Full> {
        let mut headers = core.base_headers(None);
        core.lock().aside(method, &mut headers);
        self.ensure_started(core)?;
        self.sender
            .try_send(Post {
                headers,
                body,
                counts,
            })
            .map_err(|_| Full)
    }

    fn ensure_started(&self, core: &Arc<Core>) -> Result<(), Full> {
        let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        if start.is_none() {
            return Ok(());
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err(Full);
        };
        if let Some((receiver, done)) = start.take() {
            #[expect(
                clippy::disallowed_methods,
                reason = "ends with the last sender, which the client owns"
            )]
            runtime.spawn(work(Arc::clone(core), receiver, done));
        }
        Ok(())
    }
}

async fn work(core: Arc<Core>, mut posts: mpsc::Receiver<Post>, done: watch::Sender<u64>) {
    while let Some(post) = posts.recv().await {
        let deadline = core.clock.now() + core.limits.connect_time;
        tokio::select! {
            // Any answer will do, 4xx and HTML included: there is nobody to tell.
            answer = core.send(HttpMethod::POST, post.headers, Some(post.body)) => {
                if let Err(failure) = answer {
                    tracing::debug!(%failure, "a notification was not delivered");
                }
            }
            () = core.clock.sleep_until(deadline) => tracing::debug!("a notification was not taken in time"),
        }
        if post.counts {
            done.send_modify(|posted| *posted += 1);
        }
    }
}
