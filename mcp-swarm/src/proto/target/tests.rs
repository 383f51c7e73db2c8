//! Targets and whom they mean.

use proptest::prelude::*;

use super::*;

fn registry() -> Registry {
    let mut registry = Registry::new();
    for name in [
        "finance",
        "support",
        "legal",
        "legal-agent",
        "hr-agent",
        "10",
    ] {
        registry.add(name, "http://127.0.0.1:1/mcp").unwrap();
    }
    registry.alias("finance", "billing").unwrap();
    registry.alias("finance", "Our Money People").unwrap();
    registry
}

fn found(target: &str, expected: &str) {
    let registry = registry();
    assert_eq!(
        resolve(&registry, target).map(|entry| entry.name.as_str()),
        Ok(expected),
        "{target}"
    );
}

fn refused(target: &str, expected: fn(&TargetError) -> bool) {
    let registry = registry();
    let error = resolve(&registry, target).unwrap_err();
    assert!(expected(&error), "{target}: {error:?}");
    assert_eq!(error.code().as_str(), "REGISTRY_LOOKUP_FAILED");
}

#[test]
fn names_and_aliases() {
    found("finance", "finance");
    found("billing", "finance");
    found("Our Money People", "finance");
    found("legal-agent", "legal-agent");
    found("10", "10");
}

#[test]
fn the_seeds_example_finds_finance() {
    found("mcp://finance-agent", "finance");
}

#[test]
fn urls() {
    for target in [
        "mcp://finance",
        "mcps://finance",
        "http://finance",
        "https://finance",
        "MCP://FINANCE",
        "mcp://finance-agent:8081/mcp?a#b",
        "https://finance.evil.com/x",
        "mcp://finance-agent.internal",
        "mcp://billing",
        "mcp://billing-agent",
        "mcp://finance.",
    ] {
        found(target, "finance");
    }
    found("mcp://hr-agent", "hr-agent");
    found("mcp://legal", "legal");
}

#[test]
fn unknown_targets() {
    for target in [
        "FINANCE",
        "finance ",
        "finance-agent",
        "finance.evil.com",
        "mcp://",
        "mcp://finances",
        "mcp://hr",
        "mcp://agent-finance",
        "mcp://finance-agent-agent",
        "mcp://-agent",
        "mcp://10.0.0.1",
        "mcp://[::1]",
        "mcp://a b",
        "mcp:finance",
        "//finance",
        "mcp://.finance",
    ] {
        refused(target, |error| matches!(error, TargetError::Unknown { .. }));
    }
}

#[test]
fn the_unknown_target_and_the_known_names_are_told() {
    let error = resolve(&registry(), "mcp://sales").unwrap_err().to_string();
    assert_eq!(
        error,
        "no specialist is registered for `mcp://sales`: use one of finance, support, legal, legal-agent, hr-agent, 10"
    );
}

#[test]
fn malformed_targets() {
    refused("", |error| matches!(error, TargetError::Malformed { .. }));
    refused(
        &"a".repeat(257),
        |error| matches!(error, TargetError::Malformed { target } if target.len() == 200),
    );
    refused(
        "fin\u{0}ance",
        |error| matches!(error, TargetError::Malformed { target } if target == "finance"),
    );
    refused("finance\n", |error| {
        matches!(error, TargetError::Malformed { .. })
    });
}

#[test]
fn userinfo_is_refused_and_not_repeated() {
    for target in [
        "mcp://user:hunter2@finance",
        "http://finance@evil.com",
        "mcp://@finance",
    ] {
        refused(target, |error| *error == TargetError::Userinfo);
    }
    found("mcp://finance/@x", "finance");
}

#[test]
fn unknown_schemes_are_refused() {
    for target in [
        "ftp://finance",
        "file://finance",
        "javascript://finance",
        "://finance",
    ] {
        refused(target, |error| matches!(error, TargetError::Scheme { .. }));
    }
}

#[test]
fn two_meanings_are_refused() {
    refused(
        "mcp://legal-agent",
        |error| matches!(error, TargetError::Ambiguous { one, other, .. } if one == "legal-agent" && other == "legal"),
    );
}

proptest! {
    #[test]
    fn any_text_is_answered(target in any::<String>()) {
        let _ = resolve(&registry(), &target);
    }
}
