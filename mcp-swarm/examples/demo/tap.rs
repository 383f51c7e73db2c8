//! A layer that notes what arrives at a specialist: the call, and what its delegation token says.

use std::{sync::Arc, time::UNIX_EPOCH};

use mcp_server::{Answer, BoxFuture, Call, Layer, Service};
use mcp_swarm::{
    KeyRing,
    proto::token::{DELEGATION_HEADER, Verified, VerifyPolicy, verify},
};
use mcp_transport::clock::{Clock, SystemClock};
use mcp_types::{RawJson, RawObject};

use crate::log::{Arrival, Log, Token};

/// Goes around the clearance, which takes the token away.
pub(crate) struct Tap {
    specialist: &'static str,
    keys: KeyRing,
    log: Log,
}

impl Tap {
    pub(crate) fn new(specialist: &'static str, keys: KeyRing, log: &Log) -> Self {
        Self {
            specialist,
            keys,
            log: log.clone(),
        }
    }

    fn read(&self, token: Option<&str>) -> (Token, String) {
        let nothing = String::new;
        let Some(token) = token else {
            return (Token::Missing, nothing());
        };
        let policy = VerifyPolicy::new(self.specialist);
        match verify(token, &self.keys, &policy, now()) {
            Ok(Verified::Complete(claims)) => {
                let state = claims.state.map(RawJson::from);
                let state = state.and_then(|state| state.decode::<RawObject>().ok());
                let names = state.iter().flat_map(RawObject::iter).map(|(name, _)| name);
                let carries = names.collect::<Vec<_>>().join(", ");
                let token = Token::Good {
                    issuer: claims.issuer,
                    scope: claims.scope,
                    seconds: claims.expires_at - claims.issued_at,
                };
                (token, carries)
            }
            // This demo carries little enough to fit into the token.
            Ok(Verified::Pending(_)) => {
                let token = Token::Refused("state outside the token".to_owned());
                (token, nothing())
            }
            Err(error) => (Token::Refused(error.code().to_string()), nothing()),
        }
    }
}

fn now() -> u64 {
    let since = SystemClock.wall().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

impl Layer for Tap {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        let tap = Self::new(self.specialist, self.keys.clone(), &self.log);
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let headers = call.headers();
            let token = headers.and_then(|headers| headers.get(DELEGATION_HEADER)?.to_str().ok());
            let (read, carries) = tap.read(token);
            let arrival = Arrival {
                specialist: tap.specialist,
                what: told(&call),
                token: read,
                carries,
            };
            tap.log.arrived(arrival, token);
            inner.call(call)
        })
    }
}

/// The method, and for a tool its name and arguments.
fn told(call: &Call) -> String {
    let tool = call.tool_name().unwrap_or_default();
    let arguments = call.params.get("arguments").unwrap_or_default();
    format!("{} {tool} {arguments}", call.method)
        .trim_end()
        .to_owned()
}
