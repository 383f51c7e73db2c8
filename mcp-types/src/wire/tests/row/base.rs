//! JSON-RPC and base types.

use serde_json::{Value, json};

use super::*;
use crate::{
    capability::Implementation,
    jsonrpc::{ErrorCode, ErrorId, ErrorObject, RequestId, write_error, write_result},
    lifecycle::EmptyResult,
    meta,
    prompt::{ListPromptsResult, Prompt},
    raw::{RawJson, RawObject},
    resource::{
        ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
        ResourceTemplate, TextResourceContents,
    },
    roots::Root,
    tool::{ListToolsResult, Tool},
};

#[test]
fn request_id() {
    for id in [RequestId::from(1), RequestId::from("1")] {
        let mut out = Vec::new();
        write_result(&id, &RawJson::parse("{}").unwrap(), &mut out);
        let message: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(message["id"], serde_json::to_value(&id).unwrap());
    }
}

#[test]
fn error_response_id() {
    for (at, expected) in [
        (
            OCT24,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ),
        (
            NOV24,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ),
        (
            MAR25,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ),
        (
            JUN25,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ),
        (
            NOV25,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
        ),
        (
            JUL26,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
        ),
    ] {
        let mut out = Vec::new();
        let error = ErrorObject::new(ErrorCode::PARSE_ERROR, "x");
        write_error(&ErrorId::unknown(at), &error, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{at}");
    }
}

#[test]
fn meta_on_tool_resource_template_prompt_contents_root() {
    let meta = json!({"k": 1});
    spans::<Tool>(
        &json!({"name": "t", "inputSchema": {}, "_meta": meta}),
        "/_meta",
        JUN25,
        JUL26,
    );
    spans::<Resource>(
        &json!({"uri": "a:b", "name": "a", "_meta": meta}),
        "/_meta",
        JUN25,
        JUL26,
    );
    let template = json!({"uriTemplate": "a:{b}", "name": "a", "_meta": meta});
    spans::<ResourceTemplate>(&template, "/_meta", JUN25, JUL26);
    spans::<Prompt>(&json!({"name": "a", "_meta": meta}), "/_meta", JUN25, JUL26);
    let contents = json!({"uri": "a:b", "text": "c", "_meta": meta});
    spans::<TextResourceContents>(&contents, "/_meta", JUN25, JUL26);
    spans::<Root>(
        &json!({"uri": "file:///", "_meta": meta}),
        "/_meta",
        JUN25,
        JUL26,
    );
}

#[test]
fn meta_on_results() {
    spans::<EmptyResult>(&json!({"_meta": {"k": 1}}), "/_meta", OCT24, JUL26);
}

#[test]
fn trace_keys_pass_through() {
    let keys = json!({"traceparent": "t", "tracestate": "s", "baggage": "b"});
    for at in Revision::ALL {
        let got = shown::<EmptyResult>(&json!({"_meta": keys}), &Stamp::new(at));
        assert_eq!(got["_meta"], keys, "{at}");
    }
}

#[test]
fn result_type() {
    spans::<EmptyResult>(
        &json!({"resultType": "complete"}),
        "/resultType",
        JUL26,
        JUL26,
    );
    for at in Revision::ALL {
        let raw = json!({"resultType": "complete", "x": 1});
        let got = shown::<RawObject>(&raw, &Stamp::new(at));
        assert_eq!(got.get("resultType").is_some(), at == JUL26, "{at}");
    }
}

#[test]
fn server_info_in_meta() {
    let server = Implementation::new("s", "1");
    for at in Revision::ALL {
        let got = shown::<EmptyResult>(&json!({}), &Stamp::new(at).by(&server));
        let expected = (at == JUL26).then(|| json!({"name": "s", "version": "1"}));
        assert_eq!(
            got["_meta"].get(meta::SERVER_INFO).cloned(),
            expected,
            "{at}"
        );
    }
}

#[test]
fn ttl_ms_and_cache_scope() {
    fn check<T: DeserializeOwned>()
    where
        Payload: From<T>,
    {
        for at in Revision::ALL {
            let stamp = Stamp::new(at).cacheable(true);
            let hints = |got: Value| (got.get("ttlMs").cloned(), got.get("cacheScope").cloned());
            let modern = |ttl: i64, scope: &str| {
                let there = at == JUL26;
                (there.then(|| json!(ttl)), there.then(|| json!(scope)))
            };
            let got = hints(shown::<T>(&json!({}), &stamp));
            assert_eq!(got, modern(0, "private"), "{at}");
            let given = json!({"ttlMs": 5, "cacheScope": "public"});
            assert_eq!(
                hints(shown::<T>(&given, &stamp)),
                modern(5, "public"),
                "{at}"
            );
            let bad = json!({"ttlMs": -5, "cacheScope": ""});
            assert_eq!(
                hints(shown::<T>(&bad, &stamp)),
                modern(0, "private"),
                "{at}"
            );
        }
    }
    check::<ListToolsResult>();
    check::<ListPromptsResult>();
    check::<ListResourcesResult>();
    check::<ListResourceTemplatesResult>();
    check::<ReadResourceResult>();
    check::<crate::lifecycle::DiscoverResult>();
}

#[test]
fn next_cursor() {
    spans::<ListToolsResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
    spans::<ListPromptsResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
    spans::<ListResourcesResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
}
