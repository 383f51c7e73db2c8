//! One call, as a handler and the layers see it: in modern words, whatever the era.

use std::sync::Arc;

use mcp_transport::{Extensions, Notification, Request, http::HeaderMap};
use mcp_types::{Method, RawParams, RequestMeta, Revision};

use crate::{
    input::{BackChannel, Facts, Input, InputHost},
    session::Session,
};

/// One request on its way to a handler.
///
/// On a legacy connection [`Call::meta`] is filled in from the session, so that nobody has to ask
/// which era it is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// What is asked for.
    pub method: Method,
    /// With what; `_meta` is in [`Call::meta`].
    pub params: RawParams,
    /// Who asks, and what they can do.
    pub meta: RequestMeta,
    /// What came beside the message: HTTP headers, a principal, what layers add.
    pub ext: Extensions,
    revision: Revision,
    session: Option<Session>,
    input: Arc<Input>,
}

impl Call {
    pub(crate) fn new(
        request: Request,
        revision: Revision,
        session: Option<Session>,
        host: &Arc<InputHost>,
    ) -> Self {
        let Request {
            method,
            params,
            meta,
            ext,
            ..
        } = request;
        let input = Input::new(host, &method, &params, session.is_some());
        Self {
            method,
            params,
            meta,
            ext,
            revision,
            session,
            input,
        }
    }

    /// The legacy session that the call came in on; `None` on a modern one.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The revision that the answer will be written for. It is for logs: handlers need not care.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The headers of the HTTP request; `None` on other transports.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.ext.get()
    }

    /// For `tools/call`: the name of the tool.
    pub fn tool_name(&self) -> Option<String> {
        (self.method == "tools/call")
            .then(|| self.params.decode_member("name").ok().flatten())
            .flatten()
    }

    /// Asks by `channel` what the handler asks, from here on, instead of ending the round or asking on the
    /// connection. The first channel that is set stands.
    #[must_use]
    pub fn with_back_channel(self, channel: Arc<dyn BackChannel>) -> Self {
        self.input.set_channel(channel);
        self
    }

    pub(crate) fn input(&self) -> &Arc<Input> {
        &self.input
    }

    /// What is known where the call asks.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts {
            ext: &self.ext,
            meta: &self.meta,
            session: self.session.as_ref(),
        }
    }

    /// Sends a notification that belongs to this call, in order, before its answer; waits while the
    /// peer is slow.
    pub async fn notify(&self, notification: Notification) {
        self.input.outbox().push(notification).await;
    }
}
