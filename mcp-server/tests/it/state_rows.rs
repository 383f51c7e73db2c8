//! Rows C2 to C6 and C21 of the table of threats on a byte stream: what a peer may do over and over, and what it may
//! send that nobody asked for.

use mcp_server::{Context, Limits, Server, Tool, ToolError};
use serde_json::{Value, json};

use crate::{asker::accept, stream::Client};

/// A tool that asks `Go?`.
async fn confirm(cx: Context) -> Result<String, ToolError> {
    Ok(cx.confirm("go", "Go?").await?.to_string())
}

fn server() -> Server {
    Server::new("s", "1").tool(Tool::new("confirm", confirm))
}

async fn client(server: Server) -> Client {
    Client::with(server, json!({"elicitation": {}})).await
}

async fn answer(client: &mut Client, id: i64) {
    let result = accept(&json!({"confirm": true}));
    client
        .send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
        .await;
}

#[tokio::test]
async fn c2_a_cancellation_early_twice_late_or_of_nothing_changes_nothing_else() {
    let mut client = client(server()).await;
    for round in 1..=3 {
        client.cancel(7).await;
        client.ping(1).await;
        client.call(7, "confirm", "").await;
        assert_eq!(client.next().await["method"], "elicitation/create");
        client.cancel(7).await;
        client.cancel(7).await;
        // The question is taken back, and the call itself has no answer.
        assert_eq!(client.next().await["method"], "notifications/cancelled");
        client.ping(2).await;
        client.cancel(7).await;
        for id in [json!("7"), json!(null), json!(-1), json!({})] {
            let params = json!({"requestId": id});
            client
                .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
                .await;
        }
        client.ping(3).await;
        client.call(8, "confirm", "").await;
        let asked = client.next().await["id"].as_i64().unwrap();
        assert_eq!(asked, 2 * round);
        answer(&mut client, asked).await;
        assert_eq!(client.next().await["id"], 8);
        client.cancel(8).await;
    }
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn c3_answers_that_nobody_waits_for_are_dropped_and_never_answered() {
    let mut client = client(server()).await;
    client.call(7, "confirm", "").await;
    let asked = client.next().await["id"].as_i64().unwrap();
    let error = json!({"code": -32603, "message": "m"});
    for stray in [
        json!({"jsonrpc": "2.0", "id": 99, "result": {}}),
        json!({"jsonrpc": "2.0", "id": asked.to_string(), "result": {}}),
        json!({"jsonrpc": "2.0", "id": null, "error": error}),
        json!({"jsonrpc": "2.0", "error": error}),
        json!({"jsonrpc": "2.0", "id": 99, "error": error}),
    ] {
        client.send(stray).await;
    }
    client.ping(1).await;
    answer(&mut client, asked).await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "true");
    // The same answer once more is late.
    answer(&mut client, asked).await;
    client.ping(2).await;
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn c4_a_peer_that_answers_errors_with_garbage_hears_ten_and_no_more() {
    let mut client = client(server()).await;
    for _ in 0..50 {
        client.send(json!("garbage")).await;
    }
    for _ in 0..10 {
        let error = client.next().await;
        assert_eq!(
            (&error["id"], &error["error"]["code"]),
            (&Value::Null, &json!(-32600))
        );
    }
    // What has an id is still answered.
    client.ping(1).await;
    client
        .send(json!({"jsonrpc": "1.0", "id": 9, "method": "ping"}))
        .await;
    assert_eq!(client.next().await["id"], 9);
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn c6_a_flood_of_notifications_is_read_and_forgotten() {
    let mut client = client(server()).await;
    let params = json!({"progressToken": 1, "progress": 1, "message": "x".repeat(1000)});
    for _ in 0..10_000 {
        client
            .send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
            .await;
    }
    client.ping(1).await;
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn item_2_answers_to_questions_pass_a_full_queue() {
    let limits = Limits::default().with_running(1).with_queued(1);
    let mut client = client(server().limits(limits)).await;
    for id in 1..=3 {
        client.call(id, "confirm", "").await;
    }
    let asked = client.next().await["id"].as_i64().unwrap();
    let refused = client.next().await;
    assert_eq!(refused["error"]["data"]["code"], "at_capacity");
    assert_eq!(refused["id"], 3);
    answer(&mut client, asked).await;
    assert_eq!(client.next().await["id"], 1);
    // Now the one that waited runs.
    let asked = client.next().await["id"].as_i64().unwrap();
    answer(&mut client, asked).await;
    assert_eq!(client.next().await["id"], 2);
    assert_eq!(client.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn c21_64_calls_run_64_wait_and_the_next_is_refused() {
    let hang = Tool::new("hang", std::future::pending::<String>);
    let mut client = client(server().tool(hang)).await;
    for id in 1..=129 {
        client.call(id, "hang", "").await;
    }
    let refused = client.next().await;
    assert_eq!(refused["id"], 129);
    assert_eq!(
        refused["error"]["data"],
        json!({"code": "at_capacity", "retryAfter": 1})
    );
    client.cancel(1).await;
    client.call(130, "hang", "").await;
    client.ping(0).await;
}
