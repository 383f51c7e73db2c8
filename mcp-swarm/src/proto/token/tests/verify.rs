//! What `verify` lets in, beyond the vectors.

use base64::Engine;
use bytes::Bytes;
use proptest::prelude::*;

use super::*;

const LIVE: &str = r#"{"iss":"triage","sub":"finance","iat":1785542400,"exp":1785542460,"tid":"t","aud":"finance"}"#;

/// A good signature over whatever `payload` is.
fn signed(payload: &[u8]) -> String {
    let payload = BASE64.encode(payload);
    let signature = ring(S1).sign(&payload);
    format!("{payload}.{signature}")
}

fn under(token: &str, policy: &VerifyPolicy, now: u64) -> Result<(), &'static str> {
    code(verify(token, &ring(S1), policy, now)).map(|_| ())
}

fn check(claims: &str, expected: Result<(), &str>) {
    assert_eq!(
        under(
            &signed(claims.as_bytes()),
            &VerifyPolicy::new("finance"),
            NOW
        ),
        expected,
        "{claims}"
    );
}

const INVALID: Result<(), &str> = Err("INVALID_DELEGATION_TOKEN");
const EXPIRED: Result<(), &str> = Err("EXPIRED_DELEGATION_TOKEN");
const SIGNATURE: Result<(), &str> = Err("INVALID_SIGNATURE");

#[test]
fn claims_are_read_strictly() {
    check(LIVE, Ok(()));
    check(&format!(" {LIVE}\n"), Ok(()));
    for (from, to) in [
        (r#""iss":"triage","#, ""),
        (r#""sub":"finance","#, ""),
        (r#""iat":1785542400,"#, ""),
        (r#""exp":1785542460,"#, ""),
        (r#","tid":"t""#, ""),
        (r#""iss":"triage""#, r#""iss":null"#),
        (r#""sub":"finance""#, r#""sub":["finance"]"#),
        ("1785542400", "-1"),
        ("1785542400", "1785542400.0"),
        ("1785542400", "null"),
        ("1785542460", "1785542460.5"),
        ("1785542460", "1e999"),
        ("1785542460", "NaN"),
        ("1785542460", "[1785542460]"),
        (r#""tid":"t""#, r#""tid":1"#),
        (r#""tid":"t""#, r#""tid":"t","tid":"t""#),
        (r#""tid":"t""#, r#""tid":"t","exp":1785542461"#),
        (r#""tid":"t""#, r#""tid":"t","traceparent":1"#),
        (r#""tid":"t""#, r#""tid":"t","state":[]"#),
        (r#""tid":"t""#, r#""tid":"t","state":null"#),
        (r#""tid":"t""#, r#""tid":"t","state":"{}""#),
        (r#""tid":"t""#, r#""tid":"t","state":{"a":1,"a":2}"#),
        (r#""tid":"t""#, r#""tid":"t","state_id":7"#),
        (r#""tid":"t""#, r#""tid":"t","state_id":null"#),
        (r#""tid":"t""#, r#""tid":"t","state":{},"state_id":"x""#),
        (r#"}"#, r#"}{}"#),
        (r#"}"#, r#",}"#),
    ] {
        assert!(LIVE.contains(from));
        check(&LIVE.replacen(from, to, 1), INVALID);
    }
    for claims in ["null", "1", "\"x\"", "{}", "[{}]", ""] {
        check(claims, INVALID);
    }
}

#[test]
fn state_may_be_32_levels_deep() {
    for (levels, expected) in [(32, Ok(())), (33, INVALID)] {
        let state = (1..levels).fold("{}".to_owned(), |inner, _| format!(r#"{{"a":{inner}}}"#));
        check(
            &LIVE.replacen('}', &format!(r#","state":{state}}}"#), 1),
            expected,
        );
    }
}

#[test]
fn payloads_that_are_not_base64_or_not_utf_8_are_refused() {
    assert_eq!(
        under(&signed(b"\xff\xfe"), &VerifyPolicy::new("finance"), NOW),
        INVALID
    );
    for payload in ["!!!", "e30=", "e31", "", "a.b"] {
        let token = format!("{payload}.{}", ring(S1).sign(payload));
        assert_eq!(
            under(&token, &VerifyPolicy::new("finance"), NOW),
            INVALID,
            "{payload}"
        );
    }
}

#[test]
fn moments() {
    fn check(now: u64, leeway: u64, expected: Result<(), &str>) {
        let policy = VerifyPolicy::new("finance").with_leeway(Duration::from_secs(leeway));
        assert_eq!(
            under(&signed(LIVE.as_bytes()), &policy, now),
            expected,
            "{now} {leeway}"
        );
    }
    // Minted at 1785542400, good until 1785542460.
    check(1_785_542_394, 5, INVALID);
    check(1_785_542_395, 5, Ok(()));
    check(1_785_542_399, 0, INVALID);
    check(1_785_542_400, 0, Ok(()));
    check(1_785_542_460, 0, Ok(()));
    check(1_785_542_461, 0, EXPIRED);
    check(1_785_542_465, 5, Ok(()));
    check(1_785_542_466, 5, EXPIRED);
    check(0, 5, INVALID);
    check(u64::MAX, u64::MAX, Ok(()));
}

#[test]
fn lives() {
    for (exp, expected) in [
        (1_785_542_700_u64, Ok(())),
        (1_785_542_701, INVALID),
        (u64::MAX, INVALID),
    ] {
        check(&LIVE.replace("1785542460", &exp.to_string()), expected);
    }
    // Good until before it was minted, but within the leeway.
    check(
        &LIVE
            .replace("1785542400", "1785542412")
            .replace("1785542460", "1785542411"),
        INVALID,
    );
    let short = VerifyPolicy::new("finance").with_max_ttl(Duration::from_secs(59));
    assert_eq!(under(&signed(LIVE.as_bytes()), &short, NOW), INVALID);
}

#[test]
fn scope_audience_and_issuer() {
    fn check(policy: &VerifyPolicy, expected: Result<(), &str>) {
        assert_eq!(
            under(&signed(LIVE.as_bytes()), policy, NOW),
            expected,
            "{policy:?}"
        );
    }
    let policy = VerifyPolicy::new("finance");
    check(&VerifyPolicy::new("financ"), INVALID);
    check(&VerifyPolicy::new("Finance"), INVALID);
    check(&policy.clone().with_audience("finance"), Ok(()));
    check(&policy.clone().with_audience("support"), INVALID);
    check(&policy.clone().with_issuers(["desk", "triage"]), Ok(()));
    check(&policy.clone().with_issuers(["desk"]), INVALID);
    check(&policy.clone().with_issuers([""; 0]), INVALID);
    for aud in [r#","aud":["finance"]"#, r#","aud":null"#, ""] {
        let token = signed(LIVE.replace(r#","aud":"finance""#, aud).as_bytes());
        assert_eq!(
            under(&token, &policy.clone().with_audience("finance"), NOW),
            INVALID,
            "{aud}"
        );
        assert_eq!(under(&token, &policy, NOW), Ok(()), "{aud}");
    }
}

#[test]
fn the_size_is_looked_at_first() {
    let long = format!("{}.{}", "a".repeat(8149), "b".repeat(43));
    assert_eq!(long.len(), MAX_TOKEN_BYTES + 1);
    assert_eq!(under(&long, &VerifyPolicy::new("finance"), NOW), INVALID);
    assert_eq!(
        under(&long[1..], &VerifyPolicy::new("finance"), NOW),
        SIGNATURE
    );
}

#[test]
fn a_ring_accepts_three_secrets_and_signs_with_one() {
    let others = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
    let [a, b, c] = [&others[0], &others[1], &others[2]];
    let keys = ring(S1)
        .accept(secret(a))
        .unwrap()
        .accept(secret(b))
        .unwrap();
    assert_eq!(
        keys.clone().accept(secret(c)).unwrap_err().to_string(),
        "a key ring holds at most 3 secrets: drop the oldest one first"
    );
    let claims = Claims::parse(LIVE).unwrap();
    for (signer, accepted) in [(S1, true), (a, true), (b, true), (c, false)] {
        let token = claims.sign(&ring(signer)).unwrap();
        assert_eq!(
            verify(token.expose(), &keys, &VerifyPolicy::new("finance"), NOW).is_ok(),
            accepted
        );
    }
    assert_eq!(
        claims.sign(&keys).unwrap().expose(),
        claims.sign(&ring(S1)).unwrap().expose()
    );
}

#[test]
fn what_the_store_held_is_checked_too() {
    let token = signed(
        LIVE.replace(r#""tid":"t""#, r#""tid":"t","state_id":"x""#)
            .as_bytes(),
    );
    for (held, good) in [
        ("{}", true),
        ("[]", false),
        ("", false),
        ("{", false),
        (r#"{"a":1,"a":1}"#, false),
        ("\u{feff}{}", false),
    ] {
        let Ok(Verified::Pending(pending)) =
            verify(&token, &ring(S1), &VerifyPolicy::new("finance"), NOW)
        else {
            panic!("pending")
        };
        let resumed = pending.resume(Taken::Found(Bytes::from(held)));
        assert_eq!(
            resumed
                .map(|claims| claims.tid)
                .map_err(|error| error.code()),
            if good {
                Ok("t".into())
            } else {
                Err(HandoffAuthCode::Invalid)
            }
        );
    }
}

#[test]
fn an_error_tells_its_code_and_nothing_of_the_token() {
    assert_eq!(
        HandoffAuthCode::Missing.to_string(),
        "MISSING_DELEGATION_TOKEN"
    );
    let token = signed(LIVE.as_bytes());
    let other = VerifyPolicy::new("support");
    let sentence = |token: &str, policy: &VerifyPolicy| {
        verify(token, &ring(S1), policy, NOW)
            .unwrap_err()
            .to_string()
    };
    // One sentence whichever check failed.
    assert_eq!(sentence(&token, &other), sentence("x", &other));
    for text in [
        sentence(&token, &other),
        sentence(&format!("{token}x"), &other),
    ] {
        assert!(
            !text.contains(S1) && !text.contains("triage") && !text.contains(&token[..10]),
            "{text}"
        );
    }
}

#[test]
fn every_changed_character_is_refused() {
    let token = signed(LIVE.as_bytes());
    for at in 0..token.len() {
        for with in ['A', 'B', '.', '=', ' ', '\u{e9}'] {
            let mut changed = token.clone();
            changed.replace_range(at..=at, with.encode_utf8(&mut [0; 4]));
            let expected = if changed == token {
                Ok(())
            } else if changed.contains('.') {
                SIGNATURE
            } else {
                INVALID
            };
            assert_eq!(
                under(&changed, &VerifyPolicy::new("finance"), NOW),
                expected,
                "{at} {with}"
            );
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_answered(token in any::<String>()) {
        prop_assert!(verify(&token, &ring(S1), &policy("finance"), NOW).is_err());
    }

    #[test]
    fn any_signed_text_is_answered(payload in any::<String>()) {
        let _ = verify(&signed(payload.as_bytes()), &ring(S1), &policy("finance"), NOW);
    }

    #[test]
    fn what_is_minted_is_let_in_with_its_state(
        issuer in any::<String>(), key in any::<String>(), value in any::<String>(), ttl in 1..=300_u64, later in 0..=300_u64,
    ) {
        let state = serde_json::json!({ key: value });
        let grant = Grant::new(issuer.clone(), "finance")
            .with_ttl(Duration::from_secs(ttl))
            .with_state(serde_json::value::to_raw_value(&state).unwrap());
        let minted = mint(grant, &ring(S1), NOW, &Entropy::new([1; 16], [2; 16])).unwrap();
        let result = verify(minted.token.expose(), &ring(S1), &VerifyPolicy::new("finance"), NOW + later.min(ttl));
        let Ok(Verified::Complete(claims)) = result else { panic!("{result:?}") };
        prop_assert_eq!(claims.issuer, issuer);
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(claims.state.unwrap().get()).unwrap(), state);
    }
}
