//! Listing tools: every page, within limits.

use std::{sync::Arc, time::Duration};

use mcp_client::{Client, ErrorKind};
use mcp_transport::{clock::ManualClock, test_util::Script};
use serde_json::{Value, json};

use super::{Stage, legacy, modern, run};

fn page(names: &[&str], next: Option<&str>) -> Value {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
        .collect();
    let mut page = json!({ "tools": tools });
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    page
}

#[test]
fn every_page_is_fetched_in_both_eras() {
    for opened in [modern(), legacy()] {
        let stage = Stage::new(
            opened
                .expects("tools/list")
                .replies(page(&["a", "b"], Some("two")))
                .expects_with("tools/list", json!({ "cursor": "two" }))
                .replies(page(&["c"], None)),
        );
        let list = stage.run(stage.client.list_tools()).unwrap();
        assert_eq!(list.names().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(list.find("c").is_some() && list.find("d").is_none());
        stage.finish();
    }
}

#[test]
fn a_bad_tool_is_set_aside_and_reported() {
    let mut bad = page(&["a", "b"], None);
    bad["tools"][0]["inputSchema"].take();
    bad["tools"][0]
        .as_object_mut()
        .unwrap()
        .remove("inputSchema");
    let stage = Stage::new(modern().expects("tools/list").replies(bad));
    let list = stage.run(stage.client.list_tools()).unwrap();
    assert_eq!(list.names().collect::<Vec<_>>(), ["b"]);
    assert_eq!(list.skipped[0].name.as_deref(), Some("a"));
}

#[test]
fn a_server_without_the_method_has_no_tools() {
    let stage = Stage::new(
        legacy()
            .expects("tools/list")
            .fails(-32601, "Method not found"),
    );
    assert!(
        stage
            .run(stage.client.list_tools())
            .unwrap()
            .tools
            .is_empty()
    );
}

#[test]
fn c7_a_list_that_never_ends_is_an_error() {
    let same = page(&["a"], Some("x"));
    let stage = Stage::new(
        modern()
            .expects("tools/list")
            .replies(same.clone())
            .expects("tools/list")
            .replies(same),
    );
    let error = stage.run(stage.client.list_tools()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("\"x\""), "{error}");
    stage.finish();
}

#[test]
fn c7_a_list_may_have_a_thousand_pages_and_no_more() {
    let mut script = modern();
    for n in 1..=1_000 {
        script = script
            .expects("tools/list")
            .replies(page(&[], Some(&n.to_string())));
    }
    let stage = Stage::new(script);
    let error = stage.run(stage.client.list_tools()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("1000 pages"), "{error}");
    stage.finish();
}

#[test]
fn the_limits_can_be_set() {
    let clock = ManualClock::new();
    let server = modern()
        .expects("tools/list")
        .replies(page(&["a", "b"], None))
        .into_endpoint();
    let builder = Client::builder("tester", "1.0")
        .clock(Arc::new(clock.clone()))
        .list_limits(1, 1);
    let client = run(&clock, builder.connect_endpoint(Arc::new(server))).unwrap();
    let error = run(&clock, client.list_tools()).unwrap_err();
    assert!(error.to_string().contains("1 tools"), "{error}");
}

#[test]
fn one_deadline_holds_for_all_pages() {
    let clock = ManualClock::new();
    let server = modern()
        .expects("tools/list")
        .replies(page(&["a"], Some("two")))
        .expects("tools/list")
        .into_endpoint();
    let builder = Client::builder("tester", "1.0")
        .clock(Arc::new(clock.clone()))
        .request_timeout(Duration::from_secs(9));
    let client = run(&clock, builder.connect_endpoint(Arc::new(server.clone()))).unwrap();
    let error = run(&clock, client.list_tools()).unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(server.cancelled(), 1);
}

#[test]
fn a_page_that_is_none_is_an_error() {
    let script = |result: Value| -> Script { modern().expects("tools/list").replies(result) };
    for result in [json!({ "tools": 5 }), json!([]), json!(null)] {
        let stage = Stage::new(script(result));
        let error = stage.run(stage.client.list_tools()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape);
    }
}
