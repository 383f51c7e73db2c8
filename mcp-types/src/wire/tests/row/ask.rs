//! Server → client interactions.

use serde_json::{Value, json};

use super::*;
use crate::{
    elicitation::{ElicitParams, ElicitResult, tests::shapes},
    input::{InputRequest, InputResponse},
    outcome::INPUT_REQUIRED,
    sampling::CreateMessageParams,
    task::{CreateTaskResult, Task},
    wire::{Unsupported, encode_answer, encode_ask},
};

fn ask(method: &str, params: &Value, at: Revision) -> Result<Value, Unsupported> {
    let request: InputRequest = read(&json!({"method": method, "params": params}));
    encode_ask(&request, at).map(|params| params.decode().unwrap())
}

fn elicit(params: &Value, at: Revision) -> Result<Value, Unsupported> {
    ask("elicitation/create", params, at)
}

fn sample(content: &Value, at: Revision) -> Result<Value, Unsupported> {
    let params = json!({"messages": [{"role": "user", "content": content}], "maxTokens": 1});
    ask("sampling/createMessage", &params, at)
        .map(|params| params["messages"][0]["content"].clone())
}

#[test]
fn r3_7_1_mechanism() {
    let asked = crate::input::InputRequired::ask("k", crate::input::Question::Roots(None));
    for at in Revision::ALL {
        let got = encode_outcome(asked.clone().into(), &Stamp::new(at).as_task(true));
        match got {
            Ok(raw) => {
                assert_eq!(at, JUL26);
                let expected = json!({"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}});
                assert_eq!(raw.decode::<Value>().unwrap(), expected);
            }
            Err(error) => {
                assert!(at < JUL26);
                assert_eq!((&*error.result_type, error.revision), (INPUT_REQUIRED, at));
            }
        }
    }
}

#[test]
fn a_task_reaches_only_who_can_take_it() {
    let created = CreateTaskResult::new(Task::new("t", "2026-01-01T00:00:00Z"));
    for at in Revision::ALL {
        for as_task in [false, true] {
            let got = encode_outcome(created.clone().into(), &Stamp::new(at).as_task(as_task));
            let expected = at == JUL26 || (at == NOV25 && as_task);
            assert_eq!(got.is_ok(), expected, "{at}, asked for: {as_task}");
        }
    }
}

#[test]
fn r3_7_2_sampling_create_message_content() {
    let text = json!({"type": "text", "text": "a"});
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let told = json!({"type": "text", "text": "[audio, audio/wav]"});
    for at in Revision::ALL {
        assert_eq!(sample(&text, at), Ok(text.clone()), "{at}");
        let expected = if at < MAR25 { &told } else { &audio };
        assert_eq!(sample(&audio, at), Ok(expected.clone()), "{at}");
        let one = json!([text]);
        let expected = if at < NOV25 { &text } else { &one };
        assert_eq!(sample(&one, at), Ok(expected.clone()), "{at}");
        let two = json!([text, text]);
        let expected = (at >= NOV25).then(|| two.clone());
        assert_eq!(sample(&two, at).ok(), expected, "{at}");
        assert_eq!(sample(&json!([]), at).is_ok(), at >= NOV25, "{at}");
    }
}

#[test]
fn sampling_tools_and_tool_choice() {
    let mut params = json!({"messages": [], "maxTokens": 1, "toolChoice": {"mode": "auto"}});
    spans::<CreateMessageParams>(&params, "/toolChoice", NOV25, JUL26);
    params["tools"] = json!([{"name": "t", "inputSchema": {}}]);
    for at in Revision::ALL {
        let got = ask("sampling/createMessage", &params, at);
        assert_eq!(got.is_ok(), at >= NOV25, "{at}");
    }
}

#[test]
fn r3_7_3_include_context() {
    for word in ["none", "thisServer", "allServers", "someServers"] {
        let params = json!({"messages": [], "maxTokens": 1, "includeContext": word});
        spans::<CreateMessageParams>(&params, "/includeContext", OCT24, JUL26);
    }
}

fn form(names: &[&str]) -> Value {
    let fields = shapes()
        .into_iter()
        .filter(|(name, _)| names.contains(name));
    let fields: serde_json::Map<_, _> = fields.map(|(name, it)| (name.to_owned(), it)).collect();
    json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": fields}})
}

#[test]
fn r3_7_4_elicitation_create() {
    let names = [
        "string",
        "number",
        "integer",
        "boolean",
        "single",
        "titled single",
        "legacy",
    ];
    let whole = form(&names);
    for at in Revision::ALL {
        if at < JUN25 {
            assert!(elicit(&whole, at).is_err(), "{at}");
        } else if at > JUN25 {
            assert_eq!(elicit(&whole, at), Ok(whole.clone()), "{at}");
        }
    }
    let got = elicit(&whole, JUN25).unwrap();
    assert_eq!(got.get("mode"), None);
    let fields = &got["requestedSchema"]["properties"];
    for name in names {
        let default = fields[name].get("default").is_some();
        assert_eq!(default, name == "boolean", "{name}");
    }
    assert_eq!(
        fields["titled single"],
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]})
    );
    assert_eq!(
        fields["legacy"],
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]})
    );
    assert_eq!(fields["string"]["format"], "email");
}

#[test]
fn elicitation_create_multi_select() {
    for name in ["multi", "titled multi"] {
        for at in Revision::ALL {
            let got = elicit(&form(&["string", name]), at);
            assert_eq!(got.is_ok(), at >= NOV25, "{name} at {at}");
        }
    }
    let error = elicit(&form(&["multi"]), JUN25).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a form with a field of several choices cannot be said in revision 2025-06-18"
    );
}

#[test]
fn elicitation_create_url() {
    let whole =
        json!({"mode": "url", "message": "m", "url": "https://e.com", "elicitationId": "e"});
    for at in Revision::ALL {
        let mut expected = whole.clone();
        if at == JUL26 {
            expected.as_object_mut().unwrap().remove("elicitationId");
        }
        assert_eq!(
            elicit(&whole, at).ok(),
            (at >= NOV25).then_some(expected),
            "{at}"
        );
    }
    // 2025-11-25 must have an id, and nobody here can make one up.
    let nameless = json!({"mode": "url", "message": "m", "url": "https://e.com"});
    assert!(elicit(&nameless, NOV25).is_err() && elicit(&nameless, JUL26).is_ok());
}

#[test]
fn r3_7_5_boolean_default() {
    let whole = form(&["boolean"]);
    for at in [JUN25, NOV25, JUL26] {
        let got = elicit(&whole, at).unwrap();
        assert_eq!(got["requestedSchema"], whole["requestedSchema"], "{at}");
    }
}

#[test]
fn r3_7_6_elicit_result_content_values() {
    let check = |content: Value, since: Revision| {
        let result: ElicitResult = read(&json!({"action": "accept", "content": content}));
        for at in Revision::ALL {
            let got = encode_answer(&InputResponse::Elicit(result.clone()), at);
            assert_eq!(got.is_ok(), at >= since, "{content} at {at}");
        }
    };
    check(json!({"a": "b", "c": 1.5, "d": true}), JUN25);
    check(json!({"a": ["b"]}), NOV25);
}

#[test]
fn r3_7_7_roots_list() {
    for at in Revision::ALL {
        let params = json!({"_meta": {"progressToken": 1}});
        assert_eq!(ask("roots/list", &params, at), Ok(params), "{at}");
    }
}

#[test]
fn r3_7_8_task_augmented_server_to_client_requests() {
    let params = json!({"messages": [], "maxTokens": 1, "task": {"ttl": 1}});
    spans::<CreateMessageParams>(&params, "/task", NOV25, NOV25);
    let params = json!({"message": "m", "requestedSchema": {}, "task": {"ttl": 1}});
    spans::<ElicitParams>(&params, "/task", NOV25, NOV25);
}

#[test]
fn an_ask_of_an_unknown_method_is_for_newer_peers() {
    for at in Revision::ALL {
        assert_eq!(
            ask("x/y", &json!({"a": 1}), at).is_ok(),
            at == JUL26,
            "{at}"
        );
    }
}
