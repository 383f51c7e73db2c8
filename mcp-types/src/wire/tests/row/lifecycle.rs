//! Lifecycle and capabilities.

use serde_json::{Value, json};

use super::*;
use crate::{
    capability::{ClientCapabilities, Implementation, ServerCapabilities},
    lifecycle::{DiscoverResult, InitializeResult},
    method::Method,
};

/// A client, and a server, may send `name` in these revisions.
fn offered(name: &str, to_server: fn(Revision) -> bool, to_client: fn(Revision) -> bool) {
    let method = Method::from(name);
    for at in Revision::ALL {
        assert_eq!(method.is_for_server(at), to_server(at), "{name} at {at}");
        assert_eq!(method.is_for_client(at), to_client(at), "{name} at {at}");
    }
}

#[test]
fn r3_2_1_initialize_and_initialized() {
    for name in ["initialize", "notifications/initialized"] {
        offered(name, |at| at < JUL26, |_| false);
    }
}

#[test]
fn r3_2_2_instructions() {
    let discovered = json!({"supportedVersions": [], "capabilities": {}, "instructions": "i"});
    spans::<DiscoverResult>(&discovered, "/instructions", OCT24, JUL26);

    let result = json!({"protocolVersion": "v", "capabilities": {}, "serverInfo": {"name": "n", "version": "1"},
        "instructions": "i"});
    spans::<InitializeResult>(&result, "/instructions", NOV24, JUL26);
}

#[test]
fn r3_2_3_server_discover() {
    offered("server/discover", |at| at == JUL26, |_| false);
    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
    let got = shown::<DiscoverResult>(&result, &Stamp::new(JUL26).cacheable(true));
    assert_eq!(
        got,
        json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}, "ttlMs": 0,
            "cacheScope": "private"})
    );
}

#[test]
fn r3_2_4_ping() {
    offered("ping", |at| at < JUL26, |at| at < JUL26);
}

fn client(member: &str, value: &Value, since: Revision, until: Revision) {
    spans::<ClientCapabilities>(&json!({member: value}), &format!("/{member}"), since, until);
}

#[test]
fn r3_2_5_client_caps_roots() {
    client("roots", &json!({"listChanged": true}), OCT24, JUL26);
    client(
        "experimental",
        &json!({"x": {"extensions": {}}}),
        OCT24,
        JUL26,
    );
}

#[test]
fn r3_2_6_client_caps_sampling() {
    let whole = json!({"context": {}, "tools": {}});
    client("sampling", &whole, OCT24, JUL26);
    let read = |sampling: Value| read::<ClientCapabilities>(&json!({"sampling": sampling}));
    let both = read(whole);
    assert!(both.samples_with_context() && both.samples_with_tools());
    let none = read(json!({}));
    assert!(!none.samples_with_context() && !none.samples_with_tools());
}

#[test]
fn r3_2_7_client_caps_elicitation() {
    for asks_forms in [
        json!({}),
        json!({"form": {}}),
        json!({"form": {}, "url": {}}),
    ] {
        client("elicitation", &asks_forms, JUN25, JUL26);
    }
    // At 2025-06-18 the capability means forms, and this client has none.
    client("elicitation", &json!({"url": {}}), NOV25, JUL26);
}

#[test]
fn elicitation_without_modes_means_forms() {
    let check = |elicitation: Value, forms: bool, urls: bool| {
        let capabilities: ClientCapabilities = read(&json!({"elicitation": elicitation}));
        let got = (capabilities.elicits_forms(), capabilities.elicits_urls());
        assert_eq!(got, (forms, urls), "{elicitation}");
    };
    check(json!({}), true, false);
    check(json!({"form": {}}), true, false);
    check(json!({"url": {}}), false, true);
    check(json!({"form": {}, "url": {}}), true, true);
    check(json!({"x": {}}), true, false);
    check(json!(null), false, false);
    assert!(!ClientCapabilities::default().elicits_forms());
}

#[test]
fn r3_2_8_client_caps_tasks() {
    let tasks = json!({"list": {}, "requests": {"sampling": {"createMessage": {}}}});
    client("tasks", &tasks, NOV25, NOV25);
    let client: ClientCapabilities = read(&json!({"tasks": tasks}));
    assert!(client.runs_as_task("sampling/createMessage"));
    assert!(!client.runs_as_task("elicitation/create"));
}

fn server(pointer: &str, since: Revision, until: Revision) {
    let whole = json!({
        "completions": {}, "tasks": {"list": {}}, "extensions": {"a/b": {}}, "logging": {},
        "prompts": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
        "tools": {"listChanged": true}, "experimental": {"x": {}},
    });
    spans::<ServerCapabilities>(&whole, pointer, since, until);
}

#[test]
fn r3_2_9_extensions_of_both_sides() {
    client("extensions", &json!({"a/b": {"k": 1}}), JUL26, JUL26);
    server("/extensions", JUL26, JUL26);
}

#[test]
fn r3_2_10_server_caps_completions() {
    server("/completions", MAR25, JUL26);
    // What is not declared is still answered.
    offered("completion/complete", |_| true, |_| false);
}

#[test]
fn r3_2_11_server_caps_tasks() {
    server("/tasks", NOV25, NOV25);
    let server: ServerCapabilities = read(&json!({"tasks": {"requests": {"tools": {"call": {}}}}}));
    assert!(server.runs_as_task("tools/call") && !server.runs_as_task("tools"));
}

#[test]
fn r3_2_12_server_caps_logging_prompts_resources_tools_experimental() {
    for pointer in [
        "/logging",
        "/prompts/listChanged",
        "/resources/subscribe",
        "/resources/listChanged",
        "/tools/listChanged",
        "/experimental",
    ] {
        server(pointer, OCT24, JUL26);
    }
}

/// The headers themselves are the transport's; which member `Mcp-Name` mirrors is the method's.
#[test]
fn r3_2_15_mcp_name_mirrors() {
    for (name, member) in [
        ("tools/call", Some("name")),
        ("prompts/get", Some("name")),
        ("resources/read", Some("uri")),
        ("tasks/get", Some("taskId")),
        ("tasks/update", Some("taskId")),
        ("tasks/cancel", Some("taskId")),
        ("tools/list", None),
        ("server/discover", None),
        ("completion/complete", None),
    ] {
        let spec = Method::from(name).spec().unwrap();
        assert_eq!(spec.name_header, member, "{name}");
    }
}

#[test]
fn r3_2_13_implementation() {
    let whole = json!({"name": "n", "version": "1", "title": "T", "icons": [{"src": "a"}], "description": "d",
        "websiteUrl": "w"});
    for (pointer, since) in [
        ("/name", OCT24),
        ("/version", OCT24),
        ("/title", JUN25),
        ("/icons", NOV25),
        ("/description", NOV25),
        ("/websiteUrl", NOV25),
    ] {
        spans::<Implementation>(&whole, pointer, since, JUL26);
    }
}
