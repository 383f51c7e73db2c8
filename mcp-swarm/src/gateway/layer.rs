//! Stands around the gateway's own server: lets through what is its own, and answers the rest.

use std::sync::Arc;

use mcp_server::{Answer, BoxFuture, Call, Layer, Service};

use super::shared::{Caller, Shared};
use crate::handoff::HandoffRequest;
use crate::proto::handoff::{Principal, SessionKey};

/// The layer of a [`SwarmGateway`](super::SwarmGateway), for [`Server::layer`](mcp_server::Server::layer).
#[derive(Clone)]
pub struct GatewayLayer(Arc<Shared>);

impl GatewayLayer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }
}

impl std::fmt::Debug for GatewayLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayLayer")
            .field("gateway", &self.0.face.gateway.as_str())
            .finish_non_exhaustive()
    }
}

impl Layer for GatewayLayer {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        Arc::new(Gateway {
            shared: self.0.clone(),
            inner,
        })
    }
}

/// The gateway's server with the gateway around it.
pub(super) struct Gateway {
    pub(super) shared: Arc<Shared>,
    pub(super) inner: Arc<dyn Service>,
}

impl Service for Gateway {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        let this = Self {
            shared: self.shared.clone(),
            inner: self.inner.clone(),
        };
        match call.method.as_str() {
            "tools/list" => Box::pin(async move { this.list(call).await }),
            "tools/call" => Box::pin(async move { this.call_tool(call).await }),
            _ => self.inner.call(call),
        }
    }
}

impl Gateway {
    async fn call_tool(&self, call: Call) -> Answer {
        let answered = match call.tool_name() {
            Some(name) if name == self.shared.face.return_tool() => Some(self.hand_back(&call)),
            Some(name) => self.proxy(&call, &name).await,
            None => None,
        };
        match answered {
            Some(answer) => answer,
            None => self.own(call).await,
        }
    }

    /// The gateway's own tool. If it hands over, the answer is what came of that.
    async fn own(&self, call: Call) -> Answer {
        let mut answer = self.inner.call(call.clone()).await;
        let Some(request) = answer.ext.remove::<HandoffRequest>() else {
            return answer;
        };
        if let Some(name) = call.tool_name() {
            self.shared.catalogue.learn_way_in(&name);
        }
        self.shared
            .hand_over(&call, &request, principal(&call))
            .await
    }
}

/// Who makes the call, as far as the server knows.
pub(super) fn principal(call: &Call) -> Principal {
    call.ext.get::<Principal>().cloned().unwrap_or_default()
}

/// The legacy conversation that the call is part of.
pub(super) fn legacy_caller(call: &Call) -> Option<Caller> {
    let session = call.session()?;
    Some(Caller {
        key: SessionKey::legacy(session.key()),
        principal: principal(call),
    })
}

/// The caller's trace context: in `_meta`, else in the headers.
pub(super) fn trace(call: &Call) -> Option<String> {
    let members = call.meta.as_object();
    members.decode("traceparent").or_else(|| {
        let value = call.headers()?.get("traceparent")?;
        value.to_str().ok().map(ToOwned::to_owned)
    })
}
