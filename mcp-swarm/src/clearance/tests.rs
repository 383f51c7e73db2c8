//! Who is let in, in which of the two places the token may stand, and what a handler sees.

use std::sync::Mutex;

use bytes::Bytes;
use mcp_client::{CallTool, Client, ListTools};
use mcp_server::{Server, Tool};
use mcp_transport::clock::ManualClock;
use mcp_transport::http::{HeaderMap, HeaderValue};
use mcp_transport::{Endpoint, Exchange, Full, Notification, Request};
use mcp_types::{Era, RequestMeta};
use serde_json::{Value, json};

use super::*;
use crate::proto::forward::DELEGATION_KEY;
use crate::proto::token::{DELEGATION_HEADER, Entropy, Grant, Parked, Secret, mint};
use crate::store::MemoryStates;

const NOW: u64 = 1_785_196_800;

fn keys() -> KeyRing {
    Secret::new("0123456789abcdef0123456789abcdef")
        .unwrap()
        .into()
}

fn other_keys() -> KeyRing {
    Secret::new("fedcba9876543210fedcba9876543210")
        .unwrap()
        .into()
}

fn grant(scope: &str) -> Grant {
    Grant::new("triage", scope)
}

fn token(grant: Grant, keys: &KeyRing, at: u64) -> String {
    parked(grant, keys, at).0
}

fn parked(grant: Grant, keys: &KeyRing, at: u64) -> (String, Option<Parked>) {
    let minted = mint(grant, keys, at, &Entropy::new([1; 16], [2; 16])).unwrap();
    (minted.token.expose().to_owned(), minted.parked)
}

fn good() -> String {
    token(grant("finance"), &keys(), NOW)
}

/// Where a token stands.
#[derive(Clone, Default)]
struct Carried {
    headers: Vec<HeaderValue>,
    member: Option<Value>,
}

fn header(token: &str) -> Carried {
    Carried {
        headers: vec![token.parse().unwrap()],
        member: None,
    }
}

fn member(token: impl Into<Value>) -> Carried {
    Carried {
        headers: Vec::new(),
        member: Some(token.into()),
    }
}

/// Puts the token on each request of a connection.
struct Carrying(Carried, Arc<dyn Endpoint>);

impl Endpoint for Carrying {
    fn open(&self, mut request: Request) -> std::pin::Pin<Box<dyn Exchange>> {
        let mut headers = HeaderMap::new();
        headers.insert("x-other", HeaderValue::from_static("kept"));
        for value in &self.0.headers {
            headers.append(DELEGATION_HEADER, value.clone());
        }
        request.ext.insert(headers);
        if let Some(member) = &self.0.member {
            let mut members = request.meta.as_object().clone();
            members.set(DELEGATION_KEY, RawJson::from_serialize(member).unwrap());
            request.meta = RequestMeta::from(members);
            // As a wire brings it: in the parameters, too.
            let text = RawJson::from_serialize(&request.meta).unwrap();
            request.params = request.params.with("_meta", &text);
        }
        self.1.open(request)
    }

    fn notify(&self, notification: Notification) -> Result<(), Full> {
        self.1.notify(notification)
    }
}

/// What a handler saw of its call.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn tool(&self) -> Tool {
        let seen = self.0.clone();
        let service = move |call: Call| -> BoxFuture<Answer> {
            let cleared = call.ext.get::<Clearance>().unwrap();
            let text = format!(
                "{} {} {} | {:?} | {:?} {:?} {:?}",
                cleared.issuer,
                cleared.scope,
                cleared.state,
                call.headers(),
                call.meta,
                call.params,
                cleared
            );
            seen.lock().unwrap().push(text);
            Box::pin(std::future::ready(Answer::new(
                mcp_types::tool::CallToolResult::text("in"),
            )))
        };
        let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
        Tool::from_service(mcp_types::tool::Tool::new("do", schema), Arc::new(service))
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap().pop()
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new())
}

fn clearance() -> GatewayClearance {
    require_gateway_clearance("finance", keys()).clock(clock())
}

async fn client(server: &Server, era: Era, carried: Carried) -> Client {
    let endpoint = Arc::new(Carrying(carried, Arc::new(server.connect())));
    Client::builder("agent", "1.0")
        .pin(era)
        .clock(clock())
        .connect_endpoint(endpoint)
        .await
        .unwrap()
}

/// The code of a call, empty where it was let in, and of a listing.
async fn codes(server: &Server, era: Era, carried: Carried) -> (String, String) {
    let client = client(server, era, carried).await;
    let reply = client.request(CallTool::new("do", ())).send_raw().await;
    let reply: Value = reply.unwrap().result.decode().unwrap();
    let called = match reply["isError"].as_bool() {
        Some(true) => reply["structuredContent"]["code"]
            .as_str()
            .unwrap()
            .to_owned(),
        _ => String::new(),
    };
    let listed = match client.request(ListTools::new()).send_raw().await {
        Ok(_) => String::new(),
        Err(error) => {
            let error = error
                .failure()
                .and_then(|failure| failure.peer_error())
                .unwrap()
                .clone();
            assert_eq!(error.code, REFUSED);
            let data: Value = error.data.unwrap().decode().unwrap();
            assert_eq!(data["service"], "finance");
            data["code"].as_str().unwrap().to_owned()
        }
    };
    (called, listed)
}

#[tokio::test]
async fn each_token_gets_its_code_and_only_good_ones_reach_the_handler() {
    let seen = Seen::default();
    let server = Server::new("finance", "1.0")
        .tool(seen.tool())
        .layer(clearance());
    let (invalid, missing) = ("INVALID_DELEGATION_TOKEN", "MISSING_DELEGATION_TOKEN");
    let both = |one: &str, other: &str| Carried {
        member: Some(other.into()),
        ..header(one)
    };
    let twice = |token: &str| Carried {
        headers: vec![token.parse().unwrap(), token.parse().unwrap()],
        member: None,
    };
    let binary = Carried {
        headers: vec![HeaderValue::from_bytes(b"\xff").unwrap()],
        member: None,
    };
    let expired = token(grant("finance"), &keys(), NOW - 66);
    let foreign = token(grant("support"), &keys(), NOW);
    let forged = token(grant("finance"), &other_keys(), NOW);
    for (name, carried, expected) in [
        ("header", header(&good()), ""),
        ("member", member(good()), ""),
        ("both alike", both(&good(), &good()), ""),
        ("empty header", header(""), missing),
        ("none", Carried::default(), missing),
        ("empty member", member(""), missing),
        ("null member", member(Value::Null), missing),
        ("empty header, good member", both("", &good()), ""),
        ("number", member(7), invalid),
        ("both, different", both(&good(), &foreign), invalid),
        ("twice", twice(&good()), invalid),
        ("binary", binary, invalid),
        ("garbage", header("abc"), invalid),
        (
            "padded",
            member(format!(" {}", good())),
            "INVALID_SIGNATURE",
        ),
        ("expired", header(&expired), "EXPIRED_DELEGATION_TOKEN"),
        ("another's", header(&foreign), invalid),
        ("forged", header(&forged), "INVALID_SIGNATURE"),
    ] {
        for era in [Era::Modern, Era::Legacy] {
            let codes = codes(&server, era, carried.clone()).await;
            assert_eq!(
                (codes.0.as_str(), codes.1.as_str()),
                (expected, expected),
                "{name}"
            );
            assert_eq!(seen.take().is_some(), expected.is_empty(), "{name}");
        }
    }
}

#[tokio::test]
async fn a_handler_sees_the_clearance_and_no_token() {
    let seen = Seen::default();
    let server = Server::new("finance", "1.0")
        .tool(seen.tool())
        .layer(clearance());
    let state = RawJson::parse(r#"{"intent":"refund"}"#).unwrap();
    let state = serde_json::value::RawValue::from_string(state.to_string()).unwrap();
    let token = token(grant("finance").with_state(state), &keys(), NOW);
    for carried in [header(&token), member(token.clone())] {
        codes(&server, Era::Modern, carried).await;
        let saw = seen.take().unwrap();
        assert!(
            saw.starts_with(r#"triage finance {"intent":"refund"} |"#),
            "{saw}"
        );
        assert!(saw.contains("x-other"), "{saw}");
        let (_, rest) = saw.split_once('|').unwrap();
        assert!(
            !rest.contains(&token) && !rest.contains("delegation") && !rest.contains("refund"),
            "{saw}"
        );
    }
    codes(&server, Era::Modern, header(&good())).await;
    assert!(seen.take().unwrap().starts_with("triage finance {} |"));
}

#[tokio::test]
async fn b7_around_one_tool_it_guards_that_tool_and_runs_it() {
    let seen = Seen::default();
    let server = Server::new("finance", "1.0").tool(seen.tool().layer(clearance()));
    for era in [Era::Modern, Era::Legacy] {
        let refused = codes(&server, era, Carried::default()).await;
        assert_eq!(
            refused,
            ("MISSING_DELEGATION_TOKEN".to_owned(), String::new())
        );
        assert_eq!(seen.take(), None);
        assert_eq!(codes(&server, era, header(&good())).await.0, "");
        assert!(seen.take().is_some());
    }
}

#[tokio::test]
async fn around_server_and_tool_it_checks_once() {
    let seen = Seen::default();
    let tool = seen.tool().layer(clearance());
    let server = Server::new("finance", "1.0").tool(tool).layer(clearance());
    assert_eq!(codes(&server, Era::Modern, header(&good())).await.0, "");
    let tool = seen
        .tool()
        .layer(require_gateway_clearance("support", keys()).clock(clock()));
    let server = Server::new("finance", "1.0").tool(tool).layer(clearance());
    let other_scope = codes(&server, Era::Modern, header(&good())).await;
    assert_eq!(other_scope.0, "MISSING_DELEGATION_TOKEN");
}

#[tokio::test]
async fn large_state_is_taken_once() {
    let large = format!(r#"{{"x":"{}"}}"#, "y".repeat(3000));
    let state = serde_json::value::RawValue::from_string(large.clone()).unwrap();
    let (token, parked) = parked(grant("finance").with_state(state), &keys(), NOW);
    let parked = parked.unwrap();
    let store = Arc::new(MemoryStates::new(clock()));
    let bytes = Bytes::from(parked.state.get().to_owned());
    store.put(&parked.id, bytes, parked.ttl).await.unwrap();
    let seen = Seen::default();
    let server =
        Server::new("finance", "1.0").tool(seen.tool().layer(clearance().state_store(store)));
    assert_eq!(codes(&server, Era::Modern, header(&token)).await.0, "");
    assert!(seen.take().unwrap().contains(&large));
    assert_eq!(
        codes(&server, Era::Modern, header(&token)).await.0,
        "EXPIRED_DELEGATION_TOKEN"
    );
    let without = Server::new("finance", "1.0").tool(seen.tool().layer(clearance()));
    assert_eq!(
        codes(&without, Era::Modern, header(&token)).await.0,
        "INVALID_DELEGATION_TOKEN"
    );
}

#[tokio::test]
async fn the_policy_can_be_stricter() {
    let old = token(grant("finance"), &keys(), NOW - 62);
    for (clearance, token, expected) in [
        (clearance().audience("finance"), good(), ""),
        (
            clearance().audience("other"),
            good(),
            "INVALID_DELEGATION_TOKEN",
        ),
        (clearance().issuers(["triage"]), good(), ""),
        (
            clearance().issuers(["other"]),
            good(),
            "INVALID_DELEGATION_TOKEN",
        ),
        (
            clearance().max_ttl(Duration::from_secs(59)),
            good(),
            "INVALID_DELEGATION_TOKEN",
        ),
        (clearance(), old.clone(), ""),
        (
            clearance().leeway(Duration::ZERO),
            old,
            "EXPIRED_DELEGATION_TOKEN",
        ),
    ] {
        let said = format!("{clearance:?}");
        let server = Server::new("finance", "1.0")
            .tool(Seen::default().tool())
            .layer(clearance);
        assert_eq!(
            codes(&server, Era::Modern, header(&token)).await.0,
            expected,
            "{said}"
        );
        assert!(!said.contains("0123456789abcdef"), "{said}");
    }
}

#[tokio::test]
async fn a_handler_that_wants_a_clearance_is_not_called_without_one() {
    async fn wants(clearance: Clearance) -> String {
        clearance.scope
    }
    let server = Server::new("finance", "1.0").tool(Tool::new("do", wants));
    let called = codes(&server, Era::Modern, header(&good())).await.0;
    assert_eq!(called, "MISSING_DELEGATION_TOKEN");
    let server = Server::new("finance", "1.0")
        .tool(Tool::new("do", wants))
        .layer(clearance());
    let client = client(&server, Era::Modern, header(&good())).await;
    let said: String = client.call("do", &json!({})).await.unwrap();
    assert_eq!(said, "finance");
}
