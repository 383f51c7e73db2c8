//! The HTTP facts: hosts and origins that are and are not ours, media types, refusals, `Retry-After`.

use core::time::Duration;
use std::time::SystemTime;

use http::{HeaderMap, HeaderValue, Request, Uri, header, request::Parts};

use super::{
    Accepts, AllowList, Refusal, RetryAfter, accepts, check_post, essence, is_json_body,
    retry_after,
};
use crate::proto::limits::Limits;

fn headers(name: &header::HeaderName, values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

fn host(allow: &AllowList, value: &str) -> bool {
    allow
        .check_host(&headers(&header::HOST, &[value]), &Uri::from_static("/mcp"))
        .is_ok()
}

fn origin(allow: &AllowList, value: &str) -> bool {
    allow
        .check_origin(&headers(&header::ORIGIN, &[value]))
        .is_ok()
}

#[test]
fn a1_loopback_names_are_allowed_with_any_port() {
    for name in [
        "localhost",
        "LocalHost",
        "127.0.0.1",
        "127.8.9.10",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
    ] {
        for port in ["", ":1", ":8080", ":65535"] {
            assert!(host(&AllowList::loopback(), &format!("{name}{port}")));
            assert!(origin(
                &AllowList::loopback(),
                &format!("http://{name}{port}")
            ));
            assert!(origin(
                &AllowList::loopback(),
                &format!("HTTPS://{name}{port}")
            ));
        }
    }
}

#[test]
fn a1_a2_what_only_looks_like_loopback_is_refused() {
    let hostile = [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example:80",
        "evil-localhost",
        "localhost.",
        "user@127.0.0.1:80",
        "user:x@localhost",
        "127.0.0.1:80@evil.example",
        "127.0.0.1:",
        "localhost:x",
        "localhost:65536",
        "localhost:+80",
        "localhost:80:80",
        "[::1].evil.example",
        "[::1]x",
        "[::1",
        "::1",
        "[]",
        "",
        " ",
        "0.0.0.0",
        "127.1",
        "0x7f.1",
        "2130706433",
        "127.0.0.01",
        "[::ffff:127.0.0.1]",
        "[fe80::1]",
        "169.254.169.254",
        "localhost/",
        "localhost/evil",
        "localhost?x",
        "localhost#x",
        "localhost,evil.example",
        "localhost evil",
        "*",
        "localhost\u{e9}",
        "ｌocalhost",
    ];
    for name in hostile {
        assert!(!host(&AllowList::loopback(), name), "{name}");
        assert!(
            !origin(&AllowList::loopback(), &format!("http://{name}")),
            "{name}"
        );
    }
    for name in [
        "null",
        "localhost",
        "//localhost",
        "http:/localhost",
        "://localhost",
        "file://localhost",
        "http://localhost/",
    ] {
        assert!(!origin(&AllowList::loopback(), name), "{name}");
    }
}

#[test]
fn configured_names_are_compared_whole() {
    let allow = AllowList::closed()
        .with_hosts("mcp.example.com, other.example:8443, tls.example:443")
        .unwrap();
    for good in [
        "mcp.example.com",
        "MCP.example.com:99",
        "other.example:8443",
        "tls.example",
        "tls.example:443",
    ] {
        assert!(host(&allow, good), "{good}");
    }
    for bad in [
        "other.example",
        "other.example:80",
        "tls.example:444",
        "x.mcp.example.com",
        "localhost",
    ] {
        assert!(!host(&allow, bad), "{bad}");
    }
    let allow = AllowList::closed()
        .with_origins("https://app.example.com,http://dev.example:3000")
        .unwrap();
    for good in [
        "https://app.example.com",
        "https://App.example.com:443",
        "http://dev.example:3000",
    ] {
        assert!(origin(&allow, good), "{good}");
    }
    for bad in [
        "http://app.example.com",
        "https://app.example.com:8443",
        "http://dev.example",
        "http://localhost",
    ] {
        assert!(!origin(&allow, bad), "{bad}");
    }
}

#[test]
fn a_star_allows_all_and_a_bad_entry_is_named() {
    let allow = AllowList::closed()
        .with_hosts("*")
        .unwrap()
        .with_origins("*")
        .unwrap();
    assert!(host(&allow, "evil.example") && origin(&allow, "null") && allow.names_hosts());
    assert!(!AllowList::loopback().names_hosts());
    let error = AllowList::closed()
        .with_hosts("ok.example, http://no.example")
        .unwrap_err();
    assert!(error.to_string().contains("http://no.example"));
    assert!(AllowList::closed().with_origins("app.example.com").is_err());
}

#[test]
fn a_missing_or_repeated_host_is_refused_and_a_missing_origin_is_not() {
    let allow = AllowList::loopback();
    let uri = Uri::from_static("/mcp");
    assert!(allow.check_host(&HeaderMap::new(), &uri).is_err());
    assert!(
        allow
            .check_host(&headers(&header::HOST, &["localhost", "localhost"]), &uri)
            .is_err()
    );
    assert!(allow.check_origin(&HeaderMap::new()).is_ok());
    assert!(
        allow
            .check_origin(&headers(
                &header::ORIGIN,
                &["http://localhost", "http://evil.example"]
            ))
            .is_err()
    );
}

#[test]
fn the_authority_of_the_target_counts_too() {
    let allow = AllowList::loopback();
    let local = headers(&header::HOST, &["localhost"]);
    assert!(
        allow
            .check_host(&local, &Uri::from_static("http://evil.example/mcp"))
            .is_err()
    );
    assert!(
        allow
            .check_host(
                &HeaderMap::new(),
                &Uri::from_static("http://localhost:80/mcp")
            )
            .is_ok()
    );
}

#[test]
fn refusals_say_what_was_refused_and_what_to_set() {
    let check = |refusal: Refusal, status: u16, code: i64, text: &str| {
        assert_eq!(
            (
                refusal.status().as_u16(),
                refusal.code(),
                refusal.to_string().as_str()
            ),
            (status, code, text)
        );
    };
    let caller = AllowList::loopback()
        .check_origin(&headers(&header::ORIGIN, &["http://evil.example"]))
        .unwrap_err();
    let text = "Origin http://evil.example is not in the allowlist. Add it with allowed_origins or MCP_ALLOWED_ORIGINS.";
    check(caller, 403, -32600, text);
    let text = "Host evil.example is not in the allowlist. Add it with allowed_hosts or MCP_ALLOWED_HOSTS.";
    check(Refusal::Host("evil.example".into()), 403, -32600, text);
    let method = |sessions| Refusal::Method {
        path: "/mcp".into(),
        sessions,
    };
    check(
        method(false),
        405,
        -32600,
        "Method not allowed in stateless mode. Use POST /mcp.",
    );
    check(
        method(true),
        405,
        -32600,
        "Method not allowed. Use POST /mcp.",
    );
    assert_eq!(
        (method(false).allow(), method(true).allow()),
        (Some("POST"), Some("GET, POST, DELETE"))
    );
    check(
        Refusal::TooLarge { limit: 4194304 },
        413,
        -32600,
        "The body is over the limit of 4194304 bytes.",
    );
    let requested = "1999-01-01".to_owned();
    let version = Refusal::Version {
        requested,
        served: vec!["2026-07-28", "2025-11-25"],
        modern: vec!["2026-07-28"],
    };
    let data = r#"{"requested":"1999-01-01","supported":["2026-07-28"]}"#;
    assert_eq!(version.data().unwrap().get(), data);
    let text = "Unsupported MCP-Protocol-Version: 1999-01-01. Supported: 2026-07-28, 2025-11-25.";
    check(version, 400, -32022, text);
    let busy = Refusal::Capacity {
        what: "sessions",
        limit: 10_000,
        retry_after: Duration::from_secs(5),
    };
    assert_eq!(
        busy.data().unwrap().get(),
        r#"{"code":"at_capacity","retryAfter":5}"#
    );
    check(
        busy,
        503,
        -32603,
        "At capacity: 10000 sessions. Try again in 5 s.",
    );
}

#[test]
fn a3_b5_only_json_in_utf8_is_a_body() {
    let check = |values: &[&str], good| {
        assert_eq!(
            is_json_body(&headers(&header::CONTENT_TYPE, values)).is_ok(),
            good,
            "{values:?}"
        );
    };
    for good in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        " application/json ;charset=\"UTF-8\"",
    ] {
        check(&[good], true);
    }
    let bad = [
        "text/plain",
        "text/plain; charset=application/json",
        "application/json-patch+json",
        "application/jsonx",
        "",
        "multipart/form-data; boundary=application/json",
        "application/x-www-form-urlencoded",
        "x application/json",
        "application/json; charset=utf-16",
        "application/json, text/plain",
    ];
    for bad in bad {
        check(&[bad], false);
    }
    check(&[], false);
    check(&["application/json", "application/json"], false);
    let mut coded = headers(&header::CONTENT_TYPE, &["application/json"]);
    coded.insert(
        header::CONTENT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    assert_eq!(is_json_body(&coded), Ok(()));
    coded.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    assert_eq!(is_json_body(&coded), Err(Refusal::Encoding("gzip".into())));
}

#[test]
fn accept_admits_by_the_most_specific_range() {
    let check = |values: &[&str], json, events| {
        assert_eq!(
            accepts(&headers(&header::ACCEPT, values)),
            Accepts { json, events },
            "{values:?}"
        );
    };
    check(&[], true, true);
    check(&["application/json, text/event-stream"], true, true);
    check(&["application/json", "text/event-stream"], true, true);
    check(&["*/*"], true, true);
    check(&["application/*, text/*"], true, true);
    check(&["application/*"], true, false);
    check(&["application/json"], true, false);
    check(&["TEXT/Event-Stream;q=0.5"], false, true);
    check(&["text/html"], false, false);
    check(&["*/*, text/event-stream;q=0"], true, false);
    check(&["text/event-stream;q=0, */*"], true, false);
    check(
        &["application/*;q=0, application/json;q=0.1, */*"],
        true,
        true,
    );
    check(&["*/*; q=0.0"], false, false);
    check(
        &["application/json; charset=utf-8, text/event-stream"],
        true,
        true,
    );
    check(&["app/*, */json"], false, false);
    check(&[""], false, false);
}

#[test]
fn essence_drops_case_and_parameters() {
    assert_eq!(
        essence("Text/Event-Stream; charset=utf-8"),
        "text/event-stream"
    );
    assert_eq!(essence(" application/json "), "application/json");
}

fn post(rows: &[(&'static str, &str)]) -> Parts {
    let mut request = Request::post("/mcp");
    for (name, value) in rows {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

#[test]
fn the_first_failing_check_of_a_post_answers() {
    let mut rows = vec![
        ("origin", "http://evil.example"),
        ("host", "evil.example"),
        ("content-type", "text/plain"),
        ("content-length", "4194305"),
        ("accept", "text/html"),
    ];
    let mut statuses = Vec::new();
    loop {
        let answer = check_post(&post(&rows), &AllowList::loopback(), &Limits::default());
        let Err(refusal) = answer else { break };
        statuses.push((refusal.status().as_u16(), refusal.closes()));
        let mended = match refusal {
            Refusal::Origin(_) => ("origin", "http://localhost:3000"),
            Refusal::Host(_) => ("host", "localhost"),
            Refusal::MediaType(_) => ("content-type", "application/json"),
            Refusal::TooLarge { .. } => ("content-length", "4194304"),
            _ => ("accept", "*/*"),
        };
        rows.iter_mut()
            .filter(|row| row.0 == mended.0)
            .for_each(|row| *row = mended);
    }
    assert_eq!(
        statuses,
        [
            (403, false),
            (403, false),
            (415, false),
            (413, true),
            (406, false)
        ]
    );
}

#[test]
fn retry_after_is_seconds_or_a_date_and_clamped() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
    let check = |value: &str, date: Option<&str>, expected: Option<(u64, bool)>| {
        let mut headers = headers(&header::RETRY_AFTER, &[value]);
        if let Some(date) = date {
            headers.insert(header::DATE, HeaderValue::from_str(date).unwrap());
        }
        let read = retry_after(&headers, Duration::from_secs(3600), now);
        let read = read.map(|RetryAfter { wait, clamped, .. }| (wait.as_secs(), clamped));
        assert_eq!(read, expected, "{value}");
    };
    check("0", None, Some((0, false)));
    check(" 120 ", None, Some((120, false)));
    check("3600", None, Some((3600, false)));
    check("3601", None, Some((3600, true)));
    check("99999999999999999999999999", None, Some((3600, true)));
    check("Sun, 06 Nov 1994 08:50:37 GMT", None, Some((60, false)));
    check("Sun, 06 Nov 1994 08:49:00 GMT", None, Some((0, false)));
    check(
        "Sun, 06 Nov 1994 08:50:37 GMT",
        Some("Sun, 06 Nov 1994 08:50:07 GMT"),
        Some((30, false)),
    );
    check(
        "Sun, 06 Nov 1994 08:50:37 GMT",
        Some("nonsense"),
        Some((60, false)),
    );
    check("Mon, 06 Nov 1995 08:49:37 GMT", None, Some((3600, true)));
    for bad in ["", "-1", "1.5", "soon", "+1", "1 s"] {
        check(bad, None, None);
    }
    assert_eq!(retry_after(&HeaderMap::new(), Duration::MAX, now), None);
}
