//! Which profile a request gets: the table of `tools/call` and that of `tasks/*`.

use mcp_types::{Era, Revision, tool::TaskSupport};

use super::TaskProfile;

/// What is known of a call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) revision: Revision,
    /// The client has declared the extension on this request.
    pub(crate) declares: bool,
    /// The client has asked for a task (2025-11-25).
    pub(crate) wants_task: bool,
    pub(crate) support: &'a TaskSupport,
    /// The server gives handles to clients that declare nothing.
    pub(crate) inline_handles: bool,
}

/// What becomes of a call of a tool, on a server that has tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It is answered with its result.
    Plain,
    /// It becomes a task.
    Task(TaskProfile),
    /// The tool does not run as a task: -32601.
    Forbidden,
    /// The tool runs as a task alone, and the client of 2025-11-25 has asked for none: -32601.
    Required,
    /// The tool runs as a task alone, and the client has not declared the extension: -32021.
    Undeclared,
}

/// What becomes of a call of a tool.
pub(crate) fn plan(facts: Facts<'_>) -> Plan {
    let runs = matches!(facts.support, TaskSupport::Optional | TaskSupport::Required);
    let must = *facts.support == TaskSupport::Required;
    match facts.revision.era() {
        Era::Legacy if facts.revision != Revision::V2025_11_25 => Plan::Plain,
        Era::Legacy => match (facts.wants_task, runs) {
            (true, true) => Plan::Task(TaskProfile::Legacy2025),
            (true, false) => Plan::Forbidden,
            (false, _) if must => Plan::Required,
            (false, _) => Plan::Plain,
        },
        _ if !runs => Plan::Plain,
        _ if facts.declares => Plan::Task(TaskProfile::Extension),
        _ if facts.inline_handles => Plan::Task(TaskProfile::InlineHandle),
        _ if must => Plan::Undeclared,
        _ => Plan::Plain,
    }
}

/// Which tasks a request of `tasks/*` can see, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All that are the caller's, as this profile shows them.
    All(TaskProfile),
    /// Those that its principal made at 2025-11-25, as the extension shows them.
    Legacy,
    /// Those that its principal made at 2025-11-25, as the extension shows them, and those with a handle.
    Handles,
    /// None, since the client has not declared the extension: -32021.
    Undeclared,
}

/// What `method`, which the revision knows, can see.
pub(crate) fn sight(method: &str, revision: Revision, declares: bool, inline: bool) -> Sight {
    let looks = matches!(method, "tasks/get" | "tasks/cancel");
    match revision.era() {
        Era::Legacy => Sight::All(TaskProfile::Legacy2025),
        _ if declares => Sight::All(TaskProfile::Extension),
        _ if looks && inline => Sight::Handles,
        _ if looks => Sight::Legacy,
        _ => Sight::Undeclared,
    }
}
