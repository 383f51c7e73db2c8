//! Tools.

use serde_json::{Value, json};

use super::*;
use crate::tool::{CallToolParams, CallToolResult, ListToolsResult, Tool};

#[test]
fn r3_4_1_call_tool_result() {
    let result = json!({"content": [{"type": "text", "text": "a"}], "isError": true, "structuredContent": {"k": 1}});
    for at in Revision::ALL {
        let got = shown::<CallToolResult>(&result, &Stamp::new(at));
        if at == OCT24 {
            assert_eq!(got["toolResult"], json!({"k": 1}));
            assert_eq!(got.get("content"), None);
        } else {
            assert_eq!(
                (&got["content"], &got["isError"]),
                (&result["content"], &json!(true)),
                "{at}"
            );
            assert_eq!(got.get("structuredContent").is_some(), at >= JUN25, "{at}");
        }
    }
    let nothing = shown::<CallToolResult>(&json!({}), &Stamp::new(NOV24));
    assert_eq!(nothing, json!({"content": []}));
    let unstructured = shown::<CallToolResult>(&json!({"content": []}), &Stamp::new(OCT24));
    assert_eq!(unstructured, json!({"toolResult": []}));
}

#[test]
fn structured_content_of_any_json_is_wrapped_where_it_must_be_an_object() {
    for at in [JUN25, NOV25, JUL26] {
        let result = json!({"content": [{"type": "text", "text": "a"}], "structuredContent": [1]});
        let got = shown::<CallToolResult>(&result, &Stamp::new(at).wrapped_output(true));
        let expected = if at == JUL26 {
            json!([1])
        } else {
            json!({"result": [1]})
        };
        assert_eq!(got["structuredContent"], expected, "{at}");
    }
}

#[test]
fn r3_4_2_annotations() {
    let tool = json!({"name": "t", "inputSchema": {}, "annotations": {"title": "T", "readOnlyHint": true,
        "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}});
    spans::<Tool>(&tool, "/annotations", MAR25, JUL26);
}

#[test]
fn r3_4_3_output_schema() {
    let check = |schema: Value, wrapped: Value| {
        let page = json!({"tools": [{"name": "t", "inputSchema": {}, "outputSchema": schema}]});
        for at in Revision::ALL {
            let got = shown::<ListToolsResult>(&page, &Stamp::new(at));
            let expected = match at {
                JUN25 | NOV25 => Some(&wrapped),
                JUL26 => Some(&schema),
                _ => None,
            };
            assert_eq!(got["tools"][0].get("outputSchema"), expected, "{at}");
        }
    };
    let object = json!({"type": "object", "properties": {}});
    check(object.clone(), object);
    check(
        json!({"type": "array", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}}),
        json!({"type": "object", "required": ["result"], "properties": {"result": {
            "type": "array", "items": {"$ref": "#/properties/result/$defs/a"}, "$defs": {"a": {}}}}}),
    );
}

#[test]
fn r3_4_4_text_mirror_of_structured_content() {
    for at in [NOV24, MAR25, JUN25, NOV25, JUL26] {
        let got = shown::<CallToolResult>(&json!({"structuredContent": {"k": 1}}), &Stamp::new(at));
        assert_eq!(
            got["content"],
            json!([{"type": "text", "text": "{\"k\":1}"}]),
            "{at}"
        );
    }
}

/// The schema leaves as it came, byte for byte, at every revision.
fn verbatim(schema: &str) {
    let text = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
    let tool: Tool = serde_json::from_str(&text).unwrap();
    for at in Revision::ALL {
        assert_eq!(serde_json::to_string(&At(&tool, at)).unwrap(), text, "{at}");
    }
}

#[test]
fn r3_4_5_input_schema() {
    verbatim(
        r##"{"type":"object","$schema":"x","$anchor":"a","allOf":[{"$ref":"#a"}],"if":{},"properties":{"z":{"minimum":1.50},"a":true},"$defs":{},"required":[]}"##,
    );
}

#[test]
fn r3_4_6_x_mcp_header() {
    verbatim(
        r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"x-mcp-header":""}}}"#,
    );
}

#[test]
fn r3_4_7_execution() {
    let tool =
        json!({"name": "t", "inputSchema": {}, "execution": {"taskSupport": "optional", "x": 1}});
    spans::<Tool>(&tool, "/execution", NOV25, JUL26);
    // Never made up.
    assert_eq!(
        seen::<Tool>(&json!({"name": "t", "inputSchema": {}}), NOV25).get("execution"),
        None
    );
}

#[test]
fn r3_4_8_params_task() {
    let params = json!({"name": "t", "task": {"ttl": 5}});
    spans::<CallToolParams>(&params, "/task", NOV25, NOV25);
}

#[test]
fn r3_4_9_input_responses_and_request_state() {
    use crate::{prompt::GetPromptParams, resource::ReadResourceParams};
    let params =
        json!({"name": "t", "uri": "a:b", "inputResponses": {"k": {}}, "requestState": "s"});
    for pointer in ["/inputResponses", "/requestState"] {
        spans::<CallToolParams>(&params, pointer, JUL26, JUL26);
        spans::<GetPromptParams>(&params, pointer, JUL26, JUL26);
        spans::<ReadResourceParams>(&params, pointer, JUL26, JUL26);
    }
}

#[test]
fn r3_4_10_tool_name_guidance() {
    use crate::name::ToolName;
    assert!(ToolName::try_from("get_user.v2-x").is_ok() && ToolName::try_from("get user").is_err());
    // A peer's tool is kept by whatever name it has.
    let tool: Tool = read(&json!({"name": "get user ✓", "inputSchema": {}}));
    assert_eq!(tool.name, "get user ✓");
}
