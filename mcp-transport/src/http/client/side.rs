//! What goes out beside the requests: notifications, cancellations and answers to the server, one after the other.

use std::{
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ::http::{HeaderMap, Method as HttpMethod};
use bytes::Bytes;
use mcp_types::{
    ErrorCode, ErrorObject, Method, RawJson, RequestId,
    jsonrpc::{self, ErrorId, RequestMessage},
    notification::CancelledParams,
};
use tokio::sync::{Semaphore, mpsc, watch};

use super::Core;
use crate::{
    ask::{Ask, AskAnswer, AskReply},
    exchange::{Full, Notification},
    message,
    proto::limits::Limits,
};

/// The queue beside the requests and the task that posts it.
///
/// The task ends when the last handle to the queue is gone. Where it went with its runtime, the next message starts
/// another.
pub(super) struct Side {
    state: Mutex<State>,
    /// How many of them were posted, or given up.
    posted: watch::Sender<u64>,
    messages: usize,
}

struct State {
    sender: Option<mpsc::Sender<Post>>,
    /// How many notifications were queued.
    queued: u64,
}

struct Post {
    headers: HeaderMap,
    body: Bytes,
    /// How long the server may take over it.
    patience: Duration,
    /// Whether later requests wait for it.
    counts: bool,
}

impl Side {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            state: Mutex::new(State {
                sender: None,
                queued: 0,
            }),
            posted: watch::Sender::new(0),
            messages: limits.outbound_messages.clamp(1, Semaphore::MAX_PERMITS),
        }
    }

    /// Queues a notification of the caller.
    pub(super) fn notify(
        self: &Arc<Self>,
        core: &Arc<Core>,
        body: Bytes,
        method: &Method,
    ) -> Result<(), Full> {
        let mut headers = core.base_headers(None);
        core.lock().aside(Some(method), &mut headers);
        self.post(
            core,
            Post {
                headers,
                body,
                patience: core.limits.connect_time,
                counts: true,
            },
        )
    }

    /// Tells a legacy server that nobody waits for the answer to `id` any more; `headers` are those of its request.
    pub(super) fn cancel(self: &Arc<Self>, core: &Arc<Core>, id: RequestId, headers: HeaderMap) {
        let Ok(params) = mcp_types::RawParams::from_serialize(&CancelledParams::new(id)) else {
            return;
        };
        let notification = Notification::new("notifications/cancelled", params);
        let post = Post {
            headers,
            body: message::write_notification(&notification),
            patience: core.limits.farewell_time,
            counts: false,
        };
        // A full queue means that the server is not listening anyway.
        let _ = self.post(core, post);
    }

    /// Answers a request of a legacy server at once: a ping is a ping, and nothing else is offered here. `headers` are
    /// those of the request on whose stream it came.
    pub(super) fn answer(
        self: &Arc<Self>,
        core: &Arc<Core>,
        request: &RequestMessage,
        headers: HeaderMap,
    ) {
        let answer = match (request.method.as_str(), RawJson::parse("{}")) {
            ("ping", Ok(empty)) => Ok(empty),
            (method, _) => Err(not_found(method)),
        };
        self.reply(core, &request.id, headers, &answer);
    }

    /// What a legacy server asks, and where the answer to it goes. If nobody gives one, the server learns that its method
    /// is unknown. `headers` are those of the request on whose stream it came.
    pub(super) fn ask(
        self: &Arc<Self>,
        core: &Arc<Core>,
        request: RequestMessage,
        headers: HeaderMap,
    ) -> (Ask, AskReply) {
        // The answer may come from outside a runtime.
        self.start(core);
        let RequestMessage { id, method, params } = request;
        let (side, core) = (Arc::clone(self), Arc::clone(core));
        let ask = Ask::new(id.clone(), method.clone(), params);
        let reply = AskReply::new(move |answer| {
            let answer = answer.unwrap_or_else(|| Err(not_found(method.as_str())));
            side.reply(&core, &id, headers, &answer);
        });
        (ask, reply)
    }

    fn reply(
        self: &Arc<Self>,
        core: &Arc<Core>,
        id: &RequestId,
        mut headers: HeaderMap,
        answer: &AskAnswer,
    ) {
        let mut body = Vec::new();
        match answer {
            Ok(result) => jsonrpc::write_result(id, result, &mut body),
            Err(error) => jsonrpc::write_error(&ErrorId::Known(id.clone()), error, &mut body),
        }
        core.lock().aside(None, &mut headers);
        let post = Post {
            headers,
            body: body.into(),
            patience: core.limits.connect_time,
            counts: false,
        };
        let _ = self.post(core, post);
    }

    /// A mark for [`Self::settled`]: what was queued until now.
    pub(super) fn mark(&self) -> u64 {
        self.lock().queued
    }

    /// Waits until the notifications up to `mark` are posted, so that they do not overtake one another; for a server
    /// that does not answer one of them, no longer than [`Limits::farewell_time`].
    pub(super) async fn settled(&self, mark: u64) {
        // The sender is here, so this does not fail.
        let _ = self
            .posted
            .subscribe()
            .wait_for(|posted| *posted >= mark)
            .await;
    }

    /// Starts the task now, so that later messages can come from outside a runtime.
    pub(super) fn start(self: &Arc<Self>, core: &Arc<Core>) {
        // Called outside a runtime it changes nothing.
        let _ = self.sender(&mut self.lock(), core);
    }

    fn post(self: &Arc<Self>, core: &Arc<Core>, post: Post) -> Result<(), Full> {
        let mut state = self.lock();
        let counts = post.counts;
        let sender = self.sender(&mut state, core)?;
        sender.try_send(post).map_err(|_| Full)?;
        state.queued += u64::from(counts);
        Ok(())
    }

    /// The queue of a task that runs.
    fn sender(
        self: &Arc<Self>,
        state: &mut State,
        core: &Arc<Core>,
    ) -> Result<mpsc::Sender<Post>, Full> {
        if let Some(sender) = state.sender.as_ref().filter(|sender| !sender.is_closed()) {
            return Ok(sender.clone());
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err(Full);
        };
        let (sender, receiver) = mpsc::channel(self.messages);
        let working = Working {
            core: Arc::clone(core),
            posts: receiver,
            posted: self.posted.clone(),
            counting: 0,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the last sender, which the client owns"
        )]
        runtime.spawn(working.run());
        Ok(state.sender.insert(sender).clone())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_found(method: &str) -> ErrorObject {
    ErrorObject::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
    )
}

struct Working {
    core: Arc<Core>,
    posts: mpsc::Receiver<Post>,
    posted: watch::Sender<u64>,
    /// 1 while a message is posted that counts.
    counting: u64,
}

impl Working {
    async fn run(mut self) {
        while let Some(post) = self.posts.recv().await {
            self.counting = u64::from(post.counts);
            let core = Arc::clone(&self.core);
            let clock = &core.clock;
            let (soon, last) = (
                clock.deadline(core.limits.farewell_time.min(post.patience)),
                clock.deadline(post.patience),
            );
            let send = core.send(HttpMethod::POST, post.headers, Some(post.body));
            let mut send = pin!(send);
            let answer = tokio::select! {
                answer = &mut send => Some(answer),
                () = clock.sleep_until(soon) => None,
            };
            // From here on it is out, only not answered: that must not hold up the requests behind it.
            self.settle();
            let answer = match answer {
                Some(answer) => Some(answer),
                None => tokio::select! {
                    answer = send => Some(answer),
                    () = clock.sleep_until(last) => None,
                },
            };
            // Any answer will do, 4xx and HTML included: there is nobody to tell.
            match answer {
                Some(Ok(_)) => {}
                Some(Err(failure)) => tracing::debug!(%failure, "a notification was not delivered"),
                None => tracing::debug!("a notification was not taken in time"),
            }
        }
    }

    /// Lets go whoever waits for what is posted now.
    fn settle(&mut self) {
        let count = std::mem::take(&mut self.counting);
        if count > 0 {
            self.posted.send_modify(|posted| *posted += count);
        }
    }
}

/// What is not posted any more, since the runtime ended, is not waited for either.
impl Drop for Working {
    fn drop(&mut self) {
        self.posts.close();
        while let Ok(post) = self.posts.try_recv() {
            self.counting += u64::from(post.counts);
        }
        self.settle();
    }
}
