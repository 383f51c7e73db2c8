//! What a specialist lets in, over HTTP and in both eras.

use std::{
    sync::{Arc, Mutex},
    time::UNIX_EPOCH,
};

use mcp_server::{Answer, BoxFuture, Call, Layer, Service};
use mcp_swarm::{
    KeyRing, Secret,
    proto::token::{DELEGATION_HEADER, Entropy, Grant, Token, mint},
};
use mcp_transport::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use crate::{
    caller::{Caller, ERAS, code, text},
    house::{House, finance, secret, serve, unwatched},
    wait::soon,
};

fn now() -> u64 {
    let since = SystemClock.wall().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

fn another_secret() -> Secret {
    Secret::new("a secret of the same length that is another").unwrap()
}

fn token(scope: &str, secret: Secret, at: u64) -> Token {
    let grant = Grant::new("triage", scope);
    let entropy = Entropy::new([1; 16], [2; 16]);
    mint(grant, &KeyRing::from(secret), at, &entropy)
        .unwrap()
        .token
}

/// Calls finance past the gateway, in both eras, with this token.
async fn check(token: Option<&Token>, expected: Option<&str>) {
    for era in ERAS {
        let seen = unwatched();
        let server = serve(finance(secret(), &seen)).await;
        let caller = Caller::at(&server.url, era).await;
        let mut call = caller.request("status", json!({"invoice": "42"}));
        if let Some(token) = token {
            call = call.header(DELEGATION_HEADER, token.expose());
        }
        let result = soon("status", call.send()).await.unwrap();
        assert_eq!(code(&result).as_deref(), expected, "{era:?}");
        // Only what is let in reaches the handler.
        assert_eq!(seen.states().len(), usize::from(expected.is_none()));
        let said = text(&result);
        if let Some(token) = token {
            assert!(!said.contains(token.expose()));
        }
    }
}

#[tokio::test]
async fn a_token_of_the_gateway_is_let_in() {
    check(Some(&token("finance", secret(), now())), None).await;
}

#[tokio::test]
async fn no_token_is_refused() {
    check(None, Some("MISSING_DELEGATION_TOKEN")).await;
}

#[tokio::test]
async fn another_secret_is_refused() {
    let forged = token("finance", another_secret(), now());
    check(Some(&forged), Some("INVALID_SIGNATURE")).await;
}

#[tokio::test]
async fn another_specialists_scope_is_refused() {
    let theirs = token("support", secret(), now());
    check(Some(&theirs), Some("INVALID_DELEGATION_TOKEN")).await;
}

#[tokio::test]
async fn an_old_token_is_refused() {
    let old = token("finance", secret(), now() - 600);
    check(Some(&old), Some("EXPIRED_DELEGATION_TOKEN")).await;
}

#[tokio::test]
async fn a_gateway_with_another_secret_cannot_hand_over() {
    for era in ERAS {
        let refusals = Refusals::default();
        let specialist = finance(another_secret(), &unwatched()).layer(refusals.clone());
        let specialist = serve(specialist).await;
        let house = House::only_finance(&specialist.url, |builder| builder);
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        let routed = caller.route("finance").await;
        assert_eq!(
            code(&routed).as_deref(),
            Some("HANDOFF_UPSTREAM_PROTOCOL_ERROR"),
            "{era:?}"
        );
        assert_eq!(refusals.codes(), ["INVALID_SIGNATURE"]);
        assert_eq!(house.gateway.session_count(), 0);
        let names = caller.names().await;
        assert_eq!(names.first().map(String::as_str), Some("route"));
    }
}

/// The codes that a specialist's requests were refused with, its tools aside.
#[derive(Clone, Default)]
struct Refusals(Arc<Mutex<Vec<String>>>);

impl Refusals {
    fn codes(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Layer for Refusals {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        let refusals = self.clone();
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let (refusals, answering) = (refusals.clone(), inner.call(call));
            Box::pin(async move {
                let answer = answering.await;
                if let Err(error) = &answer.outcome {
                    let data: Value = error.data.as_ref().unwrap().decode().unwrap();
                    let code = data["code"].as_str().unwrap().to_owned();
                    refusals.0.lock().unwrap().push(code);
                }
                answer
            })
        })
    }
}
