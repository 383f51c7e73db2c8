//! The rules of hosts that a schema may break, each with what happens and what to do.

use std::fmt;

/// A rule that some host is known to have, or that the specification has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// It is a JSON Schema within the limits of this module.
    Readable,
    /// `$schema` names a dialect that clients know: 2020-12 or draft-07.
    Dialect,
    /// Nothing is fetched: references stay within the document.
    NoRemoteReference,
    /// References lead somewhere.
    NoDanglingReference,
    /// The root says `type: "object"`.
    ObjectRoot,
    /// The root is not only a reference.
    NoRootReference,
    /// The root is no choice (`oneOf`, `anyOf`, `allOf`).
    NoRootChoice,
    /// No schema is a boolean.
    NoBooleanSchema,
    /// No keywords of OpenAPI.
    NoOpenApi,
    /// No `format` that only Rust knows.
    NoRustFormat,
    /// No references at all.
    NoReference,
    /// Each `type` is one.
    OneType,
    /// Objects are closed.
    ClosedObjects,
    /// Every member is required.
    RequiredMembers,
    /// Only keywords and formats that strict mode takes.
    StrictKeywords,
    /// Nothing stands beside `$ref`.
    LoneReference,
    /// Every schema says what it takes.
    Typed,
    /// At most 5,000 members, 10 levels, 1,000 values of enums and 120,000 characters of names and values.
    StrictSize,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Readable,
        Self::Dialect,
        Self::NoRemoteReference,
        Self::NoDanglingReference,
        Self::ObjectRoot,
        Self::NoRootReference,
        Self::NoRootChoice,
        Self::NoBooleanSchema,
        Self::NoOpenApi,
        Self::NoRustFormat,
        Self::NoReference,
        Self::OneType,
        Self::ClosedObjects,
        Self::RequiredMembers,
        Self::StrictKeywords,
        Self::LoneReference,
        Self::Typed,
        Self::StrictSize,
    ];

    /// Its name for programs, such as `no_boolean_schema`.
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Who has the rule, what breaking it leads to, and what to do.
    pub const fn advice(self) -> &'static str {
        self.row().1
    }

    #[rustfmt::skip]
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Readable => ("readable", "clients refuse it, or bound their time on it: make it smaller"),
            Self::Dialect => ("dialect", "validators cannot read the dialect, or try to fetch it: leave `$schema` out"),
            Self::NoRemoteReference => ("no_remote_reference", "the specification forbids fetching, so clients refuse the tool: put the definition into `$defs`"),
            Self::NoDanglingReference => ("no_dangling_reference", "validators refuse the schema: define what it refers to in `$defs`"),
            Self::ObjectRoot => ("object_root", "the specification asks it of `inputSchema`, and revisions before 2026-07-28 of `outputSchema`: take or give a struct"),
            Self::NoRootReference => ("no_root_reference", "hosts refuse a root that is only `$ref`: put the definition in its place"),
            Self::NoRootChoice => ("no_root_choice", "model APIs and the TypeScript SDK 1.x refuse a choice at the root, the SDK with the whole list: wrap it in a member"),
            Self::NoBooleanSchema => ("no_boolean_schema", "some hosts drop every tool of a list that has one: write `{}` for `true`, `{\"not\":{}}` for `false`"),
            Self::NoOpenApi => ("no_open_api", "hosts refuse keywords of OpenAPI: say `nullable` with a `type` list, `example` with `examples`, and leave the others out"),
            Self::NoRustFormat => ("no_rust_format", "validators warn of a format they do not know: keep `minimum` and `maximum` instead"),
            Self::NoReference => ("no_reference", "some frameworks cannot follow `$defs`, and a type that contains itself cannot be inlined: give ids in place of nesting"),
            Self::OneType => ("one_type", "some hosts refuse a list of types: let the member be absent in place of `null`"),
            Self::ClosedObjects => ("closed_objects", "strict mode needs `additionalProperties: false`: give a list of pairs in place of a map"),
            Self::RequiredMembers => ("required_members", "strict mode needs every member in `required`: let an optional one be `null`"),
            Self::StrictKeywords => ("strict_keywords", "strict mode refuses the keyword: say it in the description, and check it in the tool"),
            Self::LoneReference => ("lone_reference", "strict mode refuses anything beside `$ref`: describe the type, not the member"),
            Self::Typed => ("typed", "strict mode needs a `type`, `anyOf`, `enum`, `const` or `$ref`: say what it takes"),
            Self::StrictSize => ("strict_size", "strict mode bounds members, levels and enums: split the tool"),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place where a schema breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Where, as a JSON pointer; empty for the root.
    pub path: String,
    /// What stands there, such as the keyword.
    pub what: String,
}

impl Finding {
    pub(super) fn new(rule: Rule, path: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            rule,
            path: path.into(),
            what: what.into(),
        }
    }
}

/// For example "`/properties/any` is `true`: some hosts drop …".
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str("the root")?,
            path => write!(f, "`{}`", path.escape_debug())?,
        }
        write!(f, " {}: {}", self.what, self.rule.advice())
    }
}
