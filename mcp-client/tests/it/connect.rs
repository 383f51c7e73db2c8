//! Finding the era: what the peer sees, what the caller is told.

use std::{error::Error as _, sync::Arc, time::Duration};

use mcp_client::{
    Builder, Client, ConnectError,
    proto::probe::{Confidence, Reason},
};
use mcp_transport::{Clock as _, clock::ManualClock, test_util::Script};
use mcp_types::{Era, Revision};
use serde_json::json;

use super::{Stage, connect, discover, initialize, legacy, modern, run};

/// Connects as `furnish` says, and gives the time it took.
#[track_caller]
fn try_as(
    script: Script,
    furnish: impl FnOnce(Builder) -> Builder,
) -> (Result<Client, ConnectError>, Duration) {
    let clock = ManualClock::new();
    let server = script.into_endpoint();
    let builder = Client::builder("tester", "1.0").clock(Arc::new(clock.clone()));
    let begin = clock.now();
    let connected = run(
        &clock,
        furnish(builder).connect_endpoint(Arc::new(server.clone())),
    );
    let took = clock.now() - begin;
    server.finish().unwrap();
    (connected, took)
}

#[track_caller]
fn fails(script: Script) -> (ConnectError, Duration) {
    let (connected, took) = try_as(script, |builder| builder);
    (connected.expect_err("there is no connection"), took)
}

#[test]
fn a_modern_server_is_discovered_with_who_asks() {
    let stage = Stage::new(
        Script::new()
            .expects_with(
                "server/discover",
                json!({ "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1.0" },
                    "io.modelcontextprotocol/clientCapabilities": {},
                } }),
            )
            .replies(discover()),
    );
    let link = stage.client.link();
    assert_eq!(
        (link.era, link.revision),
        (Era::Modern, Revision::V2026_07_28)
    );
    assert_eq!(link.confidence, Confidence::Firm);
    assert_eq!(link.server.as_ref().unwrap().name, "ops");
    assert_eq!(link.instructions.as_deref(), Some("Be brief."));
    assert!(link.capabilities.tools.is_some());
    assert_eq!(
        stage.client.negotiation().to_string(),
        "the given endpoint\n\
         1. server/discover (2026-07-28): speaks 2026-07-28 → modern, 2026-07-28 [0.0ns]\n\
         chosen: modern, revision 2026-07-28, server \"ops\" \"2.1\""
    );
    stage.finish();
}

#[test]
fn a_legacy_server_is_initialized_and_told_so() {
    let stage = Stage::new(
        Script::new()
            .expects("server/discover")
            .fails(-32601, "Method not found")
            .expects_with(
                "initialize",
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": { "name": "tester", "version": "1.0" },
                }),
            )
            .replies(initialize("2025-03-26"))
            .expects_notification("notifications/initialized"),
    );
    let link = stage.client.link();
    assert_eq!(
        (link.era, link.revision),
        (Era::Legacy, Revision::V2025_03_26)
    );
    assert_eq!(link.server.as_ref().unwrap().version, "0.9");
    assert_eq!(
        stage.client.negotiation().to_string(),
        "the given endpoint\n\
         1. server/discover (2026-07-28): Method not found (peer's code -32601) → \
         try initialize in 2025-11-25 (legacy: the server said so) [0.0ns]\n\
         2. initialize (2025-11-25): speaks 2025-03-26 → legacy, 2025-03-26 [0.0ns]\n\
         chosen: legacy, revision 2025-03-26, server \"old\" \"0.9\""
    );
    stage.finish();
}

#[test]
fn initialize_carries_no_modern_claim() {
    let script = Script::new()
        .expects("initialize")
        .replies(initialize("2025-11-25"))
        .expects_notification("notifications/initialized")
        .expects("ping")
        .replies(json!({}));
    let clock = ManualClock::new();
    let seen = Arc::new(super::calls::Recorder::new(script.into_endpoint()));
    let builder = Client::builder("tester", "1.0").clock(Arc::new(clock.clone()));
    let client = run(
        &clock,
        builder.pin(Era::Legacy).connect_endpoint(seen.clone()),
    )
    .unwrap();
    run(&clock, client.ping()).unwrap();
    assert!(
        seen.requests()
            .iter()
            .all(|request| request.meta.is_empty())
    );
}

#[test]
fn a_corrective_probe_follows_a_refused_version() {
    let refusal = json!({
        "code": -32022,
        "message": "Unsupported protocol version",
        "data": { "supported": ["2026-07-28"], "requested": "2026-07-28" },
    });
    let stage = Stage::new(
        Script::new()
            .expects("server/discover")
            .fails_with(refusal)
            .expects("server/discover")
            .replies(discover()),
    );
    assert!(stage.client.is_modern());
    assert_eq!(stage.client.negotiation().attempts.len(), 2);
    stage.finish();
}

#[test]
fn silence_is_taken_for_legacy_after_five_seconds() {
    let script = Script::new()
        .expects("server/discover")
        .expects("initialize")
        .replies(initialize("2024-11-05"))
        .expects_notification("notifications/initialized");
    let (connected, took) = try_as(script, |builder| builder);
    let client = connected.unwrap();
    assert_eq!(client.link().confidence, Confidence::Assumed);
    assert_eq!(took, Duration::from_secs(5));
    let told = client.negotiation().to_string();
    assert!(
        told.contains(
            "no answer within 5.0s → try initialize in 2025-11-25 (legacy: assumed) [5.0s]"
        ),
        "{told}"
    );
    assert!(
        told.ends_with("chosen: legacy, revision 2024-11-05 (assumed), server \"old\" \"0.9\""),
        "{told}"
    );
}

#[test]
fn c13_a_server_that_never_answers_ends_at_the_deadline() {
    let silent = || {
        Script::new()
            .expects("server/discover")
            .expects("initialize")
    };
    let (error, took) = fails(silent());
    assert_eq!(took, Duration::from_secs(30));
    assert!(error.is_timeout());
    assert_eq!(error.attempts().len(), 2);

    let (connected, took) = try_as(silent(), |builder| {
        builder
            .connect_timeout(Duration::from_secs(3))
            .probe_timeout(Duration::from_secs(1))
            .initialize_timeout(Duration::from_secs(9))
    });
    assert!(connected.unwrap_err().is_timeout());
    assert_eq!(took, Duration::from_secs(3));
}

#[test]
fn a_peer_that_is_gone_is_tried_once_more() {
    let (error, took) = fails(Script::new().expects("server/discover").closes());
    assert_eq!(error.reason(), &Reason::Lost);
    assert_eq!(error.attempts().len(), 2);
    assert_eq!(took, Duration::from_millis(500));
}

#[test]
fn a_failure_names_every_attempt() {
    let script = Script::new()
        .expects("server/discover")
        .fails(-32601, "Method not found")
        .expects("initialize")
        .fails(-32602, "Bad client");
    let (error, _) = fails(script);
    assert_eq!(error.reason(), &Reason::Rejected);
    assert_eq!(
        error.to_string(),
        "cannot connect to the given endpoint: the server refused `initialize`; \
         1. server/discover (2026-07-28): Method not found (peer's code -32601); \
         2. initialize (2025-11-25): Bad client (peer's code -32602)"
    );
}

#[test]
fn the_source_is_the_failure_that_tells_most() {
    let check = |script: Script, code| {
        let (error, _) = fails(script);
        let source = error.source().unwrap().to_string();
        assert!(source.contains(&format!("code {code}")), "{source}");
        let failure = error.failure().unwrap();
        assert_eq!(failure.peer_error().unwrap().code.0, code);
    };
    let refuses = |first, second| {
        Script::new()
            .expects("server/discover")
            .fails(first, "x")
            .expects("initialize")
            .fails(second, "y")
    };
    // That it is legacy, it may say; why it refused to open is what matters.
    check(refuses(-32601, -32602), -32602);
    check(refuses(-32000, -32602), -32602);
    // It is modern, and its probe is broken.
    check(refuses(-32603, -32601), -32603);
    check(refuses(-32601, -32601), -32601);
    let (error, _) = fails(refuses(-32601, -32601));
    assert_eq!(
        error.failure().unwrap().to_string(),
        "y (peer's code -32601)"
    );
    // It said that it is legacy, and then nothing.
    let silent = Script::new()
        .expects("server/discover")
        .fails(-32601, "x")
        .expects("initialize");
    assert!(fails(silent).0.failure().unwrap().is_timeout());
}

#[test]
fn a_pinned_era_is_the_only_one_tried() {
    let (connected, _) = try_as(
        Script::new()
            .expects("initialize")
            .replies(initialize("2025-11-25"))
            .expects_notification("notifications/initialized"),
        |builder| builder.pin(Era::Legacy),
    );
    assert_eq!(connected.unwrap().link().era, Era::Legacy);

    let (connected, _) = try_as(
        Script::new()
            .expects("server/discover")
            .fails(-32601, "Method not found"),
        |builder| builder.pin(Era::Modern),
    );
    assert_eq!(
        connected.unwrap_err().reason(),
        &Reason::Pinned(Era::Modern)
    );

    let (connected, _) = try_as(
        Script::new()
            .expects_with("initialize", json!({ "protocolVersion": "2025-06-18" }))
            .replies(initialize("2025-03-26")),
        |builder| builder.revision(Revision::V2025_06_18),
    );
    let error = connected.unwrap_err();
    assert_eq!(
        error.reason(),
        &Reason::UnsupportedVersion("2025-03-26".into())
    );
}

#[test]
fn an_answer_that_is_no_initialize_result_is_not_mcp() {
    let script = Script::new()
        .expects("server/discover")
        .replies(json!({ "hello": "world" }))
        .expects("initialize")
        .replies(json!({ "hello": "world" }));
    let (error, _) = fails(script);
    assert_eq!(error.reason(), &Reason::NotMcp);
    assert!(error.to_string().contains("protocolVersion"), "{error}");
}

#[test]
fn what_cannot_be_done_as_asked_is_told_before_anything_is_sent() {
    let (connected, _) = try_as(Script::new(), |builder| builder.header("Content-Type", "x"));
    let error = connected.unwrap_err();
    assert_eq!(error.reason(), &Reason::Local);
    assert!(error.to_string().contains("content-type"), "{error}");
}

#[test]
fn both_scripts_of_the_other_tests_hold() {
    for script in [modern(), legacy()] {
        let server = script.into_endpoint();
        connect(&ManualClock::new(), &server).unwrap();
        server.finish().unwrap();
    }
}
