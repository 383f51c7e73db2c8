//! Rows: a configuration, what a browser sends, what it is told.

use http::{HeaderMap, HeaderName, HeaderValue, Method};

use super::{AnyWithCredentials, Cors};

fn headers(lines: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let (name, value) = line.trim().split_once(": ").unwrap();
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

/// The headers without the prefix that all but `vary` share, in order.
fn said(headers: &HeaderMap) -> Vec<String> {
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        let name = name.as_str().trim_start_matches("access-control-");
        format!("{name}: {}", value.to_str().unwrap())
    };
    let mut lines: Vec<_> = headers.iter().map(line).collect();
    lines.sort();
    lines
}

fn listed() -> Cors {
    Cors::for_origins("https://app.example, http://localhost:3000").unwrap()
}

fn check_preflight(cors: &Cors, request: &str, expected: Option<&[&str]>) {
    let found = cors.preflight(&Method::OPTIONS, &headers(request), "POST");
    let found = found.as_ref().map(said);
    let expected = expected.map(|lines| lines.iter().map(ToString::to_string).collect());
    assert_eq!(found, expected, "{request}");
}

const KNOWN: &str = "allow-headers: authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, \
     mcp-session-id, last-event-id";
const VARY: &str = "vary: origin, access-control-request-method, access-control-request-headers";

#[test]
fn a_preflight_from_a_listed_origin_is_told_the_headers_of_mcp() {
    let request = "origin: https://app.example\naccess-control-request-method: POST";
    check_preflight(
        &listed(),
        request,
        Some(&[
            KNOWN,
            "allow-methods: POST",
            "allow-origin: https://app.example",
            "max-age: 600",
            VARY,
        ]),
    );
}

#[test]
fn names_of_mirrored_arguments_are_echoed_and_no_others() {
    let request = "origin: http://localhost:3000\naccess-control-request-method: POST\n\
        access-control-request-headers: content-type,Mcp-Param-Region, x-evil,mcp-param-,mcp-param-a b";
    let allowed = format!("{KNOWN}, x-api-key, mcp-param-region, mcp-param-");
    check_preflight(
        &listed().with_headers("X-Api-Key").unwrap(),
        request,
        Some(&[
            &allowed,
            "allow-methods: POST",
            "allow-origin: http://localhost:3000",
            "max-age: 600",
            VARY,
        ]),
    );
}

#[test]
fn what_is_no_preflight_of_a_listed_origin_is_told_nothing() {
    let method = "access-control-request-method: POST\n";
    for request in [
        method.to_owned(),
        "origin: https://app.example\n".to_owned(),
        format!("{method}origin: https://app.example.evil"),
        format!("{method}origin: http://app.example"),
        format!("{method}origin: https://app.example:8443"),
        format!("{method}origin: null"),
        format!("{method}origin: https://app.example\norigin: https://app.example"),
    ] {
        check_preflight(&listed(), &request, None);
    }
    let request = headers(&format!("{method}origin: https://app.example"));
    assert_eq!(listed().preflight(&Method::POST, &request, "POST"), None);
}

#[test]
fn answers_are_shown_to_listed_origins_and_vary_by_origin() {
    let exposed =
        "expose-headers: mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";
    let any = Cors::for_origins("*").unwrap();
    let credentials = listed().with_credentials().unwrap();
    let table: [(&Cors, &str, &[&str]); 6] = [
        (
            &listed(),
            "origin: https://app.example",
            &["allow-origin: https://app.example", exposed, "vary: origin"],
        ),
        (
            &credentials,
            "origin: https://app.example",
            &[
                "allow-credentials: true",
                "allow-origin: https://app.example",
                exposed,
                "vary: origin",
            ],
        ),
        (
            &credentials,
            "origin: https://evil.example",
            &["vary: origin"],
        ),
        (&listed(), "", &["vary: origin"]),
        (
            &any,
            "origin: https://evil.example",
            &["allow-origin: *", exposed],
        ),
        (&any, "", &[]),
    ];
    for (cors, request, expected) in table {
        assert_eq!(said(&cors.answer(&headers(request))), expected, "{request}");
    }
}

#[test]
fn a4_every_origin_never_goes_with_credentials() {
    let any = || Cors::for_origins("https://app.example, *").unwrap();
    assert_eq!(any().with_credentials().unwrap_err(), AnyWithCredentials);
    let answer = any().answer(&headers("origin: https://app.example"));
    assert_eq!(answer["access-control-allow-origin"], "*");
}

#[test]
fn an_entry_that_cannot_be_read_is_named() {
    for (found, named) in [
        (
            Cors::for_origins("https://ok.example, ok.example"),
            "ok.example",
        ),
        (listed().with_headers("x y"), "x y"),
    ] {
        let told = found.unwrap_err().to_string();
        assert!(told.contains(&format!("{named:?}")), "{told}");
    }
}
