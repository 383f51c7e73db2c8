//! Lifecycle and capabilities.

use serde_json::{Value, json};

use super::*;
use crate::{
    capability::{ClientCapabilities, Implementation, ServerCapabilities},
    lifecycle::InitializeResult,
    method::Method,
};

#[test]
fn initialize_discover_and_ping() {
    for at in Revision::ALL {
        let offered = |name: &str| Method::from(name).is_for_server(at);
        let legacy = at < JUL26;
        assert_eq!(offered("initialize"), legacy, "{at}");
        assert_eq!(offered("ping"), legacy, "{at}");
        assert_eq!(offered("server/discover"), !legacy, "{at}");
        assert_eq!(Method::from("ping").is_for_client(at), legacy, "{at}");
    }
}

#[test]
fn instructions() {
    let result = json!({"protocolVersion": "v", "capabilities": {}, "serverInfo": {"name": "n", "version": "1"},
        "instructions": "i"});
    spans::<InitializeResult>(&result, "/instructions", NOV24, JUL26);
}

#[test]
fn client_caps() {
    let whole = json!({
        "roots": {"listChanged": true}, "sampling": {"context": {}, "tools": {}},
        "elicitation": {"form": {}, "url": {}}, "tasks": {"list": {}}, "extensions": {"a/b": {}},
        "experimental": {"x": {"extensions": {}}},
    });
    for (pointer, since, until) in [
        ("/roots", OCT24, JUL26),
        ("/sampling", OCT24, JUL26),
        ("/elicitation", JUN25, JUL26),
        ("/tasks", NOV25, NOV25),
        ("/extensions", JUL26, JUL26),
        ("/experimental", OCT24, JUL26),
    ] {
        spans::<ClientCapabilities>(&whole, pointer, since, until);
    }
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
fn client_and_server_caps_tasks() {
    let client: ClientCapabilities =
        read(&json!({"tasks": {"requests": {"sampling": {"createMessage": {}}}}}));
    assert!(client.runs_as_task("sampling/createMessage"));
    assert!(!client.runs_as_task("elicitation/create"));
    let server: ServerCapabilities = read(&json!({"tasks": {"requests": {"tools": {"call": {}}}}}));
    assert!(server.runs_as_task("tools/call") && !server.runs_as_task("tools"));
}

#[test]
fn server_caps() {
    let whole = json!({
        "completions": {}, "tasks": {"list": {}}, "extensions": {"a/b": {}}, "logging": {},
        "prompts": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
        "tools": {"listChanged": true}, "experimental": {"x": {}},
    });
    for (pointer, since, until) in [
        ("/completions", MAR25, JUL26),
        ("/tasks", NOV25, NOV25),
        ("/extensions", JUL26, JUL26),
        ("/logging", OCT24, JUL26),
        ("/prompts/listChanged", OCT24, JUL26),
        ("/resources/subscribe", OCT24, JUL26),
        ("/resources/listChanged", OCT24, JUL26),
        ("/tools/listChanged", OCT24, JUL26),
        ("/experimental", OCT24, JUL26),
    ] {
        spans::<ServerCapabilities>(&whole, pointer, since, until);
    }
}

#[test]
fn implementation() {
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
