//! Tasks on a real socket: statuses, and headers that say which task.

use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Client, Received, http, meta};
use crate::{Server, Tool, task::TasksPolicy, types::tool::TaskSupport};

/// Sends one modern request of a client that declares the extension or not.
async fn ask(
    address: std::net::SocketAddr,
    declares: bool,
    (method, name): (&str, Option<&str>),
    mut params: Value,
) -> Received {
    let mut meta = meta();
    if declares {
        meta["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    }
    params["_meta"] = meta;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut headers = vec![
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = http("POST", &headers, &body);
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes())
        .await
        .unwrap();
    let read = Vec::new();
    Client { stream, read }.answer().await
}

#[tokio::test]
async fn r4_1_http_routing_and_statuses_report_33() {
    let endless = Tool::new("endless", || async {
        std::future::pending::<()>().await;
        "never"
    });
    let server = Server::new("test", "1.0")
        .tasks(TasksPolicy::default())
        .tool(endless.tasks(TaskSupport::Required));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let host = server.http();
    let serving = host.serve_on(listener, std::future::pending());
    let asking = async {
        let call = ("tools/call", Some("endless"));
        let params = json!({"name": "endless"});
        let refused = ask(address, false, call, params.clone()).await;
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (400, &json!(-32021))
        );
        let created = ask(address, true, call, params).await;
        assert_eq!(created.status, 200);
        let id = created.json()["result"]["taskId"].clone();
        let id = id.as_str().unwrap();
        let of_task = || json!({"taskId": id, "inputResponses": {}});
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let check = async |declares: bool, name: Option<&str>, expected: (u16, Value)| {
                let answer = ask(address, declares, (method, name), of_task()).await;
                let code = answer.json()["error"]["code"].clone();
                assert_eq!(
                    (answer.status, code),
                    expected,
                    "{method} {declares} {name:?}"
                );
            };
            check(true, Some("another"), (400, json!(-32020))).await;
            check(true, None, (400, json!(-32020))).await;
            check(false, Some(id), (400, json!(-32021))).await;
            check(true, Some(id), (200, Value::Null)).await;
        }
        for method in ["tasks/result", "tasks/list"] {
            let answer = ask(address, true, (method, None), of_task()).await;
            let code = answer.json()["error"]["code"].clone();
            assert_eq!((answer.status, code), (404, json!(-32601)), "{method}");
        }
    };
    tokio::select! {
        () = asking => {}
        served = serving => panic!("it ended: {served:?}"),
    }
}
