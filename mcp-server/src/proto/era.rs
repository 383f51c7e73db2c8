//! The era of one ordered connection: who may speak how, after what came first.
//!
//! The first request decides for the connection's life; probes, refused claims, `ping` and
//! notifications do not. No opener, however bad, ends a connection.
//!
//! ```text
//! Opening ── initialize that succeeds ──────────────────────▶ Legacy, negotiated
//!    │ ── a claimed request, served and complete ───────────▶ Modern
//!    │ ── server/discover, ping, a refused claim ───────────▶ Opening
//!    │ ── any other request ────────────────────────────────▶ Legacy, not negotiated
//! Legacy ── anything ──▶ Legacy        Modern ── anything ──▶ Modern
//! ```

#[cfg(test)]
mod tests;

use mcp_errors::catalogue;
use mcp_types::{
    ErrorCode, ErrorObject, Method, RawParams, RequestId, RequestMeta, Revision, jsonrpc::ErrorId,
};

use super::envelope;
use crate::policy::{EraPolicy, LockPolicy, ModernOnLegacy, SecondInitialize};

/// The era of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// No request has decided yet.
    Opening,
    /// Each request speaks for itself.
    Modern,
    /// `initialize` rules; `None` until it has succeeded.
    Legacy(Option<Revision>),
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// It is served as modern.
    Modern,
    /// It is served in the session.
    Legacy,
    /// It opens a session: negotiate it at once, and say [`Era::negotiated`] if that succeeds.
    Initialize,
    /// A `ping` before any session: it is answered with an empty result.
    Pong,
    /// It is answered with this error.
    Refuse(ErrorObject),
}

impl Era {
    /// Judges a request by what came before it, and remembers it. `meta` is what
    /// [`envelope::read_meta`] made of its parameters.
    pub(crate) fn handle_request(
        &mut self,
        method: &Method,
        params: &RawParams,
        meta: &Result<RequestMeta, ErrorObject>,
        policy: &EraPolicy,
    ) -> Verdict {
        let verdict = match self {
            Self::Opening => self.handle_opener(method, params, meta, policy),
            Self::Modern if *method == "initialize" => Err(refuse_initialize(params, policy)),
            Self::Modern => modern(meta, policy).map(|_| Verdict::Modern),
            Self::Legacy(negotiated) => {
                let is_open = negotiated.is_some();
                legacy(method, meta, is_open, policy)
            }
        };
        verdict.unwrap_or_else(Verdict::Refuse)
    }

    /// An `initialize` has succeeded.
    pub(crate) fn negotiated(&mut self, revision: Revision) {
        *self = Self::Legacy(Some(revision));
    }

    /// Whether an array of messages is taken: 2025-03-26 alone has them.
    pub(crate) fn takes_batches(self) -> bool {
        self == Self::Legacy(Some(Revision::V2025_03_26))
    }

    /// The id of an error whose request's id may not be known: `null` before a connection is locked
    /// and up to 2025-06-18, no member after.
    pub(crate) fn error_id(self, known: Option<RequestId>) -> ErrorId {
        let revision = match self {
            Self::Opening => None,
            Self::Modern => Some(Revision::LATEST),
            Self::Legacy(negotiated) => negotiated,
        };
        catalogue::error_id(known, revision)
    }

    fn handle_opener(
        &mut self,
        method: &Method,
        params: &RawParams,
        meta: &Result<RequestMeta, ErrorObject>,
        policy: &EraPolicy,
    ) -> Result<Verdict, ErrorObject> {
        let serves_legacy = !policy.legacy.is_empty();
        if *method == "initialize" {
            return match serves_legacy {
                true => Ok(Verdict::Initialize),
                false => Err(refuse_initialize(params, policy)),
            };
        }
        let claims = |meta: &RequestMeta| envelope::is_claim(meta, policy);
        let is_claim = meta.as_ref().map_or(!policy.modern.is_empty(), claims);
        if is_claim || !serves_legacy {
            let meta = modern(meta, policy)?;
            // Before the connection is locked to it, a request must be complete.
            envelope::check_rest(meta, policy)?;
            if *method != "server/discover" && *method != "ping" {
                *self = Self::Modern;
            }
            return Ok(Verdict::Modern);
        }
        if *method == "ping" {
            return Ok(Verdict::Pong);
        }
        if policy.lock == LockPolicy::FirstRequest {
            *self = Self::Legacy(None);
        }
        Err(policy.pre_init.clone())
    }
}

fn modern<'a>(
    meta: &'a Result<RequestMeta, ErrorObject>,
    policy: &EraPolicy,
) -> Result<&'a RequestMeta, ErrorObject> {
    let meta = meta.as_ref().map_err(Clone::clone)?;
    envelope::version(meta, policy).map(|_| meta)
}

fn legacy(
    method: &Method,
    meta: &Result<RequestMeta, ErrorObject>,
    is_open: bool,
    policy: &EraPolicy,
) -> Result<Verdict, ErrorObject> {
    let invalid = |text| Err(ErrorObject::new(ErrorCode::INVALID_REQUEST, text));
    if *method == "initialize" {
        return match policy.second_initialize {
            SecondInitialize::Reject if is_open => invalid("Server already initialized"),
            _ => Ok(Verdict::Initialize),
        };
    }
    let is_claim = meta
        .as_ref()
        .is_ok_and(|meta| envelope::is_claim(meta, policy));
    match policy.modern_on_legacy {
        ModernOnLegacy::ServeModern if is_claim => {
            modern(meta, policy)?;
            return Ok(Verdict::Modern);
        }
        ModernOnLegacy::Reject if is_claim && is_open => {
            return invalid("Invalid request: this connection was opened by initialize");
        }
        _ => {}
    }
    match (is_open, method.as_str()) {
        (true, _) => Ok(Verdict::Legacy),
        (false, "ping") => Ok(Verdict::Pong),
        (false, _) => Err(policy.pre_init.clone()),
    }
}

/// A modern connection, or a server that serves no other, has nothing to negotiate.
fn refuse_initialize(params: &RawParams, policy: &EraPolicy) -> ErrorObject {
    let requested = params.decode_member::<String>("protocolVersion");
    let requested = requested.ok().flatten().unwrap_or_default();
    envelope::unsupported_version(&requested, policy)
}
