//! The return tool: ends the handoff, and reports.

use mcp_server::{Answer, Call};
use mcp_types::RawObject;
use serde_json::Value;

use super::error::GatewayError;
use super::layer::{Gateway, legacy_caller};
use super::shared::{Caller, Shared};
use crate::proto::ack::{already_returned, returned};
use crate::proto::handoff::Unroutable;
use crate::proto::namespace::DomainName;
use crate::proto::return_trip::summary_text;

impl Gateway {
    /// Answers a call of the return tool.
    pub(super) fn hand_back(&self, call: &Call) -> Answer {
        let gateway = self.shared.face.gateway.as_str();
        let legacy = legacy_caller(call);
        let is_legacy = legacy.is_some();
        let caller = match legacy.map_or_else(|| self.modern_caller(call), Ok) {
            Ok(caller) => caller,
            Err(error) => return error.into_answer(gateway),
        };
        match self.shared.hand_back(&caller) {
            Ok(domain) => {
                let arguments = call.params.decode_member::<RawObject>("arguments");
                let arguments = arguments.ok().flatten().unwrap_or_default();
                let summary = summary_text(arguments.decode::<Value>("summary").as_ref());
                Answer::new(returned(domain.as_str(), gateway, &summary))
            }
            // A session that never left is at the gateway; a handle that never was is a mistake.
            Err(Unroutable::Unknown) if !is_legacy => {
                self.over(Unroutable::Unknown).into_answer(gateway)
            }
            Err(Unroutable::Ended(ended)) => {
                Answer::new(already_returned(Some(ended.domain.as_str()), gateway))
            }
            Err(Unroutable::Unknown) => Answer::new(already_returned(None, gateway)),
            Err(other) => GatewayError::from(other).into_answer(gateway),
        }
    }
}

impl Shared {
    /// Ends the conversation with the specialist, for its client.
    pub(super) fn hand_back(&self, caller: &Caller) -> Result<DomainName, Unroutable> {
        let back =
            self.sessions(|sessions, now| sessions.hand_back(&caller.key, &caller.principal, now));
        if let Ok(domain) = &back {
            tracing::info!(%domain, "a conversation came back");
        }
        back
    }
}
