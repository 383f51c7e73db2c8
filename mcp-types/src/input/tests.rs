//! Asks and answers.

use serde_json::{Value, json};

use super::*;
use crate::{
    elicitation::{ElicitAction, ElicitResult, ElicitUrlParams},
    raw::RawJson,
};

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_str(&value.to_string())
}

#[test]
fn what_requires_nothing_cannot_be_made() {
    assert_eq!(
        InputRequired::new(InputRequests::new(), None),
        Err(NothingRequired)
    );
    for nothing in [
        json!({"resultType": "input_required"}),
        json!({"resultType": "input_required", "inputRequests": null, "requestState": null}),
    ] {
        assert!(read::<InputRequired>(&nothing).is_err(), "{nothing}");
    }
    // A peer's may ask nothing, as long as it says so.
    let empty = json!({"resultType": "input_required", "inputRequests": {}});
    let read_empty: InputRequired = read(&empty).unwrap();
    assert_eq!(serde_json::to_value(&read_empty).unwrap(), empty);
    let ask = InputRequired::ask("k", ElicitUrlParams::new("Go.", "https://e.com"))
        .with_state("s")
        .and("l", Question::Roots(None));
    assert_eq!((ask.requests().len(), ask.state()), (2, Some("s")));
    assert!(InputRequired::again("").requests().is_empty());
}

#[test]
fn a_round_keeps_what_it_does_not_know() {
    let round = json!({
        "resultType": "input_required",
        "inputRequests": {
            "b": {"method": "elicitation/create", "params": {"mode": "telepathy", "message": "Think.", "n": 1}},
            "a": {"method": "x/y", "params": [1.5], "z": null},
            "c": {"method": "roots/list"},
            "d": {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": {"$schema": "s",
                "type": "object", "properties": {"f": {"type": "string", "x-hint": 1}}, "x": 1}}},
        },
        "requestState": "s", "_meta": {"k": 1}, "y": 2,
    });
    let typed: InputRequired = read(&round).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), round);
    let methods: Vec<_> = typed.requests().iter().map(|(_, it)| it.method()).collect();
    assert_eq!(methods.len(), 4);
    let error =
        read::<InputRequests>(&json!({"k": {"method": "elicitation/create", "params": {}}}));
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("k: ") && error.contains("message"),
        "{error}"
    );
}

#[test]
fn a_question_says_what_an_answer_looks_like() {
    let raw = |value: Value| RawJson::from_serialize(&value).unwrap();
    let elicit: InputRequest = ElicitUrlParams::new("Go.", "https://e.com").into();
    let mut responses = InputResponses::new();
    responses.insert("k", &ElicitResult::new(ElicitAction::Decline).into());
    assert_eq!(
        responses.read("k", &elicit).unwrap(),
        Some(InputResponse::Elicit(ElicitResult::new(
            ElicitAction::Decline
        )))
    );
    assert_eq!(responses.read("l", &elicit).unwrap(), None);
    assert!(
        responses
            .read("k", &Question::Roots(None).into())
            .is_ok_and(
                // An absent list is empty.
                |read| matches!(read, Some(InputResponse::Roots(roots)) if roots.roots.is_empty())
            )
    );
    // One bad answer costs no other.
    let responses: InputResponses =
        read(&json!({"bad": {"ignored": true}, "k": {"action": "accept"}, "n": 7})).unwrap();
    assert!(responses.read("bad", &elicit).is_err() && responses.read("n", &elicit).is_err());
    assert!(responses.read("k", &elicit).is_ok());
    for (value, expected) in [
        (json!({"action": "noddle"}), "elicit"),
        (json!({"roots": []}), "roots"),
        (
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "a"}}),
            "sample",
        ),
        (json!({"x": 1}), "other"),
    ] {
        let typed: InputResponse = raw(value.clone()).decode().unwrap();
        let got = match typed {
            InputResponse::Elicit(_) => "elicit",
            InputResponse::Roots(_) => "roots",
            InputResponse::Sample(_) => "sample",
            InputResponse::Other(_) => "other",
        };
        assert_eq!(got, expected, "{value}");
        assert_eq!(serde_json::to_value(&typed).unwrap(), value);
    }
}
