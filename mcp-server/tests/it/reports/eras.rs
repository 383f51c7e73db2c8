//! Reports about eras: which one a message is of, and what `initialize` settles on.

use mcp_server::Server;
use serde_json::json;

use super::{
    LEGACY, code, echo, echoed, initialize, modern, request, server, serves_legacy, serves_modern,
};
use crate::hosts::{CC, CI, Host, PV, envelope, notification};

/// ChatGPT negotiates 2025-11-25 and sends the reserved keys of 2026 all the same.
#[tokio::test]
async fn report_01_reserved_keys_in_a_legacy_session_mean_nothing() {
    let metas = [
        json!({CC: {}, CI: {"name": "chat", "version": "1"}}),
        json!({PV: "2026-07-28"}),
        json!({PV: 7, CC: "x"}),
        envelope("2026-07-28"),
    ];
    for mut host in Host::each(server()).await {
        host.open("2025-11-25").await;
        for (id, meta) in (1..).zip(&metas) {
            let mut params = echo();
            params["_meta"] = meta.clone();
            let answer = host.ask(&request(id, "tools/call", params)).await;
            echoed(&answer, false, host.name());
        }
    }
}

#[tokio::test]
async fn report_02_a_session_wins_and_without_one_an_unknown_version_is_named() {
    for mut host in Host::each(server()).await {
        let future = json!({"_meta": envelope("2027-01-01")});
        let refused = host.ask(&request(1, "tools/list", future.clone())).await;
        assert_eq!(code(&refused), -32022, "{}: {refused}", host.name());
        assert_eq!(refused["error"]["data"]["requested"], "2027-01-01");
        host.open("2025-11-25").await;
        let listed = host.ask(&request(2, "tools/list", future)).await;
        assert_eq!(
            listed["result"]["tools"][0]["name"],
            "echo",
            "{}: {listed}",
            host.name()
        );
    }
}

#[tokio::test]
async fn report_03_an_incomplete_envelope_is_answered_and_wedges_nothing() {
    for mut host in Host::each(server()).await {
        for (id, meta) in (1..).zip([json!({PV: "2026-07-28"}), json!({PV: "2026-07-28", CI: {}})])
        {
            let answer = host
                .ask(&request(id, "tools/list", json!({"_meta": meta})))
                .await;
            assert_eq!(
                (&answer["id"], code(&answer)),
                (&json!(id), -32602),
                "{}",
                host.name()
            );
        }
        serves_modern(&mut host).await;
    }
}

#[tokio::test]
async fn report_04_a_probe_before_initialize_leaves_the_server_there() {
    for mut host in Host::each(server()).await {
        let probed = host.ask(&modern(1, "server/discover", json!({}))).await;
        assert_eq!(
            probed["result"]["resultType"],
            "complete",
            "{}: {probed}",
            host.name()
        );
        let bare = host.ask(&request(2, "server/discover", json!({}))).await;
        assert_eq!(code(&bare), -32600, "{}: {bare}", host.name());
        serves_legacy(&mut host).await;
    }
}

/// VS Code sets the level of the log before it says that it is initialized.
#[tokio::test]
async fn report_05_requests_are_served_before_the_initialized_notification() {
    for mut host in Host::each(server()).await {
        host.ask(&initialize(0, "2025-06-18")).await;
        let level = json!({"level": "debug"});
        let answer = host.ask(&request(1, "logging/setLevel", level)).await;
        assert_eq!(answer["result"], json!({}), "{}", host.name());
        host.tell(&notification("notifications/initialized", json!({})))
            .await;
        let answer = host.ask(&request(2, "tools/call", echo())).await;
        echoed(&answer, false, host.name());
    }
}

#[tokio::test]
async fn report_07_initialize_never_negotiates_a_modern_revision() {
    for mut host in Host::each(server()).await {
        let opened = host.open("2026-07-28").await;
        assert_eq!(opened["protocolVersion"], "2025-11-25", "{}", host.name());
        let answer = host.ask(&request(1, "tools/call", echo())).await;
        echoed(&answer, false, host.name());
    }
}

/// What is known is taken as it is, and anything else gets the newest.
#[tokio::test]
async fn report_09_initialize_takes_every_known_version_and_answers_any_other() {
    let others = [
        "2026-07-28",
        "2099-01-01",
        "2025-01-01",
        "1.0",
        "",
        "latest",
    ];
    let known = LEGACY.map(|version| (version, version));
    for (asked, settled) in known
        .into_iter()
        .chain(others.map(|other| (other, "2025-11-25")))
    {
        for mut host in Host::each(server()).await {
            let opened = host.open(asked).await;
            assert_eq!(
                opened["protocolVersion"],
                settled,
                "{} {asked:?}",
                host.name()
            );
            let answer = host.ask(&request(1, "tools/list", json!({}))).await;
            assert!(
                answer["result"]["tools"].is_array(),
                "{} {asked:?}",
                host.name()
            );
        }
    }
}

/// Versions are members of a set, and not smaller or greater.
#[tokio::test]
async fn report_10_any_version_that_is_not_served_is_named_with_those_that_are() {
    for mut host in Host::each(server()).await {
        for (id, version) in (1..).zip([
            "1900-01-01",
            "2099-01-01",
            "zzz",
            "2026-07-29",
            "2026-07-28 ",
        ]) {
            // What else an unknown version demands, nobody knows.
            let metas = [envelope(version), json!({PV: version})];
            for meta in metas.iter().take(if host.is_http() { 1 } else { 2 }) {
                let answer = host
                    .ask(&request(id, "tools/list", json!({"_meta": meta})))
                    .await;
                let expected = json!({"supported": ["2026-07-28"], "requested": version});
                if host.is_http() && version.ends_with(' ') {
                    // HTTP takes the space off the header, so that it is another version than the body's.
                    assert_eq!(code(&answer), -32020);
                    continue;
                }
                assert_eq!(code(&answer), -32022, "{} {version}: {answer}", host.name());
                assert_eq!(answer["error"]["data"], expected, "{}", host.name());
            }
        }
        serves_modern(&mut host).await;
    }
}

#[tokio::test]
async fn report_11_a_missing_member_is_named_and_not_called_a_version() {
    for mut host in Host::each(server()).await {
        let meta = json!({PV: "2026-07-28"});
        let answer = host
            .ask(&request(1, "tools/list", json!({"_meta": meta})))
            .await;
        assert_eq!(code(&answer), -32602, "{}", host.name());
        assert_eq!(
            answer["error"]["data"],
            json!({"missing": [CC]}),
            "{}",
            host.name()
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(CC));
    }
}

#[tokio::test]
async fn report_16_a_notification_needs_no_envelope_and_ends_nothing() {
    for mut host in Host::each(server()).await {
        serves_modern(&mut host).await;
        for params in [
            json!({"requestId": 77}),
            json!({"requestId": 77, "_meta": {}}),
            json!({}),
        ] {
            host.tell(&notification("notifications/cancelled", params))
                .await;
        }
        serves_modern(&mut host).await;
    }
}

/// A method of modern tasks is none of a legacy session, whatever it says of itself.
#[tokio::test]
async fn report_32_tasks_update_is_no_method_of_a_legacy_session() {
    for mut host in Host::each(server()).await {
        host.open("2025-11-25").await;
        let params = json!({"taskId": "t", "inputResponses": {}});
        for (id, ask) in [(1, request as fn(_, &_, _) -> _), (2, modern)] {
            let answer = host.ask(&ask(id, "tasks/update", params.clone())).await;
            assert_eq!(code(&answer), -32601, "{}: {answer}", host.name());
        }
    }
}

/// A server that nobody told which era it is of is of both; and the name of a client is that of its request.
#[tokio::test]
async fn report_43_a_server_is_of_both_eras_and_a_handler_knows_who_asks() {
    let who = json!({"name": "who"});
    for mut host in Host::each(server()).await {
        let mut asked = modern(1, "tools/call", who.clone());
        asked["params"]["_meta"][CI]["name"] = json!("modern client");
        let answer = host.ask(&asked).await;
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "modern client",
            "{}",
            host.name()
        );
        asked["params"]["_meta"].as_object_mut().unwrap().remove(CI);
        asked["id"] = json!(2);
        let answer = host.ask(&asked).await;
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "nobody",
            "{}",
            host.name()
        );
    }
    for mut host in Host::each(server()).await {
        host.open("2025-06-18").await;
        let answer = host.ask(&request(1, "tools/call", who.clone())).await;
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "c",
            "{}",
            host.name()
        );
    }
    let bare = Server::new("bare", "1");
    for mut host in Host::each(bare).await {
        let probed = host.ask(&modern(1, "server/discover", json!({}))).await;
        assert_eq!(
            probed["result"]["supportedVersions"],
            json!(["2026-07-28"]),
            "{}",
            host.name()
        );
        assert_eq!(
            host.open("2025-11-25").await["protocolVersion"],
            "2025-11-25"
        );
    }
}
