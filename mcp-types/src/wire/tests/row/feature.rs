//! Resources, prompts, completion.

use serde_json::{Value, json};

use super::*;
use crate::{
    completion::{CompleteParams, CompleteResult, CompletionReference},
    method::Method,
    prompt::{GetPromptParams, GetPromptResult},
    resource::{ReadResourceResult, ResourceUpdatedParams},
};

#[test]
fn r3_5_1_resources_subscribe_and_unsubscribe() {
    for at in Revision::ALL {
        for name in ["resources/subscribe", "resources/unsubscribe"] {
            assert_eq!(
                Method::from(name).is_for_server(at),
                at < JUL26,
                "{name} at {at}"
            );
        }
        let listen = Method::from("subscriptions/listen").is_for_server(at);
        assert_eq!(listen, at == JUL26, "{at}");
    }
}

#[test]
fn r3_5_2_notifications_resources_updated() {
    let method = Method::from("notifications/resources/updated");
    let params = json!({"uri": "a:b", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}});
    for at in Revision::ALL {
        assert!(
            method.is_for_client(at) && !method.is_for_server(at),
            "{at}"
        );
        assert_eq!(seen::<ResourceUpdatedParams>(&params, at), params, "{at}");
    }
}

#[test]
fn r3_5_4_resources_read_contents() {
    let result = json!({"contents": [{"uri": "a:b", "text": "c"}, {"uri": "a:d", "blob": "AA=="}, {"uri": "a:e", "x": 1}]});
    for at in Revision::ALL {
        let got = shown::<ReadResourceResult>(&result, &Stamp::new(at).cacheable(true));
        assert_eq!(got["contents"], result["contents"], "{at}");
    }
}

#[test]
fn r3_5_5_prompt_message_content() {
    let message = |block: Value| json!({"messages": [{"role": "user", "content": block}]});
    let kind = |block: &Value, at: Revision| {
        let got = shown::<GetPromptResult>(&message(block.clone()), &Stamp::new(at));
        got["messages"][0]["content"]["type"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for (block, since) in [
        (json!({"type": "text", "text": "a"}), OCT24),
        (
            json!({"type": "image", "data": "", "mimeType": "image/png"}),
            OCT24,
        ),
        (
            json!({"type": "resource", "resource": {"uri": "a:b", "text": ""}}),
            OCT24,
        ),
        (
            json!({"type": "audio", "data": "", "mimeType": "audio/wav"}),
            MAR25,
        ),
        (
            json!({"type": "resource_link", "uri": "a:b", "name": "n"}),
            JUN25,
        ),
    ] {
        for at in Revision::ALL {
            let expected = if at < since {
                "text"
            } else {
                block["type"].as_str().unwrap()
            };
            assert_eq!(kind(&block, at), expected, "{block} at {at}");
        }
    }
}

#[test]
fn r3_5_6_prompts_get_arguments() {
    let params = json!({"name": "p", "arguments": {"a": "b"}});
    spans::<GetPromptParams>(&params, "/arguments", OCT24, JUL26);
    let params = GetPromptParams::new("p").with_argument("a", "b");
    assert_eq!(params.argument("a").as_deref(), Some("b"));
    let text = serde_json::to_string(&params).unwrap();
    assert_eq!(text, r#"{"name":"p","arguments":{"a":"b"}}"#);
}

#[test]
fn r3_5_7_completion_complete_ref() {
    let params =
        |reference: Value| json!({"ref": reference, "argument": {"name": "a", "value": ""}});
    for reference in [
        json!({"type": "ref/prompt", "name": "p"}),
        json!({"type": "ref/resource", "uri": "a:{b}"}),
        json!({"type": "ref/dataset", "x": 1}),
    ] {
        let params = params(reference);
        let typed: CompleteParams = read(&params);
        let known = !matches!(typed.reference, CompletionReference::Other(_));
        assert_eq!(known, params["ref"]["type"] != "ref/dataset");
        for at in Revision::ALL {
            assert_eq!(seen::<CompleteParams>(&params, at), params, "{at}");
        }
    }
    let titled = params(json!({"type": "ref/prompt", "name": "p", "title": "T"}));
    spans::<CompleteParams>(&titled, "/ref/title", JUN25, JUL26);
}

#[test]
fn r3_5_8_completion_context_arguments() {
    let params = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""},
        "context": {"arguments": {"b": "c"}}});
    spans::<CompleteParams>(&params, "/context", JUN25, JUL26);
}

#[test]
fn r3_5_9_completion_values() {
    let values: Vec<String> = (0..150).map(|n| n.to_string()).collect();
    for at in Revision::ALL {
        let result = json!({"completion": {"values": values}});
        let got = shown::<CompleteResult>(&result, &Stamp::new(at));
        let completion = &got["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100, "{at}");
        assert_eq!(
            (&completion["total"], &completion["hasMore"]),
            (&json!(150), &json!(true))
        );
        let few = json!({"completion": {"values": ["a"]}});
        let got = shown::<CompleteResult>(&few, &Stamp::new(at));
        assert_eq!(got["completion"], json!({"values": ["a"]}), "{at}");
    }
}
