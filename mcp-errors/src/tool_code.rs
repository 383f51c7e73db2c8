//! The stable codes of tool errors: what each means for the caller.
//!
//! A code is a promise to programs: it does not change with wording, transport or revision. Fourteen say how a
//! tool fails ([`STABLE`]); a gateway and the specialists behind it have codes of their own ([`GATEWAY`]), listed
//! here too, so that every caller knows what to do about them.

mod table;

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::table::{GATEWAY, PublishedCode, STABLE};
use crate::failure::Executed;

/// A tool error's code: an open set, so codes of other services survive.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolErrorCode(Cow<'static, str>);

impl ToolErrorCode {
    /// The URL resolves to a private or reserved address.
    pub const SSRF_BLOCKED: Self = Self::known("ssrf_blocked");
    /// The arguments are wrong.
    pub const BAD_REQUEST: Self = Self::known("bad_request");
    /// The key is missing or wrong.
    pub const AUTH_FAILED: Self = Self::known("auth_failed");
    /// The target does not exist.
    pub const NOT_FOUND: Self = Self::known("not_found");
    /// This way to the target is closed; another tool may have one.
    pub const FORBIDDEN: Self = Self::known("forbidden");
    /// The limit of requests per minute is reached.
    pub const RATE_LIMITED: Self = Self::known("rate_limited");
    /// The limit of requests at a time is reached.
    pub const AT_CAPACITY: Self = Self::known("at_capacity");
    /// The service is down for now.
    pub const SERVICE_UNAVAILABLE: Self = Self::known("service_unavailable");
    /// The upstream failed: any status from 500 on.
    pub const UPSTREAM_ERROR: Self = Self::known("upstream_error");
    /// The upstream refused: a 4xx status without a code of its own here.
    pub const UPSTREAM_CLIENT_ERROR: Self = Self::known("upstream_client_error");
    /// The service is off for this account.
    pub const SERVICE_DISABLED: Self = Self::known("service_disabled");
    /// The upstream's body was not JSON.
    pub const UPSTREAM_NON_JSON: Self = Self::known("upstream_non_json");
    /// The result broke the tool's `outputSchema`.
    pub const OUTPUT_VALIDATION_FAILED: Self = Self::known("output_validation_failed");
    /// None of the others; it should not occur.
    pub const UPSTREAM_UNKNOWN: Self = Self::known("upstream_unknown");

    /// The fourteen.
    pub const ALL: [Self; 14] = [
        Self::SSRF_BLOCKED,
        Self::BAD_REQUEST,
        Self::AUTH_FAILED,
        Self::NOT_FOUND,
        Self::FORBIDDEN,
        Self::RATE_LIMITED,
        Self::AT_CAPACITY,
        Self::SERVICE_UNAVAILABLE,
        Self::UPSTREAM_ERROR,
        Self::UPSTREAM_CLIENT_ERROR,
        Self::SERVICE_DISABLED,
        Self::UPSTREAM_NON_JSON,
        Self::OUTPUT_VALIDATION_FAILED,
        Self::UPSTREAM_UNKNOWN,
    ];

    /// A code of one's own.
    pub fn new(code: impl Into<Cow<'static, str>>) -> Self {
        Self(code.into())
    }

    /// The code for an upstream's HTTP status that is no success.
    pub const fn from_status(status: u16) -> Self {
        match status {
            400 => Self::BAD_REQUEST,
            401 => Self::AUTH_FAILED,
            403 => Self::FORBIDDEN,
            404 => Self::NOT_FOUND,
            429 => Self::RATE_LIMITED,
            503 => Self::SERVICE_UNAVAILABLE,
            _ if status >= 500 => Self::UPSTREAM_ERROR,
            _ if status / 100 == 4 => Self::UPSTREAM_CLIENT_ERROR,
            _ => Self::UPSTREAM_UNKNOWN,
        }
    }

    /// The code as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is one of the fourteen.
    pub fn is_known(&self) -> bool {
        STABLE.iter().any(|row| row.code == self.0)
    }

    /// What this crate publishes about it: a row of [`STABLE`] or [`GATEWAY`], `None` for a code of somebody else.
    pub fn published(&self) -> Option<&'static PublishedCode> {
        STABLE.iter().chain(&GATEWAY).find(|row| row.code == self.0)
    }

    /// The HTTP status that goes with the code; `None` where there is none or it varies.
    pub fn status(&self) -> Option<u16> {
        self.published().and_then(|row| row.status)
    }

    /// What kind of thing to do next. A code that is not published is to be investigated, and
    /// so is not repeated.
    pub fn bucket(&self) -> Bucket {
        self.published()
            .map_or(Bucket::Investigate, |row| row.bucket)
    }

    /// What to do next, in words for a person or a model.
    pub fn advice(&self) -> &'static str {
        self.published().map_or(
            "Unknown code: read the error's sentence, and do not repeat the call unless that is safe.",
            |row| row.advice,
        )
    }

    /// Whether a tool that fails with the code did what it was asked; unknown for a code that is not published.
    /// Only what was not done may be repeated without a thought.
    pub fn executed(&self) -> Executed {
        self.published()
            .map_or(Executed::Unknown, |row| row.executed)
    }

    const fn known(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }
}

impl fmt::Display for ToolErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ToolErrorCode {
    fn from(code: &str) -> Self {
        Self(Cow::Owned(code.to_owned()))
    }
}

impl From<String> for ToolErrorCode {
    fn from(code: String) -> Self {
        Self(Cow::Owned(code))
    }
}

impl PartialEq<str> for ToolErrorCode {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ToolErrorCode {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl Serialize for ToolErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ToolErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// What kind of thing a caller does about a tool error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bucket {
    /// Change the call, then repeat it.
    FixInput,
    /// Take another tool.
    SwitchTool,
    /// Repeat the same call later, as far as repeating it is safe.
    WaitAndRetry,
    /// Ask the service's operator; the call cannot succeed before.
    ContactSupport,
    /// Find out; repeating it blindly is not safe.
    Investigate,
}

impl Bucket {
    /// Its name for programs, such as `wait_and_retry`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FixInput => "fix_input",
            Self::SwitchTool => "switch_tool",
            Self::WaitAndRetry => "wait_and_retry",
            Self::ContactSupport => "contact_support",
            Self::Investigate => "investigate",
        }
    }

    /// Whether the same call may succeed later.
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::WaitAndRetry)
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
