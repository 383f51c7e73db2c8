//! What a request ends in, if not in an error.

use crate::{
    lifecycle::{DiscoverResult, EmptyResult, InitializeResult},
    raw::{RawJson, RawObject},
    tool::{CallToolResult, ListToolsResult},
};

/// How a request ended, told apart by `resultType` (2026-07-28); a legacy result is complete.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is done; this is its result.
    Complete(Payload),
    /// Another `resultType`: the whole result, as it came. It never reaches a legacy peer.
    Other {
        /// The `resultType`.
        result_type: Box<str>,
        /// The result, `resultType` included.
        body: RawObject,
    },
}

/// A complete result, in the words of the newest revision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Payload {
    /// Of `tools/call`.
    CallTool(CallToolResult),
    /// Of `tools/list`.
    ListTools(ListToolsResult),
    /// Of `server/discover`.
    Discover(Box<DiscoverResult>),
    /// Of `initialize`.
    Initialize(Box<InitializeResult>),
    /// Of `ping`, and of what only acknowledges.
    Empty(EmptyResult),
    /// Of any method: the result's members as they are, with or without `resultType`.
    Raw(RawObject),
}

macro_rules! payloads {
    ($($Variant:ident($Result:ty)),* $(,)?) => { $(
        impl From<$Result> for Payload {
            fn from(result: $Result) -> Self {
                Self::$Variant(result.into())
            }
        }

        impl From<$Result> for Outcome {
            fn from(result: $Result) -> Self {
                Self::Complete(Payload::$Variant(result.into()))
            }
        }
    )* };
}

payloads!(
    CallTool(CallToolResult),
    ListTools(ListToolsResult),
    Discover(DiscoverResult),
    Initialize(InitializeResult),
    Empty(EmptyResult),
    Raw(RawObject),
);

/// The `resultType` of a result; `complete` where there is none, as the specification says.
///
/// # Errors
/// When `result` is no object, or its `resultType` no string.
pub fn result_type(result: &RawJson) -> Result<Box<str>, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct Peek {
        #[serde(rename = "resultType")]
        result_type: Option<Box<str>>,
    }
    let peek: Peek = result.decode()?;
    Ok(peek.result_type.unwrap_or_else(|| COMPLETE.into()))
}

/// The `resultType` of a complete result.
pub const COMPLETE: &str = "complete";
