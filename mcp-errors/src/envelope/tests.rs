//! The envelope on its way through results of every revision.

use mcp_types::{
    Outcome,
    encode::At,
    wire::{Stamp, encode_outcome},
};
use proptest::prelude::*;

use super::*;
use crate::tool_code::Bucket;

fn full() -> ToolErrorEnvelope {
    ToolErrorEnvelope {
        retry_after: Some(Duration::from_secs(7)),
        current: Some(Load {
            concurrency: Some(3),
            rpm: Some(60),
        }),
        limits: Some(LoadLimits {
            max_concurrency: Some(4),
            max_rpm: Some(60),
        }),
        ..ToolErrorEnvelope::new("weather", ToolErrorCode::RATE_LIMITED, "Too many calls.")
    }
}

fn read(text: &str) -> Option<ToolErrorEnvelope> {
    serde_json::from_str(text).ok()
}

#[test]
fn a_result_says_it_to_programs_and_to_people() {
    let result = full().into_result();
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        concat!(
            r#"{"resultType":"complete","content":[{"type":"text","text":"Too many calls."}],"#,
            r#""structuredContent":{"service":"weather","code":"rate_limited","error":"Too many calls.","#,
            r#""status":429,"retryAfter":7,"current":{"concurrency":3,"rpm":60},"#,
            r#""limits":{"maxConcurrency":4,"maxRpm":60}},"isError":true}"#
        )
    );
}

#[test]
fn it_arrives_at_a_client_of_every_revision() {
    for revision in Revision::ALL {
        let result = ToolErrorEnvelope::fit(full().into_result(), revision);
        let outcome = Outcome::from(result);
        let wire = encode_outcome(outcome, &Stamp::new(revision)).unwrap();
        let result: CallToolResult = wire.decode().unwrap();
        assert_eq!(
            ToolErrorEnvelope::from_result(&result),
            Some(full()),
            "{revision}: {wire}"
        );
        if revision > Revision::V2024_10_07 {
            assert_eq!(result.content[0].as_text(), Some("Too many calls."));
            let blocks = if revision < Revision::V2025_06_18 {
                2
            } else {
                1
            };
            assert_eq!(result.content.len(), blocks, "{revision}");
        }
    }
}

#[test]
fn other_results_are_not_touched() {
    let value = RawJson::parse(r#"{"code":"a","error":"b"}"#).unwrap();
    let succeeded = CallToolResult::structured(value);
    let mut foreign = full().into_result();
    foreign.structured_content = Some(RawJson::parse("[1]").unwrap());
    for revision in Revision::ALL {
        for result in [&succeeded, &foreign] {
            assert_eq!(&ToolErrorEnvelope::fit(result.clone(), revision), result);
        }
        let fitted = ToolErrorEnvelope::fit(full().into_result(), revision);
        let again = ToolErrorEnvelope::fit(fitted.clone(), revision);
        assert_eq!(again, fitted, "{revision}");
    }
    assert_eq!(ToolErrorEnvelope::from_result(&succeeded), None);
    assert_eq!(ToolErrorEnvelope::from_result(&foreign), None);
}

#[test]
fn it_is_found_in_text_among_other_blocks() {
    let mut result = CallToolResult::text("It failed.");
    result.is_error = Some(true);
    assert_eq!(ToolErrorEnvelope::from_result(&result), None);
    result.content.push(ContentBlock::text(r#"{"not": "one"}"#));
    result.content.push(ContentBlock::text(
        " \n{\"code\":\"not_found\",\"error\":\"No page.\"}",
    ));
    let found = ToolErrorEnvelope::from_result(&result).unwrap();
    assert_eq!(found.code, ToolErrorCode::NOT_FOUND);
    assert_eq!((found.service.as_str(), found.status), ("", None));
}

#[test]
fn bad_hints_are_dropped_and_unknown_members_kept() {
    let envelope = read(
        r#"{"code":"x","error":"y","status":"429","retryAfter":-1,"current":5,"limits":{"maxRpm":"many"},"service":null,"trace":{"id":1.50}}"#,
    )
    .unwrap();
    assert_eq!(
        serde_json::to_string(&envelope).unwrap(),
        r#"{"service":"","code":"x","error":"y","trace":{"id":1.50}}"#
    );
    assert_eq!(envelope.code.bucket(), Bucket::Investigate);
    for text in [
        r#"{"code":1,"error":"y"}"#,
        r#"{"code":"x"}"#,
        r#"{"error":"y"}"#,
        "[]",
        r#""x""#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_wait_may_have_a_fraction_and_may_be_long() {
    let check = |seconds: &str, expected: Option<Duration>| {
        let envelope = read(&format!(
            r#"{{"code":"x","error":"y","retryAfter":{seconds}}}"#
        ));
        assert_eq!(envelope.unwrap().retry_after, expected, "{seconds}");
    };
    check("0", Some(Duration::ZERO));
    check("7", Some(Duration::from_secs(7)));
    check("0.5", Some(Duration::from_millis(500)));
    check("1e300", Some(Duration::MAX));
    check("\"7\"", Some(Duration::from_secs(7)));
    check("\" 0.5 \"", Some(Duration::from_millis(500)));
    check("-0.1", None);
    check("\"-7\"", None);
    check("\"inf\"", None);
    check("\"1e3\"", None);
    check("\"soon\"", None);
    check("null", None);
    check("[7]", None);
}

#[test]
fn a_date_to_wait_for_is_kept_until_somebody_knows_the_time() {
    let text =
        r#"{"service":"a","code":"x","error":"y","retryAfter":"Sun, 06 Nov 1994 08:50:37 GMT"}"#;
    let mut envelope = read(text).unwrap();
    assert_eq!(envelope.retry_after, None);
    assert_eq!(serde_json::to_string(&envelope).unwrap(), text);
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    assert_eq!(envelope.hint(now), Some(Duration::from_secs(60)));
    assert_eq!(
        envelope.hint(now + Duration::from_secs(90)),
        Some(Duration::ZERO)
    );
    // What this side sets stands in its place.
    envelope.retry_after = Some(Duration::from_secs(5));
    assert_eq!(envelope.hint(now), Some(Duration::from_secs(5)));
    let written = serde_json::to_string(&envelope).unwrap();
    assert!(written.ends_with(r#""retryAfter":5}"#), "{written}");
}

#[test]
fn an_envelope_may_say_itself_whether_the_call_ran() {
    let check = |member: &str, expected| {
        let text = format!(r#"{{"code":"HANDOFF_UPSTREAM_UNAVAILABLE","error":"y"{member}}}"#);
        assert_eq!(read(&text).unwrap().executed(), expected, "{text}");
    };
    check("", Executed::Unknown);
    check(r#","executed":"no""#, Executed::No);
    check(r#","executed":"yes""#, Executed::Yes);
    check(r#","executed":"unknown""#, Executed::Unknown);
    check(r#","executed":"No""#, Executed::Unknown);
    check(r#","executed":true"#, Executed::Unknown);
    assert_eq!(full().executed(), Executed::No);
}

#[test]
fn an_extra_member_never_takes_the_place_of_a_known_one() {
    let mut envelope = full();
    envelope.extra.set("code", RawJson::null());
    let back = read(&serde_json::to_string(&envelope).unwrap());
    assert_eq!(back, Some(full()));
}

proptest! {
    #[test]
    fn it_reads_back_as_it_was(
        (service, code, error) in (".*", ".*", ".*"),
        status in proptest::option::of(any::<u16>()),
        wait in proptest::option::of(0_u64..1 << 40),
        rpm in proptest::option::of(any::<u64>()),
    ) {
        let envelope = ToolErrorEnvelope {
            status,
            retry_after: wait.map(Duration::from_secs),
            current: rpm.map(|rpm| Load { rpm: Some(rpm), concurrency: None }),
            ..ToolErrorEnvelope::new(service, code, error)
        };
        let result = envelope.clone().into_result();
        prop_assert_eq!(result.content[0].as_text(), Some(envelope.error.as_str()));
        let text = serde_json::to_string(&At(&result, Revision::LATEST)).unwrap();
        let result: CallToolResult = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(ToolErrorEnvelope::from_result(&result), Some(envelope));
    }
}
