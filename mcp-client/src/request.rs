//! A request on its way: what is asked, how it is furnished, and what comes back.

mod ask;
mod relist;
mod running;

use std::{
    fmt,
    time::{Duration, Instant},
};

use http::HeaderMap;
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_transport::{Reply, Request};
use mcp_types::{
    Method, RawJson, RequestMeta,
    method::{self, RequestType},
    notification::ProgressParams,
};
use serde::{Serialize, de::DeserializeOwned};

pub use self::{
    ask::{Ask, CallTool, ListTools, Ping},
    running::Running,
};
use crate::{
    client::Client,
    error::{Error, What},
    headers, output,
};

pub(crate) type OnProgress = Box<dyn FnMut(ProgressParams) + Send>;

/// A request that was not sent yet.
#[must_use = "a request does nothing until it is sent"]
pub struct Pending<M: RequestType> {
    client: Client,
    ask: Ask<M>,
    headers: HeaderMap,
    meta: RequestMeta,
    /// What is wrong with a header or a member of `_meta`.
    bad: Option<String>,
    within: Duration,
    until: Option<Instant>,
    on_progress: Option<OnProgress>,
}

impl<M: RequestType> Pending<M> {
    pub(crate) fn new(client: Client, ask: Ask<M>) -> Self {
        Self {
            within: client.request_timeout(),
            headers: client.headers().clone(),
            client,
            ask,
            meta: RequestMeta::new(),
            bad: None,
            until: None,
            on_progress: None,
        }
    }

    /// Sends this HTTP header too; it replaces the client's own of the same name. Over other transports it
    /// has no effect.
    ///
    /// A header that the transport owns, or one that cannot be written, fails the call before it is sent.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        match headers::parse(name.as_ref(), value.as_ref()) {
            Ok((name, mut value)) => {
                value.set_sensitive(true);
                self.headers.insert(name, value);
            }
            Err(why) => self.bad = Some(why),
        }
        self
    }

    /// Sets a member of `_meta`. The protocol's own three, which say who is asking, are the client's and
    /// cannot be set.
    pub fn meta(mut self, key: impl Into<Box<str>>, value: impl Serialize) -> Self {
        match RawJson::from_serialize(&value) {
            Ok(value) => self.meta.set(key, value),
            Err(error) => {
                self.bad = Some(format!(
                    "the member {:?} of `_meta` is not JSON: {error}",
                    key.into()
                ));
            }
        }
        self
    }

    /// How long the call may take, from sending to its outcome; the client's `request_timeout` by default.
    pub fn deadline(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// Asks for progress, and hands it to `hear` as it comes. It must not block.
    pub fn on_progress(mut self, hear: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
        self
    }

    pub(crate) fn until(mut self, deadline: Instant) -> Self {
        self.until = Some(deadline);
        self
    }

    /// Sends it, and gives its complete result. Dropping the future cancels the call.
    ///
    /// # Errors
    /// When there is no result, it is of another type than `complete`, or it cannot be read.
    pub async fn send(self) -> Result<M::Result, Error> {
        let progress = self.on_progress.is_some();
        self.launch(progress)?.outcome().await
    }

    /// Sends it, and gives its result as it came, whatever its type.
    ///
    /// # Errors
    /// When there is no result.
    pub async fn send_raw(self) -> Result<Reply, Error> {
        let progress = self.on_progress.is_some();
        self.launch(progress)?.reply().await
    }

    /// Sends it and asks for progress: what comes before the outcome is there to be read.
    ///
    /// # Errors
    /// When it cannot be sent as asked.
    pub fn start(self) -> Result<Running<M>, Error> {
        self.launch(true)
    }

    fn launch(self, progress: bool) -> Result<Running<M>, Error> {
        let what = self.ask.what();
        if let Some(why) = self.bad {
            return Err(Error::invalid(what, why));
        }
        if let Some(failure) = self.client.ended() {
            return Err(Error::failed(what, failure));
        }
        let method = Method::from(M::METHOD);
        let link = self.client.link();
        if !link.allows(&method) {
            let why = format!(
                "revision {}, which the server speaks, has no such method",
                link.revision
            );
            return Err(Error::invalid(what, why));
        }
        let params = self
            .ask
            .params
            .map_err(|why| Error::invalid(what.clone(), why))?;
        let mut meta = self.client.identity().meta(link.revision, &self.meta);
        let mut token = meta.progress_token();
        if progress && token.is_none() {
            let fresh = self.client.next_token();
            meta.set_progress_token(&fresh);
            token = Some(fresh);
        }
        let mut request = Request::new(method, params).with_meta(meta);
        if !self.headers.is_empty() {
            request.ext.insert(self.headers);
        }
        let again = relist::mirror(&self.client, &mut request)
            .map_err(|bad| Error::invalid(what.clone(), bad.to_string()))?;
        let now = self.client.clock().now();
        let deadline = self
            .until
            .unwrap_or_else(|| self.client.clock().deadline(self.within));
        if deadline <= now {
            let detail = "its deadline had passed before it was sent";
            let failure = Failure::new(FailureKind::Timeout, detail).with_executed(Executed::No);
            return Err(Error::failed(what, failure));
        }
        tracing::debug!(call = %what, "sending");
        Ok(Running::new(
            self.client,
            (request, again),
            what,
            running::Hearing {
                token,
                on_progress: self.on_progress,
            },
            (now, deadline),
        ))
    }
}

impl Pending<method::CallTool> {
    /// Sends it, and gives what the tool made as an `Out`: see [`Client::call`].
    ///
    /// # Errors
    /// When the tool says that it failed, there is no result, or it is no `Out`.
    pub async fn output<Out: DeserializeOwned + 'static>(self) -> Result<Out, Error> {
        let what = self.ask.what();
        let result = self.send().await?;
        if result.failed() {
            return Err(Error::tool(what, result));
        }
        output::decode(&result).map_err(|why| Error::shape(what, &why))
    }
}

impl What {
    pub(crate) fn of<M: RequestType>(name: Option<String>) -> Self {
        Self {
            method: M::METHOD,
            name,
        }
    }
}

impl<M: RequestType> fmt::Debug for Pending<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("call", &format_args!("{}", self.ask.what()))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}
