//! Editing raw JSON leaves the rest as it was.

use super::*;

fn params(text: &str) -> RawParams {
    RawParams::parse(text.to_owned()).unwrap()
}

fn written(params: &RawParams, meta: Option<&str>) -> String {
    let mut out = Vec::new();
    params.write(meta, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_member_is_found_wherever_it_stands() {
    let params = params(r#"{ "a" : 1.50e3 , "n\u0061me": "x\ny", "_meta": {"k": [ ]} }"#);
    assert_eq!(params.get("a"), Some("1.50e3"));
    assert_eq!(params.get("name"), Some(r#""x\ny""#));
    assert_eq!(params.get("_meta"), Some(r#"{"k": [ ]}"#));
    assert_eq!(params.get("b"), None);
}

#[test]
fn edits_keep_order_and_text() {
    let before = params(r#"{"a":1.50,"b":{"x": 1},"c":"\u00e9"}"#);
    let two = RawJson::parse("2").unwrap();
    assert_eq!(
        written(&before.with("b", &two), None),
        r#"{"a":1.50,"b":2,"c":"\u00e9"}"#
    );
    assert_eq!(
        written(&before.with("d", &two), None),
        r#"{"a":1.50,"b":{"x": 1},"c":"\u00e9","d":2}"#
    );
    assert_eq!(
        written(&before.without("a"), None),
        r#"{"b":{"x": 1},"c":"\u00e9"}"#
    );
    assert_eq!(before.with("b", &two).get("c"), Some(r#""\u00e9""#));
}

#[test]
fn meta_takes_the_place_of_meta() {
    let before = params(r#"{"_meta":{"old":1},"name":"x"}"#);
    assert_eq!(written(&before, Some("{}")), r#"{"name":"x","_meta":{}}"#);
    assert_eq!(written(&before, None), r#"{"_meta":{"old":1},"name":"x"}"#);
    assert_eq!(written(&RawParams::empty(), None), "{}");
}

#[test]
fn what_is_no_object_or_names_a_member_twice_is_refused() {
    for text in [
        "[]",
        "1",
        "null",
        "\"x\"",
        "1.5",
        "-1",
        "true",
        "{",
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"\u0061":2}"#,
    ] {
        assert!(RawParams::parse(text.to_owned()).is_err(), "{text}");
    }
}

#[test]
fn a_member_that_stands_twice_is_found_among_few_and_among_many() {
    // With each member compared to each, a hundred thousand would keep a reader for minutes.
    for count in [1, 2, 15, 16, 17, 100_000] {
        let mut text = String::from("{");
        for member in 0..count {
            text.push_str(&format!("\"m{member}\":0,"));
        }
        let (once, twice) = (format!("{text}\"x\":0}}"), format!("{text}\"m0\":0}}"));
        assert!(RawParams::parse(once.clone()).is_ok(), "{count}");
        assert!(serde_json::from_str::<RawObject>(&once).is_ok(), "{count}");
        assert!(RawParams::parse(twice.clone()).is_err(), "{count}");
        let error = serde_json::from_str::<RawObject>(&twice).unwrap_err();
        assert!(error.to_string().starts_with("member `m0` stands twice"));
    }
}

#[test]
fn an_object_is_edited_in_place() {
    let mut object: RawObject = serde_json::from_str(r#"{"b":1,"a":[1, 2]}"#).unwrap();
    object.set("b", RawJson::parse("true").unwrap());
    object.set("c", RawJson::parse("null").unwrap());
    assert_eq!(
        serde_json::to_string(&object).unwrap(),
        r#"{"b":true,"a":[1, 2],"c":null}"#
    );
    assert_eq!(object.remove("a").unwrap().as_str(), "[1, 2]");
    assert_eq!(object.decode::<bool>("b"), Some(true));
    assert_eq!(object.decode::<bool>("c"), None);
    assert!(serde_json::from_str::<RawObject>(r#"{"a":1,"a":1}"#).is_err());
}

#[test]
fn a_value_of_another_shape_says_where() {
    use crate::{input::InputRequired, prompt::GetPromptResult, tool::ListToolsResult};
    fn check<T: serde::de::DeserializeOwned + std::fmt::Debug>(
        text: &str,
        path: &str,
        reason: &str,
    ) {
        let error = RawJson::parse(text).unwrap().read::<T>().unwrap_err();
        assert_eq!(error.path.as_str(), path, "{text}: {error}");
        assert!(error.reason.contains(reason), "{error}");
        assert!(!error.reason.contains("line"), "{error}");
    }
    let missing = "`inputSchema` is missing";
    check::<ListToolsResult>(
        r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"}]}"#,
        "$.tools[1]",
        missing,
    );
    check::<ListToolsResult>(
        "{\n\"tools\":[\n{\"name\":\"b\"}\n]}",
        "$.tools[0]",
        missing,
    );
    check::<ListToolsResult>(r#"{"tools":7}"#, "$.tools", "invalid type");
    check::<ListToolsResult>("[]", "$", "invalid type");
    let text = r#"{"messages":[{"role":"user","content":{"type":"text","text":7}}]}"#;
    check::<GetPromptResult>(
        text,
        "$.messages[0]",
        "PromptMessage.content: TextContent.text",
    );
    check::<InputRequired>("{}", "$", "inputRequests");
}

#[test]
fn a_member_that_is_an_object_is_found_in_the_same_bytes() {
    let all = params(r#"{"a":{"x":1},"_meta":{"y" : 2,"z":{}},"b":7,"c":{"x":1,"x":2}}"#);
    let inner = |all: &RawParams, name: &str| {
        let found = all.object(name).map_err(|error| error.to_string());
        found.map(|found| found.map(|found| written(&found, None)))
    };
    // `_meta` was located with the rest, and the same is found once another member was edited.
    let edited = all.with("b", &RawJson::parse("7").unwrap());
    for all in [&all, &edited] {
        assert_eq!(inner(all, "a"), Ok(Some(r#"{"x":1}"#.to_owned())));
        assert_eq!(
            inner(all, "_meta"),
            Ok(Some(r#"{"y":2,"z":{}}"#.to_owned()))
        );
        assert_eq!(inner(all, "d"), Ok(None));
        assert_eq!(inner(all, "b").unwrap_err(), "member `b` must be an object");
        assert!(inner(all, "c").is_err());
        assert_eq!(all.iter().count(), 4);
        assert_eq!(all.get("y"), None);
    }
    let meta = all.object("_meta").unwrap().unwrap();
    assert_eq!(meta.get("y"), Some("2"));
    assert_eq!(meta.get("a"), None);
    assert_eq!(written(&meta.without("y"), None), r#"{"z":{}}"#);
    let twice = params(r#"{"_meta":{"a":1,"a":2}}"#);
    assert!(inner(&twice, "_meta").is_err());
}
