//! Messages, the revisions at which they are valid, and what is wrong at one at which they are not.

use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::{
    jsonrpc,
    revision::Revision::{
        V2024_10_07 as OCT24, V2024_11_05 as NOV24, V2025_03_26 as MAR25, V2025_06_18 as JUN25,
        V2025_11_25 as NOV25, V2026_07_28 as JUL26,
    },
};

fn message(value: &Value) -> Message {
    jsonrpc::decode(&Bytes::from(value.to_string())).unwrap()
}

#[track_caller]
fn check(value: &Value, answers: Option<&str>, valid: &[Revision], wrong: &[(Revision, &str)]) {
    let (message, answers) = (message(value), answers.map(Method::from));
    assert_eq!(valid_at(&message, answers.as_ref()), valid, "{value}");
    for (at, expected) in wrong {
        let found = judge(&message, answers.as_ref(), *at).unwrap_err();
        assert_eq!(found.to_string(), *expected, "{value}");
    }
}

fn request(method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params.into()})
}

fn notification(method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params.into()})
}

fn result(result: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": result.into()})
}

const LEGACY: [Revision; 5] = [OCT24, NOV24, MAR25, JUN25, NOV25];

#[test]
fn a_method_is_of_its_revisions() {
    check(
        &request("ping", json!({})),
        None,
        &LEGACY,
        &[(JUL26, "`ping` is no method of 2026-07-28, at `$.method`")],
    );
    check(
        &request("x/y", json!({})),
        None,
        &[],
        &[(JUN25, "`x/y` is a method of no revision, at `$.method`")],
    );
    check(
        &request("roots/list", json!({})),
        None,
        &LEGACY,
        &[(
            JUL26,
            "`roots/list` is asked within `inputRequests` at 2026-07-28, not in a message of its own, at `$.method`",
        )],
    );
}

#[test]
fn a_request_has_an_id_and_a_notification_has_none() {
    check(
        &notification("tools/call", json!({"name": "t"})),
        None,
        &[],
        &[(NOV25, "`tools/call` is a request: it has an `id`, at `$`")],
    );
    check(
        &request("notifications/initialized", json!({})),
        None,
        &[],
        &[(
            NOV25,
            "`notifications/initialized` is a notification: it has no `id`, at `$.id`",
        )],
    );
}

#[test]
fn parameters_fit_the_method() {
    let missing = "CallToolParams: member `name` is missing, at `$.params`";
    check(
        &request("tools/call", json!({"arguments": {}})),
        None,
        &[],
        &[(NOV25, missing), (JUL26, missing)],
    );
    check(
        &notification(
            "notifications/progress",
            json!({"progressToken": 1, "progress": 1, "message": "m"}),
        ),
        None,
        &Revision::ALL,
        &[],
    );
}

#[test]
fn a_modern_request_says_who_sends_it() {
    let list = |meta: Value| request("tools/list", json!({"_meta": meta}));
    let whole = json!({PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}});
    check(&list(whole.clone()), None, &Revision::ALL, &[]);
    let mut meta = whole;
    meta[PROTOCOL_VERSION] = "2025-11-25".into();
    check(
        &list(meta),
        None,
        &LEGACY,
        &[(
            JUL26,
            r#"it claims "2025-11-25", at `$.params._meta["io.modelcontextprotocol/protocolVersion"]`"#,
        )],
    );
    check(
        &list(json!({PROTOCOL_VERSION: "2026-07-28"})),
        None,
        &LEGACY,
        &[(
            JUL26,
            "`io.modelcontextprotocol/clientCapabilities` is missing, at `$.params._meta`",
        )],
    );
    check(
        &request("tools/list", json!({})),
        None,
        &LEGACY,
        &[(
            JUL26,
            "`io.modelcontextprotocol/protocolVersion` is missing, at `$.params._meta`",
        )],
    );
}

#[test]
fn what_a_server_asks_has_the_words_of_the_revision() {
    let form = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {
        "a": {"type": "array", "items": {"type": "string", "enum": ["x"]}}}}});
    check(
        &request("elicitation/create", form),
        None,
        &[NOV25],
        &[
            (
                JUN25,
                "a form with a field of several choices cannot be said in revision 2025-06-18, at `$.params`",
            ),
            (
                MAR25,
                "`elicitation/create` is no method of 2025-03-26, at `$.method`",
            ),
        ],
    );
}

#[test]
fn a_result_is_judged_by_what_it_answers() {
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    check(
        &result(json!({"content": [{"type": "text", "text": "a"}, audio]})),
        Some("tools/call"),
        &[MAR25, JUN25, NOV25],
        &[
            (
                OCT24,
                "`toolResult` is missing at 2024-10-07, at `$.result`",
            ),
            (
                NOV24,
                "`text` is missing at 2024-11-05, at `$.result.content[1]`",
            ),
            (
                JUL26,
                "`resultType` is missing at 2026-07-28, at `$.result`",
            ),
        ],
    );
    check(
        &result(json!({"toolResult": 1})),
        Some("tools/call"),
        &[OCT24],
        &[(NOV24, "`content` is missing at 2024-11-05, at `$.result`")],
    );
    let page =
        json!({"resultType": "complete", "tools": [{"name": "t", "inputSchema": {}}], "ttlMs": 5});
    check(
        &result(page),
        Some("tools/list"),
        &LEGACY,
        &[(
            JUL26,
            "`cacheScope` is missing at 2026-07-28, at `$.result`",
        )],
    );
    check(
        &result(json!({"tools": [{"name": 7, "inputSchema": {}}]})),
        Some("tools/list"),
        &[],
        &[(
            NOV25,
            "ListToolsResult.tools: Tool.name: invalid type: integer `7`, expected a string, at `$.result.tools[0].name`",
        )],
    );
    check(
        &result(json!({"action": "accept", "content": {"a": 1}})),
        Some("elicitation/create"),
        &[JUN25, NOV25, JUL26],
        &[],
    );
}

#[test]
fn a_result_that_answers_nothing_known_has_its_type() {
    check(&result(json!({})), None, &LEGACY, &[]);
    check(
        &result(json!({"resultType": "input_required"})),
        None,
        &[JUL26],
        &[(
            NOV25,
            "a result is complete at 2025-11-25, at `$.result.resultType`",
        )],
    );
    let required =
        json!({"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}});
    check(
        &result(required),
        Some("tools/call"),
        &[JUL26],
        &[(
            NOV25,
            "a result of type `input_required` cannot be said in revision 2025-11-25; only complete results can, at `$.result.resultType`",
        )],
    );
    check(
        &json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "m"}}),
        None,
        &Revision::ALL,
        &[],
    );
}

#[test]
fn what_readers_read_differently_is_valid_nowhere() {
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}"#;
    let message = jsonrpc::decode(&Bytes::from_static(text.as_bytes())).unwrap();
    let wrong = judge(&message, None, NOV25).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "a member stands twice; send it once, at `$.params.arguments.a`"
    );
}

/// What this library writes for a revision is valid there.
#[test]
fn what_is_written_is_valid() {
    use crate::{
        capability::{ClientCapabilities, Implementation},
        tool::{CallToolResult, ListToolsResult, Tool},
        wire::{Stamp, encode_outcome},
    };
    let page = ListToolsResult {
        tools: vec![Tool::new(
            "t",
            RawJson::parse(r#"{"type":"object"}"#).unwrap(),
        )],
        ..ListToolsResult::default()
    };
    let outcomes = [
        ("tools/list", page.into()),
        ("tools/call", CallToolResult::text("a").into()),
    ];
    for at in Revision::ALL {
        for (method, outcome) in &outcomes {
            let method = Method::from(*method);
            let cacheable = method.spec().unwrap().cacheable;
            let written = encode_outcome(
                crate::Outcome::clone(outcome),
                &Stamp::new(at).cacheable(cacheable),
            );
            let message = message(&result(written.unwrap().decode::<Value>().unwrap()));
            assert_eq!(
                judge(&message, Some(&method), at),
                Ok(()),
                "{method} at {at}"
            );
        }
    }
    let client = Implementation::new("c", "1");
    let meta = crate::RequestMeta::modern(JUL26, &client, &ClientCapabilities::default());
    let call = json!({"name": "t", "_meta": meta});
    check(&request("tools/call", call), None, &Revision::ALL, &[]);
}
