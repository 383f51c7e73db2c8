//! What is passed on, and what is not: results, errors, progress, cancellation, `_meta`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::CallTool;
use mcp_errors::FailureKind;
use mcp_server::{Answer, Call};
use mcp_types::{ErrorCode, ErrorObject};
use serde_json::{Value, json};

use super::peer::{Broken, doer, poll_once, result};
use super::world::{World, code, finance, handle, wire};

/// Hands over to `target` and calls `tool`: its result.
async fn through(world: &World, legacy: bool, target: &str, tool: &str, args: Value) -> Value {
    let (client, args) = arrive(world, legacy, target, args).await;
    world.call(&client, tool, args).await
}

/// A client that is handed over to `target`, and `args` as it has to pass them.
async fn arrive(
    world: &World,
    legacy: bool,
    target: &str,
    mut args: Value,
) -> (mcp_client::Client, Value) {
    let client = if legacy {
        world.legacy().await
    } else {
        world.modern().await
    };
    let handed = world
        .call(&client, "route", json!({"target": target}))
        .await;
    assert_eq!(code(&handed), "");
    if !legacy {
        args["handoff"] = json!(handle(&handed));
    }
    (client, args)
}

#[tokio::test]
async fn a_result_is_what_the_specialist_said() {
    let said = r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":0.50}},{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource_link","uri":"x:y","name":"n","size":7},{"type":"hologram","depth":3}],"structuredContent":{"n":1.50,"s":"é"},"isError":false,"_meta":{"com.example/a":{"b":[1]},"io.modelcontextprotocol/x":1},"vendor":[1e2]}"#;
    let world = World::of(doer(move |_| result(said)));
    for legacy in [false, true] {
        let (client, args) = arrive(&world, legacy, "doer", json!({})).await;
        let reply = client.call_raw("doer__do", &args).await.unwrap();
        let text = reply.result.as_str();
        for part in [
            r#""content":[{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":0.50}},{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource_link","uri":"x:y","name":"n","size":7},{"type":"hologram","depth":3}]"#,
            r#""structuredContent":{"n":1.50,"s":"é"}"#,
            r#""isError":false"#,
            r#""com.example/a":{"b":[1]}"#,
            r#""vendor":[1e2]"#,
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("io.modelcontextprotocol/x"), "{text}");
        assert_eq!(text.contains(r#""name":"triage""#), !legacy, "{text}");
        assert!(!text.contains(r#""name":"doer""#), "{text}");
    }
}

#[tokio::test]
async fn a_call_is_what_the_client_said_but_for_name_and_handle() {
    let seen: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let heard = seen.clone();
    let world = World::of(doer(move |call: &Call| {
        let params = call.params.get("arguments").unwrap_or_default().to_owned();
        let meta = serde_json::to_string(&call.meta).unwrap();
        heard.lock().unwrap().push((params, meta));
        result(r#"{"content":[]}"#)
    }));
    for legacy in [false, true] {
        let args = json!({"a": {"b": [1.5, null]}});
        let (client, args) = arrive(&world, legacy, "doer", args).await;
        let call = client
            .request(CallTool::new("doer__do", args))
            .meta("com.example/k", json!({"v": 1}))
            .meta("io.modelcontextprotocol/logLevel", "debug")
            .meta("dev.mcp-swarm/delegation", "forged")
            .meta(
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            );
        call.send_raw().await.unwrap();
        let (params, meta) = seen.lock().unwrap().pop().unwrap();
        assert_eq!(params, r#"{"a":{"b":[1.5,null]}}"#);
        assert!(meta.contains(r#""com.example/k":{"v":1}"#), "{meta}");
        assert!(meta.contains("0af7651916cd43dd8448eb211c80319c"), "{meta}");
        for gone in ["b7ad6b7169203331", "logLevel", "forged", r#""agent""#] {
            assert!(!meta.contains(gone), "{gone} in {meta}");
        }
    }
}

#[tokio::test]
async fn b16_an_error_is_told_for_what_it_is() {
    for (error, expected) in [
        (-32602, None),
        (-32601, Some("-32601")),
        (-32603, Some("-32603")),
        (7, Some("7")),
    ] {
        let world = World::of(doer(move |_| {
            Answer::error(ErrorObject::new(ErrorCode(error), "said by the specialist"))
        }));
        for legacy in [false, true] {
            let answer = through(&world, legacy, "doer", "doer__do", json!({})).await;
            match expected {
                None => assert_eq!(
                    answer["error"],
                    json!({"code": error, "message": "said by the specialist"})
                ),
                Some(part) => {
                    assert_eq!(code(&answer), "HANDOFF_UPSTREAM_PROTOCOL_ERROR");
                    let said = answer["structuredContent"]["error"].as_str().unwrap();
                    assert!(said.contains(part) && !said.contains("said by"), "{said}");
                }
            }
        }
    }
}

#[tokio::test]
async fn b16_so_is_a_failure_on_the_way() {
    let broken = Broken::new();
    let world = World::with(|builder, parts| {
        builder.specialist_endpoint("finance", broken.around(wire(finance(parts))))
    });
    for legacy in [false, true] {
        let (client, args) = arrive(&world, legacy, "finance", json!({"n": 1})).await;
        for (kind, expected, executed) in [
            (
                FailureKind::Unreachable,
                "HANDOFF_UPSTREAM_UNAVAILABLE",
                "no",
            ),
            (FailureKind::Lost, "HANDOFF_UPSTREAM_UNAVAILABLE", "unknown"),
            (
                FailureKind::Unauthorized,
                "HANDOFF_UPSTREAM_UNAVAILABLE",
                "no",
            ),
            (FailureKind::Http, "HANDOFF_UPSTREAM_UNAVAILABLE", "unknown"),
            (FailureKind::Timeout, "HANDOFF_UPSTREAM_TIMEOUT", "unknown"),
            (
                FailureKind::Malformed,
                "HANDOFF_UPSTREAM_PROTOCOL_ERROR",
                "unknown",
            ),
            (
                FailureKind::TooLarge,
                "HANDOFF_UPSTREAM_PROTOCOL_ERROR",
                "unknown",
            ),
        ] {
            broken.fail("tools/call", kind);
            let answer = world.call(&client, "finance__status", args.clone()).await;
            assert_eq!(code(&answer), expected, "{kind:?}");
            assert_eq!(
                answer["structuredContent"]["executed"], executed,
                "{kind:?}"
            );
            assert_eq!(answer["structuredContent"]["service"], "triage");
            let said = answer.to_string();
            assert!(
                !said.contains("10.0.0.1") && !said.contains("secret"),
                "{said}"
            );
        }
        broken.mend();
        assert_eq!(
            code(&world.call(&client, "finance__status", args).await),
            ""
        );
    }
}

#[tokio::test]
async fn a_specialist_that_works_too_long_is_given_up_in_time() {
    let world = World::new();
    let (client, args) = arrive(&world, false, "finance", json!({})).await;
    let call = client
        .request(CallTool::new("finance__slow", args))
        .deadline(Duration::from_secs(100));
    let mut working = Box::pin(call.send_raw());
    assert!(poll_once(&mut working).await.is_none());
    world.clock.advance(Duration::from_secs(60));
    let answer = poll_once(&mut working).await.unwrap().unwrap();
    assert_eq!(
        code(&answer.result.decode().unwrap()),
        "HANDOFF_UPSTREAM_TIMEOUT"
    );
}

#[tokio::test]
async fn b17_progress_comes_under_the_callers_token() {
    let world = World::new();
    for legacy in [false, true] {
        let (client, args) = arrive(&world, legacy, "finance", json!({})).await;
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let hear = heard.clone();
        let call = client
            .request(CallTool::new("finance__steps", args))
            .meta("progressToken", "mine")
            .on_progress(move |progress| {
                let text = serde_json::to_string(&progress).unwrap();
                hear.lock().unwrap().push(text);
            });
        call.send_raw().await.unwrap();
        assert_eq!(
            *heard.lock().unwrap(),
            [
                r#"{"progressToken":"mine","progress":1,"total":2,"message":"one"}"#,
                r#"{"progressToken":"mine","progress":2,"total":2,"message":"two"}"#,
            ]
        );
    }
}

#[tokio::test]
async fn who_does_not_ask_for_progress_hears_of_none() {
    let asked: Arc<Mutex<Vec<bool>>> = Arc::default();
    let seen = asked.clone();
    let world = World::of(doer(move |call: &Call| {
        seen.lock()
            .unwrap()
            .push(call.meta.progress_token().is_some());
        result(r#"{"content":[]}"#)
    }));
    through(&world, false, "doer", "doer__do", json!({})).await;
    assert_eq!(*asked.lock().unwrap(), [false]);
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_the_specialist() {
    let dropped: Arc<()> = Arc::default();
    let held = dropped.clone();
    let tool = mcp_server::Tool::new("do", move || {
        let held = held.clone();
        async move {
            let _held = held;
            std::future::pending::<String>().await
        }
    });
    let world = World::of(mcp_server::Server::new("doer", "1.0").tool(tool));
    let before = Arc::strong_count(&dropped);
    for legacy in [false, true] {
        let (client, args) = arrive(&world, legacy, "doer", json!({})).await;
        let mut working = Box::pin(world.call(&client, "doer__do", args));
        assert!(poll_once(&mut working).await.is_none());
        assert_eq!(Arc::strong_count(&dropped), before + 1);
        drop(working);
        assert_eq!(Arc::strong_count(&dropped), before);
    }
}

#[tokio::test]
async fn what_two_readers_could_read_differently_goes_nowhere() {
    let world = World::of(doer(|_| {
        result(r#"{"content":[],"structuredContent":{"a":{"b":1,"b":2}}}"#)
    }));
    let answer = through(&world, true, "doer", "doer__do", json!({})).await;
    assert_eq!(code(&answer), "HANDOFF_UPSTREAM_PROTOCOL_ERROR");
}

#[tokio::test]
async fn a_specialists_own_handoff_is_refused_and_carries_nothing() {
    let marked = r#"{"content":[],"_MCPFUSION_handoff":true,"isHandoff":true,"payload":{"target":"support","carryOverState":{"k":"leak"}}}"#;
    let world = World::of(doer(move |_| result(marked)));
    for legacy in [false, true] {
        let answer = through(&world, legacy, "doer", "doer__do", json!({})).await;
        assert_eq!(code(&answer), "HANDOFF_CHAIN_REFUSED");
        assert!(!answer.to_string().contains("leak"));
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_passed_on_is_no_answer() {
    let world = World::of(doer(|_| {
        result(r#"{"resultType":"input_required","inputRequests":{},"requestState":"s"}"#)
    }));
    let answer = through(&world, false, "doer", "doer__do", json!({})).await;
    assert_eq!(code(&answer), "HANDOFF_UPSTREAM_PROTOCOL_ERROR");
    assert!(answer.to_string().contains("input_required"));
}
