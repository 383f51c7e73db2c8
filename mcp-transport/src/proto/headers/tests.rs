//! The header mirror: plain and wrapped values, and every way a header can differ from the body.

use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;

use super::{MCP_METHOD, MCP_NAME, Malformed, Repeated, check, decode, encode, param, single};

#[test]
fn plain_values_stand_as_they_are() {
    for value in [
        "echo",
        "file:///a b?c=%20",
        "",
        "!~",
        "=?base64?",
        "?=",
        "=?BASE64?eA==?=",
        "=?base64?=",
    ] {
        assert_eq!(encode(value), value);
    }
}

#[test]
fn a12_other_values_are_wrapped() {
    let check = |value, expected| assert_eq!(encode(value), expected);
    check("größe", "=?base64?Z3LDtsOfZQ==?=");
    check(" a", "=?base64?IGE=?=");
    check("a ", "=?base64?YSA=?=");
    check("a\tb", "=?base64?YQli?=");
    check("a\r\nx: y", "=?base64?YQ0KeDogeQ==?=");
    check("\u{7f}", "=?base64?fw==?=");
    check("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
}

#[test]
fn decoding_is_strict() {
    let check = |value: &[u8], expected: Result<&str, Malformed>| {
        let value = HeaderValue::from_bytes(value).unwrap();
        assert_eq!(
            decode(&value).as_deref(),
            expected.as_ref().map(|text| *text),
            "{value:?}"
        );
    };
    check(b"echo", Ok("echo"));
    check(b" \techo ", Ok("echo"));
    check(b"=?base64?eA==?=", Ok("x"));
    check(b"=?base64??=", Ok(""));
    check(b"=?Base64?eA==?=", Ok("=?Base64?eA==?="));
    check(b"=?base64?eA==", Ok("=?base64?eA=="));
    check(b"=?base64?eA=?=", Err(Malformed));
    check(b"=?base64?eA?=", Err(Malformed));
    check(b"=?base64?e A==?=", Err(Malformed));
    check(b"=?base64?_-8=?=", Err(Malformed));
    check(b"=?base64?eB==?=", Err(Malformed));
    check(b"=?base64?/w==?=", Err(Malformed));
    check("größe".as_bytes(), Err(Malformed));
}

fn mismatch(values: &[&str], expected: &str) -> String {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(MCP_NAME, HeaderValue::from_str(value).unwrap());
    }
    check(&headers, &MCP_NAME, expected)
        .map_or_else(|mismatch| mismatch.to_string(), |()| "match".to_owned())
}

#[test]
fn a_header_is_compared_after_decoding_and_with_regard_to_case() {
    assert_eq!(mismatch(&["echo"], "echo"), "match");
    assert_eq!(mismatch(&["=?base64?ZWNobw==?="], "echo"), "match");
    let text = "Header mismatch: Mcp-Name header value 'ECHO' does not match body value 'echo'";
    assert_eq!(mismatch(&["ECHO"], "echo"), text);
    assert_eq!(
        mismatch(&[], "echo"),
        "Header mismatch: missing Mcp-Name header, the body says 'echo'"
    );
    assert_eq!(
        mismatch(&["=?base64?x?="], "x"),
        "Header mismatch: Mcp-Name header value cannot be decoded"
    );
}

#[test]
fn h21_a_repeated_header_is_a_mismatch() {
    let text = "Header mismatch: Mcp-Name header is repeated; send it once";
    assert_eq!(mismatch(&["echo", "echo"], "echo"), text);
    let mut headers = HeaderMap::new();
    assert_eq!(single(&headers, &MCP_METHOD), Ok(None));
    headers.append(MCP_METHOD, HeaderValue::from_static("ping"));
    assert_eq!(
        single(&headers, &MCP_METHOD),
        Ok(Some(&HeaderValue::from_static("ping")))
    );
    headers.append(MCP_METHOD, HeaderValue::from_static("ping"));
    assert_eq!(single(&headers, &MCP_METHOD), Err(Repeated));
}

proptest! {
    #[test]
    fn a12_what_is_encoded_decodes(value in prop_oneof![any::<String>(), "(=\\?base64\\?)?[ -~]{0,8}(\\?=)?"]) {
        let encoded = encode(&value);
        prop_assert!(encoded.as_bytes().iter().all(|byte| matches!(byte, b' '..=b'~')));
        prop_assert_eq!(decode(&encoded).unwrap(), value);
    }
}

#[test]
fn mcp_param_of_a_tool_argument() {
    use serde_json::{Value, json};
    let check = |annotation: &str, argument: Value, expected: Option<(&str, &str)>| {
        let found = param(annotation, &argument).unwrap();
        let expected = expected.map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        });
        assert_eq!(found, expected, "{annotation} {argument}");
    };
    check("City", json!("Bern"), Some(("mcp-param-city", "Bern")));
    check("a", json!(" x"), Some(("mcp-param-a", "=?base64?IHg=?=")));
    check("a", json!(""), Some(("mcp-param-a", "")));
    check("a", json!(true), Some(("mcp-param-a", "true")));
    check(
        "a",
        json!(9_007_199_254_740_991_i64),
        Some(("mcp-param-a", "9007199254740991")),
    );
    check("a", json!(-7), Some(("mcp-param-a", "-7")));
    check("a", json!(null), None);
    for (annotation, argument) in [
        ("a", json!(9_007_199_254_740_992_i64)),
        ("a", json!(1.5)),
        ("a", json!(u64::MAX)),
        ("a", json!([])),
        ("a", json!({})),
        ("", json!("x")),
        ("a b", json!("x")),
        ("ä", json!("x")),
    ] {
        let error = param(annotation, &argument).unwrap_err().to_string();
        assert!(error.contains(&format!("{annotation:?}")), "{error}");
    }
}
