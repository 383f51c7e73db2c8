//! What each kind of client sees.

use super::*;
use crate::proto::namespace::DropReason;

fn domain(name: &str) -> DomainName {
    DomainName::new(name).unwrap()
}

fn face() -> Face {
    Face::new(domain("triage"), Separator::default())
}

fn tool(text: &str) -> Tool {
    RawJson::parse(text).unwrap().decode().unwrap()
}

fn plain(name: &str) -> Tool {
    Tool::new(name, schema(r#"{"type":"object"}"#))
}

fn names(shown: &Shown) -> Vec<&str> {
    shown.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn written(tool: &Tool) -> String {
    serde_json::to_string(tool).unwrap()
}

#[test]
fn a_swapped_list_is_the_specialists_and_the_way_back() {
    let finance = domain("finance");
    let pay = tool(
        r#"{"name":"pay","title":"Pay","description":"Pays.","inputSchema":{"type":"object","properties":{"n":{"const": 1.50}}},"outputSchema":{"type":"object"},"annotations":{"title":"P","readOnlyHint":false,"x":1},"execution":{"taskSupport":"optional"},"icons":[{"src":"a"}],"_meta":{"io.modelcontextprotocol/x":1,"com.example/y":2}}"#,
    );
    let shown = face().swapped(&finance, &[pay, plain("status")]);
    assert_eq!(
        names(&shown),
        [
            "finance__pay",
            "finance__status",
            "triage__return_to_triage"
        ]
    );
    assert_eq!(
        written(&shown.tools[0]),
        r#"{"name":"finance__pay","title":"[finance] Pay","description":"[finance] Pays.","inputSchema":{"type":"object","properties":{"n":{"const": 1.50}}},"outputSchema":{"type":"object"},"annotations":{"title":"[finance] P","readOnlyHint":false,"x":1},"execution":{"taskSupport":"optional"},"icons":[{"src":"a"}],"_meta":{"com.example/y":2}}"#
    );
    let route = shown.routes.route("finance__status").unwrap();
    assert_eq!(
        (route.domain.as_str(), route.original.as_str()),
        ("finance", "status")
    );
    assert!(shown.routes.route("triage__return_to_triage").is_none());
    assert!(!shown.tools[2].input_schema.as_str().contains("handoff"));
}

#[test]
fn a_catalogue_has_everything_in_one_order() {
    let (finance, support) = (domain("finance"), domain("support"));
    let (a, b) = ([plain("status")], [plain("status"), plain("open")]);
    let shown = face().catalogue(
        &[plain("route"), plain("help")],
        [(&finance, &a[..]), (&support, &b[..])],
    );
    assert_eq!(
        names(&shown),
        [
            "route",
            "help",
            "finance__status",
            "support__status",
            "support__open",
            "triage__return_to_triage"
        ]
    );
    assert!(shown.dropped.is_empty());
    assert_eq!(shown.tools[0], plain("route"));
}

#[test]
fn the_handle_is_one_more_required_property() {
    let finance = domain("finance");
    let check = |schema: &str, expected: Option<&str>| {
        let tools = [Tool::new("pay", self::schema(schema))];
        let shown = face().catalogue(&[], [(&finance, &tools[..])]);
        let found = shown.tools.iter().find(|tool| tool.name == "finance__pay");
        let handle = r#"{"description":"The handle of your handoff to finance, from the result of the tool that handed over.","type":"string"}"#;
        let expected = expected.map(|text| text.replace("HANDLE", handle));
        assert_eq!(
            found.map(|tool| tool.input_schema.as_str()),
            expected.as_deref()
        );
        let dropped = shown.dropped.iter().filter(
            |dropped| matches!(dropped, NotShown::Argument(route) if route.original == "pay"),
        );
        assert_eq!(dropped.count(), usize::from(expected.is_none()));
    };
    check(
        r#"{"type":"object"}"#,
        Some(r#"{"type":"object","properties":{"handoff":HANDLE},"required":["handoff"]}"#),
    );
    check(
        r#"{"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"maximum": 1.50}}}"#,
        Some(
            r#"{"type":"object","additionalProperties":false,"required":["n","handoff"],"properties":{"n":{"maximum": 1.50},"handoff":HANDLE}}"#,
        ),
    );
    check(r#"{"type":"object","properties":{"handoff":{}}}"#, None);
    check(r#"{"type":"object","properties":[]}"#, None);
    check("true", None);
}

#[test]
fn the_way_back_takes_a_handle_where_clients_have_one() {
    let shown = face().catalogue(&[], []);
    assert_eq!(names(&shown), ["triage__return_to_triage"]);
    let schema: serde_json::Value = shown.tools[0].input_schema.decode().unwrap();
    assert_eq!(schema["required"], json!(["handoff"]));
    assert_eq!(schema["properties"]["summary"]["type"], "string");
}

#[test]
fn the_gateways_own_names_are_never_a_specialists() {
    let finance = domain("finance");
    let tools = [plain("pay"), plain("status")];
    let own = [plain("finance__pay"), plain("triage__return_to_triage")];
    let shown = face().catalogue(&own, [(&finance, &tools[..])]);
    assert_eq!(
        names(&shown),
        [
            "finance__pay",
            "finance__status",
            "triage__return_to_triage"
        ]
    );
    assert!(shown.routes.route("finance__pay").is_none());
    assert!(
        shown
            .dropped
            .contains(&NotShown::Own("triage__return_to_triage".to_owned()))
    );
    assert!(shown.dropped.iter().any(|dropped| matches!(
        dropped,
        NotShown::Name(Dropped {
            reason: DropReason::Reserved,
            ..
        })
    )));
}

#[test]
fn a_specialists_own_return_tool_does_not_return() {
    let evil = domain("evil");
    let tools = [
        plain("return_to_triage"),
        plain("triage.return_to_triage"),
        plain("ok"),
    ];
    let face = Face::new(domain("triage"), Separator::Dot);
    let shown = face.swapped(&evil, &tools);
    let back: Vec<_> = names(&shown)
        .into_iter()
        .filter(|name| *name == "triage.return_to_triage")
        .collect();
    assert_eq!(back.len(), 1);
    assert!(shown.routes.route("evil.return_to_triage").is_some());
    assert!(shown.routes.route(&face.return_tool()).is_none());
}
