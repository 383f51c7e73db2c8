//! Values that hold all that any revision knows, and what is left of them in each.

use serde_json::{Value, json};

use crate::{
    encode::{At, Encode},
    lifecycle::{DiscoverResult, InitializeParams, InitializeResult},
    notification::{CancelledParams, ProgressParams},
    outcome::{Outcome, Payload},
    revision::Revision::{
        self, V2024_10_07 as OCT24, V2024_11_05 as NOV24, V2025_03_26 as MAR25,
        V2025_06_18 as JUN25, V2025_11_25 as NOV25, V2026_07_28 as JUL26,
    },
    tool::{CallToolResult, ListToolsResult, Tool},
    wire::{Stamp, encode_outcome, encode_params},
};

/// A member, by its JSON pointer, and the first and last revision that has it.
pub(super) type Row = (&'static str, Revision, Revision);

/// Takes out of `whole` what `rows` say that `at` does not have.
pub(super) fn sieved(mut whole: Value, rows: &[Row], at: Revision) -> Value {
    for (pointer, since, until) in rows {
        if at < *since || at > *until {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            // An outer row may have taken the parent already.
            if let Some(Value::Object(parent)) = whole.pointer_mut(parent) {
                assert!(parent.remove(name).is_some(), "{pointer}");
            }
        }
    }
    whole
}

pub(super) fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

pub(super) fn outcome(payload: impl Into<Payload>, stamp: &Stamp<'_>) -> Value {
    let raw = encode_outcome(Outcome::Complete(payload.into()), stamp).unwrap();
    raw.decode().unwrap()
}

fn at<T: Encode>(value: &T, revision: Revision) -> Value {
    serde_json::to_value(At(value, revision)).unwrap()
}

pub(super) fn tool() -> Value {
    json!({
        "name": "deploy",
        "title": "Deploy",
        "description": "Deploys an app.",
        "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "properties": {"app": {"type": "string", "x-mcp-header": "App"}}, "required": ["app"]},
        "outputSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
        "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true,
            "openWorldHint": false},
        "execution": {"taskSupport": "optional"},
        "icons": [{"src": "https://example.com/i.png"}],
        "_meta": {"example.com/k": 1},
    })
}

const TOOL: [Row; 6] = [
    ("/title", JUN25, JUL26),
    ("/outputSchema", JUN25, JUL26),
    ("/annotations", MAR25, JUL26),
    ("/execution", NOV25, JUL26),
    ("/icons", NOV25, JUL26),
    ("/_meta", JUN25, JUL26),
];

#[test]
fn a_tool() {
    let typed: Tool = read(&tool());
    for revision in Revision::ALL {
        assert_eq!(
            at(&typed, revision),
            sieved(tool(), &TOOL, revision),
            "{revision}"
        );
    }
}

pub(super) fn page() -> Value {
    json!({
        "resultType": "complete", "tools": [tool()], "nextCursor": "2", "ttlMs": 60000,
        "cacheScope": "public", "_meta": {"example.com/k": 1},
    })
}

#[test]
fn a_page_of_tools() {
    for revision in Revision::ALL {
        let mut expected = sieved(
            page(),
            &[
                ("/resultType", JUL26, JUL26),
                ("/ttlMs", JUL26, JUL26),
                ("/cacheScope", JUL26, JUL26),
            ],
            revision,
        );
        expected["tools"][0] = sieved(tool(), &TOOL, revision);
        if revision == MAR25 {
            // A tool has no title there, but its annotations do.
            expected["tools"][0]["annotations"]["title"] = "Deploy".into();
        }
        let typed: ListToolsResult = read(&page());
        let stamp = Stamp::new(revision).cacheable(true);
        assert_eq!(outcome(typed, &stamp), expected, "{revision}");
    }
}

#[test]
fn a_title_in_the_annotations_stays_what_it_is() {
    let mut tool = tool();
    tool["annotations"]["title"] = "Ships it".into();
    let typed: ListToolsResult = read(&json!({"tools": [tool]}));
    let page = outcome(typed, &Stamp::new(MAR25));
    assert_eq!(page["tools"][0]["annotations"]["title"], "Ships it");
}

pub(super) fn called() -> Value {
    let annotations =
        json!({"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"});
    json!({
        "resultType": "complete",
        "content": [
            {"type": "text", "text": "a", "annotations": annotations, "_meta": {"k": 1}},
            {"type": "image", "data": "AA==", "mimeType": "image/png", "annotations": annotations, "_meta": {"k": 1}},
            {"type": "audio", "data": "AA==", "mimeType": "audio/wav", "annotations": annotations, "_meta": {"k": 1}},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "The file", "description": "d",
                "mimeType": "text/plain", "size": 3, "icons": [{"src": "data:,"}]},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "b", "_meta": {"k": 1}},
                "annotations": annotations, "_meta": {"k": 1}},
        ],
        "structuredContent": {"ok": true},
        "isError": false,
        "_meta": {"example.com/k": 1},
    })
}

const CALLED: [Row; 17] = [
    ("/resultType", JUL26, JUL26),
    ("/structuredContent", JUN25, JUL26),
    ("/content/0/_meta", JUN25, JUL26),
    ("/content/0/annotations", NOV24, JUL26),
    ("/content/0/annotations/lastModified", JUN25, JUL26),
    ("/content/1/_meta", JUN25, JUL26),
    ("/content/1/annotations", NOV24, JUL26),
    ("/content/1/annotations/lastModified", JUN25, JUL26),
    ("/content/2/_meta", JUN25, JUL26),
    ("/content/2/annotations", NOV24, JUL26),
    ("/content/2/annotations/lastModified", JUN25, JUL26),
    ("/content/3/icons", NOV25, JUL26),
    ("/content/4/_meta", JUN25, JUL26),
    ("/content/4/annotations", NOV24, JUL26),
    ("/content/4/annotations/lastModified", JUN25, JUL26),
    ("/content/4/resource/_meta", JUN25, JUL26),
    ("/isError", OCT24, JUL26),
];

fn called_at(revision: Revision) -> Value {
    let mut expected = sieved(called(), &CALLED, revision);
    if revision < MAR25 {
        expected["content"][2] = json!({"type": "text", "text": "[audio, audio/wav]"});
    }
    if revision < JUN25 {
        expected["content"][3] = json!({"type": "text", "text": "The file — file:///a"});
    }
    expected
}

#[test]
fn a_result_of_a_tool() {
    for revision in Revision::ALL.into_iter().filter(|it| *it > OCT24) {
        let typed: CallToolResult = read(&called());
        let got = outcome(typed, &Stamp::new(revision));
        assert_eq!(got, called_at(revision), "{revision}");
    }
}

#[test]
fn the_first_revision_has_one_member_for_whatever_a_tool_made() {
    let check = |result: Value, expected: Value| {
        assert_eq!(
            outcome(read::<CallToolResult>(&result), &Stamp::new(OCT24)),
            expected
        );
    };
    check(
        called(),
        json!({"toolResult": {"ok": true}, "_meta": {"example.com/k": 1}}),
    );
    let mut unstructured = called();
    unstructured
        .as_object_mut()
        .unwrap()
        .remove("structuredContent");
    check(
        unstructured,
        json!({"toolResult": called_at(OCT24)["content"], "_meta": {"example.com/k": 1}}),
    );
    check(
        json!({"content": [{"type": "text", "text": "no"}], "isError": true}),
        json!({"toolResult": [{"type": "text", "text": "no"}], "isError": true}),
    );
}

fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true}, "completions": {}, "logging": {}, "prompts": {"listChanged": true},
        "resources": {"subscribe": true}, "experimental": {"x": {}},
        "extensions": {"io.modelcontextprotocol/tasks": {}},
    })
}

fn implementation() -> Value {
    json!({
        "name": "ops", "version": "1.0", "title": "Ops", "description": "Runs things.",
        "websiteUrl": "https://example.com", "icons": [{"src": "data:,"}],
    })
}

pub(super) fn discovered() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities(),
        "instructions": "Ask.", "ttlMs": 1, "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": implementation()},
    })
}

#[test]
fn a_discovery() {
    let typed: DiscoverResult = read(&discovered());
    assert_eq!(
        outcome(typed, &Stamp::new(JUL26).cacheable(true)),
        discovered()
    );
}

pub(super) fn initialized() -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities(), "serverInfo": implementation(),
        "instructions": "Ask.", "_meta": {"example.com/k": 1},
    })
}

const PEER: [Row; 4] = [
    ("/title", JUN25, JUL26),
    ("/description", NOV25, JUL26),
    ("/websiteUrl", NOV25, JUL26),
    ("/icons", NOV25, JUL26),
];

#[test]
fn an_answer_to_initialize() {
    for revision in Revision::ALL.into_iter().filter(|it| *it < JUL26) {
        let mut whole = initialized();
        whole["capabilities"]["tasks"] = json!({"list": {}});
        let mut expected = sieved(
            whole.clone(),
            &[
                ("/instructions", NOV24, NOV25),
                ("/capabilities/completions", MAR25, JUL26),
                ("/capabilities/tasks", NOV25, NOV25),
                ("/capabilities/extensions", JUL26, JUL26),
            ],
            revision,
        );
        expected["serverInfo"] = sieved(implementation(), &PEER, revision);
        let got = outcome(read::<InitializeResult>(&whole), &Stamp::new(revision));
        assert_eq!(got, expected, "{revision}");
    }
}

#[test]
fn a_modern_server_never_offers_tasks_in_its_core() {
    let mut whole = discovered();
    whole["capabilities"]["tasks"] = json!({"list": {}});
    let typed: DiscoverResult = read(&whole);
    assert_eq!(outcome(typed, &Stamp::new(JUL26)), discovered());
}

pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"sampling": {}, "elicitation": {"form": {}}, "roots": {"listChanged": true},
            "tasks": {"list": {}}, "experimental": {"x": {}}, "extensions": {"a/b": {}}},
        "clientInfo": implementation(),
    })
}

#[test]
fn the_params_of_initialize() {
    for revision in Revision::ALL.into_iter().filter(|it| *it < JUL26) {
        let mut expected = sieved(
            initialize(),
            &[
                ("/capabilities/elicitation", JUN25, JUL26),
                ("/capabilities/tasks", NOV25, NOV25),
                ("/capabilities/extensions", JUL26, JUL26),
            ],
            revision,
        );
        expected["clientInfo"] = sieved(implementation(), &PEER, revision);
        let params = encode_params(&read::<InitializeParams>(&initialize()), revision);
        assert_eq!(params.decode::<Value>().unwrap(), expected, "{revision}");
    }
}

pub(super) fn progress() -> Value {
    json!({"progressToken": "t", "progress": 1.5, "total": 3, "message": "Half.", "_meta": {"k": 1}})
}

#[test]
fn progress_and_cancellation() {
    for revision in Revision::ALL {
        let expected = sieved(progress(), &[("/message", MAR25, JUL26)], revision);
        let params = encode_params(&read::<ProgressParams>(&progress()), revision);
        assert_eq!(params.decode::<Value>().unwrap(), expected, "{revision}");
        let cancelled = json!({"requestId": 7, "reason": "Enough.", "_meta": {"k": 1}});
        let params = encode_params(&read::<CancelledParams>(&cancelled), revision);
        assert_eq!(params.decode::<Value>().unwrap(), cancelled, "{revision}");
    }
}

#[test]
fn members_that_no_revision_knows_reach_every_one() {
    for revision in Revision::ALL {
        let mut tool = tool();
        tool["vendor"] = json!({"x": [1]});
        let got = at(&read::<Tool>(&tool), revision);
        assert_eq!(got["vendor"], tool["vendor"], "{revision}");
    }
}
