//! Which texts are names.

use super::*;

fn check<T: for<'a> TryFrom<&'a str>>(valid: &[&str], invalid: &[&str]) {
    for text in valid {
        assert!(T::try_from(text).is_ok(), "{text:?}");
    }
    for text in invalid {
        assert!(T::try_from(text).is_err(), "{text:?}");
    }
}

#[test]
fn tool_names() {
    let (most, more) = ("a".repeat(128), "a".repeat(129));
    check::<ToolName>(
        &["a", "A_b-c.9", "get.user", &most],
        &["", " ", "a b", "a/b", "é", "a\n", &more],
    );
}

#[test]
fn prompt_names_and_task_ids() {
    check::<PromptName>(&["a", "Code review: é"], &["", "a\u{7}", "a\n"]);
    let (most, more) = ("é".repeat(256), "é".repeat(257));
    check::<TaskId>(&["786512e2-9e0d", &most], &["", "a\tb", &more]);
}

#[test]
fn resource_uris_and_templates() {
    check::<ResourceUri>(
        &[
            "file:///a%20b",
            "https://e.com/?q=1#f",
            "urn:x",
            "a+b-c.d:e",
            "file:///Załączniki",
        ],
        &[
            "",
            "a",
            ":a",
            "1a:b",
            "a b:c",
            "a:",
            "a:b c",
            "a:{b}",
            "a:b\n",
            "/etc/passwd",
        ],
    );
    check::<UriTemplate>(
        &["file:///{path}", "{+base}/x{?q,r*}", "a:b"],
        &["", "a{", "a}", "a{}", "a{b{c}}", "a b", "{x}}"],
    );
}

#[test]
fn cursors_are_anything_but_nothing() {
    check::<Cursor>(&["a", " ", "\n", "é"], &[""]);
}

#[test]
fn meta_keys() {
    check::<MetaKey>(
        &[
            "a",
            "a.b_c-9",
            "com.example/k",
            "com.example/",
            "a-b.c/d",
            "traceparent",
            "9",
        ],
        &[
            "",
            "/a",
            "-a",
            "a-",
            "a b",
            "é",
            "9.com/a",
            "com-/a",
            ".com/a",
            "a/b/c",
            "com.example/-",
        ],
    );
    check::<ExtensionId>(
        &["io.modelcontextprotocol/tasks", "a/b"],
        &["tasks", "a/", "/b", "a b/c"],
    );
    let reserved = |text: &str| MetaKey::try_from(text).unwrap().is_reserved();
    for text in [
        "io.modelcontextprotocol/x",
        "dev.mcp/x",
        "org.modelcontextprotocol.api/x",
        "com.mcp.tools/",
        "progressToken",
        "traceparent",
        "tracestate",
        "baggage",
    ] {
        assert!(reserved(text), "{text}");
    }
    for text in [
        "k",
        "com.example/k",
        "com.example.mcp/x",
        "mcp/x",
        "dev.mcp-swarm/x",
    ] {
        assert!(!reserved(text), "{text}");
    }
}

#[test]
fn an_invalid_name_says_what_it_should_be() {
    let error = "a b".parse::<ToolName>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"a b\" is no tool name: only A-Z, a-z, 0-9, `_`, `-` and `.` are allowed"
    );
    let error = ToolName::try_from("é".repeat(1000)).unwrap_err();
    assert_eq!(error.text.chars().count(), 200);
    assert!(serde_json::from_str::<TaskId>(r#""""#).is_err());
    let id: TaskId = serde_json::from_str(r#""t""#).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), r#""t""#);
}
