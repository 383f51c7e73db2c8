//! JSON-RPC and base types.

use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::{
    capability::{ClientCapabilities, Implementation},
    content::ContentBlock,
    jsonrpc::{
        self, ErrorCode, ErrorId, ErrorObject, MalformedKind, ProgressToken, RequestId,
        write_error, write_result,
    },
    lifecycle::EmptyResult,
    meta::{self, RequestMeta},
    name::MetaKey,
    notification::ProgressParams,
    page::PaginatedParams,
    prompt::{ListPromptsResult, Prompt},
    raw::{RawJson, RawObject, RawParams},
    resource::{
        ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
        ResourceTemplate, ResourceUpdatedParams, TextResourceContents,
    },
    roots::Root,
    tool::{CallToolParams, ListToolsResult, Tool},
};

#[test]
fn r3_1_1_request_id() {
    for id in [RequestId::from(1), RequestId::from("1")] {
        let mut out = Vec::new();
        write_result(&id, &RawJson::parse("{}").unwrap(), &mut out);
        let message: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(message["id"], serde_json::to_value(&id).unwrap());
    }
}

#[test]
fn r3_1_2_error_response_id() {
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

/// Which revision has batches is a matter of who reads; a single message is never an array, and no batch nests.
#[test]
fn r3_1_3_batch_arrays() {
    let batch = Bytes::from_static(
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},[],{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
    );
    let refused = jsonrpc::decode(&batch).unwrap_err();
    assert_eq!(refused.kind, MalformedKind::Batch);
    let read = jsonrpc::decode_batch(&batch, 3).unwrap();
    let kinds: Vec<_> = read
        .iter()
        .map(|it| it.as_ref().map(|_| ()).map_err(|it| it.kind))
        .collect();
    assert_eq!(kinds, [Ok(()), Err(MalformedKind::Batch), Ok(())]);
    assert!(jsonrpc::decode_batch(&batch, 2).is_err());
    assert!(jsonrpc::decode_batch(&Bytes::from_static(b"[]"), 2).is_err());
}

/// Read as it is at every revision, and written wherever it stands; what a modern one lacks is told by name.
#[test]
fn r3_1_4_meta_on_requests() {
    let params = json!({"name": "t", "_meta": {"progressToken": "p", "k": {"a": 1}}});
    spans::<CallToolParams>(&params, "/_meta", OCT24, JUL26);
    let of = |params: &Value| RequestMeta::of(&RawParams::from_serialize(params).unwrap());
    let meta = of(&params).unwrap();
    assert_eq!(meta.progress_token(), Some(ProgressToken::from("p")));
    assert!(!meta.is_claim());
    assert!(of(&json!({"_meta": 1})).is_err());
    let client = Implementation::new("c", "1");
    let modern = RequestMeta::modern(JUL26, &client, &ClientCapabilities::default());
    assert_eq!(
        serde_json::to_value(&modern).unwrap(),
        json!({meta::PROTOCOL_VERSION: "2026-07-28", meta::CLIENT_INFO: {"name": "c", "version": "1"},
            meta::CLIENT_CAPABILITIES: {}})
    );
}

#[test]
fn r3_1_6_meta_on_tool_resource_template_prompt_contents_block_root() {
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
    let block = json!({"type": "text", "text": "a", "_meta": meta});
    spans::<ContentBlock>(&block, "/_meta", JUN25, JUL26);
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
fn r3_1_5_meta_on_notifications_and_results() {
    spans::<EmptyResult>(&json!({"_meta": {"k": 1}}), "/_meta", OCT24, JUL26);
    let progress = json!({"progressToken": 1, "progress": 1, "_meta": {"k": 1}});
    spans::<ProgressParams>(&progress, "/_meta", OCT24, JUL26);
    let tagged = json!({"uri": "a:b", "_meta": {meta::SUBSCRIPTION_ID: "7"}});
    spans::<ResourceUpdatedParams>(&tagged, "/_meta", OCT24, JUL26);
}

#[test]
fn r3_1_7_meta_keys_and_trace_context() {
    for good in ["a", "com.example/k", "traceparent", "tracestate", "baggage"] {
        assert!(good.parse::<MetaKey>().is_ok(), "{good}");
    }
    for bad in ["-a", "com..example/k", "a b", "1com/k"] {
        assert!(bad.parse::<MetaKey>().is_err(), "{bad}");
    }
    // Whatever its keys are, what a peer sent passes through.

    let keys = json!({"traceparent": "t", "tracestate": "s", "baggage": "b"});
    for at in Revision::ALL {
        let got = shown::<EmptyResult>(&json!({"_meta": keys}), &Stamp::new(at));
        assert_eq!(got["_meta"], keys, "{at}");
    }
}

#[test]
fn r3_1_8_result_type() {
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
fn r3_1_9_server_info_in_meta() {
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
fn r3_1_10_ttl_ms_and_cache_scope() {
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
fn r3_1_11_cursor() {
    spans::<ListToolsResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
    spans::<ListPromptsResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
    spans::<ListResourcesResult>(&json!({"nextCursor": "c"}), "/nextCursor", OCT24, JUL26);
    let templates = json!({"nextCursor": "c"});
    spans::<ListResourceTemplatesResult>(&templates, "/nextCursor", OCT24, JUL26);
    spans::<PaginatedParams>(&json!({"cursor": "c"}), "/cursor", OCT24, JUL26);
}
