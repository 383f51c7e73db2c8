//! Which specialists may be registered.

use super::*;

fn check(url: &str, expected: Result<&str, BadUrl>) {
    let mut registry = Registry::new();
    let added = registry.add("finance", url);
    match expected {
        Ok(expected) => {
            assert_eq!(added, Ok(()), "{url}");
            assert_eq!(
                registry
                    .entry("finance")
                    .and_then(|entry| entry.url.as_ref())
                    .map(Url::as_str),
                Some(expected)
            );
        }
        Err(reason) => {
            let expected = RegistryError::Url {
                name: "finance".into(),
                reason,
            };
            assert_eq!(expected.code().as_str(), "REGISTRY_INVALID_URI");
            assert_eq!(added, Err(expected), "{url}");
            assert!(registry.is_empty());
        }
    }
}

#[test]
fn addresses() {
    check(
        "http://finance-agent:8081",
        Ok("http://finance-agent:8081/"),
    );
    check("https://10.0.0.7/mcp", Ok("https://10.0.0.7/mcp"));
    check(
        "mcp://127.0.0.1:9/mcp?x=1",
        Ok("http://127.0.0.1:9/mcp?x=1"),
    );
    check("MCPS://finance/", Ok("https://finance/"));
    check("http://[::1]:1/", Ok("http://[::1]:1/"));
    check("", Err(BadUrl::Syntax));
    check("not a url", Err(BadUrl::Syntax));
    check("finance-agent:8081", Err(BadUrl::Syntax));
    check("http://", Err(BadUrl::Syntax));
    check("http://a b/", Err(BadUrl::Syntax));
    check("file:///etc/passwd", Err(BadUrl::Scheme));
    check("javascript://x", Err(BadUrl::Scheme));
    check("http://user:pw@finance/", Err(BadUrl::Userinfo));
    check("http://@finance/", Err(BadUrl::Userinfo));
    check("http://finance/#x", Err(BadUrl::Fragment));
}

#[test]
fn metadata_addresses_in_every_spelling() {
    for host in [
        "169.254.169.254",
        "169.254.1.1",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[fd20:ce::254]",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "metadata",
        "instance-data",
    ] {
        check(&format!("http://{host}/latest"), Err(BadUrl::Metadata));
    }
}

#[test]
fn a_word_means_one_specialist() {
    let mut registry = Registry::new();
    registry.add("finance", "http://f/").unwrap();
    registry.add("support", "http://s/").unwrap();
    assert_eq!(
        registry.add("finance", "http://g/").unwrap_err(),
        RegistryError::Taken {
            word: "finance".into()
        }
    );
    assert_eq!(
        registry.alias("finance", "support").unwrap_err(),
        RegistryError::Taken {
            word: "support".into()
        }
    );
    registry.alias("finance", "billing").unwrap();
    assert_eq!(
        registry.alias("support", "billing").unwrap_err(),
        RegistryError::Taken {
            word: "billing".into()
        }
    );
    assert_eq!(
        registry.add("billing", "http://b/").unwrap_err(),
        RegistryError::Taken {
            word: "billing".into()
        }
    );
    assert_eq!(
        registry.alias("legal", "law").unwrap_err(),
        RegistryError::Unknown {
            name: "legal".into()
        }
    );
    assert_eq!(
        registry.alias("finance", "").unwrap_err(),
        RegistryError::Alias {
            alias: String::new()
        }
    );
    assert_eq!(
        registry.alias("finance", "a\nb").unwrap_err(),
        RegistryError::Alias { alias: "ab".into() }
    );
    assert!(matches!(
        registry.add("Finance", "http://f/"),
        Err(RegistryError::Name(_))
    ));
    assert_eq!(
        registry
            .iter()
            .map(|entry| entry.name.as_str())
            .collect::<Vec<_>>(),
        ["finance", "support"]
    );
}

#[test]
fn an_error_never_repeats_the_address() {
    let error = Registry::new()
        .add("finance", "http://user:hunter2@finance/")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`finance`") && !error.contains("hunter2"),
        "{error}"
    );
}
