//! What other libraries learnt about asking (reference server.md §5.1, and reports 29 and 31), as tests.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use mcp_server::{
    Answer, BoxFuture, Call, Context, InputPolicy, Server, Service, Tool, ToolError,
    types::{Outcome, tool::CallToolResult},
};
use serde_json::{Value, json};

use crate::asker::{ALL, Asker, accept};

fn yes(_: &str) -> Value {
    accept(&json!({"confirm": true}))
}

fn decline(_: &str) -> Value {
    json!({"action": "decline"})
}

/// Counts what a handler does, at two places.
#[derive(Clone, Default)]
struct Counts(Arc<[AtomicUsize; 3]>);

impl Counts {
    fn add(&self, at: usize) -> usize {
        self.0[at].fetch_add(1, Ordering::Relaxed)
    }

    fn all(&self) -> [usize; 3] {
        self.0
            .each_ref()
            .map(|count| count.swap(0, Ordering::Relaxed))
    }
}

/// Runs, pays in a step, asks twice, and does the rest.
fn payment(counts: &Counts) -> Tool {
    let counts = counts.clone();
    Tool::new("pay", move |cx: Context| {
        let counts = counts.clone();
        async move {
            counts.add(0);
            let charge = || async {
                counts.add(1);
                Ok::<_, ToolError>(counts.add(1))
            };
            let bill: usize = cx.step("charge", charge).await?;
            let (go, on) = (
                cx.confirm("go", "Go?").await?,
                cx.confirm("on", "Go on?").await?,
            );
            counts.add(2);
            Ok::<_, ToolError>(format!("{go} {on} {bill}"))
        }
    })
}

#[tokio::test]
async fn lesson1_r31_one_handler_asks_in_both_eras_and_its_step_runs_once() {
    let counts = Counts::default();
    let server = Server::new("s", "1").tool(payment(&counts));
    let [modern, legacy] = Asker::both(&server, yes).await;
    assert_eq!(modern.text("pay").await, "true true 1");
    // Three runs, one charge, one rest.
    assert_eq!(counts.all(), [3, 2, 1]);
    assert_eq!(legacy.text("pay").await, "true true 1");
    assert_eq!(counts.all(), [1, 2, 1]);
    for client in [modern, legacy] {
        assert_eq!(client.asked(), ["Go?", "Go on?"]);
    }
}

#[tokio::test]
async fn lesson2_r29_a_decline_is_an_answer_and_asked_once() {
    let cancel = |_: &str| json!({"action": "cancel"});
    for answers in [decline, cancel] {
        let server = Server::new("s", "1").tool(payment(&Counts::default()));
        for (client, bill) in Asker::both(&server, answers).await.iter().zip([1, 3]) {
            assert_eq!(client.text("pay").await, format!("false false {bill}"));
            assert_eq!(client.asked(), ["Go?", "Go on?"]);
        }
    }
}

#[tokio::test]
async fn lesson2_a_yes_is_an_accepted_yes_alone() {
    async fn ask(cx: Context) -> Result<String, ToolError> {
        Ok(cx.confirm("go", "Go?").await?.to_string())
    }
    let server = Server::new("s", "1").tool(Tool::new("ask", ask));
    for (content, expected) in [
        (
            json!({"action": "accept", "content": {"confirm": true}}),
            "true",
        ),
        (
            json!({"action": "accept", "content": {"confirm": false}}),
            "false",
        ),
        (
            json!({"action": "accept", "content": {"confirm": "true"}}),
            "false",
        ),
        (json!({"action": "accept", "content": {}}), "false"),
        (json!({"action": "accept"}), "false"),
        (
            json!({"action": "decline", "content": {"confirm": true}}),
            "false",
        ),
        (json!({"action": "cancel"}), "false"),
    ] {
        let answers = move |_: &str| content.clone();
        let modern = Asker::modern(&server, ALL, answers.clone());
        let legacy = Asker::legacy(&server, ALL, answers).await;
        for client in [modern, legacy] {
            assert_eq!(client.text("ask").await, expected);
            assert_eq!(client.asked(), ["Go?"]);
        }
    }
}

#[tokio::test]
async fn lesson4_a_handler_that_swallows_errors_still_asks() {
    async fn careless(cx: Context) -> String {
        let go = cx.confirm("go", "Go?").await.unwrap_or(false);
        let all = cx.confirm("all", "All?").await.is_ok_and(|all| all);
        format!("{go} {all}")
    }
    let server = Server::new("s", "1").tool(Tool::new("careless", careless));
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("careless").await, "true true");
    }
}

#[tokio::test]
async fn a_ready_result_stands_before_a_question() {
    async fn hasty(cx: Context) -> Result<String, ToolError> {
        tokio::select! {
            biased;
            go = cx.confirm("go", "Go?") => Ok(format!("{}", go?)),
            () = std::future::ready(()) => Ok("hasty".to_owned()),
        }
    }
    let server = Server::new("s", "1").tool(Tool::new("hasty", hasty));
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("hasty").await, "hasty");
        assert_eq!(client.asked(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_step_beside_a_question_ends_before_the_round_does() {
    let runs = Counts::default();
    let counts = runs.clone();
    let tool = Tool::new("both", move |cx: Context| {
        let counts = counts.clone();
        async move {
            let effect = || async {
                counts.add(0);
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
                counts.add(1);
                Ok::<_, ToolError>("done".to_owned())
            };
            let (go, effect) = tokio::join!(cx.confirm("go", "Go?"), cx.step("effect", effect));
            Ok::<_, ToolError>(format!("{} {}", go?, effect?))
        }
    });
    let server = Server::new("s", "1").tool(tool);
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("both").await, "true done");
        assert_eq!(runs.all(), [1, 1, 0]);
    }
}

#[tokio::test]
async fn a_step_that_fails_runs_again_and_one_that_two_want_runs_once() {
    let runs = Counts::default();
    let counts = runs.clone();
    let tool = Tool::new("steps", move |cx: Context| {
        let counts = counts.clone();
        async move {
            let fails = || async {
                match counts.add(0) {
                    0 => Err(ToolError::service_unavailable("not yet")),
                    tries => Ok(tries),
                }
            };
            let first = cx.step("fails", fails).await.is_err();
            let second: usize = cx.step("fails", fails).await?;
            let slow = || async {
                counts.add(1);
                tokio::task::yield_now().await;
                Ok::<_, ToolError>(5)
            };
            let (a, b) = tokio::join!(cx.step::<u8, _, _>("slow", slow), cx.step("slow", slow));
            Ok::<_, ToolError>(format!("{first} {second} {} {}", a?, b?))
        }
    });
    let server = Server::new("s", "1").tool(tool);
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("steps").await, "true 1 5 5");
        assert_eq!(runs.all(), [2, 1, 0]);
    }
}

/// Writes down what answers are.
fn scribe(
    log: &Arc<Mutex<Vec<&'static str>>>,
) -> impl Fn(Arc<dyn Service>) -> Arc<dyn Service> + use<> {
    let log = Arc::clone(log);
    move |inner| {
        let log = Arc::clone(&log);
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let (answer, log) = (inner.call(call), Arc::clone(&log));
            Box::pin(async move {
                let answer = answer.await;
                log.lock().unwrap().push(match &answer.outcome {
                    Ok(Outcome::InputRequired(_)) => "asks",
                    Ok(_) => "result",
                    Err(_) => "error",
                });
                answer
            })
        })
    }
}

#[tokio::test]
async fn layers_see_a_question_as_an_answer() {
    let (log, counts) = (Arc::default(), Counts::default());
    let service = |call: Call| -> BoxFuture<Answer> {
        let context = <Context as mcp_server::FromCall>::from_call(&call);
        Box::pin(async move {
            let cx = context.map_err(|answer| *answer).unwrap();
            let go = cx.confirm("go", "Go?").await.unwrap();
            Answer::new(CallToolResult::text(go.to_string()))
        })
    };
    let definition: mcp_types::tool::Tool =
        serde_json::from_value(json!({"name": "raw", "inputSchema": {"type": "object"}})).unwrap();
    let raw = Tool::from_service(definition, Arc::new(service));
    let server = Server::new("s", "1")
        .tool(payment(&counts).layer(scribe(&log)))
        .tool(raw.layer(scribe(&log)));
    let client = Asker::modern(&server, ALL, yes);
    client.text("pay").await;
    assert_eq!(*log.lock().unwrap(), ["asks", "asks", "result"]);
    log.lock().unwrap().clear();
    assert_eq!(client.text("raw").await, "true");
    assert_eq!(*log.lock().unwrap(), ["asks", "result"]);
    let legacy = Asker::legacy(&server, ALL, yes).await;
    log.lock().unwrap().clear();
    assert_eq!(legacy.text("raw").await, "true");
    assert_eq!(*log.lock().unwrap(), ["result"]);
}

#[tokio::test]
async fn a_layer_asks_as_a_handler_does() {
    let guard = |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let inner = Arc::clone(&inner);
            Box::pin(async move {
                let cx = <Context as mcp_server::FromCall>::from_call(&call).unwrap();
                match cx.confirm("really", "Really?").await {
                    Ok(true) => inner.call(call).await,
                    other => Answer::new(CallToolResult::text(format!("{other:?}"))),
                }
            })
        })
    };
    let server = Server::new("s", "1")
        .tool(payment(&Counts::default()))
        .layer(guard);
    for (client, bill) in Asker::both(&server, yes).await.iter().zip([1, 3]) {
        assert_eq!(client.text("pay").await, format!("true true {bill}"));
        assert_eq!(client.asked(), ["Really?", "Go?", "Go on?"]);
    }
}

#[tokio::test]
async fn a_replay_shows_effects_before_a_question_and_finds_what_changes() {
    let counts = Counts::default();
    let (runs, odd) = (counts.clone(), Counts::default());
    let server = Server::new("s", "1")
        .input(InputPolicy::default().with_replay_check(true))
        .tool(payment(&counts))
        .tool(Tool::new("odd", move |cx: Context| {
            let key = format!("key{}", odd.add(0));
            async move { Ok::<_, ToolError>(cx.confirm(&key, "Go?").await?.to_string()) }
        }));
    let client = Asker::modern(&server, ALL, yes);
    assert_eq!(client.text("pay").await, "true true 1");
    // Each of the two runs that ask was made twice; the step was not.
    assert_eq!(runs.all(), [5, 2, 1]);
    assert_eq!(client.error("odd").await.code.0, -32603);
    assert_eq!(client.asked(), ["Go?", "Go on?"]);
}

#[tokio::test]
async fn what_a_replay_says_is_said_once() {
    async fn talks(cx: Context) -> Result<String, ToolError> {
        let said = mcp_types::RawParams::parse(r#"{"said":true}"#).unwrap();
        cx.notify(mcp_transport::Notification::new(
            "notifications/message",
            said,
        ))
        .await;
        Ok(cx.confirm("go", "Go?").await?.to_string())
    }
    let server = Server::new("s", "1")
        .input(InputPolicy::default().with_replay_check(true))
        .tool(Tool::new("talks", talks));
    let client = Asker::modern(&server, ALL, yes);
    let (said, outcome) = client.peer.ask("tools/call", r#"{"name":"talks"}"#).await;
    assert_eq!(said.len(), 1);
    assert_eq!(outcome.unwrap()["resultType"], "input_required");
}
