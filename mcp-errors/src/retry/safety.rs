//! Whether repeating a call does harm, if the first one ran after all.

use mcp_types::{Method, tool::ToolAnnotations};

/// Whether repeating a call does harm, if the first one ran after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "it does or it does not")]
pub enum Safety {
    /// It does not: nothing changes, or nothing more.
    Repeatable,
    /// It may: a repeated write happens twice.
    Effects,
}

impl Safety {
    /// That of a method: lists, reads, prompts, completion, probes and other questions may be repeated; calls of
    /// tools, answers and cancellations of tasks, what asks a user or a model, and methods of nobody's revision may not.
    pub fn of(method: &Method) -> Self {
        let Some(spec) = method.spec() else {
            return Self::Effects;
        };
        match spec.name {
            "tools/call" | "tasks/update" | "tasks/cancel" => Self::Effects,
            "sampling/createMessage" | "elicitation/create" => Self::Effects,
            name if name.starts_with("notifications/") => Self::Effects,
            _ => Self::Repeatable,
        }
    }

    /// That of a tool: its word (`readOnlyHint` or `idempotentHint`) counts only where the host trusts the server,
    /// since annotations are claims.
    pub fn of_tool(annotations: Option<&ToolAnnotations>, trusted: bool) -> Self {
        let claims = annotations.is_some_and(|claims| {
            claims.read_only_hint == Some(true) || claims.idempotent_hint == Some(true)
        });
        match trusted && claims {
            true => Self::Repeatable,
            false => Self::Effects,
        }
    }
}
