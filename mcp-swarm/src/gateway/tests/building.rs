//! What a gateway refuses to be built from.

use std::sync::Arc;
use std::time::Duration;

use mcp_transport::clock::ManualClock;

use super::world::secret;
use crate::gateway::{Builder, SwarmGateway};

fn builder(name: &str) -> Builder {
    SwarmGateway::builder(name)
        .delegation_secret(secret())
        .clock(Arc::new(ManualClock::new()))
}

fn finance() -> Builder {
    builder("triage").specialist("finance", "http://finance-agent:8081")
}

#[test]
fn what_is_wrong_is_said() {
    let check = |builder: Builder, part: &str| {
        let said = builder.build().unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    };
    check(builder("triage"), "needs a specialist");
    check(
        builder("Triage").specialist("finance", "http://f"),
        "`Triage` is no name",
    );
    check(
        builder("finance").specialist("finance", "http://f"),
        "the gateway's own name",
    );
    check(
        finance().specialist("finance", "http://f"),
        "`finance` already names",
    );
    check(
        finance().specialist("a__b", "http://f"),
        "`a__b` is no name",
    );
    check(
        finance().specialist("files", "file:///etc/passwd"),
        "has a scheme",
    );
    check(
        finance().specialist("cloud", "http://169.254.169.254/"),
        "metadata",
    );
    check(
        finance().alias("finance", "finance"),
        "`finance` already names",
    );
    check(finance().alias("nobody", "money"), "no specialist `nobody`");
    check(finance().token_ttl(Duration::from_secs(301)), "token_ttl");
    check(
        finance().token_ttl(Duration::from_millis(1500)),
        "token_ttl",
    );
    let without = SwarmGateway::builder("triage").specialist("finance", "http://f");
    check(
        without.clock(Arc::new(ManualClock::new())),
        "needs a secret",
    );
}

#[cfg(not(feature = "http"))]
#[test]
fn without_a_driver_a_clock_has_to_be_given() {
    let gateway = SwarmGateway::builder("triage")
        .specialist("finance", "http://f")
        .delegation_secret(secret());
    assert!(
        gateway
            .build()
            .unwrap_err()
            .to_string()
            .contains("no clock")
    );
}

#[test]
fn what_is_shown_of_a_gateway_holds_no_secret() {
    let gateway = finance().alias("finance", "money").build().unwrap();
    let said = format!("{gateway:?} {:?} {:?}", gateway.layer(), finance());
    assert!(!said.contains("0123456789abcdef"), "{said}");
    assert_eq!(gateway.return_tool(), "triage__return_to_triage");
    assert_eq!(gateway.session_count(), 0);
}
