//! Content blocks, annotations, names.

use serde_json::{Value, json};

use super::*;
use crate::{
    capability::Implementation,
    completion::PromptReference,
    content::{ContentBlock, ResourceLink},
    icon::Icon,
    input::InputRequest,
    prompt::{Prompt, PromptArgument},
    resource::{Resource, ResourceTemplate},
    tool::Tool,
    wire::encode_ask,
};

#[test]
fn r3_3_1_text_and_image() {
    for block in [
        json!({"type": "text", "text": "a"}),
        json!({"type": "image", "data": "AA==", "mimeType": "image/png"}),
    ] {
        for at in Revision::ALL {
            assert_eq!(seen::<ContentBlock>(&block, at), block, "{at}");
        }
    }
}

/// A member of the annotations of whatever has some.
fn annotated(member: &str, since: Revision) {
    let annotations =
        json!({"audience": ["user"], "priority": 1, "lastModified": "2026-01-01T00:00:00Z"});
    let pointer = format!("/annotations/{member}");
    let block = json!({"type": "text", "text": "a", "annotations": annotations});
    spans::<ContentBlock>(&block, &pointer, since, JUL26);
    let resource = json!({"uri": "a:b", "name": "a", "annotations": annotations});
    spans::<Resource>(&resource, &pointer, since, JUL26);
    let template = json!({"uriTemplate": "a:{b}", "name": "a", "annotations": annotations});
    spans::<ResourceTemplate>(&template, &pointer, since, JUL26);
    // Nothing is left at 2024-10-07, not even an empty object.
    assert_eq!(
        seen::<Resource>(&resource, OCT24),
        json!({"uri": "a:b", "name": "a"})
    );
}

#[test]
fn r3_3_2_annotations() {
    annotated("audience", NOV24);
    annotated("priority", NOV24);
}

#[test]
fn r3_3_3_annotations_last_modified() {
    annotated("lastModified", JUN25);
}

#[test]
fn r3_3_4_audio_block() {
    let block = json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav"});
    let told = json!({"type": "text", "text": "[audio, audio/wav]"});
    for at in Revision::ALL {
        let expected = if at < MAR25 { &told } else { &block };
        assert_eq!(seen::<ContentBlock>(&block, at), *expected, "{at}");
    }
}

#[test]
fn r3_3_5_embedded_resource_block() {
    let block = json!({"type": "resource", "resource": {"uri": "a:b", "text": "c"}});
    for at in Revision::ALL {
        assert_eq!(seen::<ContentBlock>(&block, at), block, "{at}");
    }
}

#[test]
fn r3_3_6_resource_link_block() {
    let check = |block: Value, told: &str| {
        for at in Revision::ALL {
            let text = json!({"type": "text", "text": told});
            let expected = if at < JUN25 { &text } else { &block };
            assert_eq!(seen::<ContentBlock>(&block, at), *expected, "{at}");
        }
    };
    check(
        json!({"type": "resource_link", "uri": "a:b", "name": "n", "title": "T", "size": 3}),
        "T — a:b",
    );
    check(
        json!({"type": "resource_link", "uri": "a:b", "name": "n"}),
        "n — a:b",
    );
}

#[test]
fn r3_3_7_tool_use_and_tool_result_blocks() {
    // What a tool made is an object at 2025-11-25, and any JSON after.
    let made =
        json!({"type": "tool_result", "toolUseId": "u", "content": [], "structuredContent": [1]});
    let at = |at| seen::<crate::sampling::SamplingBlock>(&made, at)["structuredContent"].clone();
    assert_eq!(at(NOV25), json!({"result": [1]}));
    assert_eq!(at(JUL26), json!([1]));

    for block in [
        json!({"type": "tool_use", "id": "u", "name": "t", "input": {}}),
        json!({"type": "tool_result", "toolUseId": "u", "content": []}),
    ] {
        let ask: InputRequest = read(&json!({"method": "sampling/createMessage", "params": {
            "messages": [{"role": "user", "content": block}], "maxTokens": 1}}));
        for at in Revision::ALL {
            assert_eq!(encode_ask(&ask, at).is_ok(), at >= NOV25, "{block} at {at}");
        }
    }
}

#[test]
fn r3_3_8_title() {
    let tool = json!({"name": "t", "inputSchema": {}, "title": "T"});
    spans::<Tool>(&tool, "/title", JUN25, JUL26);
    spans::<Prompt>(&json!({"name": "p", "title": "T"}), "/title", JUN25, JUL26);
    spans::<PromptArgument>(&json!({"name": "a", "title": "T"}), "/title", JUN25, JUL26);
    spans::<Resource>(
        &json!({"uri": "a:b", "name": "a", "title": "T"}),
        "/title",
        JUN25,
        JUL26,
    );
    let template = json!({"uriTemplate": "a:{b}", "name": "a", "title": "T"});
    spans::<ResourceTemplate>(&template, "/title", JUN25, JUL26);
    spans::<PromptReference>(&json!({"name": "p", "title": "T"}), "/title", JUN25, JUL26);
    let page = json!({"tools": [tool]});
    for at in Revision::ALL {
        let page = shown::<crate::tool::ListToolsResult>(&page, &Stamp::new(at));
        let tool = &page["tools"][0];
        let moved = (at == MAR25).then(|| json!("T"));
        assert_eq!(tool.pointer("/annotations/title").cloned(), moved, "{at}");
        assert_eq!(tool.get("title").is_some(), at >= JUN25, "{at}");
    }
}

#[test]
fn r3_3_9_icons() {
    let icons = json!([{"src": "a", "mimeType": "image/png", "sizes": ["any"], "theme": "light"}]);
    let with = |mut value: Value| {
        value["icons"] = icons.clone();
        value
    };
    let tool = with(json!({"name": "t", "inputSchema": {}}));
    spans::<Tool>(&tool, "/icons", NOV25, JUL26);
    spans::<Prompt>(&with(json!({"name": "p"})), "/icons", NOV25, JUL26);
    let resource = with(json!({"uri": "a:b", "name": "a"}));
    spans::<Resource>(&resource, "/icons", NOV25, JUL26);
    spans::<ResourceLink>(&resource, "/icons", NOV25, JUL26);
    let template = with(json!({"uriTemplate": "a:{b}", "name": "a"}));
    spans::<ResourceTemplate>(&template, "/icons", NOV25, JUL26);
    let server = with(json!({"name": "n", "version": "1"}));
    spans::<Implementation>(&server, "/icons", NOV25, JUL26);
}

#[test]
fn r3_3_10_icon() {
    let icon =
        json!({"src": "a", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "sepia"});
    assert_eq!(seen::<Icon>(&icon, JUL26), icon);
}

#[test]
fn r3_3_11_resource_size() {
    let resource = json!({"uri": "a:b", "name": "a", "size": 3});
    spans::<Resource>(&resource, "/size", NOV24, JUL26);
}
