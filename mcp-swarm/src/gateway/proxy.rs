//! `tools/call` of a specialist's tool: found by its name, sent on with a token of its own, answered with what came.

use std::sync::PoisonError;

use mcp_server::{Answer, Call};
use mcp_types::tool::CallToolParams;
use mcp_types::{ErrorCode, ErrorObject, Outcome, Payload, RawJson, RawObject};

use super::error::GatewayError;
use super::guard::InFlight;
use super::layer::{Gateway, legacy_caller, principal, trace};
use super::progress::Relay;
use super::shared::Caller;
use super::upstream::{bad_result, not_in_time};
use super::wait::until;
use crate::codes::SwarmCode;
use crate::proto::forward;
use crate::proto::handoff::{Ended, Ending, Handle, SessionKey, Unroutable};
use crate::proto::namespace::DomainName;

impl Gateway {
    /// Answers the call if the tool is not the gateway's own.
    pub(super) async fn proxy(&self, call: &Call, name: &str) -> Option<Answer> {
        let answered = match legacy_caller(call) {
            Some(caller) => self.proxy_legacy(call, name, &caller).await,
            None => self.proxy_modern(call, name).await,
        };
        let service = self.shared.face.gateway.as_str();
        match answered {
            Ok(answer) => answer,
            Err(error) => Some(error.into_answer(service)),
        }
    }

    /// While it is handed over, a session has the specialist's tools and no others.
    async fn proxy_legacy(
        &self,
        call: &Call,
        name: &str,
        caller: &Caller,
    ) -> Result<Option<Answer>, GatewayError> {
        let tunnel = match InFlight::begin(&self.shared, caller) {
            Ok(tunnel) => tunnel,
            Err(connecting @ Unroutable::Connecting { .. }) => return Err(connecting.into()),
            Err(none) if self.is_a_specialists(call, name).await => {
                return Err(match none {
                    Unroutable::Unknown => self.with_way_in(
                        SwarmCode::Required,
                        "The conversation is not handed over to a specialist",
                    ),
                    over => self.over(over),
                });
            }
            Err(_) => return Ok(None),
        };
        let original = {
            let swapped = tunnel.tunnel().swapped.read();
            let swapped = swapped.unwrap_or_else(PoisonError::into_inner);
            swapped
                .routes
                .route(name)
                .map(|route| route.original.clone())
        };
        match original {
            Some(original) => self.send(call, tunnel, &original, false).await.map(Some),
            None => Err(self.mismatch(name, tunnel.domain())),
        }
    }

    /// A specialist's tool needs the handle of a handoff to that specialist.
    async fn proxy_modern(&self, call: &Call, name: &str) -> Result<Option<Answer>, GatewayError> {
        if !self.is_a_specialists(call, name).await {
            return Ok(None);
        }
        let caller = self.modern_caller(call)?;
        let tunnel = InFlight::begin(&self.shared, &caller).map_err(|none| self.over(none))?;
        let route = self.shared.catalogue().routes.route(name).cloned();
        match route {
            Some(route) if route.domain == *tunnel.domain() => self
                .send(call, tunnel, &route.original, true)
                .await
                .map(Some),
            None if self.shared.namesake(name) == Some(tunnel.domain()) => {
                let said = format!("Unknown tool: {name}");
                Ok(Some(Answer::error(ErrorObject::new(
                    ErrorCode::INVALID_PARAMS,
                    said,
                ))))
            }
            Some(_) | None => Err(self.mismatch(name, tunnel.domain())),
        }
    }

    /// The conversation that the call's argument `handoff` names.
    pub(super) fn modern_caller(&self, call: &Call) -> Result<Caller, GatewayError> {
        let arguments: Option<RawObject> = call.params.decode_member("arguments").ok().flatten();
        let handle =
            arguments.and_then(|arguments| arguments.get(forward::HANDLE_ARGUMENT).cloned());
        let Some(handle) = handle else {
            let said =
                "The argument `handoff` is missing: it names the handoff that the call is part of";
            return Err(self.with_way_in(SwarmCode::Required, said));
        };
        let handle = handle.decode::<String>().ok();
        let Some(handle) = handle.as_deref().and_then(Handle::parse) else {
            return Err(self.over(Unroutable::Unknown));
        };
        Ok(Caller {
            key: SessionKey::from(handle),
            principal: principal(call),
        })
    }

    /// Whether the name is a specialist's, and not the gateway's own.
    async fn is_a_specialists(&self, call: &Call, name: &str) -> bool {
        let known = self.shared.catalogue().routes.route(name).is_some();
        if !known && self.shared.namesake(name).is_none() {
            return false;
        }
        if let Some(own) = self.shared.catalogue.own() {
            return !own.iter().any(|tool| tool.name == name);
        }
        // Nobody has listed yet.
        let Ok((own, _)) = self.own_tools(call).await else {
            return true;
        };
        self.shared.catalogue.learn_own(&own);
        !own.iter().any(|tool| tool.name == name)
    }

    async fn send(
        &self,
        call: &Call,
        tunnel: InFlight<'_>,
        original: &str,
        with_handle: bool,
    ) -> Result<Answer, GatewayError> {
        let invalid = |detail: String| ErrorObject::new(ErrorCode::INVALID_PARAMS, detail);
        let params = match call.params.decode::<CallToolParams>() {
            Ok(params) => params,
            Err(error) => return Ok(Answer::error(invalid(error.to_string()))),
        };
        let params = match forward::call(params, original, with_handle) {
            Ok((params, _)) => params,
            Err(error) => return Ok(Answer::error(invalid(error.to_string()))),
        };
        let domain = tunnel.domain().clone();
        let sent = self.send_on(call, &tunnel, &domain, &params).await;
        // What comes late belongs to a conversation that is over, whatever it is.
        tunnel.end()?;
        let reply = sent?;
        let members = forward::result(&reply).map_err(|bad| bad_result(&domain, &bad))?;
        Ok(Answer::new(Outcome::Complete(Payload::Raw(members))))
    }

    async fn send_on(
        &self,
        call: &Call,
        tunnel: &InFlight<'_>,
        domain: &DomainName,
        params: &CallToolParams,
    ) -> Result<RawJson, GatewayError> {
        let through = tunnel.tunnel();
        let trace = trace(call);
        let delegation = self
            .shared
            .delegate(domain, through.state.as_deref(), trace.as_deref())
            .await?;
        let members = forward::request_meta(&call.meta);
        let work = through
            .upstream
            .call(params, &members, &delegation, Relay::of(call));
        // The client ends it in time itself, unless the caller does not read its progress.
        let clock = &*self.shared.clock;
        let deadline = clock.now() + self.shared.call_timeout;
        match until(work, clock, deadline).await {
            Some(reply) => Ok(reply?.result),
            None => Err(not_in_time(domain)),
        }
    }

    /// There is no tunnel: why, and which tool makes one.
    pub(super) fn over(&self, why: Unroutable) -> GatewayError {
        match &why {
            Unroutable::Unknown => self.with_way_in(SwarmCode::Unknown, "There is no such handoff"),
            Unroutable::Ended(Ended {
                ending: Ending::Idle | Ending::Returned | Ending::Disconnected,
                ..
            }) => {
                let error = GatewayError::from(why);
                self.with_way_in(error.code(), error.message())
            }
            _ => why.into(),
        }
    }

    fn mismatch(&self, name: &str, domain: &DomainName) -> GatewayError {
        let name = crate::proto::sanitize::excerpt(name, 128);
        let said = format!(
            "`{name}` is not a tool of `{domain}`, to which the conversation is handed over; `{}` ends that",
            self.shared.face.return_tool()
        );
        GatewayError::new(SwarmCode::NamespaceMismatch, said)
    }

    /// An error that ends in which of the gateway's tools hands over.
    fn with_way_in(&self, code: SwarmCode, said: &str) -> GatewayError {
        let said = match &self.shared.catalogue.ways_in()[..] {
            [] => said.to_owned(),
            names => format!(
                "{said}. The gateway's tool that starts one: {}",
                names.join(", ")
            ),
        };
        GatewayError::new(code, said)
    }
}
