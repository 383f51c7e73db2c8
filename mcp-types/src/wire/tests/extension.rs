//! The extension `io.modelcontextprotocol/tasks` at 2026-07-28, message by message.
//!
//! The messages are written by hand after the extension's page *Tasks*. Its schema is a draft, and not among the official
//! ones; where it lies at `../shared/spec/2026-07-28/ext-tasks/schema.json`, every message is held against it too.

use std::fs;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::specification;
use crate::{
    encode::At,
    method::Method,
    outcome::Outcome,
    params::Params,
    raw::{RawJson, RawParams},
    revision::Revision,
    wire::{Stamp, encode_outcome},
};

const AT: Revision = Revision::V2026_07_28;

/// A task in `status`, with more members.
fn task(status: &str, more: &Value) -> Value {
    let mut task = json!({
        "taskId": "t", "status": status, "statusMessage": "m", "createdAt": "2026-08-01T00:00:00Z",
        "lastUpdatedAt": "2026-08-01T00:00:01Z", "ttlMs": 60000, "pollIntervalMs": 500,
    });
    for (name, value) in more.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

/// A task in each of its states, with what it holds there.
fn states() -> [Value; 5] {
    let asked = json!({"k": {"method": "elicitation/create", "params": {"mode": "form", "message": "m",
        "requestedSchema": {"type": "object", "properties": {"a": {"type": "boolean"}}}}}});
    [
        task("working", &json!({"ttlMs": null})),
        task("input_required", &json!({"inputRequests": asked})),
        task(
            "completed",
            &json!({"result": {"resultType": "complete", "content": [{"type": "text", "text": "a"}]}}),
        ),
        task(
            "failed",
            &json!({"error": {"code": -32603, "message": "m", "data": {"a": 1}}}),
        ),
        task("cancelled", &json!({})),
    ]
}

/// The definition of a message, and the message.
type Said = (&'static str, Value);

/// What a server answers, by method.
fn results() -> Vec<(&'static str, Said)> {
    let of = |kind: &str, mut result: Value| {
        result["resultType"] = kind.into();
        result
    };
    let mut results = vec![
        (
            "tools/call",
            (
                "CreateTaskResult",
                of("task", task("working", &json!({"_meta": {"k": 1}}))),
            ),
        ),
        (
            "tasks/cancel",
            ("CancelTaskResult", of("complete", json!({}))),
        ),
        (
            "tasks/update",
            ("UpdateTaskResult", of("complete", json!({}))),
        ),
    ];
    let got = states().map(|state| ("tasks/get", ("GetTaskResult", of("complete", state))));
    results.extend(got);
    results
}

/// What is sent beside that, as whole messages.
fn sent() -> Vec<Said> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    let request = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    };
    let answers = json!({"k": {"action": "accept", "content": {"a": true}}});
    let mut sent = vec![
        (
            "GetTaskRequest",
            request("tasks/get", json!({"taskId": "t"})),
        ),
        (
            "CancelTaskRequest",
            request("tasks/cancel", json!({"taskId": "t"})),
        ),
        (
            "UpdateTaskRequest",
            request(
                "tasks/update",
                json!({"taskId": "t", "inputResponses": answers}),
            ),
        ),
    ];
    let tagged = json!({"io.modelcontextprotocol/subscriptionId": 7});
    sent.extend(states().map(|mut state| {
        state["_meta"] = tagged.clone();
        let news = json!({"jsonrpc": "2.0", "method": "notifications/tasks", "params": state});
        ("TaskStatusNotification", news)
    }));
    sent
}

fn again(method: &str, params: &Value) -> Value {
    let raw = RawParams::parse(params.to_string()).unwrap();
    let params = Params::decode(&Method::from(method), &raw).unwrap();
    let written = RawJson::from_serialize(&At(&params, AT)).unwrap();
    written.decode().unwrap()
}

#[test]
fn what_the_extension_says_is_written_as_it_was_read() {
    for (method, (definition, result)) in results() {
        let raw = RawJson::from_serialize(&result).unwrap();
        let outcome = Outcome::decode(&Method::from(method), &raw).unwrap();
        let written = encode_outcome(outcome, &Stamp::new(AT)).unwrap();
        assert_eq!(written.decode::<Value>().unwrap(), result, "{definition}");
    }
    for (definition, message) in sent() {
        let method = message["method"].as_str().unwrap();
        assert_eq!(
            again(method, &message["params"]),
            message["params"],
            "{definition}"
        );
    }
    let filter = json!({"notifications": {"taskIds": ["t"]}});
    assert_eq!(again("subscriptions/listen", &filter), filter);
}

#[test]
fn what_the_extension_says_is_valid_by_its_schema() {
    let file = specification().map(|root| root.join("2026-07-28/ext-tasks/schema.json"));
    let Some(file) = file.filter(|file| file.is_file()) else {
        let count = results().len() + sent().len();
        eprintln!("skipped {count} messages: no ../shared/spec/2026-07-28/ext-tasks/schema.json");
        return;
    };
    let schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let validator = |definition: &str| -> Validator {
        assert!(schema["$defs"][definition].is_object(), "{definition}");
        let mut root = schema.clone();
        root["$ref"] = format!("#/$defs/{definition}").into();
        jsonschema::validator_for(&root).unwrap()
    };
    let results = results().into_iter().map(|(_, said)| said);
    for (definition, message) in results.chain(sent()) {
        let validator = validator(definition);
        let errors: Vec<String> = validator
            .iter_errors(&message)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{definition}: {errors:#?}\n{message:#}");
        // And the schema is one that can say no.
        assert!(
            !validator.is_valid(&json!({"resultType": 1})),
            "{definition}"
        );
    }
}
