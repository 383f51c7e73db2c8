//! What passes passes as it is, and what ends here is gone.

use super::*;

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn the_protocols_and_the_gateways_keys_end_here() {
    for (key, expected) in [
        ("io.modelcontextprotocol/protocolVersion", true),
        ("io.modelcontextprotocol/related-task", true),
        ("dev.mcp/x", true),
        ("org.modelcontextprotocol.api/x", true),
        ("com.mcp.tools/x", true),
        ("dev.mcp-swarm/x", false),
        ("com.example.mcp/x", false),
        ("mcp/x", false),
        ("traceparent", false),
        ("", false),
    ] {
        assert_eq!(is_reserved(key), expected, "{key}");
    }
}

#[test]
fn request_meta_keeps_what_is_anybodys() {
    let check = |meta: &str, expected: &str| {
        let meta: RequestMeta = json(meta).decode().unwrap();
        assert_eq!(
            serde_json::to_string(&request_meta(&meta)).unwrap(),
            expected
        );
    };
    check(
        r#"{"io.modelcontextprotocol/clientInfo":{},"progressToken":7,"com.example/a":{"b": 1.50},"dev.mcp-swarm/delegation":"t","baggage":"k=v"}"#,
        r#"{"com.example/a":{"b": 1.50},"baggage":"k=v"}"#,
    );
    let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    check(
        &format!(r#"{{"traceparent":"{good}","tracestate":"a=b"}}"#),
        r#"{"tracestate":"a=b"}"#,
    );
    check(r#"{"traceparent":"no","tracestate":"a=b"}"#, "{}");
    check(r#"{"tracestate":"a=b"}"#, "{}");
}

#[test]
fn a_call_goes_on_under_its_own_name_without_the_handle() {
    let check = |params: &str, handle: Option<&str>, expected: &str| {
        let params: CallToolParams = json(params).decode().unwrap();
        let (onward, taken) = call(params, "pay", true).unwrap();
        assert_eq!(taken.as_ref().map(RawJson::as_str), handle);
        assert_eq!(serde_json::to_string(&onward).unwrap(), expected);
    };
    check(r#"{"name":"finance__pay"}"#, None, r#"{"name":"pay"}"#);
    check(
        r#"{"name":"finance__pay","arguments":{"a": 1.50, "handoff":"h"},"x":1,"task":{},"requestState":"s","_meta":{"k":1}}"#,
        Some(r#""h""#),
        r#"{"name":"pay","arguments":{"a":1.50},"x":1}"#,
    );
    check(
        r#"{"name":"finance__pay","arguments":{"a": "\u00e9" }}"#,
        None,
        r#"{"name":"pay","arguments":{"a": "\u00e9" }}"#,
    );
}

#[test]
fn without_a_handle_an_argument_of_that_name_is_the_tools() {
    let params: CallToolParams = json(r#"{"name":"x","arguments":{"handoff":"h"}}"#)
        .decode()
        .unwrap();
    let (onward, taken) = call(params, "x", false).unwrap();
    assert_eq!(taken, None);
    assert_eq!(onward.arguments.unwrap().as_str(), r#"{"handoff":"h"}"#);
}

#[test]
fn arguments_that_two_readers_could_understand_differently_go_nowhere() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for arguments in [
        "[]",
        "1",
        r#"{"a":1,"a":2}"#,
        r#"{"a":{"b":1,"b":2}}"#,
        &deep,
    ] {
        let mut params = CallToolParams::new("x");
        params.arguments = Some(json(arguments));
        assert_eq!(
            call(params, "x", true).unwrap_err(),
            BadArguments,
            "{arguments}"
        );
    }
}

#[test]
fn a_result_passes_but_for_what_was_for_this_hop() {
    let check = |from: &str, expected: &str| {
        let members = result(&json(from)).unwrap();
        assert_eq!(serde_json::to_string(&members).unwrap(), expected);
    };
    check(
        r#"{"resultType":"complete","content":[{"type":"image","data":"AA==","mimeType":"image/png","x":1.0}],"structuredContent":[1e400],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{},"com.example/a":1,"dev.mcp-swarm/trusted":true},"ttlMs":5,"cacheScope":"public","vendor":{"k":[]}}"#
            .replace("1e400", "1e3").as_str(),
        r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png","x":1.0}],"structuredContent":[1e3],"isError":false,"_meta":{"com.example/a":1},"vendor":{"k":[]}}"#,
    );
    check(
        r#"{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}"#,
        r#"{"content":[]}"#,
    );
}

#[test]
fn a_result_that_is_none_does_not_pass() {
    let check = |from: &str, expected: BadResult| {
        assert_eq!(result(&json(from)).unwrap_err(), expected, "{from}");
    };
    check("[]", BadResult::Malformed);
    check("null", BadResult::Malformed);
    check(r#"{"content":[],"content":[]}"#, BadResult::Malformed);
    check(r#"{"resultType":1}"#, BadResult::Malformed);
    check(
        r#"{"resultType":"input_required"}"#,
        BadResult::Kind {
            result_type: "input_required".to_owned(),
        },
    );
    // A task of 2025-11-25, which would look like a tool that made nothing.
    check(
        r#"{"task":{"taskId":"t","status":"working"}}"#,
        BadResult::Kind {
            result_type: "task".to_owned(),
        },
    );
    check(
        r#"{"content":[],"_MCPFUSION_handoff":true,"isHandoff":true,"payload":{"target":"x"}}"#,
        BadResult::Handoff,
    );
    check(
        r#"{"content":[],"_meta":{"dev.mcp-swarm/handoff":{}}}"#,
        BadResult::Handoff,
    );
}
