//! Each case of the areas errors, types, tasks and schema that is a table, or whose messages can be judged by
//! reading them. Where the cases are absent, nothing is tested, and that is said.

use std::{fs, path::Path};

use bytes::Bytes;
use mcp_errors::{ProtocolError, ToolErrorCode};
use mcp_types::{
    ErrorObject, Message, Method, Outcome, Payload, RawJson, Revision,
    capability::ClientCapabilities,
    jsonrpc::decode,
    schema::{Place, Profile, Rule, clean, lint},
};
use serde_json::{Value, json};

#[test]
fn every_report_that_concerns_errors_and_vocabulary() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/reports.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: no ../shared/cases");
        return;
    };
    let (mut played, mut skipped) = (Vec::new(), Vec::new());
    for line in text.lines() {
        // Numbers that no `f64` holds must arrive as they stand.
        let raw = RawJson::parse(line).unwrap();
        let case: Value = raw.decode().unwrap();
        let (id, area) = (&case["id"], case["area"].as_str().unwrap());
        if !["errors", "types", "tasks", "schema"].contains(&area) {
            continue;
        }
        let input = &case["input"];
        let is_played = match (input["op"].as_str(), input["mode"].as_str()) {
            (Some("bucket"), _) => bucket(input),
            (Some("error_round_trip"), _) => error_round_trip(&raw),
            (Some("decode_result"), _) => decode_result(input),
            (Some("tasks"), _) => tasks(input),
            (Some("schema_compile"), _) => schema_compile(input),
            (Some("schema_bomb"), _) => schema_bomb(input),
            (None, Some("stdio_server")) => messages(&case),
            (None, Some("client_http")) => results(input),
            _ => false,
        };
        let list = if is_played { &mut played } else { &mut skipped };
        list.push(id.as_str().unwrap().to_owned());
    }
    eprintln!(
        "{} reports played; not by this adapter: {}",
        played.len(),
        skipped.join(", ")
    );
    assert!(played.len() >= 20, "only {played:?}");
}

fn bucket(input: &Value) -> bool {
    for row in input["cases"].as_array().unwrap() {
        let code = ToolErrorCode::from(row[0].as_str().unwrap());
        assert_eq!(code.bucket().as_str(), row[1], "{code}");
    }
    for row in input["from_http"].as_array().unwrap() {
        let status = u16::try_from(row[0].as_u64().unwrap()).unwrap();
        assert_eq!(ToolErrorCode::from_status(status).as_str(), row[1]);
    }
    true
}

fn error_round_trip(case: &RawJson) -> bool {
    let member = |object: &RawJson, name: &str| -> RawJson {
        let object: mcp_types::RawObject = object.decode().unwrap();
        object.get(name).unwrap().clone()
    };
    let input = member(case, "input");
    let before: ErrorObject = member(&input, "error").decode().unwrap();
    for revision in Revision::ALL {
        let mut error = before.clone();
        for _ in 0..member(&input, "hops").decode::<u32>().unwrap() {
            error = ProtocolError::from(error).into_object(revision);
            error = serde_json::from_str(&serde_json::to_string(&error).unwrap()).unwrap();
        }
        assert_eq!(error, before);
    }
    true
}

fn decode_result(input: &Value) -> bool {
    for row in input["cases"].as_array().unwrap() {
        let method = Method::from(row[0].as_str().unwrap());
        let result = RawJson::from_serialize(&row[1]).unwrap();
        let name = match Outcome::decode(&method, &result) {
            Ok(Outcome::Complete(Payload::CallTool(_))) => "CallToolResult",
            Ok(Outcome::Complete(Payload::ListTools(_))) => "ListToolsResult",
            Ok(Outcome::Complete(Payload::GetPrompt(_))) => "GetPromptResult",
            Ok(Outcome::Complete(Payload::ReadResource(_))) => "ReadResourceResult",
            Ok(Outcome::Complete(Payload::Raw(_))) => "custom",
            Ok(Outcome::InputRequired(_)) => "InputRequiredResult",
            Ok(Outcome::Task(_)) => "CreateTaskResult",
            other => panic!("{method} {result}: {other:?}"),
        };
        assert_eq!(name, row[2], "{method} {result}");
    }
    true
}

/// What the vocabulary has to say about tasks: how a capability that is missing is told. Lifetimes and numbers of
/// tasks are their store's.
fn tasks(input: &Value) -> bool {
    let refused: Vec<_> = input["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| Some((step["error"].as_i64()?, step["data_has"].as_str()?)))
        .collect();
    for (code, extension) in &refused {
        let required = json!({"extensions": {*extension: {}}});
        let required: ClientCapabilities = serde_json::from_value(required).unwrap();
        let error = ErrorObject::from(ProtocolError::missing_client_capability(required));
        assert_eq!(error.code.0, *code);
        assert!(error.data.unwrap().as_str().contains(extension));
    }
    !refused.is_empty()
}

/// Nothing is fetched, and every schema that would have to be is told.
fn schema_compile(input: &Value) -> bool {
    for schema in input["schemas"].as_array().unwrap() {
        let schema = RawJson::from_serialize(schema).unwrap();
        let findings = lint(&schema, Place::Input, &Profile::standard());
        let fetches = |rule| matches!(rule, Rule::NoRemoteReference | Rule::Dialect);
        assert!(findings.iter().any(|it| fetches(it.rule)), "{schema}");
    }
    true
}

/// What each line describes is refused or ends; how many steps that may take, the schema module counts for itself.
fn schema_bomb(input: &Value) -> bool {
    for described in input["schemas"].as_array().unwrap() {
        let described = described.as_str().unwrap();
        let schema = RawJson::parse(bomb(described)).unwrap();
        for profile in [Profile::standard(), Profile::inlined(), Profile::strict()] {
            let findings = lint(&schema, Place::Input, &profile);
            assert!(
                findings.len() <= 100,
                "{described}: {} findings",
                findings.len()
            );
            if let Ok(cleaned) = clean(&schema, Place::Input, &profile) {
                let most = schema.as_str().len().max(1 << 20);
                assert!(cleaned.as_str().len() <= 2 * most, "{described}");
            }
        }
    }
    true
}

fn bomb(described: &str) -> String {
    let listed = |count: usize, item: &dyn Fn(usize) -> String| {
        (0..count).map(item).collect::<Vec<_>>().join(",")
    };
    match described {
        "anyOf nested 12 deep with 3 branches each" => (0..12).fold("{}".to_owned(), |inner, _| {
            format!(r#"{{"anyOf":[{inner},{inner},{inner}]}}"#)
        }),
        "$defs chain of 5,000 references" => {
            let defs = listed(5000, &|it| {
                format!(r##""d{it}":{{"$ref":"#/$defs/d{}"}}"##, it + 1)
            });
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{defs},"d5000":{{}}}}}}"##)
        }
        "{\"$ref\":\"#\"} self cycle" => r##"{"$ref":"#"}"##.to_owned(),
        "allOf of 10,000 members" => {
            format!(
                r#"{{"allOf":[{}]}}"#,
                listed(10_000, &|it| format!(r#"{{"minimum":{it}}}"#))
            )
        }
        "properties nested 2,000 deep" => {
            let open = r#"{"properties":{"p":"#.repeat(2000);
            format!("{open}{{}}{}", "}}".repeat(2000))
        }
        "enum with 1,000,000 values" => {
            format!(
                r#"{{"enum":[{}]}}"#,
                listed(1_000_000, &|it| it.to_string())
            )
        }
        "pattern of 1 MiB" => format!(
            r#"{{"type":"string","pattern":"{}"}}"#,
            "(a*)*".repeat(210_000)
        ),
        other => panic!("no schema for {other:?}"),
    }
}

/// Messages to a server: those that must not be executed cannot be read as a request with that id; the others can.
fn messages(case: &Value) -> bool {
    let refused = case["expect"]["no_success_for"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let lines: Vec<_> = case["input"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(line)
        .collect();
    for line in &lines {
        let served = match decode(&Bytes::from(line.clone())) {
            Ok(Message::Request(request)) => Some(serde_json::to_value(&request.id).unwrap()),
            _ => None,
        };
        let shape: Value = serde_json::from_str(line).unwrap_or_default();
        let is_params = shape["params"].is_object();
        // What is wrong inside of params is for the method to say.
        match &served {
            Some(id) if refused.contains(id) => assert!(is_params, "{line}"),
            Some(id) => assert_eq!(&shape["id"], id),
            None => assert!(!is_params || refused.contains(&shape["id"]), "{line}"),
        }
    }
    !lines.is_empty()
}

fn line(step: &Value) -> Option<String> {
    if let Some(text) = step["send_raw"].as_str() {
        return Some(text.to_owned());
    }
    if let Some(fill) = step.get("send_fill") {
        let text = |name: &str| fill[name].as_str().unwrap_or_default();
        let count = |name: &str| usize::try_from(fill[name].as_u64().unwrap_or(0)).unwrap();
        let units = text("unit").repeat(count("count"));
        let tail = text("unit2").repeat(count("count2"));
        return Some([text("prefix"), &units, text("mid"), &tail, text("suffix")].concat());
    }
    step.get("send").map(Value::to_string)
}

/// Results that a mock gives to `tools/call`: one of an unknown type is not taken for a finished one.
fn results(input: &Value) -> bool {
    let call = Method::from("tools/call");
    let rules = input["mock"]["rules"].as_array().unwrap();
    for result in rules.iter().map(|rule| &rule["reply"]["json"]["result"]) {
        let raw = RawJson::from_serialize(result).unwrap();
        let outcome = Outcome::decode(&call, &raw).unwrap();
        let is_complete = matches!(outcome, Outcome::Complete(_));
        let says_so = result.get("resultType").is_none_or(|it| it == "complete");
        assert_eq!(is_complete, says_so, "{raw}");
    }
    !rules.is_empty()
}
