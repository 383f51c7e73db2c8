//! For whom a result is written, and what cannot be said to them.

use std::fmt;

use crate::{
    capability::Implementation,
    revision::{Era, Revision},
};

/// For whom a result is written, and what is known beside it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Stamp<'a> {
    /// The revision that the result is written for.
    pub revision: Revision,
    /// Whether the method's results are cacheable, by the method table.
    pub cacheable: bool,
    /// The name and version of the server.
    pub server: Option<&'a Implementation>,
    /// Whether the tool's `outputSchema` is one of those that [`wraps_output`](super::wraps_output)
    /// names.
    pub wrapped_output: bool,
    /// Whether the request asked for a task, as only one of 2025-11-25 can.
    pub as_task: bool,
    /// Whether structured content stands in `content` too.
    pub mirror: TextMirror,
}

/// Whether the structured content of a tool's result stands in `content` too, as JSON text.
///
/// The specification asks for it, for readers that know no structure; some hosts hand both to the model, which then
/// pays twice, or has less room for either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TextMirror {
    /// Where the tool gave no content of its own.
    #[default]
    Auto,
    /// Beside the tool's own content, too.
    Always,
    /// Only where the revision knows no structured content, before 2025-06-18. A failure keeps its sentence.
    Never,
}

impl<'a> Stamp<'a> {
    /// For a method whose results are not cacheable, by a server that does not say who it is.
    pub const fn new(revision: Revision) -> Self {
        Self {
            revision,
            cacheable: false,
            server: None,
            wrapped_output: false,
            as_task: false,
            mirror: TextMirror::Auto,
        }
    }

    /// For a cacheable method or not.
    #[must_use]
    pub const fn cacheable(mut self, cacheable: bool) -> Self {
        self.cacheable = cacheable;
        self
    }

    /// By this server.
    #[must_use]
    pub const fn by(mut self, server: &'a Implementation) -> Self {
        self.server = Some(server);
        self
    }

    /// For a call of a tool whose `outputSchema` is wrapped, or not.
    #[must_use]
    pub const fn wrapped_output(mut self, wrapped: bool) -> Self {
        self.wrapped_output = wrapped;
        self
    }

    /// With structured content in `content` too, or not.
    #[must_use]
    pub const fn mirrored(mut self, mirror: TextMirror) -> Self {
        self.mirror = mirror;
        self
    }
}

impl Stamp<'_> {
    /// For a request of 2025-11-25 that asked for a task, or not.
    #[must_use]
    pub const fn as_task(mut self, as_task: bool) -> Self {
        self.as_task = as_task;
        self
    }

    /// Whether the peer has words for a task in the place of a result.
    pub(super) fn takes_tasks(&self) -> bool {
        self.revision.era() == Era::Modern
            || (self.as_task && self.revision == Revision::V2025_11_25)
    }
}

/// An outcome that the revision has no words for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotExpressible {
    /// The `resultType`.
    pub result_type: Box<str>,
    /// The revision.
    pub revision: Revision,
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a result of type `{}` cannot be said in revision {}; only complete results can",
            self.result_type, self.revision
        )
    }
}

impl std::error::Error for NotExpressible {}
