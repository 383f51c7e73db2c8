//! What opens a sealed state, and what does not.

use mcp_types::RawObject;
use proptest::prelude::*;

use super::*;
use crate::proto::rounds::{Caps, Rounds};

const NOW: u64 = 1_785_196_800;
const PARAMS: &str = r#"{"name":"deploy","arguments":{"app":"shop","n":1},"_meta":{"a":1}}"#;

fn key(fill: &str) -> StateKey {
    StateKey::new(fill.repeat(32)).unwrap()
}

fn ring() -> KeyRing {
    KeyRing::new(key("a"))
}

fn bound(method: &str, params: &str, principal: Option<&str>, audience: &str) -> Binding {
    let params = RawParams::parse(params.to_owned()).unwrap();
    Binding::new(&Method::from(method), &params, principal, audience)
}

fn binding() -> Binding {
    bound("tools/call", PARAMS, Some("ann"), "ops")
}

/// A book in which something stands.
fn book(secret: &str) -> Book {
    let caps = Caps {
        rounds: 10,
        keys: 64,
    };
    let mut rounds = Rounds::new(caps);
    rounds.resume(None, RawObject::new());
    rounds.end_step("charge", RawJson::from_serialize(secret).ok());
    rounds.end().1
}

fn sealed() -> String {
    seal(&book("paid"), &binding(), &ring(), NOW + 600, [7; 24]).unwrap()
}

/// Whether a state opens.
fn check(state: &str, binding: &Binding, keys: &KeyRing, now: u64, opens: bool) {
    let opened = open(state, binding, keys, now);
    let expected = opens.then(|| book("paid")).ok_or(Invalid);
    assert_eq!(opened, expected, "{state}");
}

#[test]
fn what_was_sealed_opens() {
    check(&sealed(), &binding(), &ring(), NOW, true);
}

#[test]
fn what_is_sealed_cannot_be_read() {
    let state = sealed();
    let body = state.rsplit('.').next().unwrap();
    let body = URL_SAFE_NO_PAD.decode(body).unwrap();
    for word in ["paid", "charge", "expires"] {
        assert!(!body.windows(word.len()).any(|at| at == word.as_bytes()));
    }
}

#[test]
fn each_byte_that_is_flipped_closes_it() {
    let state = sealed();
    for at in 0..state.len() {
        for bit in 0..7 {
            let mut flipped = state.clone().into_bytes();
            flipped[at] ^= 1 << bit;
            let flipped = String::from_utf8(flipped).unwrap();
            check(&flipped, &binding(), &ring(), NOW, false);
        }
    }
}

#[test]
fn what_is_cut_or_added_closes_it() {
    let state = sealed();
    for end in 0..state.len() {
        check(&state[..end], &binding(), &ring(), NOW, false);
    }
    for more in ["-TAMPERED", "A", "=", ".", ".a"] {
        check(&format!("{state}{more}"), &binding(), &ring(), NOW, false);
    }
    check(&format!(" {state}"), &binding(), &ring(), NOW, false);
}

#[test]
fn another_request_closes_it() {
    let other = |binding: Binding| check(&sealed(), &binding, &ring(), NOW, false);
    other(bound("prompts/get", PARAMS, Some("ann"), "ops"));
    for params in [
        "{}",
        r#"{"name":"deploy"}"#,
        r#"{"name":"destroy","arguments":{"app":"shop","n":1}}"#,
        r#"{"name":"deploy","arguments":{"app":"bank","n":1}}"#,
        r#"{"name":"deploy","arguments":{"app":"shop","n":"1"}}"#,
        r#"{"name":"deploy","arguments":{"app":"shop","n":1,"force":true}}"#,
        r#"{"name":"deploy","arguments":{"app":"shop","n":1},"task":{}}"#,
    ] {
        other(bound("tools/call", params, Some("ann"), "ops"));
    }
}

#[test]
fn another_principal_closes_it() {
    for principal in [None, Some(""), Some("bob"), Some("an"), Some("anna")] {
        let binding = bound("tools/call", PARAMS, principal, "ops");
        check(&sealed(), &binding, &ring(), NOW, false);
    }
}

#[test]
fn another_server_closes_it() {
    let binding = bound("tools/call", PARAMS, Some("ann"), "ops2");
    check(&sealed(), &binding, &ring(), NOW, false);
}

#[test]
fn it_expires() {
    check(&sealed(), &binding(), &ring(), NOW + 599, true);
    check(&sealed(), &binding(), &ring(), NOW + 600, false);
    check(&sealed(), &binding(), &ring(), u64::MAX, false);
}

#[test]
fn r30_a_ring_that_has_the_key_opens_it_and_no_other() {
    let rotated = KeyRing::new(key("b")).accept(key("a"));
    check(&sealed(), &binding(), &rotated, NOW, true);
    check(&sealed(), &binding(), &KeyRing::new(key("b")), NOW, false);
    let later = seal(&book("paid"), &binding(), &rotated, NOW + 600, [7; 24]).unwrap();
    check(&later, &binding(), &ring(), NOW, false);
    check(&later, &binding(), &ring().accept(key("b")), NOW, true);
    // The id of one key does not open the seal of another.
    let renamed = sealed().replace(key("a").id(), key("b").id());
    check(&renamed, &binding(), &rotated, NOW, false);
}

#[test]
fn parameters_written_anew_are_the_same() {
    for params in [
        r#"{"arguments":{"n":1,"app":"shop"},"name":"deploy"}"#,
        r#" { "name" : "deploy" , "arguments" : { "app" : "sh\u006fp" , "n" : 1.0 } } "#,
        r#"{"name":"deploy","arguments":{"app":"shop","n":1e0},"requestState":"x","inputResponses":{}}"#,
        r#"{"name":"deploy","arguments":{"app":"shop","n":1},"task":null}"#,
    ] {
        let binding = bound("tools/call", params, Some("ann"), "ops");
        check(&sealed(), &binding, &ring(), NOW, true);
    }
}

#[test]
fn no_arguments_are_empty_arguments() {
    let without = bound("tools/call", r#"{"name":"a"}"#, None, "ops");
    for arguments in ["{}", "null"] {
        let params = format!(r#"{{"name":"a","arguments":{arguments}}}"#);
        assert_eq!(bound("tools/call", &params, None, "ops"), without);
    }
}

#[test]
fn a_state_that_is_too_large_is_not_sealed() {
    let sealing = |size: usize| {
        let book = book(&"x".repeat(size));
        seal(&book, &binding(), &ring(), NOW + 600, [7; 24])
    };
    let fits = sealing(11_000).unwrap();
    assert!(fits.len() <= MAX_BYTES);
    let TooLarge(size) = sealing(13_000).unwrap_err();
    assert!(size > MAX_BYTES);
    let too_long = format!("{fits}{}", "A".repeat(MAX_BYTES));
    assert_eq!(open(&too_long, &binding(), &ring(), NOW), Err(Invalid));
}

#[test]
fn all_failures_are_one_answer() {
    let error = ErrorObject::from(Invalid);
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "Invalid or expired requestState");
    let data = error.data.unwrap();
    assert_eq!(data.as_str(), r#"{"reason":"invalid_request_state"}"#);
}

proptest! {
    #[test]
    fn no_text_opens(state in ".{0,200}", body in "[A-Za-z0-9_-]{0,200}") {
        check(&state, &binding(), &ring(), NOW, false);
        check(&format!("mcps1.{}.{body}", key("a").id()), &binding(), &ring(), NOW, false);
    }
}
