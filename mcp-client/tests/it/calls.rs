//! Calls: what is sent, what comes back as a value, what comes back as an error.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{Ask, CallTool, Client, Error, ErrorKind};
use mcp_errors::{Executed, Failure, FailureKind};
use mcp_transport::{
    Endpoint, Exchange, Full, Notification, Request,
    clock::ManualClock,
    exchange::Ended,
    test_util::{Script, ScriptedServer},
};
use mcp_types::method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Stage, initialize, legacy, modern, run, text};

/// Keeps every request on its way to a peer.
pub(crate) struct Recorder {
    inner: ScriptedServer,
    requests: Mutex<Vec<Request>>,
}

impl Recorder {
    pub(crate) fn new(inner: ScriptedServer) -> Self {
        Self {
            inner,
            requests: Mutex::default(),
        }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Endpoint for Recorder {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        self.requests.lock().unwrap().push(request.clone());
        self.inner.open(request)
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.inner.notify(notification)
    }
}

#[derive(Serialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Sum {
    sum: i64,
}

/// Calls `add` on a modern and on a legacy server that answer with `result`.
fn outputs<Out: serde::de::DeserializeOwned + 'static>(result: &Value) -> [Result<Out, Error>; 2] {
    [modern(), legacy()].map(|opened| {
        let call = json!({ "name": "add", "arguments": { "a": 2, "b": 3 } });
        let stage = Stage::new(
            opened
                .expects_with("tools/call", call)
                .replies(result.clone()),
        );
        let output = stage.run(stage.client.call("add", &Add { a: 2, b: 3 }));
        stage.finish();
        output
    })
}

#[test]
fn a_result_becomes_what_the_caller_asks_for_in_both_eras() {
    let structured = json!({ "content": [], "structuredContent": { "sum": 5 } });
    for output in outputs::<Sum>(&structured) {
        assert_eq!(output.unwrap(), Sum { sum: 5 });
    }
    for output in outputs::<Sum>(&text("{\"sum\": 5}")) {
        assert_eq!(output.unwrap(), Sum { sum: 5 });
    }
    for output in outputs::<String>(&text("five")) {
        assert_eq!(output.unwrap(), "five");
    }
    for output in outputs::<i64>(&text("5")) {
        assert_eq!(output.unwrap(), 5);
    }
}

#[test]
fn a_result_of_another_shape_is_an_error_and_the_call_ran() {
    for output in outputs::<Sum>(&text("five")) {
        let error = output.unwrap_err();
        assert_eq!(
            (error.kind(), error.executed()),
            (ErrorKind::Shape, Executed::Yes)
        );
        assert!(
            error
                .to_string()
                .starts_with("`tools/call` of \"add\": the text is no"),
            "{error}"
        );
    }
}

#[test]
fn a_tools_failure_carries_its_envelope() {
    let result = json!({
        "isError": true,
        "content": [{ "type": "text", "text": "Too fast" }],
        "structuredContent": {
            "service": "math", "code": "rate_limited", "error": "Too fast", "retryAfter": 7,
        },
    });
    for output in outputs::<Sum>(&result) {
        let error = output.unwrap_err();
        assert!(error.is_tool_error() && !error.is_timeout());
        let envelope = error.tool_error().unwrap();
        assert_eq!(
            (envelope.service.as_str(), envelope.code.as_str()),
            ("math", "rate_limited")
        );
        assert_eq!(envelope.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(error.executed(), Executed::No);
        assert!(error.to_string().contains("rate_limited"), "{error}");
        assert!(error.tool_result().unwrap().failed());
    }
}

#[test]
fn a_tools_failure_may_say_nothing_to_programs() {
    let mut result = text("out of paper");
    result["isError"] = json!(true);
    for output in outputs::<Sum>(&result) {
        let error = output.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`tools/call` of \"add\": the tool failed: out of paper"
        );
        assert_eq!(
            (error.tool_error(), error.executed()),
            (None, Executed::Yes)
        );
    }
}

#[test]
fn a_result_of_another_type_is_an_error_to_a_typed_call_and_the_result_of_a_raw_one() {
    let parked = json!({ "resultType": "input_required", "requestState": "x" });
    let stage = Stage::new(
        modern()
            .expects("tools/call")
            .replies(parked.clone())
            .expects("tools/call")
            .replies(parked),
    );
    let error = stage.run(stage.client.call::<Sum>("ask", &())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResultType);
    assert!(error.to_string().contains("input_required"), "{error}");
    let reply = stage.run(stage.client.call_raw("ask", &())).unwrap();
    assert!(reply.result.as_str().contains("requestState"));
    stage.finish();
}

/// A task in the place of a result is not a tool that made nothing, in either dialect and even to who wants nothing.
#[test]
fn report_36_a_task_is_not_an_empty_result() {
    let task = json!({
        "taskId": "t", "status": "working",
        "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
    });
    let mut flat = task.clone();
    flat["resultType"] = json!("task");
    flat["ttlMs"] = json!(null);
    let mut nested = json!({ "task": task });
    nested["task"]["ttl"] = json!(null);
    for created in [flat, nested] {
        for output in outputs::<()>(&created) {
            let error = output.unwrap_err();
            assert_eq!(
                (error.kind(), error.executed()),
                (ErrorKind::ResultType, Executed::Unknown),
                "{error}"
            );
            assert!(error.to_string().contains("\"task\""), "{error}");
        }
    }
    for output in outputs::<()>(&json!({ "content": [] })) {
        output.unwrap();
    }
    // One who takes it raw has all of it.
    let created = json!({ "task": { "taskId": "t" } });
    let stage = Stage::new(legacy().expects("tools/call").replies(created.clone()));
    let reply = stage.run(stage.client.call_raw("add", &())).unwrap();
    assert_eq!(reply.result.decode::<Value>().unwrap(), created);
    stage.finish();
}

#[test]
fn a_peers_error_is_the_peers() {
    let stage = Stage::new(
        modern()
            .expects("tools/call")
            .fails(-32602, "Unknown tool: x"),
    );
    let error = stage.run(stage.client.call::<Sum>("x", &())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failure(FailureKind::Peer));
    assert_eq!(
        error.failure().unwrap().peer_error().unwrap().code.0,
        -32602
    );
    assert_eq!(
        error.to_string(),
        "`tools/call` of \"x\": Unknown tool: x (peer's code -32602)"
    );
    stage.finish();
}

#[test]
fn silence_ends_at_the_deadline_and_cancels() {
    let stage = Stage::new(modern().expects("tools/call").expects("tools/call"));
    let error = stage
        .run(stage.client.call::<Sum>("slow", &()))
        .unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(error.executed(), Executed::Unknown);
    assert_eq!(
        error.to_string(),
        "`tools/call` of \"slow\": no result within 60.0s; it may have run. Give it longer with `deadline`"
    );
    assert_eq!(stage.server.cancelled(), 1);

    let call = stage
        .client
        .request(CallTool::new("slow", ()))
        .deadline(Duration::from_secs(2));
    let error = stage.run(call.send()).unwrap_err();
    assert!(error.to_string().contains("within 2.0s"), "{error}");
    assert_eq!(stage.server.cancelled(), 2);
    stage.finish();
}

#[test]
fn dropping_the_future_cancels_in_both_eras() {
    for opened in [modern(), legacy()] {
        let stage = Stage::new(opened.expects("tools/call"));
        let mut call = Box::pin(stage.client.call::<Sum>("slow", &()));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(call.as_mut().poll(&mut cx).is_pending());
        assert_eq!(stage.server.cancelled(), 0);
        drop(call);
        assert_eq!(stage.server.cancelled(), 1);
        stage.finish();
    }
}

#[test]
fn a_lost_connection_may_have_run_the_call() {
    let stage = Stage::new(modern().expects("tools/call").closes());
    let error = stage.run(stage.client.call::<Sum>("add", &())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failure(FailureKind::Lost));
    assert_eq!(error.executed(), Executed::Unknown);
    assert!(error.to_string().ends_with("; it may have run"), "{error}");
}

/// Answers each call with 401.
struct Unauthorized(ScriptedServer);

impl Endpoint for Unauthorized {
    fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
        if request.method != "tools/call" {
            return self.0.open(request);
        }
        let failure = Failure::new(FailureKind::Unauthorized, "the request is not authorized");
        Ended::boxed(Err(failure.with_http_status(401)))
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.0.notify(notification)
    }
}

#[test]
fn who_is_not_authorized_is_told_what_to_do() {
    let clock = ManualClock::new();
    let server = Arc::new(Unauthorized(modern().into_endpoint()));
    let builder = Client::builder("tester", "1.0").clock(Arc::new(clock.clone()));
    let client = run(&clock, builder.connect_endpoint(server)).unwrap();
    let error = run(&clock, client.call::<Sum>("add", &())).unwrap_err();
    assert!(error.is_unauthorized() && error.executed() == Executed::No);
    assert_eq!(
        error.to_string(),
        "`tools/call` of \"add\": the request is not authorized (HTTP 401); \
         pass a token with `header(\"authorization\", …)`"
    );
}

#[test]
fn headers_are_nobodys_business() {
    let secret = ("authorization", "Bearer s3cret");
    let builder = Client::builder("tester", "1.0").header(secret.0, secret.1);
    let stage = Stage::new(modern());
    let call = stage
        .client
        .request(CallTool::new("x", json!({ "key": "s3cret" })));
    let call = call.header(secret.0, secret.1).meta("key", "s3cret");
    for shown in [
        format!("{builder:?}"),
        format!("{call:?}"),
        format!("{:?}", stage.client),
    ] {
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn a_closed_client_calls_nothing() {
    for opened in [modern(), legacy()] {
        let stage = Stage::new(opened);
        let clone = stage.client.clone();
        stage.run(stage.client.close());
        stage.run(stage.client.close());
        for error in [
            stage.run(clone.call::<Sum>("add", &())).unwrap_err(),
            stage.run(clone.list_tools()).unwrap_err(),
            clone.listen().unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Failure(FailureKind::Closed));
            assert_eq!(error.executed(), Executed::No);
            assert!(error.to_string().contains("connect again"), "{error}");
        }
        stage.finish();
    }
}

#[test]
fn no_time_is_too_long_to_wait() {
    let stage = Stage::new(
        legacy()
            .expects("tools/call")
            .replies(text("late"))
            .expects("tools/list")
            .replies(json!({ "tools": null }))
            .expects("tools/call"),
    );
    let ask = || stage.client.request(CallTool::new("slow", ()));
    let patient = ask().deadline(Duration::MAX).output::<String>();
    assert_eq!(stage.run(patient).unwrap(), "late");
    let list = stage.run(stage.client.list_tools_within(Duration::MAX));
    assert!(list.unwrap().tools.is_empty());
    let error = stage.run(ask().deadline(Duration::MAX).send()).unwrap_err();
    assert!(error.is_timeout());
    // Nothing is sent once there is no time left.
    let error = stage
        .run(ask().deadline(Duration::ZERO).send())
        .unwrap_err();
    assert!(error.is_timeout() && error.executed() == Executed::No);
    stage.finish();
}

#[test]
fn a_message_does_not_grow_with_what_the_peer_wrote() {
    let long = format!("\u{1b}[31m{}", "x".repeat(100_000));
    let mut failed = text(&long);
    failed["isError"] = json!(true);
    let mut coded = failed.clone();
    coded["structuredContent"] = json!({ "service": "s", "code": long, "error": long });
    let stage = Stage::new(
        modern()
            .expects("tools/call")
            .replies(failed)
            .expects("tools/call")
            .replies(coded)
            .expects("tools/call")
            .fails(-32000, &long),
    );
    for _ in 0..3 {
        let error = stage.run(stage.client.call::<Sum>("add", &())).unwrap_err();
        let told = error.to_string();
        assert!(told.len() < 1_200 && !told.contains('\u{1b}'), "{told}");
        let whole = match (error.tool_result(), error.failure()) {
            (Some(result), _) => result.content[0].as_text().map(str::len),
            (None, failure) => failure
                .and_then(|f| f.peer_error())
                .map(|e| e.message.len()),
        };
        assert_eq!(whole, Some(long.len()));
    }
    stage.finish();
}

#[test]
fn what_the_oldest_servers_make_is_read_like_any_result() {
    let oldest = || {
        Script::new()
            .expects("server/discover")
            .fails(-32601, "Method not found")
            .expects("initialize")
            .replies(initialize("2024-10-07"))
            .expects_notification("notifications/initialized")
            .expects("tools/call")
    };
    let stage = Stage::new(oldest().replies(json!({ "toolResult": { "sum": 5 } })));
    let sum: Sum = stage.run(stage.client.call("add", &())).unwrap();
    assert_eq!(sum, Sum { sum: 5 });
    let made = json!({ "toolResult": [{ "type": "text", "text": "no" }], "isError": true });
    let stage = Stage::new(oldest().replies(made));
    let error = stage.run(stage.client.call::<Sum>("add", &())).unwrap_err();
    assert!(
        error.is_tool_error() && error.to_string().ends_with("failed: no"),
        "{error}"
    );
}

#[test]
fn progress_is_heard_under_the_calls_own_token() {
    for opened in [modern(), legacy()] {
        let progress = |token: u64, done: u64| json!({ "progressToken": token, "progress": done, "total": 2, "message": "half" });
        let stage = Stage::new(
            opened
                .expects_with("tools/call", json!({ "_meta": { "progressToken": 1 } }))
                .notifies("notifications/progress", progress(1, 1))
                .notifies("notifications/progress", progress(99, 1))
                .notifies("notifications/progress", json!({ "progressToken": 1 }))
                .notifies(
                    "notifications/message",
                    json!({ "level": "info", "data": 1 }),
                )
                .notifies("notifications/progress", progress(1, 2))
                .replies(text("done")),
        );
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        let call = stage
            .client
            .request(CallTool::new("build", ()))
            .on_progress(move |progress| ear.lock().unwrap().push(progress.progress.as_u64()));
        assert_eq!(stage.run(call.output::<String>()).unwrap(), "done");
        assert_eq!(*heard.lock().unwrap(), [Some(1), Some(2)]);
        stage.finish();
    }
}

#[test]
fn a_started_call_gives_its_notifications_then_its_outcome() {
    let stage = Stage::new(
        modern()
            .expects_with("tools/call", json!({ "_meta": { "progressToken": 1 } }))
            .notifies(
                "notifications/progress",
                json!({ "progressToken": 1, "progress": 1 }),
            )
            .replies(text("done")),
    );
    let mut call = stage
        .client
        .request(CallTool::new("build", ()))
        .start()
        .unwrap();
    let first = stage.run(call.next()).unwrap();
    assert_eq!(first.method, "notifications/progress");
    assert_eq!(stage.run(call.next()), None);
    assert_eq!(stage.run(call.next()), None);
    let result = stage.run(call.outcome()).unwrap();
    assert_eq!(result.content[0].as_text(), Some("done"));
    stage.finish();
}

#[test]
fn c5_a_peer_that_never_stops_notifying_is_held_to_the_deadline() {
    struct Chatter(ManualClock);

    impl Exchange for Chatter {
        fn poll_event(
            self: Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<mcp_transport::Event> {
            self.0.advance(Duration::from_millis(100));
            let noise = Notification::new("notifications/message", mcp_types::RawParams::empty());
            std::task::Poll::Ready(mcp_transport::Event::Notification(noise))
        }
    }

    struct Server(ManualClock, ScriptedServer);

    impl Endpoint for Server {
        fn open(&self, request: Request) -> Pin<Box<dyn Exchange>> {
            if request.method == "tools/call" {
                return Box::pin(Chatter(self.0.clone()));
            }
            self.1.open(request)
        }

        fn notify(&self, _: Notification) -> Result<(), Full> {
            Ok(())
        }
    }

    let clock = ManualClock::new();
    let server = Server(clock.clone(), modern().into_endpoint());
    let builder = Client::builder("tester", "1.0").clock(Arc::new(clock.clone()));
    let client = run(&clock, builder.connect_endpoint(Arc::new(server))).unwrap();
    assert!(
        run(&clock, client.call::<Sum>("x", &()))
            .unwrap_err()
            .is_timeout()
    );
}

#[test]
fn headers_and_meta_travel_with_the_call() {
    let script = modern()
        .expects_with(
            "tools/call",
            json!({ "_meta": {
            "traceparent": "00-1",
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        } }),
        )
        .replies(text("done"));
    let clock = ManualClock::new();
    let server = Arc::new(Recorder::new(script.into_endpoint()));
    let builder = Client::builder("tester", "1.0")
        .clock(Arc::new(clock.clone()))
        .header("authorization", "Bearer all")
        .header("x-tenant", "acme");
    let client = run(&clock, builder.connect_endpoint(server.clone())).unwrap();
    let call = client
        .request(CallTool::new("add", json!({ "a": 1 })))
        .header("Authorization", "Bearer one")
        .meta("traceparent", "00-1")
        .meta("io.modelcontextprotocol/protocolVersion", "1999-01-01");
    assert!(!format!("{call:?}").contains("Bearer"));
    run(&clock, call.send()).unwrap();

    let sent = server.requests();
    let header = |n: usize, name: &str| {
        sent[n].headers().unwrap()[name]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(header(0, "authorization"), "Bearer all");
    assert_eq!(header(1, "authorization"), "Bearer one");
    assert_eq!(header(1, "x-tenant"), "acme");
    server.inner.finish().unwrap();
}

#[test]
fn what_cannot_be_sent_is_refused_before_it_is() {
    let stage = Stage::new(modern());
    let check = |error: Error, part: &str| {
        assert_eq!(error.kind(), ErrorKind::Failure(FailureKind::Invalid));
        assert_eq!(error.executed(), Executed::No);
        assert!(error.to_string().contains(part), "{error}");
    };
    let call = || stage.client.request(CallTool::new("x", ()));
    check(
        stage
            .run(call().header("mcp-method", "x").send())
            .unwrap_err(),
        "mcp-method",
    );
    check(
        stage.run(call().header("a b", "x").send()).unwrap_err(),
        "a b",
    );
    check(
        stage
            .run(stage.client.call::<Sum>("x", &[1, 2]))
            .unwrap_err(),
        "JSON object",
    );
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    check(
        stage.run(call().meta("k", &keys).send()).unwrap_err(),
        "\"k\"",
    );
    check(
        stage.run(stage.client.ping()).unwrap_err(),
        "has no such method",
    );
    stage.finish();
}

#[test]
fn methods_of_ones_own_pass() {
    struct Weather;

    impl method::RequestType for Weather {
        const METHOD: &'static str = "acme/weather";
        type Params = Value;
        type Result = Value;
    }

    let stage = Stage::new(
        legacy()
            .expects_with("acme/weather", json!({ "place": "Rome" }))
            .replies(json!({ "sky": "blue" })),
    );
    let ask = Ask::<Weather>::with(&json!({ "place": "Rome" }));
    let result = stage.run(stage.client.request(ask).send()).unwrap();
    assert_eq!(result, json!({ "sky": "blue" }));
    let ask = Ask::<Weather>::with(&json!("Rome"));
    let error = stage.run(stage.client.request(ask).send()).unwrap_err();
    assert!(error.to_string().contains("not a JSON object"), "{error}");
    stage.finish();
}

#[test]
fn ping_is_for_legacy_servers() {
    let stage = Stage::new(legacy().expects("ping").replies(json!({})).expects("ping"));
    stage.run(stage.client.ping()).unwrap();
    assert!(stage.run(stage.client.ping()).unwrap_err().is_timeout());
    stage.finish();
}

#[test]
fn everything_can_be_spawned() {
    fn moves<T: Send + 'static>(_: T) {}
    let stage = Stage::new(modern());
    let client = stage.client.clone();
    moves(async move { client.call::<Sum>("add", &Add { a: 1, b: 2 }).await });
    let ask = || stage.client.request(CallTool::new("add", ()));
    moves(ask().send());
    moves(ask().on_progress(|_| ()).output::<Sum>());
    let client = stage.client.clone();
    moves(async move {
        client.list_tools().await?;
        let mut listener = client.listen()?;
        listener.next(Duration::ZERO).await?;
        client.close().await;
        Ok::<_, Error>(())
    });
    let server: Arc<dyn Endpoint> = Arc::new(modern().into_endpoint());
    moves(Client::builder("tester", "1.0").connect_endpoint(server));
    stage.run(stage.client.close());
}

#[test]
fn a_server_that_asks_is_answered_at_once_and_goes_on() {
    let script = legacy()
        .expects("tools/call")
        .asks(
            "sampling/createMessage",
            json!({ "messages": [], "maxTokens": 1 }),
        )
        .expects_response(json!({ "id": 1, "error": { "code": -32601 } }))
        .replies(text("without"));
    let stage = Stage::new(script);
    let said: String = stage.run(stage.client.call("tool", &())).unwrap();
    assert_eq!(said, "without");
    stage.finish();
}
