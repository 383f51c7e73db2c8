//! Questions to a legacy client, as they stand on a byte stream and in memory.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_server::{
    AskError, BoxFuture, Call, Context, InputPolicy, Server, Service, Tool, ToolError,
    input::BackChannel,
    types::{
        elicitation::{ElicitAction, ElicitResult},
        input::{InputRequest, InputResponse},
    },
};
use mcp_transport::{Clock as _, Event, clock::ManualClock};
use serde_json::{Value, json};

#[cfg(feature = "stdio")]
use crate::stream::Client;
use crate::{
    asker::{ALL, Asker, accept},
    peer::event,
};

type Heard = Arc<Mutex<Vec<Result<bool, AskError>>>>;

/// A tool that asks, and writes down what it hears.
fn server(heard: &Heard) -> Server {
    let heard = Arc::clone(heard);
    let confirm = move |cx: Context| {
        let heard = Arc::clone(&heard);
        async move {
            let answer = cx.confirm("go", "Go?").await;
            heard.lock().unwrap().push(answer.clone());
            Ok::<_, ToolError>(answer?.to_string())
        }
    };
    Server::new("s", "1").tool(Tool::new("confirm", confirm))
}

fn yes(_: &str) -> Value {
    accept(&json!({"confirm": true}))
}

#[cfg(feature = "stdio")]
fn all() -> Value {
    serde_json::from_str(ALL).unwrap()
}

#[cfg(feature = "stdio")]
fn asked(id: i64) -> Value {
    let schema = json!({"type": "object", "properties": {"confirm": {"type": "boolean", "title": "Confirm"}}, "required": ["confirm"]});
    let params = json!({"mode": "form", "message": "Go?", "requestedSchema": schema});
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params})
}

#[cfg(feature = "stdio")]
#[tokio::test]
async fn a_question_is_a_request_with_an_id_of_its_own() {
    let mut client = Client::with(server(&Heard::default()), all()).await;
    for id in 1..3 {
        client.call(7, "confirm", "").await;
        assert_eq!(client.next().await, asked(id));
        // What else the client wants goes on, and an answer to nothing changes nothing.
        client.ping(1).await;
        for other in [json!(99), json!("1"), Value::Null] {
            client
                .send(json!({"jsonrpc": "2.0", "id": other, "result": {}}))
                .await;
        }
        client.ping(2).await;
        client
            .send(json!({"jsonrpc": "2.0", "id": id, "result": yes("")}))
            .await;
        let answer = client.next().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!(7), &json!("true"))
        );
    }
    assert!(client.end().await.is_empty());
}

#[cfg(feature = "stdio")]
#[tokio::test]
async fn a_call_that_is_cancelled_takes_its_question_back() {
    let heard = Heard::default();
    let mut client = Client::with(server(&heard), all()).await;
    client.call(7, "confirm", "").await;
    assert_eq!(client.next().await, asked(1));
    client.cancel(7).await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(client.next().await, cancelled);
    // An answer that comes too late is no answer to the next question.
    client
        .send(json!({"jsonrpc": "2.0", "id": 1, "result": yes("")}))
        .await;
    client.call(8, "confirm", "").await;
    assert_eq!(client.next().await, asked(2));
    client
        .send(json!({"jsonrpc": "2.0", "id": 2, "result": {"action": "decline"}}))
        .await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "false");
    assert!(client.end().await.is_empty());
    assert_eq!(*heard.lock().unwrap(), [Ok(false)]);
}

#[cfg(feature = "stdio")]
#[tokio::test]
async fn a_client_that_goes_away_is_waited_for_no_longer() {
    let heard = Heard::default();
    let mut client = Client::with(server(&heard), all()).await;
    client.call(7, "confirm", "").await;
    assert_eq!(client.next().await, asked(1));
    let rest = client.end().await;
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::Cancelled)]);
    assert_eq!(rest[0]["result"]["isError"], true);
}

#[cfg(feature = "stdio")]
#[tokio::test]
async fn questions_of_one_session_have_a_cap() {
    let tool = Tool::new("many", async |cx: Context| {
        let keys: Vec<_> = (0..64).map(|number| format!("key{number}")).collect();
        let mut asks: Vec<_> = keys
            .iter()
            .map(|key| Box::pin(cx.confirm(key, "Go?")))
            .collect();
        std::future::poll_fn(|task| {
            for ask in &mut asks {
                if let std::task::Poll::Ready(answer) = ask.as_mut().poll(task) {
                    return std::task::Poll::Ready(format!("{answer:?}"));
                }
            }
            std::task::Poll::Pending
        })
        .await
    });
    let heard = Heard::default();
    let mut client = Client::with(server(&heard).tool(tool), all()).await;
    client.call(1, "many", "").await;
    for id in 1..=64 {
        assert_eq!(client.next().await["id"], id);
    }
    client.call(2, "confirm", "").await;
    assert_eq!(client.next().await["result"]["isError"], true);
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::Full { limit: 64 })]);
    client
        .send(json!({"jsonrpc": "2.0", "id": 3, "result": {"action": "decline"}}))
        .await;
    let answer = loop {
        let message = client.next().await;
        if message["method"] != "notifications/cancelled" {
            break message;
        }
    };
    assert_eq!(answer["result"]["content"][0]["text"], "Ok(false)");
}

#[tokio::test]
async fn a_question_has_a_deadline() {
    let (heard, clock) = (Heard::default(), ManualClock::new());
    let policy = InputPolicy::default().with_ask_time(Duration::from_secs(5));
    let server = server(&heard).input(policy).clock(Arc::new(clock.clone()));
    let client = Asker::legacy(&server, ALL, yes).await;
    let mut exchange = client.peer.open("tools/call", r#"{"name":"confirm"}"#);
    let Event::Ask(ask, reply) = event(&mut exchange).await else {
        panic!("nothing is asked");
    };
    assert_eq!(
        clock.next_deadline(),
        Some(clock.now() + Duration::from_secs(5))
    );
    clock.advance(Duration::from_secs(5));
    let Event::Notification(cancelled) = event(&mut exchange).await else {
        panic!("the question stands");
    };
    let id: Value = cancelled
        .params
        .decode_member("requestId")
        .unwrap()
        .unwrap();
    assert_eq!(
        (cancelled.method.as_str(), id),
        ("notifications/cancelled", json!(ask.id))
    );
    let Event::Outcome(Ok(_)) = event(&mut exchange).await else {
        panic!("the handler waits");
    };
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::TimedOut)]);
    drop(reply);
}

#[tokio::test]
async fn a_call_that_is_dropped_takes_its_question_back() {
    let heard = Heard::default();
    let client = Asker::legacy(&server(&heard), ALL, yes).await;
    let mut listening = client.peer.open("subscriptions/listen", "{}");
    let mut exchange = client.peer.open("tools/call", r#"{"name":"confirm"}"#);
    let Event::Ask(ask, _reply) = event(&mut exchange).await else {
        panic!("nothing is asked");
    };
    drop(exchange);
    let Event::Notification(cancelled) = event(&mut listening).await else {
        panic!("the question stands");
    };
    let id: Value = cancelled
        .params
        .decode_member("requestId")
        .unwrap()
        .unwrap();
    assert_eq!(
        (cancelled.method.as_str(), id),
        ("notifications/cancelled", json!(ask.id))
    );
    assert!(heard.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_connection_that_is_dropped_is_asked_no_more() {
    let heard = Heard::default();
    let client = Asker::legacy(&server(&heard), ALL, yes).await;
    let mut exchange = client.peer.open("tools/call", r#"{"name":"confirm"}"#);
    let Event::Ask(_, reply) = event(&mut exchange).await else {
        panic!("nothing is asked");
    };
    drop(client);
    assert!(matches!(event(&mut exchange).await, Event::Outcome(Ok(_))));
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::Cancelled)]);
    // Whoever answers now answers nobody.
    reply.answer(Ok(mcp_server::types::RawJson::null()));
}

#[tokio::test]
async fn r28_a_host_that_cannot_ask_says_so_at_once() {
    let heard = Heard::default();
    let client = Asker::legacy(&server(&heard), ALL, yes).await;
    let mut exchange = client.peer.open("tools/call", r#"{"name":"confirm"}"#);
    let asked = event(&mut exchange).await;
    assert!(matches!(asked, Event::Ask(..)));
    drop(asked);
    assert!(matches!(event(&mut exchange).await, Event::Outcome(Ok(_))));
    assert_eq!(*heard.lock().unwrap(), [Err(AskError::NoBackChannel)]);
}

#[tokio::test]
async fn a_client_may_refuse_to_answer() {
    let heard = Heard::default();
    let refuse = |_: &str| json!({"error": {"code": -1, "message": "User rejected"}});
    let client = Asker::legacy(&server(&heard), ALL, refuse).await;
    let result = client.call("confirm", &json!({})).await.unwrap();
    assert_eq!(result["isError"], true);
    let text = &result["content"][0]["text"];
    assert_eq!(text, "the client refused to answer: User rejected");
    assert!(
        matches!(&heard.lock().unwrap()[0], Err(AskError::Refused(error)) if error.code.0 == -1)
    );
}

#[tokio::test]
async fn one_question_that_two_ask_is_asked_once() {
    let tool = Tool::new("two", async |cx: Context| {
        let (a, b) = tokio::join!(cx.confirm("go", "Go?"), cx.confirm("go", "Go?"));
        format!("{a:?} {b:?} {:?}", cx.confirm("go", "Go?").await)
    });
    let server = Server::new("s", "1").tool(tool);
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("two").await, "Ok(true) Ok(true) Ok(true)");
        assert_eq!(client.asked(), ["Go?"]);
    }
}

#[tokio::test]
async fn an_address_has_a_name_where_it_must() {
    async fn sign_in(cx: Context) -> Result<String, ToolError> {
        let went = cx
            .elicit_url("in", "Sign in", "https://example.com")
            .await?;
        Ok(format!("{went:?}"))
    }
    let server = Server::new("s", "1").tool(Tool::new("sign_in", sign_in));
    let client = Asker::legacy(&server, ALL, yes).await;
    let mut exchange = client.peer.open("tools/call", r#"{"name":"sign_in"}"#);
    let Event::Ask(ask, _reply) = event(&mut exchange).await else {
        panic!("nothing is asked");
    };
    let params: Value = ask.params.decode().unwrap();
    assert_eq!(params["mode"], "url");
    assert!(params["elicitationId"].is_string());
}

/// Declines whatever it is asked.
struct Declines(Arc<Mutex<Vec<String>>>);

impl BackChannel for Declines {
    fn ask(&self, key: &str, _: InputRequest) -> BoxFuture<Result<InputResponse, AskError>> {
        self.0.lock().unwrap().push(key.to_owned());
        Box::pin(async { Ok(ElicitResult::new(ElicitAction::Decline).into()) })
    }
}

#[tokio::test]
async fn a_layer_may_bring_a_way_to_ask() {
    let (heard, keys) = (Heard::default(), Arc::default());
    let asked = Arc::clone(&keys);
    let layer = move |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        let keys = Arc::clone(&asked);
        Arc::new(move |call: Call| {
            inner.call(call.with_back_channel(Arc::new(Declines(Arc::clone(&keys)))))
        })
    };
    let server = server(&heard).layer(layer);
    for client in Asker::both(&server, yes).await {
        assert_eq!(client.text("confirm").await, "false");
        assert_eq!(client.asked(), Vec::<String>::new());
    }
    assert_eq!(*keys.lock().unwrap(), ["go", "go"]);
}
