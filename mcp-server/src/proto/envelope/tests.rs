//! What an envelope must hold, key by key.

use mcp_types::RawJson;

use super::*;

const FULL: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}"#;

fn meta(text: &str) -> RequestMeta {
    RawJson::parse(text).unwrap().decode().unwrap()
}

fn judge(meta: &RequestMeta, policy: &EraPolicy) -> Result<Revision, ErrorObject> {
    let revision = version(meta, policy)?;
    check_rest(meta, policy).map(|()| revision)
}

#[track_caller]
fn check(text: &str, policy: EnvelopePolicy, expected: Result<(), (&str, &str)>) {
    let policy = EraPolicy::default().with_envelope(policy);
    let got = judge(&meta(text), &policy).map(|_| ());
    let got = got.map_err(|error| {
        assert!(
            matches!(error.code.0, -32602 | -32022),
            "unexpected code {}",
            error.code
        );
        let data = error.data.map(|data| data.to_string()).unwrap_or_default();
        (error.message.into_owned(), data)
    });
    let expected = expected.map_err(|(message, data)| (message.to_owned(), data.to_owned()));
    assert_eq!(got, expected, "{text}");
}

#[test]
fn the_specifications_pair_is_enough() {
    check(FULL, EnvelopePolicy::Spec, Ok(()));
    let pair = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}"#;
    check(pair, EnvelopePolicy::Spec, Ok(()));
    check(
        pair,
        EnvelopePolicy::RequireClientInfo,
        Err((
            "Missing required _meta field: io.modelcontextprotocol/clientInfo",
            r#"{"missing":["io.modelcontextprotocol/clientInfo"]}"#,
        )),
    );
}

#[test]
fn a_missing_key_is_named() {
    let version_only = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    check(
        version_only,
        EnvelopePolicy::Spec,
        Err((
            "Missing required _meta field: io.modelcontextprotocol/clientCapabilities",
            r#"{"missing":["io.modelcontextprotocol/clientCapabilities"]}"#,
        )),
    );
    check(
        "{}",
        EnvelopePolicy::Spec,
        Err((
            "Missing required _meta fields: io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities",
            r#"{"missing":["io.modelcontextprotocol/protocolVersion","io.modelcontextprotocol/clientCapabilities"]}"#,
        )),
    );
}

#[test]
fn a_malformed_key_is_named_with_what_it_should_be() {
    let version_5 = r#"{"io.modelcontextprotocol/protocolVersion":5,"io.modelcontextprotocol/clientCapabilities":{}}"#;
    check(
        version_5,
        EnvelopePolicy::Spec,
        Err((
            "Malformed _meta field: io.modelcontextprotocol/protocolVersion must be of type string",
            r#"{"key":"io.modelcontextprotocol/protocolVersion","expected":"string"}"#,
        )),
    );
    for odd in ["[]", "null", "\"x\"", "1"] {
        let text = format!(
            r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{odd}}}"#
        );
        check(
            &text,
            EnvelopePolicy::Spec,
            Err((
                "Malformed _meta field: io.modelcontextprotocol/clientCapabilities must be of type object",
                r#"{"key":"io.modelcontextprotocol/clientCapabilities","expected":"object"}"#,
            )),
        );
    }
    let params = RawParams::parse(r#"{"_meta":7}"#).unwrap();
    assert_eq!(
        read_meta(&params).unwrap_err().message,
        "Malformed _meta field: _meta must be of type object"
    );
}

#[test]
fn an_unknown_version_is_judged_before_the_rest() {
    for version in ["2099-01-01", "1900-01-01", "zzz", "", "2025-11-25"] {
        let text = format!(r#"{{"io.modelcontextprotocol/protocolVersion":"{version}"}}"#);
        let data = format!(r#"{{"supported":["2026-07-28"],"requested":"{version}"}}"#);
        check(
            &text,
            EnvelopePolicy::Spec,
            Err(("Unsupported protocol version", &data)),
        );
    }
}

#[test]
fn who_makes_a_claim_depends_on_the_policy() {
    let version_only = meta(r#"{"io.modelcontextprotocol/protocolVersion":"x"}"#);
    let pair = EraPolicy::default().with_envelope(EnvelopePolicy::ClientInfoPair);
    assert!(is_claim(&version_only, &EraPolicy::default()));
    assert!(!is_claim(&version_only, &pair));
    assert!(is_claim(&meta(FULL), &pair));
    assert!(!is_claim(&meta(FULL), &EraPolicy::legacy_only()));
    assert!(!is_claim(&RequestMeta::new(), &EraPolicy::default()));
}
