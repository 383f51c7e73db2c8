//! A maximal message of each method and revision is valid by that revision's official schema.

use std::{fs, path::Path};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::{
    maximal::{Kind, Maximal, all},
    schema::Schema,
};
use crate::{
    method::{Method, TABLE},
    revision::{Era, Revision},
    specification::specification,
};

/// The whole message, as it goes over the wire.
fn message(maximal: &Maximal, revision: Revision) -> Value {
    let (method, at) = (maximal.method, revision);
    let mut body = (maximal.encode)(&maximal.value, method, at)
        .unwrap_or_else(|error| panic!("{} at {at}: {error}", maximal.definition));
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    match maximal.kind {
        Kind::Result => return body,
        Kind::Request => message["id"] = 1.into(),
        Kind::Notification => {}
    }
    // Asks have no envelope at 2026-07-28.
    let asked = Method::from(method)
        .spec()
        .is_some_and(|spec| spec.asked_by_input);
    if maximal.kind == Kind::Request && at.era() == Era::Modern && !asked {
        body["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": at.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}, "roots": {}},
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/logLevel": "info",
            "progressToken": 7,
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        });
    }
    message["params"] = body;
    message
}

/// A validator of one definition.
fn validator(schema: &Value, definition: &str) -> Option<Validator> {
    let defs = if schema["$defs"].is_object() {
        "$defs"
    } else {
        "definitions"
    };
    schema[defs].get(definition)?;
    let mut root = json!({"$schema": schema["$schema"], "allOf": [{"$ref": format!("#/{defs}/{definition}")}]});
    root[defs] = schema[defs].clone();
    Some(jsonschema::validator_for(&root).unwrap())
}

/// A name of the oldest schema is none that a reference may hold.
fn text(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.replace("Record<string,string>", "Record")
}

#[test]
fn maximal_messages_are_valid_in_every_revision() {
    let Some(root) = specification() else {
        eprintln!(
            "skipped {} messages in 6 revisions: no ../shared/spec",
            all().len()
        );
        return;
    };
    let mut checked = 0;
    for revision in Revision::ALL {
        let file = root.join(revision.as_str()).join("schema.json");
        let schema: Value = serde_json::from_str(&text(&file)).unwrap();
        let mut names = Schema::new(revision, schema.clone());
        for maximal in all() {
            if revision < maximal.since || revision > maximal.until {
                continue;
            }
            let message = message(&maximal, revision);
            let Some(validator) = validator(&schema, maximal.definition) else {
                let of_extension =
                    maximal.method.contains("tasks") || maximal.definition == "CreateTaskResult";
                assert!(of_extension, "{} at {revision}", maximal.definition);
                continue;
            };
            let errors: Vec<String> = validator
                .iter_errors(&message)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(
                errors.is_empty(),
                "{} at {revision}: {errors:#?}\n{message:#}",
                maximal.definition
            );
            if maximal.kind == Kind::Result {
                names.check(maximal.definition, &message);
            }
            checked += 1;
        }
    }
    assert!(checked > 180, "only {checked} messages");
}

/// The table of methods has a maximal message for each row and revision, and no row lacks one.
#[test]
fn every_method_has_a_maximal_message() {
    let all = all();
    for spec in TABLE {
        // The same task, by another name.
        if spec.name == "notifications/tasks" {
            continue;
        }
        for revision in Revision::ALL {
            let known = spec.to_server.contains(revision)
                || spec.to_client.contains(revision)
                || (spec.asked_by_input && revision.era() == Era::Modern);
            let there = all.iter().any(|maximal| {
                maximal.method == spec.name
                    && maximal.kind != Kind::Result
                    && (maximal.since..=maximal.until).contains(&revision)
            });
            assert_eq!(there, known, "{} at {revision}", spec.name);
        }
    }
}
