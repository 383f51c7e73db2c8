//! Carried state reaches the specialist and nobody else.

use mcp_server::{Server, Tool};
use mcp_swarm::handoff;
use serde_json::json;

use crate::{
    caller::{Caller, ERAS, code},
    house::{House, serve},
    recorder::Recorder,
};

const ONLY_FOR_FINANCE: &str = "dorothea-keeps-this-to-herself";

#[tokio::test]
async fn carried_state_is_in_no_byte_that_a_client_gets() {
    for era in ERAS {
        let house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let recorder = Recorder::before(&triage.url).await;
        let mut caller = Caller::at(&recorder.url, era).await;
        caller.names().await;
        caller
            .route_with("finance", json!({"note": ONLY_FOR_FINANCE}))
            .await;
        caller.hears_of_change().await;
        caller.names().await;
        let status = caller
            .call("finance__status", json!({"invoice": "42"}))
            .await;
        assert_eq!(code(&status), None);
        // An argument is missing: the error is the specialist's.
        let bad = caller.call("finance__status", json!({})).await;
        assert_eq!(code(&bad).as_deref(), Some("bad_request"));
        caller.back("done").await;
        caller.hears_of_change().await;
        caller.client.close().await;

        assert_eq!(
            house.seen.states(),
            [format!(r#"{{"note":"{ONLY_FOR_FINANCE}"}}"#)]
        );
        assert!(
            recorder.heard("Invoice 42 is paid"),
            "the recorder hears nothing"
        );
        for part in [
            ONLY_FOR_FINANCE,
            "keeps-this",
            "x-mcpfusion-delegation",
            "eyJ",
        ] {
            assert!(!recorder.heard(part), "{part} went to the client");
        }
    }
}

#[tokio::test]
async fn a_failed_handoff_tells_nothing_of_what_it_carried() {
    for era in ERAS {
        let house = House::over_http(|builder| builder).await;
        let triage = serve(house.triage).await;
        let recorder = Recorder::before(&triage.url).await;
        let mut caller = Caller::at(&recorder.url, era).await;
        let nobody = caller
            .route_with("nobody", json!({"note": ONLY_FOR_FINANCE}))
            .await;
        assert_eq!(code(&nobody).as_deref(), Some("REGISTRY_LOOKUP_FAILED"));
        assert!(!recorder.heard(ONLY_FOR_FINANCE));
    }
}

#[tokio::test]
async fn without_a_gateway_nothing_of_a_handoff_leaves_the_server() {
    for era in ERAS {
        let route =
            async || handoff("mcp://finance-agent").carry(&json!({"note": ONLY_FOR_FINANCE}));
        let server = serve(Server::new("lone", "1.0").tool(Tool::new("route", route))).await;
        let recorder = Recorder::before(&server.url).await;
        let caller = Caller::at(&recorder.url, era).await;
        let refused = caller.call("route", json!({})).await;
        assert_eq!(code(&refused).as_deref(), Some("HANDOFF_NOT_CONFIGURED"));
        for part in [ONLY_FOR_FINANCE, "finance-agent"] {
            assert!(!recorder.heard(part), "{part} went to the client");
        }
    }
}
