//! A client as the tests drive it: the same calls in both eras.

use std::{sync::Arc, time::Duration};

use mcp_client::{CallTool, Client, ListTools, Listener, Pending};
use mcp_errors::ToolErrorEnvelope;
use mcp_transport::Endpoint;
use mcp_types::{
    Era,
    content::ContentBlock,
    method,
    tool::{CallToolResult, ListToolsResult},
};
use serde_json::{Value, json};

use crate::wait::soon;

/// Both.
pub(crate) const ERAS: [Era; 2] = [Era::Modern, Era::Legacy];

/// How long a client waits to be told something.
const NEWS: Duration = Duration::from_secs(10);

/// A client that is connected.
pub(crate) struct Caller {
    pub(crate) client: Client,
    /// What a legacy client hears unasked.
    heard: Option<Listener>,
    /// The handle of the last handoff, for a modern client.
    pub(crate) handle: Option<String>,
}

impl Caller {
    /// To a server behind a URL.
    pub(crate) async fn at(url: &str, era: Era) -> Self {
        let connecting = Client::builder("caller", "1.0").pin(era).connect(url);
        Self::new(soon("connecting", connecting).await.unwrap())
    }

    /// To a server behind an endpoint.
    pub(crate) async fn on(endpoint: Arc<dyn Endpoint>, era: Era) -> Self {
        let builder = Client::builder("caller", "1.0").pin(era);
        Self::new(builder.connect_endpoint(endpoint).await.unwrap())
    }

    /// Over a connection that stands.
    pub(crate) fn new(client: Client) -> Self {
        let heard = (!client.is_modern()).then(|| client.listen().unwrap());
        Self {
            client,
            heard,
            handle: None,
        }
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.client.is_modern()
    }

    /// The list of tools as it came.
    pub(crate) async fn list_bytes(&self) -> String {
        let listing = self.client.request(ListTools::new()).send_raw();
        let reply = soon("tools/list", listing).await.unwrap();
        reply.result.as_str().to_owned()
    }

    /// The names of the tools.
    pub(crate) async fn names(&self) -> Vec<String> {
        let list: ListToolsResult = serde_json::from_str(&self.list_bytes().await).unwrap();
        list.tools.into_iter().map(|tool| tool.name).collect()
    }

    /// A call of a tool; of a specialist's with the handle.
    pub(crate) fn request(&self, tool: &str, mut arguments: Value) -> Pending<method::CallTool> {
        if let (Some(handle), true) = (&self.handle, tool.contains("__")) {
            arguments["handoff"] = json!(handle);
        }
        self.client.request(CallTool::new(tool, arguments))
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        let sent = self.request(tool, arguments).send();
        soon(tool, sent).await.unwrap()
    }

    /// Calls `route`, and keeps the handle.
    pub(crate) async fn route(&mut self, to: &str) -> CallToolResult {
        self.route_with(to, json!({})).await
    }

    /// The same, with something carried.
    pub(crate) async fn route_with(&mut self, to: &str, carry: Value) -> CallToolResult {
        let routed = self.call("route", json!({"to": to, "carry": carry})).await;
        let structured = structured(&routed);
        self.handle = structured["handoff"]["handle"]
            .as_str()
            .map(ToOwned::to_owned);
        routed
    }

    /// Returns.
    pub(crate) async fn back(&self, summary: &str) -> CallToolResult {
        self.call("triage__return_to_triage", json!({"summary": summary}))
            .await
    }

    /// A legacy client hears that its list has changed, and nothing else; a modern one hears nothing.
    pub(crate) async fn hears_of_change(&mut self) {
        if let Some(heard) = &mut self.heard {
            let news = heard.next(NEWS).await.unwrap().unwrap();
            assert_eq!(news.method, "notifications/tools/list_changed");
        }
    }
}

/// The structured content; `null` without.
pub(crate) fn structured(result: &CallToolResult) -> Value {
    let content = result.structured_content.as_ref();
    content.map_or(Value::Null, |content| content.decode().unwrap())
}

/// The texts.
pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

/// The code of a failure; nothing for a success.
pub(crate) fn code(result: &CallToolResult) -> Option<String> {
    Some(ToolErrorEnvelope::from_result(result)?.code.to_string())
}
