//! Hints: read however they come, and never fatal.

use serde_json::{Value, json};

use super::*;
use crate::{
    prompt::PromptArgument,
    resource::{Resource, TextResourceContents},
    tool::{Tool, ToolAnnotations},
};

fn read<T: for<'de> Deserialize<'de>>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn an_integer_hint_is_read_however_it_is_spelled() {
    let check = |text: &str, expected: Option<u64>| {
        assert_eq!(
            serde_json::from_str::<Text<'_>>(text)
                .unwrap()
                .hint::<Option<u64>>(),
            expected,
            "{text}"
        );
    };
    check("1000", Some(1000));
    check("1e3", Some(1000));
    check("1000.0", Some(1000));
    check("0.0", Some(0));
    check("18446744073709551615", Some(u64::MAX));
    for malformed in [
        "-1", "-1.0", "1.5", "1e300", "1e999", "\"1000\"", "true", "[1]", "null",
    ] {
        check(malformed, None);
    }
}

/// Whatever stands in the place of a hint, well-formed as JSON as it is.
const BAD: [&str; 11] = [
    r#""\ud800""#,
    r#""a\udc00b""#,
    "1e999",
    "-1e999",
    "123456789012345678901234567890",
    r#"["\ud800",1e999]"#,
    r#"{"\ud800":1e999}"#,
    r#"{"a":{"a":1},"a":2}"#,
    "[[7]]",
    "-1.5",
    "null",
];

#[test]
fn a_bad_hint_costs_itself_and_no_other() {
    for bad in BAD {
        let tool: Tool = read(&format!(
            r#"{{"title":{bad},"name":"t","description":{bad},"outputSchema":{{}},"inputSchema":{{}},"annotations":{{"readOnlyHint":{bad},"title":{bad},"idempotentHint":true}},"icons":{bad},"x":1}}"#
        ));
        assert_eq!((tool.title, tool.description), (None, None), "{bad}");
        assert_eq!(
            tool.annotations,
            Some(ToolAnnotations {
                idempotent_hint: Some(true),
                ..ToolAnnotations::default()
            }),
            "{bad}"
        );
        assert_eq!(tool.icons, None, "{bad}");
        assert_eq!(tool.extra.get("x").map(RawJson::as_str), Some("1"), "{bad}");
        let argument: PromptArgument =
            read(&format!(r#"{{"name":"a","required":{bad},"title":{bad}}}"#));
        assert_eq!((argument.required, argument.title), (None, None), "{bad}");
        let resource: Resource = read(&format!(
            r#"{{"uri":"a:b","name":"a","size":{bad},"mimeType":{bad},"_meta":{bad}}}"#
        ));
        assert_eq!((resource.size, resource.mime_type), (None, None), "{bad}");
        let contents: TextResourceContents =
            read(&format!(r#"{{"uri":"a:b","mimeType":{bad},"text":"t"}}"#));
        assert_eq!((contents.mime_type, &*contents.text), (None, "t"), "{bad}");
    }
}

/// A message may come from a text, from a reader, or as a value that was read before.
#[test]
fn hints_are_read_from_any_source() {
    let value = json!({"name": "t\n", "title": "a\"b", "description": "d", "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true}});
    let text = value.to_string();
    let expected: Tool = read(&text);
    assert_eq!(expected.title.as_deref(), Some("a\"b"));
    assert_eq!(
        serde_json::from_reader::<_, Tool>(text.as_bytes()).unwrap(),
        expected
    );
    assert_eq!(
        serde_json::from_slice::<Tool>(text.as_bytes()).unwrap(),
        expected
    );
    assert_eq!(Tool::deserialize(&value).unwrap(), expected);
    assert_eq!(serde_json::from_value::<Tool>(value).unwrap(), expected);
    let odd = json!({"name": "t", "inputSchema": {}, "title": 1e300});
    assert_eq!(Tool::deserialize(&odd).unwrap().title, None);
    assert!(serde_json::from_str::<Value>(r#""\ud800""#).is_err());
}
