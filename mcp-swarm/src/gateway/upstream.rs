//! A connection to a specialist, and every request over it.

mod failed;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_client::proto::pages::{Limits, Pages};
use mcp_client::{CallTool, Client, ListTools, Pending};
#[cfg(feature = "http")]
use mcp_transport::http::client::{HttpClient, Redirects};
use mcp_transport::{Endpoint, Reply};
use mcp_types::method::RequestType;
use mcp_types::tool::{CallToolParams, Tool};
use mcp_types::{RawObject, meta};
use url::Url;

pub(super) use self::failed::{bad_result, not_in_time};
use super::delegate::Delegation;
use super::error::GatewayError;
use super::progress::Relay;
use super::shared::Shared;
use crate::proto::forward::DELEGATION_KEY;
use crate::proto::namespace::DomainName;
use crate::proto::token::DELEGATION_HEADER;

/// Where a specialist is.
#[derive(Clone)]
pub(super) enum Address {
    Url(Url),
    /// In this process: a new connection each time.
    Local(Arc<dyn Fn() -> Arc<dyn Endpoint> + Send + Sync>),
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => write!(f, "{}", url.host_str().unwrap_or_default()),
            Self::Local(_) => f.write_str("in this process"),
        }
    }
}

impl Address {
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }
}

/// A connection to a specialist.
#[derive(Debug)]
pub(super) struct Upstream {
    client: Client,
    domain: DomainName,
    local: bool,
    tokens: AtomicU64,
}

impl Upstream {
    /// Connects to `domain`. Era and revision are found out; the caller holds the deadline.
    #[cfg_attr(
        not(feature = "http"),
        expect(
            unused_variables,
            reason = "only what goes over HTTP has a trace before its first request"
        )
    )]
    pub(super) async fn connect(
        shared: &Shared,
        domain: &DomainName,
        trace: Option<&str>,
    ) -> Result<Self, GatewayError> {
        let address = shared.address(domain)?;
        let builder = Client::builder(shared.face.gateway.as_str(), &*shared.version)
            .clock(shared.clock.clone())
            .connect_timeout(shared.limits.connect)
            .probe_timeout(shared.limits.connect)
            .initialize_timeout(shared.limits.connect)
            .request_timeout(shared.call_timeout);
        let connected = match address {
            Address::Local(connect) => builder.connect_endpoint(connect()).await,
            #[cfg(feature = "http")]
            Address::Url(url) => {
                let Delegation { token, traceparent } =
                    shared.delegate(domain, None, trace).await?;
                let builder = builder
                    .header(DELEGATION_HEADER, token.expose())
                    .header("traceparent", traceparent);
                // A specialist that points elsewhere must not take the token along.
                let http = HttpClient::builder(url.as_str()).redirects(Redirects::None);
                builder.connect_http(http).await
            }
            #[cfg(not(feature = "http"))]
            Address::Url(_) => return Err(failed::no_driver(domain)),
        };
        let client = connected.map_err(|error| failed::connect(domain, &error))?;
        Ok(Self {
            client,
            domain: domain.clone(),
            local: address.is_local(),
            tokens: AtomicU64::new(1),
        })
    }

    /// All its tools. Those that cannot be read are left out and logged.
    pub(super) async fn list(
        &self,
        shared: &Shared,
        trace: Option<&str>,
    ) -> Result<Vec<Tool>, GatewayError> {
        let mut pages = Pages::new(Limits::default());
        loop {
            let ask = pages.cursor().map_or_else(ListTools::new, ListTools::after);
            let delegation = shared.delegate(&self.domain, None, trace).await?;
            let page = self
                .furnish(self.client.request(ask), &delegation)
                .send_raw()
                .await
                .map_err(|error| failed::list(&self.domain, &error))?;
            match pages.handle(&page.result) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Err(failed::bad_list(&self.domain, &error)),
            }
        }
        let list = pages.into_list();
        for skipped in &list.skipped {
            tracing::warn!(domain = %self.domain, tool = ?skipped.name, reason = skipped.reason, "a specialist's tool was left out");
        }
        Ok(list.tools)
    }

    /// Calls a tool and passes its progress to `relay`. Dropping it cancels the call.
    pub(super) async fn call(
        &self,
        params: &CallToolParams,
        members: &RawObject,
        delegation: &Delegation,
        relay: Option<Relay<'_>>,
    ) -> Result<Reply, GatewayError> {
        let failed = |error: mcp_client::Error| failed::call(&self.domain, &error);
        let mut pending = self.furnish(self.client.request(CallTool::with(params)), delegation);
        for (key, value) in members.iter() {
            pending = pending.meta(key, value);
        }
        let Some(relay) = relay else {
            return pending.send_raw().await.map_err(failed);
        };
        let token = format!("p{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let pending = pending.meta(meta::PROGRESS_TOKEN, &token);
        let mut running = pending.start().map_err(failed)?;
        while let Some(notification) = running.next().await {
            relay.pass_on(&notification, &token).await;
        }
        running.reply().await.map_err(failed)
    }

    /// Ends the connection.
    pub(super) async fn close(&self) {
        self.client.close().await;
    }

    fn furnish<M: RequestType>(&self, pending: Pending<M>, delegation: &Delegation) -> Pending<M> {
        let Delegation { token, traceparent } = delegation;
        let pending = if self.local {
            pending.meta(DELEGATION_KEY, token.expose())
        } else {
            pending
                .header(DELEGATION_HEADER, token.expose())
                .header("traceparent", traceparent)
        };
        pending.meta("traceparent", traceparent)
    }
}
