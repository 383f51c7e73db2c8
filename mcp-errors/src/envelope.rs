//! What a failed tool's result says to programs: service, code, sentence, and when to come back.
//!
//! It is the `structuredContent` of a result with `isError`. Up to 2025-03-26, which know no
//! structured content, it travels as a block of JSON text; at 2024-10-07 as the `toolResult`.

use std::time::{Duration, SystemTime};

use mcp_types::{RawJson, RawObject, Revision, content::ContentBlock, tool::CallToolResult};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{
    failure::Executed,
    retry_after::{is_date, seconds, wait_until},
    tool_code::ToolErrorCode,
};

/// `{service, code, error, status?, retryAfter?, current?, limits?}`.
///
/// Members it does not know are kept and written back.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "wire structs are open; what is new goes to `extra`"
)]
pub struct ToolErrorEnvelope {
    /// The label of the service that failed; a tool's name by default.
    pub service: String,
    /// What a program goes by.
    pub code: ToolErrorCode,
    /// One sentence for a person or a model.
    pub error: String,
    /// The HTTP status that it would be, or that the upstream gave.
    pub status: Option<u16>,
    /// How long to wait before a repeat; seconds on the wire. A peer may give an HTTP date in their place, which
    /// stays among the other members: [`Self::hint`] reads both.
    pub retry_after: Option<Duration>,
    /// How much is in use.
    pub current: Option<Load>,
    /// How much may be.
    pub limits: Option<LoadLimits>,
    /// Every other member.
    pub extra: RawObject,
}

/// How much of a service is in use: `{concurrency, rpm}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "wire structs are open")]
pub struct Load {
    /// Requests at work now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
    /// Requests in the last minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpm: Option<u64>,
}

/// How much of a service may be in use: `{maxConcurrency, maxRpm}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::exhaustive_structs, reason = "wire structs are open")]
pub struct LoadLimits {
    /// Requests at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u64>,
    /// Requests a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rpm: Option<u64>,
}

impl ToolErrorEnvelope {
    /// The failure of `service`; the status is the one of `code`, if it has one.
    pub fn new(
        service: impl Into<String>,
        code: impl Into<ToolErrorCode>,
        error: impl Into<String>,
    ) -> Self {
        let code = code.into();
        Self {
            service: service.into(),
            status: code.status(),
            code,
            error: error.into(),
            retry_after: None,
            current: None,
            limits: None,
            extra: RawObject::new(),
        }
    }

    /// How long the peer asks to wait, counted from `now`.
    pub fn hint(&self, now: SystemTime) -> Option<Duration> {
        self.retry_after.or_else(|| {
            let date = self.extra.decode::<String>("retryAfter")?;
            wait_until(&date, now)
        })
    }

    /// Whether the call ran: what the envelope's member `executed` says, which gateways set (`no`, `unknown` or
    /// `yes`), else what the code tells.
    pub fn executed(&self) -> Executed {
        let word = self.extra.decode::<String>("executed");
        match word.as_deref() {
            Some("no") => Executed::No,
            Some("unknown") => Executed::Unknown,
            Some("yes") => Executed::Yes,
            _ => self.code.executed(),
        }
    }

    /// The result of a tool that failed so, with the sentence as its content.
    pub fn into_result(self) -> CallToolResult {
        CallToolResult {
            structured_content: RawJson::from_serialize(&self).ok(),
            is_error: Some(true),
            ..CallToolResult::text(self.error)
        }
    }

    /// Reads the envelope of a result that failed, wherever its revision put it; `None` if it did
    /// not fail or says nothing to programs.
    pub fn from_result(result: &CallToolResult) -> Option<Self> {
        if !result.failed() {
            return None;
        }
        let structured = result.structured_content.as_ref();
        let legacy = result.extra.get("toolResult");
        let in_text = || {
            let texts = result.content.iter().filter_map(ContentBlock::as_text);
            let mut objects = texts.filter(|text| text.trim_start().starts_with('{'));
            objects.find_map(|text| serde_json::from_str(text).ok())
        };
        structured
            .into_iter()
            .chain(legacy)
            .find_map(|value| value.decode().ok())
            .or_else(in_text)
    }

    /// Prepares a result, failed or not, for a peer of `revision`: where that has no structured
    /// content, the envelope becomes a block of JSON text after the sentence. Others stay as they are.
    pub fn fit(mut result: CallToolResult, revision: Revision) -> CallToolResult {
        let without_structure =
            Revision::V2024_10_07 < revision && revision < Revision::V2025_06_18;
        let is_envelope = |value: &RawJson| value.decode::<Self>().is_ok();
        if without_structure
            && result.failed()
            && let Some(envelope) = result.structured_content.take_if(|it| is_envelope(it))
        {
            result.content.push(ContentBlock::text(envelope.as_str()));
        }
        result
    }

    fn to_object(&self) -> RawObject {
        let mut object = RawObject::new();
        set(&mut object, "service", Some(&self.service));
        set(&mut object, "code", Some(&self.code));
        set(&mut object, "error", Some(&self.error));
        set(&mut object, "status", self.status);
        match self.retry_after {
            Some(wait) if wait.subsec_nanos() == 0 => {
                set(&mut object, "retryAfter", Some(wait.as_secs()));
            }
            wait => set(
                &mut object,
                "retryAfter",
                wait.map(|wait| wait.as_secs_f64()),
            ),
        }
        set(&mut object, "current", self.current);
        set(&mut object, "limits", self.limits);
        let is_free = |name: &str, value: &RawJson| {
            !MEMBERS.contains(&name)
                || (name == "retryAfter" && self.retry_after.is_none() && holds_date(value))
        };
        for (name, value) in self
            .extra
            .iter()
            .filter(|(name, value)| is_free(name, value))
        {
            object.set(name, value.clone());
        }
        object
    }

    /// Code and sentence make the envelope; the other members are hints, and bad ones are dropped.
    fn from_object(object: RawObject) -> Option<Self> {
        let is_one = |name| object.decode::<String>(name).is_some();
        (is_one("code") && is_one("error")).then(|| Self::lenient(object))
    }

    /// Reads an object that need not be an envelope; a code or sentence that is not there is empty.
    pub(crate) fn lenient(mut object: RawObject) -> Self {
        let read = Self {
            service: object.decode("service").unwrap_or_default(),
            code: object
                .decode("code")
                .unwrap_or_else(|| ToolErrorCode::new("")),
            error: object.decode("error").unwrap_or_default(),
            status: object.decode("status"),
            retry_after: object.get("retryAfter").and_then(wait),
            current: object.decode("current"),
            limits: object.decode("limits"),
            extra: RawObject::new(),
        };
        let dated = read.retry_after.is_none() && object.get("retryAfter").is_some_and(holds_date);
        object.retain(|name| !MEMBERS.contains(&name) || (dated && name == "retryAfter"));
        Self {
            extra: object,
            ..read
        }
    }
}

const MEMBERS: [&str; 7] = [
    "service",
    "code",
    "error",
    "status",
    "retryAfter",
    "current",
    "limits",
];

/// Seconds, whole or not, as a number or as text; what no duration can hold is as long as one can be.
fn wait(given: &RawJson) -> Option<Duration> {
    let seconds = match given.decode::<String>() {
        Ok(text) => seconds(&text)?,
        Err(_) => given.decode().ok()?,
    };
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

fn holds_date(value: &RawJson) -> bool {
    value.decode::<String>().is_ok_and(|text| is_date(&text))
}

fn set<T: Serialize>(object: &mut RawObject, name: &str, value: Option<T>) {
    if let Some(value) = value.and_then(|value| RawJson::from_serialize(&value).ok()) {
        object.set(name, value);
    }
}

impl Serialize for ToolErrorEnvelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolErrorEnvelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_object(RawObject::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("a tool error has the strings `code` and `error`"))
    }
}

#[cfg(test)]
mod tests;
