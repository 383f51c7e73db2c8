//! Whether a message is valid at a revision, and what is wrong with it there.
//!
//! Reading is lenient and writing is strict; this is the one place that reads strictly. A message is valid at a revision
//! when that revision has its method, and all that the revision knows of it stands there as the revision has it. What a
//! revision does not know is ignored by its peers, and costs nothing.
//!
//! ```
//! use bytes::Bytes;
//! use mcp_types::{Revision, inspect, jsonrpc};
//!
//! let text = Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
//! let message = jsonrpc::decode(&text)?;
//! assert_eq!(inspect::valid_at(&message, None), Revision::ALL[..5]);
//! let wrong = inspect::judge(&message, None, Revision::V2026_07_28).unwrap_err();
//! assert_eq!(wrong.to_string(), "`ping` is no method of 2026-07-28, at `$.method`");
//! # Ok::<(), jsonrpc::Malformed>(())
//! ```

mod compare;
mod result;

use std::fmt;

use self::compare::{compare, value};
use crate::{
    encode::At,
    input::InputRequest,
    jsonrpc::Message,
    meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION},
    method::{Kind, Method, MethodSpec},
    params::Params,
    raw::{RawJson, RawObject, RawParams},
    revision::{Era, Revision},
    wire::encode_ask,
};

/// What is wrong with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrong {
    /// Where, as a JSON path from the message on: `$.params.name`.
    pub path: Box<str>,
    /// What is wrong there.
    pub reason: Box<str>,
}

impl Wrong {
    fn new(path: impl Into<Box<str>>, reason: impl Into<Box<str>>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at `{}`", self.reason, self.path)
    }
}

impl std::error::Error for Wrong {}

/// The revisions at which `message` is valid, oldest first; `answers` is the method of the request that a response
/// is for, as far as it is known.
pub fn valid_at(message: &Message, answers: Option<&Method>) -> Vec<Revision> {
    let revisions = Revision::ALL.into_iter();
    revisions
        .filter(|at| judge(message, answers, *at).is_ok())
        .collect()
}

/// Whether `message` is valid at revision `at`; `answers` is the method of the request that a response is for, as far
/// as it is known. A result of which it is not known is judged by its `resultType` alone.
///
/// # Errors
/// The first thing that is wrong there.
pub fn judge(message: &Message, answers: Option<&Method>, at: Revision) -> Result<(), Wrong> {
    match message {
        Message::Request(it) => sent(&it.method, &it.params, Kind::Request, at),
        Message::Notification(it) => sent(&it.method, &it.params, Kind::Notification, at),
        Message::Response(it) => match &it.body {
            Ok(result) => result::judge(result, answers, at),
            Err(_) => Ok(()),
        },
    }
}

/// The row of a method that `at` has, in either direction.
fn known(method: &Method, at: Revision) -> Result<&'static MethodSpec, Wrong> {
    let spec = method
        .spec()
        .ok_or_else(|| Wrong::new("$.method", format!("`{method}` is a method of no revision")))?;
    if spec.to_server.contains(at) || spec.to_client.contains(at) {
        return Ok(spec);
    }
    Err(Wrong::new(
        "$.method",
        if spec.asked_by_input && at.era() == Era::Modern {
            format!(
                "`{method}` is asked within `inputRequests` at {at}, not in a message of its own"
            )
        } else {
            format!("`{method}` is no method of {at}")
        },
    ))
}

fn sent(method: &Method, params: &RawParams, kind: Kind, at: Revision) -> Result<(), Wrong> {
    let spec = known(method, at)?;
    match (spec.kind, kind) {
        (Kind::Request, Kind::Notification) => {
            return Err(Wrong::new(
                "$",
                format!("`{method}` is a request: it has an `id`"),
            ));
        }
        (Kind::Notification, Kind::Request) => {
            return Err(Wrong::new(
                "$.id",
                format!("`{method}` is a notification: it has no `id`"),
            ));
        }
        _ => {}
    }
    let raw = params.to_raw();
    let read = value(&raw, "$.params")?;
    let typed = Params::decode(method, params)
        .map_err(|error| Wrong::new(within("$.params", error.path.as_str()), error.reason))?;
    if kind == Kind::Request && at.era() == Era::Modern && spec.to_server.contains(at) {
        envelope(params, at)?;
    }
    let written = if spec.asked_by_input {
        ask(method, &raw, at)?
    } else {
        RawJson::from_serialize(&At(&typed, at)).unwrap_or_else(|_| RawJson::null())
    };
    compare("$.params", &read, &value(&written, "$.params")?, at)
}

/// What a server asks, as it would be written.
fn ask(method: &Method, params: &RawJson, at: Revision) -> Result<RawJson, Wrong> {
    let wrong = |reason: String| Wrong::new("$.params", reason);
    let request = InputRequest::from_parts(method.as_str(), Some(params))
        .map_err(|error| wrong(error.to_string()))?;
    let written = encode_ask(&request, at).map_err(|error| wrong(error.to_string()))?;
    Ok(written.to_raw())
}

/// What every modern request says of its sender.
fn envelope(params: &RawParams, at: Revision) -> Result<(), Wrong> {
    let lacks = |name: &str| Wrong::new("$.params._meta", format!("`{name}` is missing"));
    let meta: Option<RawObject> = params
        .decode_member("_meta")
        .map_err(|_| Wrong::new("$.params._meta", "it is no object"))?;
    let meta = meta.unwrap_or_default();
    let claimed = meta
        .get(PROTOCOL_VERSION)
        .ok_or_else(|| lacks(PROTOCOL_VERSION))?;
    if claimed.decode::<Revision>().ok() != Some(at) {
        let path = within(
            "$.params._meta",
            &crate::path::member("$", PROTOCOL_VERSION),
        );
        return Err(Wrong::new(path, format!("it claims {claimed}")));
    }
    match meta.get(CLIENT_CAPABILITIES) {
        None => Err(lacks(CLIENT_CAPABILITIES)),
        Some(capabilities) if capabilities.is_object() => Ok(()),
        Some(_) => Err(Wrong::new(
            within(
                "$.params._meta",
                &crate::path::member("$", CLIENT_CAPABILITIES),
            ),
            "it is no object",
        )),
    }
}

/// The path `path`, which starts at the value at `parent`.
fn within(parent: &str, path: &str) -> String {
    format!("{parent}{}", path.strip_prefix('$').unwrap_or(path))
}

#[cfg(test)]
mod tests;
