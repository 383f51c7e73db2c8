//! `tools/list`: swapped for a legacy session that is handed over, one constant catalogue for modern clients.

use std::sync::{Arc, PoisonError};

use mcp_server::{Answer, Call};
use mcp_types::tool::{CacheScope, ListToolsResult, Tool};
use mcp_types::{ErrorCode, ErrorObject, Method, Outcome, Payload, RawJson, RawParams};

use super::catalogue::log_dropped;
use super::guard::InFlight;
use super::layer::{Gateway, legacy_caller, trace};
use super::wait::until;
use crate::proto::exposure::Shown;

/// How long a client may keep the catalogue at most, in milliseconds.
const MAX_TTL_MS: u64 = 60_000;

/// How many pages of the gateway's own tools there may be.
const MAX_PAGES: usize = 1000;

impl Gateway {
    /// Answers `tools/list`.
    pub(super) async fn list(&self, call: Call) -> Answer {
        let Some(caller) = legacy_caller(&call) else {
            return self.catalogue(&call).await.unwrap_or_else(Answer::error);
        };
        let Ok(listing) = InFlight::begin(&self.shared, &caller) else {
            return self.inner.call(call).await;
        };
        let shown = self.swapped(&listing, trace(&call).as_deref()).await;
        if listing.end().is_err() {
            // Returned or ended meanwhile: what the client has now is the gateway's own list.
            return self.inner.call(call).await;
        }
        let mut result = ListToolsResult::default();
        result.tools.clone_from(&shown.tools);
        Answer::new(result)
    }

    /// The specialist's list now, or as it was last if it cannot be had.
    async fn swapped(&self, listing: &InFlight<'_>, trace: Option<&str>) -> Arc<Shown> {
        let shared = &self.shared;
        let (tunnel, domain) = (listing.tunnel(), listing.domain());
        let deadline = shared.clock.now() + shared.limits.connect;
        let fetched = until(
            tunnel.upstream.list(shared, trace),
            &*shared.clock,
            deadline,
        )
        .await;
        if let Some(Ok(tools)) = fetched {
            let shown = Arc::new(shared.face.swapped(domain, &tools));
            let mut last = tunnel
                .swapped
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            if last.tools != shown.tools {
                log_dropped(&shown);
                *last = shown;
            }
        }
        let last = tunnel
            .swapped
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    async fn catalogue(&self, call: &Call) -> Result<Answer, ErrorObject> {
        if let Some(cursor) = call.params.get("cursor").filter(|cursor| *cursor != "null") {
            let said = format!("Invalid cursor: {cursor}; the list has one page");
            return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, said));
        }
        let (own, ttl_ms) = self.own_tools(call).await?;
        self.shared.catalogue.learn_own(&own);
        self.shared.refresh_catalogue(trace(call).as_deref()).await;
        let mut result = ListToolsResult::default();
        result.tools.clone_from(&self.shared.catalogue().tools);
        result.ttl_ms = Some(ttl_ms.min(MAX_TTL_MS));
        result.cache_scope = Some(CacheScope::Private);
        Ok(Answer::new(result))
    }

    /// All of the gateway's own tools, and for how many milliseconds its server says they are good.
    pub(super) async fn own_tools(&self, call: &Call) -> Result<(Vec<Tool>, u64), ErrorObject> {
        let (mut tools, mut ttl_ms) = (Vec::new(), MAX_TTL_MS);
        let mut ask = call.clone();
        ask.method = Method::from("tools/list");
        ask.params = RawParams::empty();
        for _ in 0..MAX_PAGES {
            let page = match self.inner.call(ask.clone()).await.outcome? {
                Outcome::Complete(Payload::ListTools(page)) => page,
                // A layer below may have made it anew.
                Outcome::Complete(Payload::Raw(page)) => RawJson::from_serialize(&page)
                    .and_then(|page| page.decode())
                    .map_err(|_| internal())?,
                _ => return Err(internal()),
            };
            tools.extend(page.tools);
            ttl_ms = ttl_ms.min(page.ttl_ms.unwrap_or(0));
            let Some(cursor) = page.next_cursor.filter(|cursor| !cursor.is_empty()) else {
                return Ok((tools, ttl_ms));
            };
            let cursor = RawJson::from_serialize(&cursor).map_err(|_| internal())?;
            ask.params = RawParams::empty().with("cursor", &cursor);
        }
        Err(internal())
    }
}

fn internal() -> ErrorObject {
    tracing::error!("the gateway's own server gave a list of tools that cannot be read");
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error")
}
