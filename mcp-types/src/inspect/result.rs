//! Results, by the method that they answer.

use serde::de::DeserializeOwned;

use super::{
    Wrong,
    compare::{compare, value},
    known, within,
};
use crate::{
    cache::CacheScope,
    elicitation::ElicitResult,
    encode::{At, Encode},
    method::Method,
    outcome::{COMPLETE, Outcome, result_type},
    raw::{DecodeError, RawJson, RawObject},
    revision::{Era, Revision},
    roots::ListRootsResult,
    sampling::CreateMessageResult,
    wire::{Stamp, encode_outcome},
};

pub(super) fn judge(result: &RawJson, answers: Option<&Method>, at: Revision) -> Result<(), Wrong> {
    let read = value(result, "$.result")?;
    let placed =
        |error: DecodeError| Wrong::new(within("$.result", error.path.as_str()), error.reason);
    let unreadable = |error: &serde_json::Error| placed(DecodeError::new(result.as_str(), error));
    let kind = result_type(result).map_err(|error| unreadable(&error))?;
    let members: RawObject = result.decode().map_err(|error| unreadable(&error))?;
    // The answer to what was asked within a result is bare.
    let asked = answers
        .and_then(Method::spec)
        .is_some_and(|spec| spec.asked_by_input);
    if at.era() == Era::Modern && !asked && !members.contains("resultType") {
        return Err(Wrong::new(
            "$.result",
            format!("`resultType` is missing at {at}"),
        ));
    }
    let Some(method) = answers else {
        let cannot = at.era() == Era::Legacy && *kind != *COMPLETE;
        return match cannot {
            true => Err(Wrong::new(
                "$.result.resultType",
                format!("a result is complete at {at}"),
            )),
            false => Ok(()),
        };
    };
    if !asked || at.era() == Era::Legacy {
        known(method, at).map_err(|wrong| Wrong::new("$", wrong.reason))?;
    }
    match method.as_str() {
        "elicitation/create" => return answer::<ElicitResult>(result, at).map_err(placed)?,
        "sampling/createMessage" => {
            return answer::<CreateMessageResult>(result, at).map_err(placed)?;
        }
        "roots/list" => return answer::<ListRootsResult>(result, at).map_err(placed)?,
        _ => {}
    }
    let outcome = Outcome::decode(method, result).map_err(|error| unreadable(&error))?;
    if matches!(outcome, Outcome::Complete(_)) {
        cacheable(method, &members, at)?;
    }
    let stamped = encode_outcome(outcome.clone(), &Stamp::new(at).as_task(true))
        .map_err(|error| Wrong::new("$.result.resultType", error.to_string()))?;
    // The stamp adds what a server may leave out; only the oldest revision has a shape of its own there.
    let written = match at {
        Revision::V2024_10_07 => stamped,
        _ => RawJson::from_serialize(&At(&outcome, at)).unwrap_or_else(|_| RawJson::null()),
    };
    compare("$.result", &read, &value(&written, "$.result")?, at)
}

/// A modern result that may be reused says for how long, and by whom.
fn cacheable(method: &Method, members: &RawObject, at: Revision) -> Result<(), Wrong> {
    let cacheable = method.spec().is_some_and(|spec| spec.cacheable);
    if !cacheable || at.era() == Era::Legacy {
        return Ok(());
    }
    let lacks = |name: &str| {
        Err(Wrong::new(
            "$.result",
            format!("`{name}` is missing at {at}"),
        ))
    };
    if members.decode::<u64>("ttlMs").is_none() {
        return lacks("ttlMs");
    }
    if members.decode::<CacheScope>("cacheScope").is_none() {
        return lacks("cacheScope");
    }
    Ok(())
}

/// A client's answer.
fn answer<T: DeserializeOwned + Encode>(
    result: &RawJson,
    at: Revision,
) -> Result<Result<(), Wrong>, DecodeError> {
    let typed: T = result.read()?;
    let written = RawJson::from_serialize(&At(&typed, at)).unwrap_or_else(|_| RawJson::null());
    Ok(value(result, "$.result")
        .and_then(|read| compare("$.result", &read, &value(&written, "$.result")?, at)))
}
