//! The rows: every method of every revision, and of the tasks extension.

use crate::revision::Revision;

/// What the specification says about one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodSpec {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether it wants an answer.
    pub kind: Kind,
    /// Revisions in which a client sends it to a server.
    pub to_server: Span,
    /// Revisions in which a server sends it to a client as a message of its own.
    pub to_client: Span,
    /// Whether a server of 2026-07-28 may ask it through `inputRequests`.
    pub asked_by_input: bool,
    /// Whether a result of 2026-07-28 may be `input_required`.
    pub may_need_input: bool,
    /// Whether a complete result of 2026-07-28 carries `ttlMs` and `cacheScope`.
    pub cacheable: bool,
    /// The member of `params` that the header `Mcp-Name` mirrors (2026-07-28).
    pub name_header: Option<&'static str>,
    /// The capability of the receiver that the method belongs to.
    pub capability: Option<&'static str>,
    /// The extension that owns it at 2026-07-28, if it is not part of the core there.
    pub extension: Option<&'static str>,
}

/// Whether a message wants an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC knows these two")]
pub enum Kind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// A run of revisions, possibly empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span(Option<(Revision, Revision)>);

impl Span {
    const NONE: Self = Self(None);

    const fn new(since: Revision, until: Revision) -> Self {
        Self(Some((since, until)))
    }

    /// Whether `revision` is in it.
    pub const fn contains(self, revision: Revision) -> bool {
        match self.0 {
            Some((since, until)) => since as u8 <= revision as u8 && revision as u8 <= until as u8,
            None => false,
        }
    }
}

const OCT24: Revision = Revision::V2024_10_07;
const NOV24: Revision = Revision::V2024_11_05;
const JUN25: Revision = Revision::V2025_06_18;
const NOV25: Revision = Revision::V2025_11_25;
const JUL26: Revision = Revision::V2026_07_28;
const TASKS: Option<&str> = Some("io.modelcontextprotocol/tasks");

const EVER: Span = Span::new(OCT24, JUL26);
const LEGACY: Span = Span::new(OCT24, NOV25);
const MODERN: Span = Span::new(JUL26, JUL26);

const fn request(name: &'static str, to_server: Span, to_client: Span) -> MethodSpec {
    MethodSpec {
        name,
        kind: Kind::Request,
        to_server,
        to_client,
        asked_by_input: false,
        may_need_input: false,
        cacheable: false,
        name_header: None,
        capability: None,
        extension: None,
    }
}

const fn notification(name: &'static str, to_server: Span, to_client: Span) -> MethodSpec {
    MethodSpec {
        kind: Kind::Notification,
        ..request(name, to_server, to_client)
    }
}

impl MethodSpec {
    const fn of(self, capability: &'static str) -> Self {
        Self {
            capability: Some(capability),
            ..self
        }
    }

    const fn cached(self) -> Self {
        Self {
            cacheable: true,
            ..self
        }
    }

    const fn named(self, member: &'static str) -> Self {
        Self {
            name_header: Some(member),
            ..self
        }
    }

    const fn with_input(self) -> Self {
        Self {
            may_need_input: true,
            ..self
        }
    }

    const fn asked(self) -> Self {
        Self {
            asked_by_input: true,
            ..self
        }
    }

    const fn extension(self) -> Self {
        Self {
            extension: TASKS,
            ..self
        }
    }
}

/// Every method, requests first.
#[rustfmt::skip]
pub const TABLE: &[MethodSpec] = &[
    // The ones that a busy server sees most come first: the table is searched in order.
    request("tools/call", EVER, Span::NONE).of("tools").named("name").with_input(),
    request("tools/list", EVER, Span::NONE).of("tools").cached(),
    request("server/discover", MODERN, Span::NONE).cached(),
    request("initialize", LEGACY, Span::NONE),
    request("ping", LEGACY, LEGACY),
    request("resources/read", EVER, Span::NONE).of("resources").named("uri").with_input().cached(),
    request("resources/list", EVER, Span::NONE).of("resources").cached(),
    request("resources/templates/list", Span::new(NOV24, JUL26), Span::NONE).of("resources").cached(),
    request("resources/subscribe", LEGACY, Span::NONE).of("resources"),
    request("resources/unsubscribe", LEGACY, Span::NONE).of("resources"),
    request("prompts/get", EVER, Span::NONE).of("prompts").named("name").with_input(),
    request("prompts/list", EVER, Span::NONE).of("prompts").cached(),
    request("completion/complete", EVER, Span::NONE).of("completions"),
    request("logging/setLevel", LEGACY, Span::NONE).of("logging"),
    request("subscriptions/listen", MODERN, Span::NONE),
    request("tasks/get", Span::new(NOV25, JUL26), Span::new(NOV25, NOV25)).of("tasks").named("taskId").extension(),
    request("tasks/update", MODERN, Span::NONE).of("tasks").named("taskId").extension(),
    request("tasks/cancel", Span::new(NOV25, JUL26), Span::new(NOV25, NOV25)).of("tasks").named("taskId").extension(),
    request("tasks/result", Span::new(NOV25, NOV25), Span::new(NOV25, NOV25)).of("tasks"),
    request("tasks/list", Span::new(NOV25, NOV25), Span::new(NOV25, NOV25)).of("tasks"),
    request("sampling/createMessage", Span::NONE, LEGACY).of("sampling").asked(),
    request("elicitation/create", Span::NONE, Span::new(JUN25, NOV25)).of("elicitation").asked(),
    // The schema of 2024-10-07 lists it in both directions.
    request("roots/list", Span::new(OCT24, OCT24), LEGACY).of("roots").asked(),
    notification("notifications/progress", LEGACY, EVER),
    notification("notifications/cancelled", Span::new(NOV24, JUL26), Span::new(NOV24, JUL26)),
    notification("notifications/initialized", LEGACY, Span::NONE),
    notification("notifications/message", Span::NONE, EVER).of("logging"),
    notification("notifications/tools/list_changed", Span::NONE, EVER).of("tools"),
    notification("notifications/prompts/list_changed", Span::NONE, EVER).of("prompts"),
    notification("notifications/resources/list_changed", Span::NONE, EVER).of("resources"),
    notification("notifications/resources/updated", Span::NONE, EVER).of("resources"),
    notification("notifications/roots/list_changed", LEGACY, Span::NONE).of("roots"),
    notification("notifications/elicitation/complete", Span::NONE, Span::new(NOV25, NOV25)).of("elicitation"),
    notification("notifications/subscriptions/acknowledged", Span::NONE, MODERN),
    notification("notifications/tasks/status", Span::new(NOV25, NOV25), Span::new(NOV25, NOV25)).of("tasks"),
    notification("notifications/tasks", Span::NONE, MODERN).of("tasks").extension(),
];
