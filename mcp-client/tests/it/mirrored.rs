//! client.md 4.4: arguments that a modern server wants mirrored into headers.

use std::{
    io::Write,
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use mcp_client::{CallTool, Client, ErrorKind, ListTools};
use mcp_errors::{Executed, FailureKind};
use serde_json::{Value, json};

use super::{discover, http::read, text};

/// A modern server whose tool `echo` wants the header that its newest list names.
struct Server {
    url: String,
    /// What the calls and lists were, and which `Mcp-Param-*` headers they had.
    seen: Arc<Mutex<Vec<String>>>,
    /// The schema of `echo`.
    schema: Arc<Mutex<Value>>,
    /// The header that a call must have.
    wants: Arc<Mutex<Option<String>>>,
}

impl Server {
    fn start(schema: Value, wants: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            url: format!("http://{}/mcp", listener.local_addr().unwrap()),
            seen: Arc::default(),
            schema: Arc::new(Mutex::new(schema)),
            wants: Arc::new(Mutex::new(wants.map(str::to_owned))),
        };
        let (seen, schema, wants) = (
            Arc::clone(&server.seen),
            Arc::clone(&server.schema),
            Arc::clone(&server.wants),
        );
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's process")]
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let (line, answer) = answer(&connection, &schema, &wants);
                seen.lock().unwrap().push(line);
                connection.write_all(answer.as_bytes()).unwrap();
            }
        });
        server
    }

    async fn connect(&self) -> Client {
        let builder = Client::builder("tester", "1.0");
        let client = builder.connect(&self.url).await.unwrap();
        self.seen.lock().unwrap().clear();
        client
    }

    #[track_caller]
    fn saw(&self, expected: &[&str]) {
        assert_eq!(*self.seen.lock().unwrap(), expected);
    }
}

fn answer(
    connection: &TcpStream,
    schema: &Mutex<Value>,
    wants: &Mutex<Option<String>>,
) -> (String, String) {
    let (head, body) = read(connection);
    let message: Value = serde_json::from_slice(&body).unwrap();
    let mut params: Vec<_> = head
        .lines()
        .filter(|line| line.starts_with("mcp-param-"))
        .collect();
    params.sort_unstable();
    let method = message["method"].as_str().unwrap();
    let line = format!("{method} {}", params.join(", "));
    let wanted = wants.lock().unwrap().clone();
    let (status, outcome) = match method {
        "server/discover" => (200, json!({ "result": discover() })),
        "tools/list" => {
            let schema = schema.lock().unwrap().clone();
            let tools = json!([
                { "name": "echo", "inputSchema": schema },
                { "name": "bad", "inputSchema": { "x-mcp-header": "Root" } },
            ]);
            (
                200,
                json!({ "result": { "resultType": "complete", "tools": tools } }),
            )
        }
        _ if wanted.is_none_or(|wanted| params.iter().any(|it| it.starts_with(&*wanted))) => {
            (200, json!({ "result": text("hi") }))
        }
        _ => {
            let error = json!({ "code": -32020, "message": "Header mismatch" });
            (400, json!({ "error": error }))
        }
    };
    let mut answer = outcome;
    answer["jsonrpc"] = json!("2.0");
    answer["id"] = message["id"].clone();
    let body = answer.to_string();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close");
    (
        line,
        format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()),
    )
}

fn marked(header: &str) -> Value {
    json!({ "type": "object", "properties": {
        "text": { "type": "string", "x-mcp-header": header },
        "n": { "type": "integer", "x-mcp-header": "N" },
    } })
}

#[tokio::test]
async fn a_call_mirrors_what_the_list_marked_and_a_tool_with_bad_marks_is_set_aside() {
    let server = Server::start(marked("Text"), None);
    let client = server.connect().await;
    // Nothing is known of the tool yet.
    let _: String = client.call("echo", &json!({ "text": "a" })).await.unwrap();
    let list = client.list_tools().await.unwrap();
    assert_eq!(list.names().collect::<Vec<_>>(), ["echo"]);
    assert_eq!(list.skipped[0].name.as_deref(), Some("bad"));
    for args in [
        json!({ "text": "a\u{e9}", "n": 5 }),
        json!({ "text": " x", "n": null }),
        json!({}),
    ] {
        let _: String = client.call("echo", &args).await.unwrap();
    }
    let _: String = client.call("other", &json!({ "text": "a" })).await.unwrap();
    server.saw(&[
        "tools/call ",
        "tools/list ",
        "tools/call mcp-param-n: 5, mcp-param-text: =?base64?YcOp?=",
        "tools/call mcp-param-text: =?base64?IHg=?=",
        "tools/call ",
        "tools/call ",
    ]);
}

#[tokio::test]
async fn a_page_that_was_asked_for_by_hand_counts_too() {
    let server = Server::start(marked("Text"), None);
    let client = server.connect().await;
    client.request(ListTools::new()).send_raw().await.unwrap();
    let ask = CallTool::new("echo", json!({ "text": "a" }));
    // What a caller set by hand gives way to what the body says.
    let call = client.request(ask).header("mcp-param-text", "forged");
    call.send().await.unwrap();
    server.saw(&["tools/list ", "tools/call mcp-param-text: a"]);
}

#[tokio::test]
async fn an_argument_that_no_header_can_hold_fails_the_call_unsent() {
    let server = Server::start(marked("Text"), None);
    let client = server.connect().await;
    client.list_tools().await.unwrap();
    let error = client
        .call_raw("echo", &json!({ "n": 1.5 }))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failure(FailureKind::Invalid));
    assert_eq!(error.executed(), Executed::No);
    assert!(error.to_string().contains("\"N\""), "{error}");
    server.saw(&["tools/list "]);
}

#[tokio::test]
async fn row_47_headers_that_are_out_of_date_cost_one_list_and_one_more_call() {
    let server = Server::start(marked("Text"), Some("mcp-param-text"));
    let client = server.connect().await;
    client.list_tools().await.unwrap();
    *server.schema.lock().unwrap() = marked("Words");
    *server.wants.lock().unwrap() = Some("mcp-param-words".to_owned());
    let said: String = client.call("echo", &json!({ "text": "a" })).await.unwrap();
    assert_eq!(said, "hi");
    server.saw(&[
        "tools/list ",
        "tools/call mcp-param-text: a",
        "tools/list ",
        "tools/call mcp-param-words: a",
    ]);
}

#[tokio::test]
async fn a_tool_that_was_never_listed_is_listed_when_its_headers_are_missed() {
    let server = Server::start(marked("Text"), Some("mcp-param-text"));
    let client = server.connect().await;
    let said: String = client.call("echo", &json!({ "text": "a" })).await.unwrap();
    assert_eq!(said, "hi");
    server.saw(&["tools/call ", "tools/list ", "tools/call mcp-param-text: a"]);
}

#[tokio::test]
async fn a_mismatch_that_the_list_does_not_explain_is_final() {
    let server = Server::start(marked("Text"), Some("mcp-param-other"));
    let client = server.connect().await;
    client.list_tools().await.unwrap();
    let error = client
        .call_raw("echo", &json!({ "text": "a" }))
        .await
        .unwrap_err();
    assert_eq!(
        error.failure().unwrap().peer_error().unwrap().code.0,
        -32020
    );
    assert_eq!(error.executed(), Executed::No);
    server.saw(&["tools/list ", "tools/call mcp-param-text: a", "tools/list "]);
}

#[tokio::test]
async fn a_second_mismatch_is_final_too() {
    let server = Server::start(marked("Text"), Some("mcp-param-other"));
    let client = server.connect().await;
    let error = client
        .call_raw("echo", &json!({ "text": "a" }))
        .await
        .unwrap_err();
    assert_eq!(
        error.failure().unwrap().peer_error().unwrap().code.0,
        -32020
    );
    server.saw(&["tools/call ", "tools/list ", "tools/call mcp-param-text: a"]);
}
