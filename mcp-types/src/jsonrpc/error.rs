//! The JSON-RPC error object. What the codes mean is `mcp-errors`' business.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::raw::{RawJson, RawObject};

/// A JSON-RPC error code: an open set, so unknown codes survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a number with names")]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The body or line is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON is no JSON-RPC message, or not one that is allowed here.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method is unknown, removed, or not offered.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The receiver failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// An MCP header is missing, malformed, or differs from the body (2026-07-28).
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request did not declare a capability that its answer needs (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The protocol version is not served (2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self)
    }
}

/// A JSON-RPC error: `{code, message, data?}`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "JSON-RPC fixes its members")]
pub struct ErrorObject {
    /// What kind of failure it is.
    pub code: ErrorCode,
    /// One sentence for a person.
    pub message: Cow<'static, str>,
    /// What a program may need; its shape depends on the code.
    pub data: Option<RawJson>,
    /// Every other member, kept as it came and written back.
    pub extra: RawObject,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
            extra: RawObject::new(),
        }
    }

    /// The same error with data, which is left out if it cannot be written as JSON.
    #[must_use]
    pub fn with_data<T: Serialize + ?Sized>(mut self, data: &T) -> Self {
        self.data = RawJson::from_serialize(data).ok();
        self
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

impl Serialize for ErrorObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        self.extra.write_into(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ErrorObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut extra = RawObject::deserialize(deserializer)?;
        let code = extra
            .remove("code")
            .ok_or_else(|| D::Error::missing_field("code"))?;
        let message = extra.remove("message").map(|text| text.decode::<String>());
        Ok(Self {
            code: code.decode().map_err(D::Error::custom)?,
            message: message
                .transpose()
                .map_err(D::Error::custom)?
                .unwrap_or_default()
                .into(),
            // `null` is data too.
            data: extra.remove("data"),
            extra,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_comes_back_whole() {
        for text in [
            r#"{"code":-32000,"message":"m","data":null,"traceId":"7","at":1.50}"#,
            r#"{"code":1,"message":""}"#,
        ] {
            let error: ErrorObject = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&error).unwrap(), text);
        }
        for text in [
            "{}",
            r#"{"code":"1"}"#,
            r#"{"code":1.5}"#,
            r#"{"code":1,"message":2}"#,
        ] {
            assert!(serde_json::from_str::<ErrorObject>(text).is_err(), "{text}");
        }
    }
}
