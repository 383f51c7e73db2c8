//! Why a text is no message: which rule it breaks, and what its sender is told.

use std::{borrow::Cow, fmt};

use super::{ErrorCode, ErrorObject, RequestId};
use crate::{path, strict::JsonPath};

/// Why a text is no message, and how far it was understood.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Malformed {
    /// What kind of text it is.
    pub kind: MalformedKind,
    /// Which rule it breaks.
    pub flaw: Flaw,
    /// The id, where it could be read.
    pub id: Option<RequestId>,
    /// Where in the text, as a JSON path: `$` is the whole, `$.params.name` a member, `$[2]` a message of a
    /// batch. Texts that are no JSON say the line and column in `detail` too.
    pub path: Cow<'static, str>,
    /// What is wrong, in words that may be shown to the peer.
    pub detail: Cow<'static, str>,
}

/// What kind of text is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedKind {
    /// Not JSON, or nested too deeply.
    Parse,
    /// JSON, but no JSON-RPC message.
    Invalid,
    /// An array: a batch where a single message was expected.
    Batch,
    /// A response that breaks the rules; answering it could start a loop.
    Response,
}

/// The rule that a text breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Flaw {
    /// An array where a single message is due.
    Batch,
    /// A batch without messages, with too many, or no batch at all.
    BatchLength,
    /// A member of the message, or of its `params`, stands twice.
    DuplicateMember,
    /// `error` has no integer `code`, or a `message` that is no string.
    ErrorShape,
    /// The id is neither a string nor an integer.
    Id,
    /// `method` is no string.
    Method,
    /// A method and a result, or a method and an error, in one message.
    MethodAndResult,
    /// Neither a method, nor a result, nor an error.
    NoMember,
    /// Not JSON.
    NotJson,
    /// JSON, but no object.
    NotObject,
    /// Not UTF-8.
    NotUtf8,
    /// `params` is no object.
    Params,
    /// A result and an error in one response.
    ResultAndError,
    /// A result that does not say which request it answers.
    ResultWithoutId,
    /// Nested more than [`MAX_DEPTH`](super::MAX_DEPTH) deep.
    TooDeep,
    /// `jsonrpc` is not `"2.0"`.
    Version,
}

impl Flaw {
    /// The part of the message that it is about.
    const fn path(self) -> &'static str {
        match self {
            Self::ErrorShape => "$.error",
            Self::Id | Self::ResultWithoutId => "$.id",
            Self::Method => "$.method",
            Self::Params => "$.params",
            Self::Version => "$.jsonrpc",
            Self::Batch
            | Self::BatchLength
            | Self::DuplicateMember
            | Self::MethodAndResult
            | Self::NoMember
            | Self::NotJson
            | Self::NotObject
            | Self::NotUtf8
            | Self::ResultAndError
            | Self::TooDeep => "$",
        }
    }

    /// What is wrong, and what would be right.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Batch => "a batch is not allowed here; send one message at a time",
            Self::BatchLength => "a batch is an array of one or more messages, within the limit",
            Self::DuplicateMember => "a member stands twice",
            Self::ErrorShape => "`error` must hold an integer `code` and a `message`",
            Self::Id => "`id` must be a string or an integer",
            Self::Method => "`method` must be a string",
            Self::MethodAndResult => "a message has a method or a result, not both",
            Self::NoMember => "a message has a `method`, a `result` or an `error`",
            Self::NotJson => "not JSON",
            Self::NotObject => "a message is a JSON object",
            Self::NotUtf8 => "the text is not UTF-8",
            Self::Params => "`params` must be an object",
            Self::ResultAndError => "a response has a result or an error, not both",
            Self::ResultWithoutId => "a result must have the `id` of its request",
            Self::TooDeep => "nested more than 128 deep",
            Self::Version => "`jsonrpc` must be \"2.0\"",
        }
    }
}

impl Malformed {
    pub(super) const fn new(kind: MalformedKind, flaw: Flaw) -> Self {
        Self {
            kind,
            flaw,
            id: None,
            path: Cow::Borrowed(flaw.path()),
            detail: Cow::Borrowed(flaw.sentence()),
        }
    }

    pub(super) fn with_id(mut self, id: Option<RequestId>) -> Self {
        self.id = id;
        self
    }

    pub(super) fn with_detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.detail = detail.into();
        self
    }

    /// At a member of the object at `parent`.
    pub(super) fn at(mut self, parent: &str, name: &str) -> Self {
        self.path = path::member(parent, name).into();
        self
    }

    pub(super) fn at_path(mut self, path: &JsonPath) -> Self {
        self.path = path.as_str().to_owned().into();
        self
    }

    /// In the message at `index` of a batch.
    pub(super) fn in_batch(mut self, index: usize) -> Self {
        self.path = format!("$[{index}]{}", &self.path[1..]).into();
        self
    }

    /// The answer that the sender gets, or `None` where answering is not allowed.
    pub fn answer(&self) -> Option<ErrorObject> {
        let (code, message) = match self.kind {
            MalformedKind::Parse => (ErrorCode::PARSE_ERROR, "Parse error"),
            MalformedKind::Invalid | MalformedKind::Batch => {
                (ErrorCode::INVALID_REQUEST, "Invalid request")
            }
            MalformedKind::Response => return None,
        };
        Some(ErrorObject::new(
            code,
            format!("{message}: {}", self.detail),
        ))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Malformed {}
