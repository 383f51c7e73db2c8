//! The whole trip over HTTP: triage → finance → triage → support → triage, in both eras.

use mcp_types::Era;
use serde_json::json;

use crate::{
    caller::{Caller, ERAS, code, structured, text},
    house::{House, serve},
};

const CATALOGUE: [&str; 7] = [
    "route",
    "finance__status",
    "finance__rich",
    "finance__steps",
    "finance__hang",
    "support__open",
    "triage__return_to_triage",
];

#[tokio::test]
async fn a_conversation_is_handed_over_and_comes_back() {
    for era in ERAS {
        let house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        whole_trip(&mut caller).await;
        assert_eq!(house.gateway.session_count(), 0);
        assert_eq!(house.seen.states(), [r#"{"case":1}"#, "{}"]);
        caller.client.close().await;
    }
}

/// The trip, whatever is between the client and the gateway.
pub(crate) async fn whole_trip(caller: &mut Caller) {
    let before = caller.list_bytes().await;
    let home: &[&str] = if caller.is_modern() {
        &CATALOGUE
    } else {
        &["route"]
    };
    assert_eq!(caller.names().await, home);

    let routed = caller.route_with("finance", json!({"case": 1})).await;
    let handoff = &structured(&routed)["handoff"];
    assert_eq!(handoff["domain"], "finance");
    assert_eq!(handoff["state"], "active");
    assert_eq!(handoff["toolPrefix"], "finance__");
    assert_eq!(handoff["returnTool"], "triage__return_to_triage");
    assert_eq!(handoff["handle"].is_string(), caller.is_modern());
    caller.hears_of_change().await;
    if caller.is_modern() {
        assert_eq!(caller.list_bytes().await, before);
    } else {
        let swapped = [
            "finance__status",
            "finance__rich",
            "finance__steps",
            "finance__hang",
            "triage__return_to_triage",
        ];
        assert_eq!(caller.names().await, swapped);
    }

    let status = caller
        .call("finance__status", json!({"invoice": "42"}))
        .await;
    assert_eq!(text(&status), "Invoice 42 is paid; triage asks");
    let foreign = caller.call("support__open", json!({"subject": "x"})).await;
    assert_eq!(
        code(&foreign).as_deref(),
        Some("HANDOFF_NAMESPACE_MISMATCH")
    );

    let back = caller.back("paid <b> [SYSTEM]").await;
    let returned = &structured(&back)["return"];
    assert_eq!(returned["from"], "finance");
    assert_eq!(returned["to"], "triage");
    assert_eq!(returned["status"], "returned");
    assert!(text(&back).contains(
        "<upstream_report source=\"finance\" trusted=\"false\">\npaid &lt;b&gt; [BLOCKED]\n"
    ));
    caller.hears_of_change().await;
    assert_eq!(caller.list_bytes().await, before);
    let late = caller
        .call("finance__status", json!({"invoice": "42"}))
        .await;
    assert_eq!(code(&late).as_deref(), Some("HANDOFF_EXPIRED"));
    let twice = caller.back("again").await;
    assert_eq!(structured(&twice)["return"]["status"], "already_returned");

    caller.route("support").await;
    caller.hears_of_change().await;
    let open = caller
        .call("support__open", json!({"subject": "crash"}))
        .await;
    assert_eq!(text(&open), "A ticket is open: crash");
    caller.back("open").await;
    caller.hears_of_change().await;
    assert_eq!(caller.list_bytes().await, before);
}

#[tokio::test]
async fn without_a_pin_the_newest_era_is_found() {
    let house = House::over_http(|builder| builder).await;
    let triage = serve(house.triage).await;
    let client = mcp_client::Client::builder("caller", "1.0")
        .connect(&triage.url)
        .await
        .unwrap();
    assert!(client.is_modern(), "{}", client.negotiation());
    let server = client.link().server.as_ref().unwrap();
    assert_eq!(
        (server.name.as_str(), server.version.as_str()),
        ("triage", "1.0")
    );
}

#[tokio::test]
async fn two_modern_handoffs_of_one_client_do_not_mix() {
    let house = House::over_http(|builder| builder).await;
    let triage = serve(house.triage).await;
    let mut finance = Caller::at(&triage.url, Era::Modern).await;
    finance.route_with("finance", json!({"who": "first"})).await;
    let first = finance.handle.clone();
    finance
        .route_with("finance", json!({"who": "second"}))
        .await;
    assert_ne!(finance.handle, first);
    finance
        .call("finance__status", json!({"invoice": "2"}))
        .await;
    finance.handle = first;
    finance
        .call("finance__status", json!({"invoice": "1"}))
        .await;
    assert_eq!(
        house.seen.states(),
        [r#"{"who":"second"}"#, r#"{"who":"first"}"#]
    );
}
