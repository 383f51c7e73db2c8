//! The deprecated HTTP+SSE transport from end to end, and streams that are taken up again.

use std::net::Ipv4Addr;

use mcp_client::Client;
use mcp_server::{
    Context, Server, Tool,
    http::{MemoryEventStore, SseStream},
};
use mcp_types::Era;
use serde_json::json;
use tokio::net::TcpListener;

use crate::{
    caller::{Caller, code, text},
    pipes::{adds, calculator},
    wait::soon,
};

/// Serves a server as `host` wants it, until the test's runtime ends; its address.
async fn serve(host: mcp_server::http::HttpHost) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    #[expect(clippy::disallowed_methods, reason = "the test's runtime owns it")]
    tokio::spawn(async move {
        let served = host.serve_on(listener, std::future::pending()).await;
        served.unwrap();
    });
    url
}

#[tokio::test]
async fn a_client_finds_the_stream_and_calls() {
    let url = serve(calculator().http().legacy_sse(true)).await;
    for path in ["/sse", "/mcp/sse"] {
        let connecting = Client::builder("caller", "1.0").connect(format!("{url}{path}"));
        let client = soon("connecting", connecting).await.unwrap();
        let caller = Caller::new(client);
        assert!(!caller.is_modern());
        soon("the calls", adds(&caller)).await;
        soon("the end", caller.client.close()).await;
    }
}

#[tokio::test]
async fn a_client_comes_back_to_a_stream_that_the_handler_closed() {
    async fn poll(cx: Context) -> String {
        match SseStream::of(&cx) {
            Some(stream) => {
                stream.close();
                "closed meanwhile".to_owned()
            }
            None => "no stream".to_owned(),
        }
    }
    let server = Server::new("test", "1.0").tool(Tool::new("poll", poll));
    let host = server.http().event_store(MemoryEventStore::new());
    let url = serve(host.sse_retry(std::time::Duration::from_millis(100))).await;
    let caller = Caller::at(&format!("{url}/mcp"), Era::Legacy).await;
    let result = soon("the call", caller.call("poll", json!({}))).await;
    assert_eq!(code(&result), None);
    assert_eq!(text(&result), "closed meanwhile");
}
