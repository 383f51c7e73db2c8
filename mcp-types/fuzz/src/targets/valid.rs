//! What is written beside the official schema of its revision (`../shared/spec`).
//!
//! Reading is lenient, and what is not understood is kept, so rubbish in is rubbish out. What must hold is: a message
//! that was valid at a revision is valid when it is written for that revision again; and one that was valid at the
//! newest revision is valid when it is written for any other that has words for it. The latter does not count where it
//! holds members that only older revisions know, and with which at the newest one anything may be meant.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex},
};

use jsonschema::Validator;
use mcp_types::{RawJson, Revision};
use serde_json::{Value, json};

/// Which part of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The `params` of a message.
    Params,
    /// All of it.
    Whole,
}

/// Members that only legacy revisions know.
const OF_LEGACY: [&str; 7] = [
    "elicitationId",
    "enumNames",
    "execution",
    "pollInterval",
    "task",
    "tasks",
    "ttl",
];

/// Checks what `write` makes of the message `read`, a `definition`, for each revision that it can be said in.
pub(crate) fn checked(
    definition: &str,
    part: Part,
    read: &str,
    write: impl Fn(Revision) -> Option<RawJson>,
) {
    if SCHEMAS.is_none() {
        return;
    }
    let Ok(value) = serde_json::from_str::<Value>(read) else {
        return;
    };
    let valid = |at, value: &Value| validator(at, definition, part).map(|it| it.is_valid(value));
    let newest = valid(Revision::LATEST, &value) == Some(true) && !is_of_legacy(&value);
    for at in Revision::ALL {
        let Some(validator) = validator(at, definition, part) else {
            continue;
        };
        if !newest && !validator.is_valid(&value) {
            continue;
        }
        let Some(written) = write(at) else { continue };
        let written: Value = written
            .decode()
            .expect("what came as strict JSON is written as such");
        if let Some(error) = validator.iter_errors(&written).next() {
            let place = error.instance_path().to_string();
            panic!("{definition} at {at}: {place}: {error}\nread: {value}\nwritten: {written}");
        }
    }
}

fn is_of_legacy(value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| OF_LEGACY.contains(&&**name) || is_of_legacy(value)),
        Value::Array(items) => items.iter().any(is_of_legacy),
        _ => false,
    }
}

/// The schemas, oldest first; none where the specification is not beside the checkout.
static SCHEMAS: LazyLock<Option<Vec<Value>>> = LazyLock::new(schemas);

#[allow(clippy::print_stderr, reason = "who fuzzes sees what is not checked")]
fn schemas() -> Option<Vec<Value>> {
    let Some(root) = specification() else {
        eprintln!("skipped: no ../shared/spec, so nothing that is written is validated");
        return None;
    };
    let read = |revision: Revision| {
        let text = fs::read_to_string(root.join(revision.as_str()).join("schema.json"));
        // A name of the oldest schema is none that a reference may hold.
        let text = text
            .expect("a schema")
            .replace("Record<string,string>", "Record");
        serde_json::from_str(&text).expect("JSON")
    };
    Some(Revision::ALL.into_iter().map(read).collect())
}

fn specification() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|parent| parent.join("shared/spec"))
        .find(|root| root.is_dir())
}

/// A validator lives as long as the program.
type Known = HashMap<(Revision, String, Part), Option<&'static Validator>>;

static VALIDATORS: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// None where the revision has no such definition.
fn validator(at: Revision, definition: &str, part: Part) -> Option<&'static Validator> {
    let mut known = VALIDATORS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let key = (at, definition.to_owned(), part);
    *known.entry(key).or_insert_with(|| {
        let schemas = SCHEMAS.as_ref()?;
        let schema = &schemas[Revision::ALL.iter().position(|it| *it == at)?];
        let defs = if schema["$defs"].is_object() {
            "$defs"
        } else {
            "definitions"
        };
        let mut pointer = format!("/{defs}/{definition}");
        if part == Part::Params {
            pointer += "/properties/params";
        }
        schema.pointer(&pointer)?;
        let mut root =
            json!({"$schema": schema["$schema"], "allOf": [{"$ref": format!("#{pointer}")}]});
        root[defs] = schema[defs].clone();
        // The drafts differ in whether a `format` is more than a note.
        let validator = jsonschema::options()
            .should_validate_formats(false)
            .build(&root)
            .expect("the official schema is one");
        Some(Box::leak(Box::new(validator)))
    })
}
