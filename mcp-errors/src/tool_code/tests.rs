//! The table of the fourteen codes, row by row.

use super::*;

/// `code | status | bucket | executed`, as the design and client.md 7.1 have it; `-` is none, and `*` one that varies.
const TABLE: &str = "
ssrf_blocked             | -   | fix_input         | No
bad_request              | 400 | fix_input         | No
auth_failed              | 401 | fix_input         | No
not_found                | 404 | fix_input         | No
forbidden                | 403 | switch_tool       | No
rate_limited             | 429 | wait_and_retry    | No
at_capacity              | 503 | wait_and_retry    | No
service_unavailable      | 503 | wait_and_retry    | Unknown
upstream_error           | *   | wait_and_retry    | Unknown
upstream_client_error    | *   | fix_input         | Unknown
service_disabled         | 503 | contact_support   | No
upstream_non_json        | *   | investigate       | Yes
output_validation_failed | -   | investigate       | Yes
upstream_unknown         | *   | investigate       | Unknown
";

#[test]
fn each_code_has_its_status_and_bucket() {
    let rows: Vec<Vec<&str>> = TABLE
        .trim()
        .lines()
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), ToolErrorCode::ALL.len());
    for (code, row) in ToolErrorCode::ALL.iter().zip(&rows) {
        assert_eq!(code, row[0]);
        assert_eq!(code.status(), row[1].parse().ok(), "{code}");
        assert_eq!(code.bucket().as_str(), row[2], "{code}");
        assert_eq!(format!("{:?}", code.executed()), row[3], "{code}");
        assert_eq!(
            code.bucket().is_transient(),
            row[2] == "wait_and_retry",
            "{code}"
        );
        assert!(code.is_known() && code.advice().ends_with('.'), "{code}");
    }
}

/// BL-313.
#[test]
fn an_upstreams_status_becomes_a_code() {
    let check = |status, expected: &str| {
        assert_eq!(ToolErrorCode::from_status(status), expected, "{status}");
    };
    check(400, "bad_request");
    check(401, "auth_failed");
    check(403, "forbidden");
    check(404, "not_found");
    check(429, "rate_limited");
    check(500, "upstream_error");
    check(502, "upstream_error");
    check(503, "service_unavailable");
    check(504, "upstream_error");
    check(599, "upstream_error");
    check(418, "upstream_client_error");
    check(499, "upstream_client_error");
    check(302, "upstream_unknown");
    check(0, "upstream_unknown");
}

#[test]
fn an_unknown_code_survives_and_is_not_repeated() {
    let code: ToolErrorCode = serde_json::from_str(r#""quota_gone""#).unwrap();
    assert_eq!(code, ToolErrorCode::new("quota_gone"));
    assert_eq!(serde_json::to_string(&code).unwrap(), r#""quota_gone""#);
    assert_eq!(
        (code.is_known(), code.status(), code.bucket()),
        (false, None, Bucket::Investigate)
    );
    assert_eq!(
        (code.executed(), code.published()),
        (Executed::Unknown, None)
    );
    assert!(!code.bucket().is_transient());
    assert!(!code.advice().is_empty());
}

#[test]
fn a_gateways_codes_have_a_bucket_and_are_none_of_the_fourteen() {
    for row in &GATEWAY {
        let code = ToolErrorCode::new(row.code);
        assert_eq!(code.published(), Some(row));
        assert_eq!((code.bucket(), code.executed()), (row.bucket, row.executed));
        assert!(!code.is_known() && code.advice().ends_with('.'), "{code}");
    }
    let check = |code: &str, bucket, executed| {
        let code = ToolErrorCode::from(code);
        assert_eq!(
            (code.bucket(), code.executed()),
            (bucket, executed),
            "{code}"
        );
    };
    check("HANDOFF_CONNECTING", Bucket::WaitAndRetry, Executed::No);
    check(
        "HANDOFF_UPSTREAM_TIMEOUT",
        Bucket::Investigate,
        Executed::Unknown,
    );
    check("EXPIRED_DELEGATION_TOKEN", Bucket::FixInput, Executed::No);
}

#[test]
fn no_code_is_published_twice() {
    let mut codes: Vec<&str> = STABLE.iter().chain(&GATEWAY).map(|row| row.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), 39);
}

#[test]
fn a_known_code_is_the_same_from_text() {
    for code in ToolErrorCode::ALL {
        assert_eq!(ToolErrorCode::from(code.as_str()), code);
        assert_eq!(
            ToolErrorCode::from(code.to_string()).bucket(),
            code.bucket()
        );
    }
    // Codes are compared exactly.
    assert!(!ToolErrorCode::from("Bad_Request").is_known());
}
