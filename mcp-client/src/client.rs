//! The client: what can be asked of a server once there is a connection.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use http::HeaderMap;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_transport::{Clock, Endpoint, Reply};
use mcp_types::{
    Era,
    capability::Implementation,
    jsonrpc::ProgressToken,
    method::{self, RequestType},
    subscription::SubscriptionFilter,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    builder::Builder,
    driver::Driver,
    error::{Error, What},
    link::{Identity, Link},
    listen::Listener,
    negotiation::Negotiation,
    proto::{
        mirrors::Mirrors,
        pages::{BadList, Limits, Pages, ToolList},
        probe::Wire,
    },
    request::{Ask, CallTool, ListTools, Pending, Ping},
};

/// A connection to a server. Clones share it.
///
/// Dropping the last clone, and the calls that are under way, drops the connection; [`Client::close`]
/// ends it cleanly.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    parts: Parts,
    /// Where arguments are mirrored into headers.
    mirrors: Option<Mutex<Mirrors>>,
    tokens: AtomicI64,
    closed: AtomicBool,
}

pub(crate) struct Parts {
    pub(crate) driver: Driver,
    pub(crate) negotiation: Negotiation,
    pub(crate) identity: Identity,
    pub(crate) headers: HeaderMap,
    pub(crate) request_timeout: Duration,
    pub(crate) list_limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Client {
    /// A client of this name and version, which is what servers see of it.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(Implementation::new(name, version))
    }

    pub(crate) fn new(parts: Parts) -> Self {
        let link = &parts.negotiation.link;
        let mirrors = link.is_mirrored().then(|| {
            let most = parts.list_limits.items;
            Mutex::new(Mirrors::new(most))
        });
        Self(Arc::new(Inner {
            parts,
            mirrors,
            tokens: AtomicI64::new(1),
            closed: AtomicBool::new(false),
        }))
    }

    /// Runs a tool: `structuredContent` into `Out`, else its text as JSON or, for a `String`, as it is.
    ///
    /// # Errors
    /// When the tool says that it failed ([`Error::is_tool_error`]), there is no result, or it is no `Out`.
    pub async fn call<Out: DeserializeOwned + 'static>(
        &self,
        tool: &str,
        args: &(impl Serialize + ?Sized),
    ) -> Result<Out, Error> {
        self.request(CallTool::new(tool, args)).output().await
    }

    /// Runs a tool and hands its result through as it came, whatever its type, errors of the tool included.
    ///
    /// # Errors
    /// When there is no result.
    pub async fn call_raw(
        &self,
        tool: &str,
        args: &(impl Serialize + ?Sized),
    ) -> Result<Reply, Error> {
        self.request(CallTool::new(tool, args)).send_raw().await
    }

    /// A request of any kind, to be furnished and sent.
    pub fn request<M: RequestType>(&self, ask: Ask<M>) -> Pending<M> {
        Pending::new(self.clone(), ask)
    }

    /// All tools, every page of them. A tool that cannot be read is set aside and reported, as is one whose
    /// `x-mcp-header` marks cannot be followed on a modern connection over HTTP; a server that has no such method
    /// has no tools.
    ///
    /// # Errors
    /// When a page cannot be had within the time of one request for all, or the list is over the limit.
    pub async fn list_tools(&self) -> Result<ToolList, Error> {
        self.list_tools_within(self.0.parts.request_timeout).await
    }

    /// The same, with a time of its own for all pages together.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_tools_within(&self, within: Duration) -> Result<ToolList, Error> {
        let what = || What::of::<method::ListTools>(None);
        let deadline = self.clock().deadline(within);
        let mut pages = Pages::new(self.0.parts.list_limits).over_http(self.is_over_http());
        loop {
            let ask = pages.cursor().map_or_else(ListTools::new, ListTools::after);
            let page = match self.request(ask).until(deadline).send_raw().await {
                Ok(page) => page,
                Err(error) if error.is_method_not_found() && pages.cursor().is_none() => break,
                Err(error) => return Err(error),
            };
            match pages.handle(&page.result) {
                Ok(true) => {}
                Ok(false) => break,
                Err(BadList::ResultType(kind)) => return Err(Error::result_type(what(), &kind)),
                Err(bad @ BadList::Malformed(_)) => {
                    return Err(Error::shape(what(), &bad.to_string()));
                }
                Err(bad) => return Err(Error::limit(what(), &bad.to_string())),
            }
        }
        let list = pages.into_list();
        for skipped in &list.skipped {
            tracing::warn!(tool = ?skipped.name, reason = skipped.reason, "a tool was set aside");
        }
        Ok(list)
    }

    /// Asks whether a legacy server is alive.
    ///
    /// # Errors
    /// When it is not; and on a modern connection, which has no such method.
    pub async fn ping(&self) -> Result<(), Error> {
        self.request(Ping::new()).send().await.map(|_| ())
    }

    /// What the server tells beside its answers from here on, such as `notifications/tools/list_changed`: all that a
    /// legacy server sends unasked; a modern one is asked for the changes of all its lists.
    ///
    /// # Errors
    /// When this client was closed.
    pub fn listen(&self) -> Result<Listener, Error> {
        Listener::open(self, None)
    }

    /// The same for what `filter` names: lists, resources by their addresses, tasks by their ids. A modern server that
    /// can tell none of it ends the subscription at once ([`Listener::acknowledged`]). A legacy server tells of
    /// resources alone that were subscribed to with `resources/subscribe`.
    ///
    /// # Errors
    /// When this client was closed.
    pub fn listen_to(&self, filter: SubscriptionFilter) -> Result<Listener, Error> {
        Listener::open(self, Some(filter))
    }

    /// What was agreed with the server, and what it says of itself.
    pub fn link(&self) -> &Link {
        &self.0.parts.negotiation.link
    }

    /// What was tried, what was answered, what was chosen.
    pub fn negotiation(&self) -> &Negotiation {
        &self.0.parts.negotiation
    }

    /// Whether the connection is modern.
    pub fn is_modern(&self) -> bool {
        self.link().era == Era::Modern
    }

    /// The last of what the server's process wrote to stderr, if it is one. It may hold secrets: show it to
    /// a person, not to a model.
    pub fn stderr(&self) -> Option<String> {
        self.0.parts.driver.stderr()
    }

    /// Ends the connection cleanly: a child process is asked to end before it is made to, a legacy HTTP
    /// session is deleted. Calls under way may fail, and calls of any clone from here on do. An endpoint that was
    /// passed in stays its owner's. It takes ten seconds at most; closing twice is no mistake.
    pub async fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.parts.driver.close(&*self.0.parts.clock).await;
    }

    /// Ends all of them at once, as [`Self::close`] does: it takes as long as the slowest, ten seconds at most.
    pub async fn close_all(clients: impl IntoIterator<Item = Self>) {
        let clients: Vec<Self> = clients.into_iter().collect();
        let mut closing: Vec<_> = clients.iter().map(|one| Box::pin(one.close())).collect();
        poll_fn(|cx| {
            closing.retain_mut(|close| close.as_mut().poll(cx).is_pending());
            match closing.is_empty() {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }

    /// Why nothing can be sent any more, if that is so.
    pub(crate) fn ended(&self) -> Option<Failure> {
        let closed = self.0.closed.load(Ordering::Relaxed);
        closed.then(|| {
            let detail = "this client was closed: connect again";
            Failure::new(FailureKind::Closed, detail).with_executed(Executed::No)
        })
    }

    /// Whether this is a modern connection over HTTP of our own, whose servers may want arguments in headers.
    pub(crate) fn is_over_http(&self) -> bool {
        self.is_modern() && self.link().wire == Wire::Http
    }

    /// What the tools seen in lists want mirrored into headers, where it can be.
    pub(crate) fn mirrors(&self) -> Option<MutexGuard<'_, Mirrors>> {
        let mirrors = self.0.mirrors.as_ref()?;
        Some(mirrors.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn endpoint(&self) -> &Arc<dyn Endpoint> {
        self.0.parts.driver.endpoint()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.0.parts.clock
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.0.parts.identity
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.parts.headers
    }

    pub(crate) fn request_timeout(&self) -> Duration {
        self.0.parts.request_timeout
    }

    pub(crate) fn next_token(&self) -> ProgressToken {
        self.0.tokens.fetch_add(1, Ordering::Relaxed).into()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("target", &self.negotiation().target)
            .field("link", self.link())
            .finish_non_exhaustive()
    }
}
