//! Hands a conversation over: finds the specialist, connects, and tells the client what it can do there.

use std::sync::{Arc, RwLock};
use std::time::SystemTime;

use mcp_server::{Answer, Call, Session};
use mcp_types::tool::Tool;

use super::delegate::entropy;
use super::error::GatewayError;
use super::guard::Attempt;
use super::shared::{Caller, Shared, Tunnel};
use super::timer::Timer;
use super::upstream::Upstream;
use crate::codes::SwarmCode;
use crate::handoff::HandoffRequest;
use crate::proto::ack::Handed;
use crate::proto::handoff::{Handle, Principal, SessionKey};
use crate::proto::moment::rfc3339;
use crate::proto::namespace::DomainName;
use crate::proto::target;
use crate::proto::token::INLINE_STATE_BYTES;

/// A conversation that was handed over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Activated {
    /// To whom.
    pub domain: DomainName,
    /// Its tools, as it lists them itself.
    pub tools: Vec<Tool>,
    /// When it ends unless it is used before.
    pub expires_at: SystemTime,
}

impl Shared {
    /// Hands `caller`'s conversation over. A tunnel that was there stays until the new one is.
    pub(super) async fn activate(
        self: &Arc<Self>,
        caller: &Caller,
        session: Option<&Session>,
        request: &HandoffRequest,
        trace: Option<&str>,
    ) -> Result<Activated, GatewayError> {
        let invalid = |error: &dyn std::fmt::Display| {
            GatewayError::new(SwarmCode::Invalid, error.to_string())
        };
        request.check().map_err(|error| invalid(&error))?;
        let entry = target::resolve(&self.registry, request.target())
            .map_err(|error| GatewayError::new(error.code(), error.to_string()))?;
        let domain = &entry.name;
        self.check_state(domain, request)?;
        Timer::start(self);
        let attempt = Attempt::begin(self, caller, domain)?;
        if let Some(session) = session {
            self.follow(session);
        }
        let connecting = async {
            let upstream = Upstream::connect(self, domain, trace).await?;
            let tools = upstream.list(self, trace).await?;
            Ok::<_, GatewayError>((upstream, tools))
        };
        let (upstream, tools) = match attempt.run(connecting).await? {
            Ok(connected) => connected,
            Err(error) => return Err(attempt.fail(error)),
        };
        let swapped = Arc::new(self.face.swapped(domain, &tools));
        super::catalogue::log_dropped(&swapped);
        let tunnel = Tunnel {
            upstream: Arc::new(upstream),
            state: request.state().map(ToOwned::to_owned),
            swapped: RwLock::new(swapped),
        };
        attempt.publish(Arc::new(tunnel))?;
        self.catalogue.learn(domain, &tools, self.clock.now());
        tracing::info!(%domain, tools = tools.len(), "a conversation is handed over");
        Ok(Activated {
            domain: domain.clone(),
            tools,
            expires_at: self.clock.wall() + self.limits.idle,
        })
    }

    /// State that does not fit into a token waits in the store, which the specialist has to be able to ask.
    fn check_state(
        &self,
        domain: &DomainName,
        request: &HandoffRequest,
    ) -> Result<(), GatewayError> {
        let bytes = request.state().map_or(0, |state| state.get().len());
        let shared = self.address(domain)?.is_local() || !self.store.is_process_local();
        if bytes <= INLINE_STATE_BYTES || shared {
            return Ok(());
        }
        let said = format!(
            "The handoff carries {bytes} bytes, more than the {INLINE_STATE_BYTES} that fit into a token, and the \
             gateway's store of carried states is its own process's"
        );
        Err(GatewayError::new(SwarmCode::StateNotShared, said))
    }

    /// Answers the call whose handler handed over.
    pub(super) async fn hand_over(
        self: &Arc<Self>,
        call: &Call,
        request: &HandoffRequest,
        principal: Principal,
    ) -> Answer {
        let trace = super::layer::trace(call);
        match self
            .try_hand_over(call, request, principal, trace.as_deref())
            .await
        {
            Ok(answer) => answer,
            Err(error) => {
                tracing::info!(code = %error.code(), "a handoff failed");
                error.into_answer(self.face.gateway.as_str())
            }
        }
    }

    async fn try_hand_over(
        self: &Arc<Self>,
        call: &Call,
        request: &HandoffRequest,
        principal: Principal,
        trace: Option<&str>,
    ) -> Result<Answer, GatewayError> {
        let (key, handle) = match call.session() {
            Some(session) => (SessionKey::legacy(session.key()), None),
            None => {
                let handle = Handle::from_entropy(entropy()?);
                (handle.clone().into(), Some(handle))
            }
        };
        let caller = Caller { key, principal };
        let activated = self
            .activate(&caller, call.session(), request, trace)
            .await?;
        let domain = &activated.domain;
        let catalogue = self.catalogue();
        let shown: Vec<Tool> = match handle {
            None => self.face.swapped(domain, &activated.tools).tools,
            Some(_) => {
                let tools = catalogue.tools.iter();
                let of_domain = |tool: &&Tool| {
                    let route = catalogue.routes.route(&tool.name);
                    route.is_some_and(|route| route.domain == *domain)
                };
                tools.filter(of_domain).cloned().collect()
            }
        };
        let return_tool = self.face.return_tool();
        let tools: Vec<Tool> = shown
            .into_iter()
            .filter(|tool| tool.name != return_tool)
            .collect();
        let expires_at = activated
            .expires_at
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let handed = Handed {
            domain: domain.as_str(),
            reason: request.why(),
            handle: handle.as_ref().map(Handle::as_str),
            expires_at: &rfc3339(expires_at),
            prefix: &self.face.prefix(domain),
            tools: &tools,
            return_tool: &return_tool,
        };
        Ok(Answer::new(handed.result()))
    }
}
