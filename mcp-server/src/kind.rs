//! What a handler is asked for, which decides what it may return.

use mcp_errors::ToolError;

use crate::{answer::Answer, failed};

/// What a handler is asked for: one of [`ForTool`], [`ForResource`], [`ForPrompt`], [`ForCompletion`] and [`ForMethod`].
pub trait Kind: sealed::Sealed + Send + Sync + 'static {
    /// What a failure becomes.
    #[doc(hidden)]
    fn failed(error: ToolError) -> Answer;
}

mod sealed {
    /// Only the kinds of this crate are kinds.
    #[expect(unnameable_types, reason = "nobody else is to name it")]
    pub trait Sealed {}
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $Name:ident: $failed:path;)*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub struct $Name;

        impl sealed::Sealed for $Name {}

        impl Kind for $Name {
            fn failed(error: ToolError) -> Answer {
                $failed(error)
            }
        }
    )* };
}

kinds! {
    /// A call of a tool: text, [`Json`](crate::Json), content blocks, a `CallToolResult`. It fails with a result that
    /// says so.
    ForTool: failed::of_tool;
    /// A read of a resource: text, bytes, [`Json`](crate::Json), contents, a `ReadResourceResult`. It fails with a
    /// JSON-RPC error.
    ForResource: failed::as_error;
    /// A prompt to be filled in: text, messages, a `GetPromptResult`. It fails with a JSON-RPC error.
    ForPrompt: failed::as_error;
    /// Values that may fill an argument: a list of texts, a `Completion`. It fails with a JSON-RPC error.
    ForCompletion: failed::as_error;
    /// A method of one's own: [`Json`](crate::Json) whose value is an object, or nothing. It fails with a JSON-RPC error.
    ForMethod: failed::as_error;
}
