//! What a call fails with: one opaque error that says what kind it is and whether the call ran.

mod connect;

use std::fmt;

use mcp_errors::{Executed, Failure, FailureKind, ToolErrorEnvelope};
use mcp_types::{ErrorCode, content::ContentBlock, tool::CallToolResult};

pub use self::connect::ConnectError;
use crate::text::clip;

/// Most characters of a peer's words in a message; the error itself keeps all of them.
const WORDS: usize = 1_000;

/// Why a call gave no result.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    what: What,
    detail: String,
    failure: Option<Failure>,
    tool: Option<ToolFailure>,
}

struct ToolFailure {
    result: CallToolResult,
    envelope: Option<ToolErrorEnvelope>,
}

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no result; [`Error::failure`] says why.
    Failure(FailureKind),
    /// The tool says that it failed.
    Tool,
    /// The result is of a type that a typed call cannot take; a raw call can.
    ResultType,
    /// The result does not have the shape that was asked for.
    Shape,
    /// A list is longer than the limit.
    Limit,
}

/// Which call it was.
#[derive(Debug, Clone)]
pub(crate) struct What {
    pub(crate) method: &'static str,
    pub(crate) name: Option<String>,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "`{}` of {name:?}", self.method),
            None => write!(f, "`{}`", self.method),
        }
    }
}

impl Error {
    fn new(kind: ErrorKind, what: What, detail: &str) -> Self {
        Self(Box::new(Inner {
            kind,
            what,
            detail: clip(detail, WORDS),
            failure: None,
            tool: None,
        }))
    }

    pub(crate) fn failed(what: What, failure: Failure) -> Self {
        let mut error = Self::new(
            ErrorKind::Failure(failure.kind()),
            what,
            &failure.to_string(),
        );
        error.0.failure = Some(failure);
        error
    }

    pub(crate) fn invalid(what: What, detail: String) -> Self {
        Self::failed(what, Failure::new(FailureKind::Invalid, detail))
    }

    pub(crate) fn tool(what: What, result: CallToolResult) -> Self {
        let envelope = ToolErrorEnvelope::from_result(&result);
        let detail = match &envelope {
            Some(envelope) => format!(
                "the tool failed with `{}`: {} — {}",
                clip(envelope.code.as_str(), 64),
                clip(&envelope.error, WORDS / 2),
                envelope.code.advice()
            ),
            None => {
                let texts = result.content.iter().filter_map(ContentBlock::as_text);
                format!("the tool failed: {}", texts.collect::<Vec<_>>().join("\n"))
            }
        };
        let mut error = Self::new(ErrorKind::Tool, what, &detail);
        error.0.tool = Some(ToolFailure { result, envelope });
        error
    }

    pub(crate) fn result_type(what: What, result_type: &str) -> Self {
        let detail = format!(
            "the result is of type {result_type:?}, which this call cannot take; take it raw with `send_raw`"
        );
        Self::new(ErrorKind::ResultType, what, &detail)
    }

    pub(crate) fn shape(what: What, detail: &str) -> Self {
        Self::new(ErrorKind::Shape, what, detail)
    }

    pub(crate) fn limit(what: What, detail: &str) -> Self {
        Self::new(ErrorKind::Limit, what, detail)
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The method that was called.
    pub fn method(&self) -> &str {
        self.0.what.method
    }

    /// Whether the call ran; this, not the kind, decides whether a repeat is safe.
    pub fn executed(&self) -> Executed {
        match (&self.0.failure, &self.0.tool, self.0.kind) {
            (Some(failure), ..) => failure.executed(),
            (None, Some(tool), _) => tool
                .envelope
                .as_ref()
                .map_or(Executed::Yes, |envelope| envelope.executed()),
            (None, None, ErrorKind::ResultType) => Executed::Unknown,
            (None, None, _) => Executed::Yes,
        }
    }

    /// Why there is no result, if there is none.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_ref()
    }

    /// What a tool that failed says to programs: its code, and when to come back.
    pub fn tool_error(&self) -> Option<&ToolErrorEnvelope> {
        self.0.tool.as_ref()?.envelope.as_ref()
    }

    /// The result of a tool that failed, as it came.
    pub fn tool_result(&self) -> Option<&CallToolResult> {
        self.0.tool.as_ref().map(|tool| &tool.result)
    }

    /// Whether a deadline passed.
    pub fn is_timeout(&self) -> bool {
        self.0.failure.as_ref().is_some_and(Failure::is_timeout)
    }

    /// Whether the server wants authorization.
    pub fn is_unauthorized(&self) -> bool {
        self.0
            .failure
            .as_ref()
            .is_some_and(Failure::is_unauthorized)
    }

    /// Whether the server has no such method (-32601).
    pub fn is_method_not_found(&self) -> bool {
        self.0
            .failure
            .as_ref()
            .and_then(Failure::peer_error)
            .is_some_and(|error| error.code == ErrorCode::METHOD_NOT_FOUND)
    }

    /// Whether the tool says that it failed.
    pub fn is_tool_error(&self) -> bool {
        self.0.kind == ErrorKind::Tool
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.what, self.0.detail)?;
        let Some(failure) = &self.0.failure else {
            return Ok(());
        };
        f.write_str(match (failure.kind(), failure.executed()) {
            (FailureKind::Timeout, Executed::Unknown) => {
                "; it may have run. Give it longer with `deadline`"
            }
            (FailureKind::Lost, Executed::Unknown) => "; it may have run",
            (FailureKind::Unauthorized, _) if failure.http_status() == Some(401) => {
                "; pass a token with `header(\"authorization\", …)`"
            }
            _ => "",
        })
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("call", &format_args!("{}", self.0.what))
            .field("detail", &self.0.detail)
            .field("executed", &self.executed())
            .field("failure", &self.0.failure)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.failure.as_ref().and_then(|failure| failure.source())
    }
}
