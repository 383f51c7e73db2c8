//! The specialist's side: lets in only what a gateway handed over.
//!
//! ```
//! use mcp_swarm::{Clearance, Secret, require_gateway_clearance};
//! use mcp_server::{Server, Tool};
//!
//! async fn invoices(clearance: Clearance) -> String {
//!     format!("for {}, carried {}", clearance.issuer, clearance.state.as_str())
//! }
//!
//! let secret = Secret::new("0123456789abcdef0123456789abcdef")?;
//! let server = Server::new("finance", "1.0")
//!     .tool(Tool::new("invoices", invoices))
//!     .layer(require_gateway_clearance("finance", secret));
//! # Ok::<(), mcp_swarm::proto::token::WeakSecret>(())
//! ```

#[cfg(test)]
mod tests;
mod token;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mcp_server::{Answer, BoxFuture, Call, FromCall, Layer, Service};
use mcp_transport::Clock;
use mcp_types::{ErrorCode, ErrorObject, RawJson};
use serde::de::DeserializeOwned;

use crate::codes::SwarmCode;
use crate::proto::token::{
    Claims, HandoffAuthCode, HandoffAuthError, KeyRing, Taken, Verified, VerifyPolicy, verify,
};
use crate::store::HandoffStateStore;

/// The JSON-RPC error code of a refusal of anything but `tools/call`, whose refusal is a tool's error.
pub const REFUSED: ErrorCode = ErrorCode(401);

/// Lets in only requests that carry a delegation token for the specialist `scope`, signed with one of `keys`.
///
/// A [`Layer`] for a whole server or for one tool. The token comes in the HTTP header `x-mcpfusion-delegation` or, in the
/// same process, in `_meta["dev.mcp-swarm/delegation"]`; neither is there any more when the handler is called, which
/// happens only after everything was checked. The handler takes a [`Clearance`].
///
/// A refused `tools/call` is a tool's error with one of four codes ([`HandoffAuthCode`]); any other refused request is
/// a JSON-RPC error with code 401 and the code in its `data`.
pub fn require_gateway_clearance(
    scope: impl Into<String>,
    keys: impl Into<KeyRing>,
) -> GatewayClearance {
    let scope = scope.into();
    GatewayClearance {
        policy: VerifyPolicy::new(scope.clone()),
        scope,
        keys: keys.into(),
        store: None,
        clock: None,
    }
}

/// What [`require_gateway_clearance`] makes: a layer that can still be changed.
#[derive(Clone)]
#[must_use = "it lets everything in until it is a server's or a tool's layer"]
pub struct GatewayClearance {
    scope: String,
    keys: KeyRing,
    policy: VerifyPolicy,
    store: Option<Arc<dyn HandoffStateStore>>,
    clock: Option<Arc<dyn Clock>>,
}

impl GatewayClearance {
    /// Where carried state is taken from that was too large for its token: the gateway's own store. Without one
    /// such a token is refused.
    pub fn state_store(mut self, store: Arc<dyn HandoffStateStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Also requires this audience (`aud`). Our gateways write the specialist's name there; mcpfusion's write none.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.policy = self.policy.with_audience(audience);
        self
    }

    /// Also requires that the token is one of these gateways'.
    pub fn issuers(mut self, issuers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy = self.policy.with_issuers(issuers);
        self
    }

    /// Refuses tokens that live longer than this; 300 s.
    pub fn max_ttl(mut self, max_ttl: Duration) -> Self {
        self.policy = self.policy.with_max_ttl(max_ttl);
        self
    }

    /// How far the gateway's clock may differ, either way; 5 s.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.policy = self.policy.with_leeway(leeway);
        self
    }

    /// Who tells the time of day; the machine by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    fn now(&self) -> u64 {
        #[expect(
            clippy::disallowed_methods,
            reason = "without a clock it is the machine's, and nothing waits for it"
        )]
        let wall = self
            .clock
            .as_ref()
            .map_or_else(SystemTime::now, |clock| clock.wall());
        wall.duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }

    async fn check(&self, token: Option<String>) -> Result<Clearance, Refusal> {
        let missing = HandoffAuthError::new(HandoffAuthCode::Missing);
        let token = token.ok_or(Refusal::Token(missing))?;
        let claims = match verify(&token, &self.keys, &self.policy, self.now())? {
            Verified::Complete(claims) => claims,
            Verified::Pending(pending) => {
                let taken = match &self.store {
                    None => Taken::NoStore,
                    Some(store) => match store.take(pending.state_id()).await {
                        Ok(Some(state)) => Taken::Found(state),
                        Ok(None) => Taken::Gone,
                        Err(error) => {
                            tracing::warn!(%error, scope = self.scope, "no carried state");
                            return Err(Refusal::Store);
                        }
                    },
                };
                pending.resume(taken)?
            }
        };
        Ok(Clearance::new(claims))
    }

    fn refuse(&self, refusal: &Refusal, method: &str) -> Answer {
        tracing::info!(scope = self.scope, code = %refusal.code(), "a request was refused");
        let mut envelope = refusal.code().envelope(&*self.scope, "");
        envelope.error = refusal.sentence();
        if method == "tools/call" {
            return Answer::new(envelope.into_result());
        }
        Answer::error(ErrorObject::new(REFUSED, envelope.error.clone()).with_data(&envelope))
    }
}

impl fmt::Debug for GatewayClearance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayClearance")
            .field("scope", &self.scope)
            .field("policy", &self.policy)
            .field("store", &self.store.is_some())
            .finish_non_exhaustive()
    }
}

impl Layer for GatewayClearance {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        Arc::new(Guarded {
            clearance: Arc::new(self.clone()),
            inner,
        })
    }

    /// It judges who asks, not what is answered.
    fn reads_lists(&self) -> bool {
        false
    }
}

struct Guarded {
    clearance: Arc<GatewayClearance>,
    inner: Arc<dyn Service>,
}

impl Service for Guarded {
    fn call(&self, mut call: Call) -> BoxFuture<Answer> {
        // The same layer around the server and the tool: the outer one has checked, and the token is gone.
        let cleared = call.ext.get::<Clearance>();
        if cleared.is_some_and(|cleared| cleared.scope == self.clearance.scope) {
            return self.inner.call(call);
        }
        let token = token::take(&mut call);
        let (clearance, inner) = (self.clearance.clone(), self.inner.clone());
        Box::pin(async move {
            let checked = match token {
                Ok(token) => clearance.check(token).await,
                Err(error) => Err(error.into()),
            };
            match checked {
                Ok(cleared) => {
                    call.ext.insert(cleared);
                    inner.call(call).await
                }
                Err(refusal) => clearance.refuse(&refusal, call.method.as_str()),
            }
        })
    }
}

enum Refusal {
    Token(HandoffAuthError),
    Store,
}

impl Refusal {
    fn code(&self) -> SwarmCode {
        match self {
            Self::Token(error) => error.code().into(),
            Self::Store => SwarmCode::StateUnavailable,
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::Token(error) => error.to_string(),
            Self::Store => {
                "The state that the gateway carried over could not be had: try again in a moment."
                    .to_owned()
            }
        }
    }
}

impl From<HandoffAuthError> for Refusal {
    fn from(error: HandoffAuthError) -> Self {
        Self::Token(error)
    }
}

/// What a request was let in with: who handed it over, what for, and what was carried.
///
/// A handler takes it as an argument; layers find it in [`Call::ext`]. It holds neither token nor secret, and `Debug` does
/// not show the carried state.
#[derive(Clone)]
#[non_exhaustive]
pub struct Clearance {
    /// The specialist that the token was for: its name in the gateway's registry.
    pub scope: String,
    /// The gateway that handed over: its name.
    pub issuer: String,
    /// The carried state, a JSON object; `{}` if nothing was carried.
    pub state: RawJson,
    /// Tells one token from another in logs: a UUID.
    pub tid: String,
    /// The W3C trace context of the request.
    pub traceparent: Option<String>,
}

impl Clearance {
    fn new(claims: Claims) -> Self {
        let state = claims.state.map(RawJson::from);
        Self {
            scope: claims.scope,
            issuer: claims.issuer,
            state: state.unwrap_or_else(nothing),
            tid: claims.tid,
            traceparent: claims.traceparent,
        }
    }

    /// The carried state as a `T`.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn state<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        self.state.decode()
    }
}

fn nothing() -> RawJson {
    RawJson::parse("{}").unwrap_or_else(|_| RawJson::null())
}

impl fmt::Debug for Clearance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clearance")
            .field("scope", &self.scope)
            .field("issuer", &self.issuer)
            .field("tid", &self.tid)
            .field("traceparent", &self.traceparent)
            .finish_non_exhaustive()
    }
}

/// Where no clearance is required there is none: the call is refused as one without a token.
impl FromCall for Clearance {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        call.ext.get().cloned().ok_or_else(|| {
            tracing::error!("a handler wants a clearance, and no layer requires one");
            let error = HandoffAuthError::new(HandoffAuthCode::Missing);
            let tool = call.tool_name().unwrap_or_default();
            let mut envelope = SwarmCode::from(error.code()).envelope(tool, "");
            envelope.error = error.to_string();
            Box::new(Answer::new(envelope.into_result()))
        })
    }
}
