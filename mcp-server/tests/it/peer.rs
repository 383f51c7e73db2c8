//! A peer in memory that asks one thing at a time and tells what came, in few words.

use std::{future::poll_fn, pin::Pin, sync::Arc};

use mcp_server::{Connection, Principal, Server};
use mcp_transport::{
    Endpoint, Event, Exchange, Request,
    http::{HeaderMap, HeaderName, HeaderValue},
};
use mcp_types::{
    ErrorObject, RawJson, RawParams, RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
};
use serde_json::Value;

/// One connection to a server, of one era.
pub(crate) struct Peer {
    connection: Arc<Connection>,
    meta: RequestMeta,
    headers: Option<HeaderMap>,
    principal: Option<Principal>,
}

impl Peer {
    pub(crate) fn modern(server: &Server) -> Self {
        Self::modern_with(server, "{}")
    }

    /// One that declares these capabilities.
    pub(crate) fn modern_with(server: &Server, capabilities: &str) -> Self {
        let client = Implementation::new("peer", "1");
        let capabilities: ClientCapabilities = serde_json::from_str(capabilities).unwrap();
        let meta = RequestMeta::modern(Revision::LATEST, &client, &capabilities);
        Self {
            connection: Arc::new(server.connect()),
            meta,
            headers: None,
            principal: None,
        }
    }

    /// A connection that `initialize` has opened for `revision`.
    pub(crate) async fn legacy(server: &Server, revision: Revision) -> Self {
        Self::legacy_with(server, revision, "{}").await
    }

    /// One that declares these capabilities.
    pub(crate) async fn legacy_with(
        server: &Server,
        revision: Revision,
        capabilities: &str,
    ) -> Self {
        let peer = Self {
            connection: Arc::new(server.connect()),
            meta: RequestMeta::new(),
            headers: None,
            principal: None,
        };
        let params = format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"peer","version":"1"}}}}"#
        );
        let result = peer.result("initialize", &params).await;
        assert_eq!(result["protocolVersion"], revision.as_str());
        peer
    }

    /// A modern one and one of each legacy revision.
    pub(crate) async fn of_each_revision(server: &Server) -> Vec<(Revision, Self)> {
        let mut peers = vec![(Revision::LATEST, Self::modern(server))];
        for revision in &Revision::ALL[..5] {
            peers.push((*revision, Self::legacy(server, *revision).await));
        }
        peers
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The same peer asks for progress under a token from here on.
    pub(crate) fn with_progress(mut self, token: &str) -> Self {
        self.meta.set_progress_token(&token.into());
        self
    }

    /// The same peer asks for the log from `level` on.
    pub(crate) fn with_log_level(mut self, level: &str) -> Self {
        let level = RawJson::from_serialize(level).unwrap();
        self.meta.set("io.modelcontextprotocol/logLevel", level);
        self
    }

    /// The same peer comes with these headers, as over HTTP.
    pub(crate) fn with_headers(mut self, headers: &[(&'static str, &'static str)]) -> Self {
        let pairs = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        self.headers = Some(pairs.collect());
        self
    }

    /// The same peer comes on behalf of somebody from here on.
    pub(crate) fn with_principal(mut self, name: &str) -> Self {
        self.principal = Some(Principal(name.into()));
        self
    }

    /// The same peer says this in `_meta` from here on.
    pub(crate) fn with_meta(mut self, key: &str, value: &Value) -> Self {
        self.meta.set(key, RawJson::from_serialize(value).unwrap());
        self
    }

    pub(crate) fn request(&self, method: &str, params: &str) -> Request {
        let params = RawParams::parse(params.to_owned()).unwrap();
        let mut request = Request::new(method, params).with_meta(self.meta.clone());
        if let Some(headers) = &self.headers {
            request.ext.insert(headers.clone());
        }
        if let Some(principal) = &self.principal {
            request.ext.insert(principal.clone());
        }
        request
    }

    pub(crate) fn open(&self, method: &str, params: &str) -> Pin<Box<dyn Exchange>> {
        self.connection.open(self.request(method, params))
    }

    /// The notifications, and the outcome.
    pub(crate) async fn ask(&self, method: &str, params: &str) -> (Vec<Value>, Asked) {
        finish(self.open(method, params)).await
    }

    pub(crate) async fn result(&self, method: &str, params: &str) -> Value {
        self.ask(method, params).await.1.unwrap()
    }

    pub(crate) async fn error(&self, method: &str, params: &str) -> ErrorObject {
        self.ask(method, params).await.1.unwrap_err()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> Value {
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        self.result("tools/call", &params).await
    }
}

/// A result, or the error of the server.
pub(crate) type Asked = Result<Value, ErrorObject>;

/// The next event of an exchange.
pub(crate) async fn event(exchange: &mut Pin<Box<dyn Exchange>>) -> Event {
    poll_fn(|cx| exchange.as_mut().poll_event(cx)).await
}

/// All notifications of an exchange, `method` beside their parameters, and its outcome.
pub(crate) async fn finish(mut exchange: Pin<Box<dyn Exchange>>) -> (Vec<Value>, Asked) {
    let mut notifications = Vec::new();
    loop {
        match event(&mut exchange).await {
            Event::Notification(notification) => {
                let mut value: Value = notification.params.decode().unwrap();
                value["method"] = notification.method.as_str().into();
                notifications.push(value);
            }
            Event::Outcome(outcome) => {
                let outcome = outcome
                    .map(|reply| value(&reply.result))
                    .map_err(|failure| failure.peer_error().unwrap().clone());
                return (notifications, outcome);
            }
            _ => panic!("an event that nobody knows"),
        }
    }
}

fn value(raw: &RawJson) -> Value {
    raw.decode().unwrap()
}
