//! What handlers take from a call beside its arguments.

use std::sync::Arc;

use mcp_server::{
    Answer, BoxFuture, Call, ClientInfo, Extension, FromCall, Header, Principal, Prompt, Server,
    Service, Tool, ToolError, extract::FromHeader,
};
use serde_json::json;

use crate::peer::Peer;

struct Tenant(u32);

impl FromHeader for Tenant {
    const NAME: &'static str = "x-tenant";
    type Error = std::num::ParseIntError;

    fn from_header(value: &str) -> Result<Self, Self::Error> {
        value.parse().map(Self)
    }
}

async fn tenant(Header(Tenant(id)): Header<Tenant>) -> String {
    format!("tenant {id}")
}

async fn maybe(tenant: Option<Header<Tenant>>) -> String {
    tenant.map_or_else(|| "nobody".to_owned(), |Header(Tenant(id))| id.to_string())
}

async fn who(ClientInfo(client): ClientInfo, principal: Option<Principal>) -> String {
    let principal = principal.map_or_else(|| "nobody".into(), |principal| principal.0);
    format!("{} for {principal}", client.name)
}

async fn mine(Principal(name): Principal) -> String {
    name.to_string()
}

async fn plan(plan: Option<Extension<u8>>, Extension(size): Extension<u16>) -> String {
    format!("{:?} {size}", plan.map(|Extension(plan)| plan))
}

/// Puts `value` into the calls of one tool, or of a server.
fn puts<T: Clone + Send + Sync + 'static>(
    value: T,
) -> impl Fn(Arc<dyn Service>) -> Arc<dyn Service> {
    move |inner| {
        let value = value.clone();
        Arc::new(move |mut call: Call| -> BoxFuture<Answer> {
            call.ext.insert(value.clone());
            inner.call(call)
        })
    }
}

fn server() -> Server {
    Server::new("s", "1")
        .tool(Tool::new("tenant", tenant))
        .tool(Tool::new("maybe", maybe))
        .tool(Tool::new("who", who))
        .tool(Tool::new("mine", mine).layer(puts(Principal("ada".into()))))
        .tool(Tool::new("theirs", mine))
        .tool(Tool::new("plan", plan).layer(puts(7_u8)).layer(puts(9_u16)))
        .tool(Tool::new("planless", plan).layer(puts(9_u16)))
        .prompt(Prompt::new("tenant", tenant))
}

async fn text(peer: &Peer, tool: &str) -> String {
    let result = peer.call(tool, "{}").await;
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_header_is_read_by_its_name_as_a_type() {
    let peer =
        |headers: &[(&'static str, &'static str)]| Peer::modern(&server()).with_headers(headers);
    let check = async |peer: Peer, tenant: &str, maybe: &str| {
        assert_eq!(text(&peer, "tenant").await, tenant);
        assert_eq!(text(&peer, "maybe").await, maybe);
    };
    check(peer(&[("x-tenant", "7")]), "tenant 7", "7").await;
    check(peer(&[]), "header `x-tenant` is missing", "nobody").await;
    check(
        Peer::modern(&server()),
        "header `x-tenant` is missing",
        "nobody",
    )
    .await;
    let wrong = "header `x-tenant`: invalid digit found in string";
    check(peer(&[("x-tenant", "x")]), wrong, wrong).await;
    let result = peer(&[]).call("tenant", "{}").await;
    assert_eq!(
        result["structuredContent"],
        json!({"service": "tenant", "code": "bad_request", "status": 400, "error": "header `x-tenant` is missing"})
    );
    // What is no tool fails with an error.
    let error = peer(&[]).error("prompts/get", r#"{"name":"tenant"}"#).await;
    assert_eq!(
        (error.code.0, &*error.message),
        (-32602, "header `x-tenant` is missing")
    );
}

#[tokio::test]
async fn who_asks_is_what_the_client_says_and_on_whose_behalf_what_a_layer_says() {
    let check = async |server: &Server, expected: &str| {
        for (revision, peer) in Peer::of_each_revision(server).await {
            let result = peer.call("who", "{}").await;
            let said = match revision {
                mcp_server::types::Revision::V2024_10_07 => &result["toolResult"],
                _ => &result["content"],
            };
            assert_eq!(said[0]["text"], expected, "{revision}");
        }
    };
    check(&server(), "peer for nobody").await;
    check(
        &server().layer(puts(Principal("bob".into()))),
        "peer for bob",
    )
    .await;
    let peer = Peer::modern(&server());
    assert_eq!(text(&peer, "mine").await, "ada");
    let refused = peer.call("theirs", "{}").await;
    assert_eq!(refused["structuredContent"]["code"], "auth_failed");
    let nameless =
        Peer::modern(&server()).with_meta("io.modelcontextprotocol/clientInfo", &json!(null));
    let refused = nameless.call("who", "{}").await;
    assert_eq!(refused["structuredContent"]["code"], "bad_request");
}

#[tokio::test]
async fn an_extension_may_be_missing_if_the_handler_says_so() {
    let peer = Peer::modern(&server());
    assert_eq!(text(&peer, "plan").await, "Some(7) 9");
    assert_eq!(text(&peer, "planless").await, "None 9");
}

#[tokio::test]
async fn an_extractor_of_ones_own_may_refuse_the_call() {
    struct Admin;
    impl FromCall for Admin {
        fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
            match call.ext.get::<Principal>() {
                Some(principal) if &*principal.0 == "root" => Ok(Self),
                _ => Err(Box::new(ToolError::forbidden("only root may").into())),
            }
        }
    }
    async fn wipe(_: Admin) -> &'static str {
        "wiped"
    }
    let tool = || Tool::new("wipe", wipe);
    let refused = Peer::modern(&Server::new("s", "1").tool(tool()))
        .call("wipe", "{}")
        .await;
    assert_eq!(refused["structuredContent"]["code"], "forbidden");
    assert_eq!(refused["structuredContent"]["service"], "wipe");
    let server = Server::new("s", "1")
        .tool(tool())
        .layer(puts(Principal("root".into())));
    assert_eq!(text(&Peer::modern(&server), "wipe").await, "wiped");
}
