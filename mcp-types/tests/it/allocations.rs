//! How many allocations decoding takes: exact, the same on every machine.

use allocation_counter::measure;
use bytes::Bytes;
use mcp_types::{
    Message, RequestMeta, Revision, jsonrpc,
    tool::{ListToolsResult, Tool},
    wire,
};

/// A modern `tools/call` of about 450 bytes, as a client sends it.
const CALL: &str = include_str!("call.json");

fn request(text: &Bytes) -> jsonrpc::RequestMessage {
    match jsonrpc::decode(text) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_modern_call_is_decoded_and_judged_in_four() {
    assert!(
        (430..470).contains(&CALL.trim_end().len()),
        "{}",
        CALL.len()
    );
    for id in ["1", "\"one\""] {
        let text = Bytes::from(
            CALL.trim_end()
                .replacen("\"id\":1", &format!("\"id\":{id}"), 1),
        );
        let mut judged = None;
        let info = measure(|| {
            let request = request(&text);
            let meta = RequestMeta::of(&request.params).unwrap();
            judged = Some((request, meta));
        });
        let (request, meta) = judged.unwrap();
        assert!(info.count_total <= 4, "{id}: {}", info.count_total);
        // What the server asks next costs one text, and what it decodes.
        let info = measure(|| {
            assert_eq!(meta.protocol_version().as_deref(), Some("2026-07-28"));
            assert!(meta.contains(mcp_types::meta::CLIENT_CAPABILITIES));
            assert_eq!(request.params.get("name"), Some("\"search_documents\""));
        });
        assert!(info.count_total <= 1, "{id}: {}", info.count_total);
    }
}

#[test]
fn a_long_argument_costs_no_more_than_a_short_one() {
    let long = CALL
        .trim_end()
        .replacen("quarterly", &"quarterly ".repeat(6_500), 1);
    assert!(long.len() > 64_000);
    let text = Bytes::from(long);
    let info = measure(|| drop(request(&text)));
    assert!(info.count_total <= 4, "{}", info.count_total);
    assert!(info.bytes_max < 2_000, "{}", info.bytes_max);
}

#[test]
fn depth_and_place_cost_nothing_until_they_are_wrong() {
    let text = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let info = measure(|| assert!(mcp_types::strict::check(&text, 128).is_ok()));
    assert_eq!(info.count_total, 0);
}

#[test]
fn a_list_of_a_hundred_tools_takes_few_for_each() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let tools = (0..100).map(|at| {
        let mut tool = Tool::new(
            format!("tool_{at}"),
            mcp_types::RawJson::parse(schema).unwrap(),
        );
        tool.description = Some(format!("Does the thing number {at}."));
        tool
    });
    let list = ListToolsResult {
        tools: tools.collect(),
        ..ListToolsResult::default()
    };
    let stamp = wire::Stamp::new(Revision::LATEST);
    let raw = wire::encode_outcome(list.into(), &stamp).unwrap();
    let info = measure(|| drop(raw.decode::<ListToolsResult>().unwrap()));
    assert!(info.count_total <= 420, "{}", info.count_total);
}
