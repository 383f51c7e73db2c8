//! What is compared: the same bytes, read and written by this workspace's `mcp-types` and by rmcp.
//!
//! Both sides do what their server or client does before a handler or a caller sees the message. The two programs
//! beside this time it (`time`) and count its allocations (`allocations`); `cargo xtask bench` runs both.

use std::hint::black_box;

use bytes::Bytes;
use mcp_types::{
    Message, RawJson, RequestMeta, Revision, jsonrpc,
    page::Page,
    tool::{ListToolsResult, Tool},
    wire,
};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use serde::Deserialize;

const CALL: &str = include_str!("../../mcp-types/tests/it/call.json");

/// One thing that both do.
pub struct Case {
    /// What it is, for the table.
    pub name: &'static str,
    /// How many bytes are read or written.
    pub bytes: usize,
    /// How many times faster than rmcp it must be, if that is set.
    pub bar: Option<f64>,
    /// How many allocations it may take, if that is set.
    pub allocations: Option<u64>,
    /// This workspace.
    pub ours: Box<dyn Fn()>,
    /// rmcp.
    pub theirs: Box<dyn Fn()>,
}

/// The arguments of the call, as a handler wants them.
#[derive(Deserialize)]
#[allow(dead_code, reason = "it is only read into")]
struct Search {
    query: String,
    limit: u32,
    filters: Filters,
    tags: Vec<String>,
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "it is only read into")]
struct Filters {
    lang: String,
    year: u32,
}

/// Every case of the table.
pub fn cases() -> Vec<Case> {
    let call = CALL.trim_end().to_owned();
    let long = call.replacen("quarterly", &"quarterly ".repeat(6_554), 1);
    vec![
        decode_call(
            "decode a modern tools/call",
            call.clone(),
            Some(8.0),
            Some(4),
        ),
        decode_call("decode it, with a text of 64 KiB", long, Some(1.0), Some(4)),
        into_arguments(call.clone()),
        decode_list(),
        encode_call(call),
        encode_list(),
    ]
}

fn request(text: &Bytes) -> jsonrpc::RequestMessage {
    match jsonrpc::decode(text) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn decode_call(
    name: &'static str,
    text: String,
    bar: Option<f64>,
    allocations: Option<u64>,
) -> Case {
    let text = Bytes::from(text);
    let ours = text.clone();
    Case {
        name,
        bytes: text.len(),
        bar,
        allocations,
        ours: Box::new(move || {
            let request = request(&ours);
            let meta = RequestMeta::of(&request.params).expect("an object");
            assert!(meta.is_claim() && request.params.get("name").is_some());
            black_box((request, meta));
        }),
        theirs: Box::new(move || {
            black_box(serde_json::from_slice::<ClientJsonRpcMessage>(&text).expect("a call"));
        }),
    }
}

fn into_arguments(text: String) -> Case {
    let text = Bytes::from(text);
    let ours = text.clone();
    Case {
        name: "the same, with the arguments as a struct",
        bytes: text.len(),
        bar: None,
        allocations: None,
        ours: Box::new(move || {
            let request = request(&ours);
            let meta = RequestMeta::of(&request.params).expect("an object");
            let version = meta.protocol_version();
            let name: Option<String> = request.params.decode_member("name").expect("a name");
            let search: Option<Search> = request.params.decode_member("arguments").expect("them");
            black_box((request, meta, version, name, search));
        }),
        theirs: Box::new(move || {
            let message = serde_json::from_slice::<ClientJsonRpcMessage>(&text).expect("a call");
            let ClientJsonRpcMessage::Request(request) = message else {
                panic!("no request")
            };
            let ClientRequest::CallToolRequest(mut call) = request.request else {
                panic!("no call")
            };
            let arguments = call.params.arguments.take().expect("arguments");
            let search: Search = serde_json::from_value(arguments.into()).expect("them");
            black_box((call, search));
        }),
    }
}

fn tools() -> Vec<Tool> {
    let schema = |at: usize| {
        format!(
            r#"{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look, {at}"}},"limit":{{"type":"integer","minimum":1,"maximum":1000}},"tags":{{"type":"array","items":{{"type":"string"}}}}}},"required":["path"]}}"#
        )
    };
    let tool = |at| {
        let schema = RawJson::parse(schema(at)).expect("a schema");
        let mut tool = Tool::new(format!("tool_number_{at}"), schema);
        tool.title = Some(format!("Tool {at}"));
        tool.description = Some(format!(
            "Does the thing that number {at} does, and says so."
        ));
        tool.annotations = Some(mcp_types::tool::ToolAnnotations {
            read_only_hint: Some(true),
            ..Default::default()
        });
        tool
    };
    (0..100).map(tool).collect()
}

fn list() -> ListToolsResult {
    ListToolsResult {
        tools: tools(),
        ..Default::default()
    }
}

fn list_bytes() -> Bytes {
    let stamp = wire::Stamp::new(Revision::LATEST).cacheable(true);
    let result = wire::encode_outcome(list().into(), &stamp).expect("complete");
    let mut text = Vec::new();
    jsonrpc::write_result(&1.into(), &result, &mut text);
    text.into()
}

fn decode_list() -> Case {
    let text = list_bytes();
    let ours = text.clone();
    Case {
        name: "decode a tools/list of 100",
        bytes: text.len(),
        bar: Some(5.0),
        allocations: None,
        ours: Box::new(move || {
            let Ok(Message::Response(response)) = jsonrpc::decode(&ours) else {
                panic!("no response")
            };
            let result = response.body.expect("a result");
            let kind = mcp_types::outcome::result_type(&result).expect("a type");
            let page = Page::<Tool>::read(&result).expect("a page");
            assert_eq!(page.items.len(), 100);
            black_box((kind, page));
        }),
        theirs: Box::new(move || {
            black_box(serde_json::from_slice::<ServerJsonRpcMessage>(&text).expect("a list"));
        }),
    }
}

fn encode_call(text: String) -> Case {
    let text = Bytes::from(text);
    let message = request(&text);
    let meta: RequestMeta = message
        .params
        .decode_member("_meta")
        .expect("it")
        .expect("an object");
    let theirs: ClientJsonRpcMessage = serde_json::from_slice(&text).expect("a call");
    Case {
        name: "encode a modern tools/call",
        bytes: text.len(),
        bar: Some(1.0),
        allocations: None,
        ours: Box::new(move || {
            let meta = serde_json::to_string(&meta).expect("JSON");
            let mut out = Vec::with_capacity(256);
            let (id, method) = (&message.id, message.method.as_str());
            jsonrpc::write_request(id, method, &message.params, Some(&meta), &mut out);
            black_box(out);
        }),
        theirs: Box::new(move || {
            black_box(serde_json::to_vec(&theirs).expect("JSON"));
        }),
    }
}

fn encode_list() -> Case {
    let list = list();
    let text = list_bytes();
    let theirs: ServerJsonRpcMessage = serde_json::from_slice(&text).expect("a list");
    Case {
        name: "encode a tools/list of 100",
        bytes: text.len(),
        bar: Some(1.0),
        allocations: None,
        ours: Box::new(move || {
            let list = mcp_types::encode::At(&list, Revision::LATEST);
            let result = RawJson::from_serialize(&list).expect("JSON");
            let mut out = Vec::new();
            jsonrpc::write_result(&1.into(), &result, &mut out);
            black_box(out);
        }),
        theirs: Box::new(move || {
            black_box(serde_json::to_vec(&theirs).expect("JSON"));
        }),
    }
}
