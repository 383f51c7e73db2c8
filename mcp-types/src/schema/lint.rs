//! Judges a schema by the rules of hosts, and changes nothing.

use std::{
    collections::HashSet,
    fmt::{Display, Write as _},
};

use super::{
    Place, Profile,
    keyword::{NOT_STRICT, OPENAPI, RUST_FORMATS, STRICT_FORMATS, Slot, Step, each},
    node::{Members, Node},
    reference::{self, Names},
    rule::{Finding, Rule},
};
use crate::raw::RawJson;

/// Which rules of `profile` a schema breaks, and where: one finding for each place, the root's first. At most a
/// hundred are told.
///
/// A schema that [`clean`](super::clean) made breaks only rules that no rewriting mends.
pub fn lint(schema: &RawJson, place: Place, profile: &Profile) -> Vec<Finding> {
    let root = match Node::parse(schema) {
        Ok(root) => root,
        Err(error) => {
            return vec![Finding::new(
                Rule::Readable,
                "",
                format!("cannot be used: {error}"),
            )];
        }
    };
    let mut lint = Lint {
        root: &root,
        profile: *profile,
        names: Names::of(&root),
        path: String::new(),
        findings: Vec::new(),
        size: Size::default(),
    };
    if let Err(error) = reference::count(&root) {
        lint.find(Rule::Readable, format_args!("cannot be used: {error}"));
        return lint.findings;
    }
    lint.root(place);
    lint.schema(&root, Slot::Schema, 0);
    if profile.is_strict() {
        lint.size();
    }
    lint.findings
}

const MOST: usize = 100;

struct Lint<'a> {
    root: &'a Node,
    profile: Profile,
    names: Names,
    /// Where the schema stands that is looked at.
    path: String,
    findings: Vec<Finding>,
    size: Size,
}

/// What strict mode counts.
#[derive(Default)]
struct Size {
    members: usize,
    levels: usize,
    values: usize,
    characters: usize,
}

impl<'a> Lint<'a> {
    /// Here `what` breaks `rule`.
    fn find(&mut self, rule: Rule, what: impl Display) {
        if self.findings.len() < MOST {
            let what = what.to_string();
            self.findings.push(Finding::new(rule, &*self.path, what));
        }
    }

    /// The same for the schema at `step` from here.
    fn find_at(&mut self, step: Step<'_>, rule: Rule, what: impl Display) {
        if self.findings.len() < MOST {
            let path = format!("{}{step}", self.path);
            self.findings
                .push(Finding::new(rule, path, what.to_string()));
        }
    }

    fn root(&mut self, place: Place) {
        let Node::Object(root) = self.root else {
            return;
        };
        let choice = ["oneOf", "anyOf", "allOf"]
            .into_iter()
            .find(|keyword| root.has(keyword));
        if root.has("$ref") {
            self.find(Rule::NoRootReference, "is a `$ref`");
        } else if !root.is_kind("object") {
            let kind = match root.get("type") {
                Some(kind) => format!("has the type {}", shown(kind.to_raw().as_str())),
                None => "says no type".to_owned(),
            };
            if place == Place::Input || choice.is_none() {
                self.find(Rule::ObjectRoot, kind);
            }
        }
        // An output that says it is an object is taken, be it one of several.
        if let Some(keyword) = choice
            && (place == Place::Input || !root.is_kind("object"))
        {
            self.find(Rule::NoRootChoice, format_args!("has `{keyword}`"));
        }
        if let Some(dialect) = root.get("$schema")
            && !dialect.as_text().is_some_and(|dialect| is_known(&dialect))
        {
            let what = format!("is {}", plain(dialect));
            self.find_at(Step::At("$schema"), Rule::Dialect, what);
        }
    }

    fn schema(&mut self, node: &'a Node, slot: Slot, level: usize) {
        let Node::Object(schema) = node else {
            let is_fine = match slot {
                Slot::OrBool => node.is_bool(),
                Slot::OrFalse => node.is("false"),
                Slot::Schema => false,
            };
            if !is_fine {
                let rule = if node.is_bool() {
                    Rule::NoBooleanSchema
                } else {
                    Rule::Readable
                };
                self.find(rule, format_args!("is {}", plain(node)));
            }
            return;
        };
        self.keywords(schema);
        self.reference(schema);
        if self.profile.is_plain() && matches!(schema.get("type"), Some(Node::Array(_))) {
            self.find(Rule::OneType, "has a list of types");
        }
        if self.profile.is_strict() {
            self.strict(schema, level);
        }
        each(schema, |step, slot, schema| {
            let level = if step.is_definition() { 0 } else { level + 1 };
            let here = self.path.len();
            // Writing to a string cannot fail.
            let _ = write!(self.path, "{step}");
            self.schema(schema, slot, level);
            self.path.truncate(here);
        });
    }

    fn keywords(&mut self, schema: &Members) {
        for keyword in OPENAPI {
            if schema.has(keyword) {
                self.find(Rule::NoOpenApi, format_args!("has `{keyword}`"));
            }
        }
        for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
            if schema.get(keyword).is_some_and(Node::is_bool) {
                self.find(Rule::NoOpenApi, format_args!("has a boolean `{keyword}`"));
            }
        }
        if let Some(format) = schema.text("format")
            && RUST_FORMATS.contains(&&*format)
        {
            self.find(
                Rule::NoRustFormat,
                format_args!("has the format `{format}`"),
            );
        }
    }

    fn reference(&mut self, schema: &Members) {
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(target) = schema.text(keyword) else {
                continue;
            };
            let what = format!("refers to `{}`", shown(&target));
            if !self.is_local(&target) {
                self.find(Rule::NoRemoteReference, &what);
            } else if !self.leads_somewhere(&target) {
                self.find(Rule::NoDanglingReference, &what);
            }
            if self.profile.is_inlined() {
                self.find(Rule::NoReference, &what);
            }
        }
    }

    fn is_local(&self, target: &str) -> bool {
        let resource = target.split('#').next().unwrap_or_default();
        resource.is_empty() || self.names.ids.contains(resource)
    }

    fn leads_somewhere(&self, target: &str) -> bool {
        let fragment = target.split_once('#').map_or("", |(_, fragment)| fragment);
        // Within an embedded schema pointers count from it; only names are looked up there.
        if !target.starts_with('#') || fragment.is_empty() {
            return true;
        }
        if fragment.starts_with('/') {
            let found = reference::resolve(self.root, target);
            return found.is_some_and(|it| matches!(it, Node::Object(_)) || it.is_bool())
                || !self.names.ids.is_empty();
        }
        self.names.anchors.contains(fragment)
    }

    fn strict(&mut self, schema: &Members, level: usize) {
        self.measure(schema, level);
        for keyword in NOT_STRICT {
            if schema.has(keyword) {
                self.find(Rule::StrictKeywords, format_args!("has `{keyword}`"));
            }
        }
        if let Some(format) = schema.text("format")
            && !STRICT_FORMATS.contains(&&*format)
        {
            let what = format!("has the format `{}`", shown(&format));
            self.find(Rule::StrictKeywords, what);
        }
        if schema.has("$ref") && schema.0.len() > 1 && !self.path.is_empty() {
            self.find(Rule::LoneReference, "has a `$ref` among others");
        }
        let says = ["type", "anyOf", "enum", "const", "$ref"];
        if !says.iter().any(|keyword| schema.has(keyword)) {
            self.find(Rule::Typed, "says nothing of what it takes");
        }
        let is_object = schema.kinds().iter().any(|kind| kind == "object");
        let is_closed = schema
            .get("additionalProperties")
            .is_some_and(|it| it.is("false"));
        if is_object && !is_closed && !schema.has("anyOf") {
            self.find(Rule::ClosedObjects, "takes members of any name");
        }
        let required = schema.get("required").map(Node::items).unwrap_or_default();
        let required: HashSet<String> = required.iter().filter_map(Node::as_text).collect();
        let members = schema.get("properties").and_then(Node::as_members);
        for name in members.into_iter().flat_map(Members::names) {
            if !required.contains(name) {
                let step = Step::Named("properties", name);
                self.find_at(step, Rule::RequiredMembers, "may be absent");
            }
        }
    }

    fn measure(&mut self, schema: &Members, level: usize) {
        let members = schema.get("properties").and_then(Node::as_members);
        let names = members.into_iter().flat_map(Members::names);
        let values = schema.get("enum").map(Node::items).unwrap_or_default();
        self.size.levels = self.size.levels.max(level);
        self.size.values += values.len();
        for text in names.map(str::len).collect::<Vec<_>>() {
            self.size.members += 1;
            self.size.characters += text;
        }
        let characters = values
            .iter()
            .chain(schema.get("const"))
            .filter_map(Node::as_text);
        self.size.characters += characters.map(|text| text.chars().count()).sum::<usize>();
    }

    fn size(&mut self) {
        let Size {
            members,
            levels,
            values,
            characters,
        } = self.size;
        for (count, most, of) in [
            (members, 5_000, "members"),
            (levels, 10, "levels"),
            (values, 1_000, "values of enums"),
            (characters, 120_000, "characters of names and values"),
        ] {
            if count > most {
                self.find(Rule::StrictSize, format_args!("has {count} {of}"));
            }
        }
    }
}

fn is_known(dialect: &str) -> bool {
    let dialect = dialect.trim_end_matches('#');
    [
        super::DIALECT,
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema",
    ]
    .contains(&dialect)
}

/// The start of a value, as it is written.
fn plain(node: &Node) -> String {
    node.to_raw().as_str().chars().take(100).collect()
}

/// The start of what an author wrote, on one line.
fn shown(text: &str) -> String {
    text.chars()
        .take(100)
        .flat_map(char::escape_debug)
        .collect()
}
