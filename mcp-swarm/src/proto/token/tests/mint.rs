//! What `mint` makes, and what it will not.

use std::collections::HashSet;

use base64::Engine;

use super::*;

const ENTROPY: Entropy = Entropy::new([0xff; 16], [0; 16]);

fn grant() -> Grant {
    Grant::new("triage", "finance")
}

fn payload(token: &Token) -> String {
    let (payload, signature) = token.expose().split_once('.').unwrap();
    assert_eq!(signature.len(), 43);
    String::from_utf8(BASE64.decode(payload).unwrap()).unwrap()
}

#[test]
fn a_plain_token() {
    let minted = mint(grant(), &ring(S1), NOW, &ENTROPY).unwrap();
    assert!(minted.parked.is_none());
    assert_eq!(
        payload(&minted.token),
        r#"{"iss":"triage","sub":"finance","iat":1785542410,"exp":1785542470,"tid":"ffffffff-ffff-4fff-bfff-ffffffffffff","aud":"finance"}"#
    );
    let claims = code(verify(
        minted.token.expose(),
        &ring(S1),
        &VerifyPolicy::new("finance").with_audience("finance"),
        NOW,
    ))
    .unwrap();
    assert_eq!(claims.expires_at, NOW + 60);
}

#[test]
fn every_claim() {
    let grant = grant()
        .with_audience(None)
        .with_ttl(Duration::from_secs(300))
        .with_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        .with_state(raw("{}"));
    let minted = mint(grant, &ring(S1), NOW, &ENTROPY).unwrap();
    assert_eq!(
        payload(&minted.token),
        concat!(
            r#"{"iss":"triage","sub":"finance","iat":1785542410,"exp":1785542710,"tid":"ffffffff-ffff-4fff-bfff-ffffffffffff","#,
            r#""traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","state":{}}"#
        )
    );
}

#[test]
fn an_empty_traceparent_is_left_out() {
    let minted = mint(grant().with_traceparent(""), &ring(S1), NOW, &ENTROPY).unwrap();
    assert!(!payload(&minted.token).contains("traceparent"));
}

#[test]
fn state_of_2048_bytes_travels_inside_and_of_2049_does_not() {
    let state = |len| raw(&format!(r#"{{"x":"{}"}}"#, "y".repeat(len)));
    let mint = |state| {
        mint(
            Grant::new("g", "s").with_audience(None).with_state(state),
            &ring(S1),
            NOW,
            &ENTROPY,
        )
        .unwrap()
    };
    let (inside, outside) = (state(2040), state(2041));
    assert_eq!((inside.get().len(), outside.get().len()), (2048, 2049));

    let minted = mint(inside.clone());
    assert!(minted.parked.is_none());
    // As mcpfusion's, for names of one character.
    assert_eq!(minted.token.expose().len(), 2920);
    assert!(payload(&minted.token).ends_with(&format!(r#""state":{inside}}}"#)));

    let minted = mint(outside.clone());
    assert_eq!(minted.token.expose().len(), 244);
    let parked = minted.parked.unwrap();
    assert_eq!(parked.id, "00000000-0000-4000-8000-000000000000");
    assert_eq!(parked.state.get(), outside.get());
    assert_eq!(parked.ttl, Duration::from_secs(120));
    assert!(
        payload(&minted.token).ends_with(r#""state_id":"00000000-0000-4000-8000-000000000000"}"#)
    );
}

#[test]
fn a_claim_check_goes_all_the_way() {
    let state = raw(&format!(r#"{{"x":"{}"}}"#, "請".repeat(700)));
    let minted = mint(grant().with_state(state.clone()), &ring(S1), NOW, &ENTROPY).unwrap();
    let parked = minted.parked.unwrap();
    let Ok(Verified::Pending(pending)) = verify(
        minted.token.expose(),
        &ring(S1),
        &VerifyPolicy::new("finance"),
        NOW,
    ) else {
        panic!("the state is in the store")
    };
    assert_eq!(pending.state_id(), parked.id);
    let bytes = parked.state.get().to_owned().into();
    assert_eq!(
        pending
            .resume(Taken::Found(bytes))
            .unwrap()
            .state
            .unwrap()
            .get(),
        state.get()
    );
}

#[test]
fn lives_out_of_bounds_are_refused() {
    for (ttl, good) in [
        (0, false),
        (1, true),
        (300, true),
        (301, false),
        (u64::MAX, false),
    ] {
        let minted = mint(
            grant().with_ttl(Duration::from_secs(ttl)),
            &ring(S1),
            NOW,
            &ENTROPY,
        );
        assert_eq!(minted.is_ok(), good, "{ttl}");
    }
    for ttl in [Duration::from_millis(1500), Duration::from_millis(300_001)] {
        assert_eq!(
            mint(grant().with_ttl(ttl), &ring(S1), NOW, &ENTROPY).unwrap_err(),
            MintError::Ttl { asked: ttl }
        );
    }
    assert!(mint(grant(), &ring(S1), u64::MAX, &ENTROPY).is_err());
}

#[test]
fn states_that_are_no_objects_or_too_large_are_refused() {
    let mint = |state| {
        mint(grant().with_state(state), &ring(S1), NOW, &ENTROPY)
            .map(|minted| minted.parked.is_some())
    };
    for state in ["[]", "null", "1", r#""x""#] {
        assert_eq!(mint(raw(state)), Err(MintError::StateNotObject));
    }
    let state = |len: usize| raw(&format!(r#"{{"x":"{}"}}"#, "y".repeat(len - 8)));
    assert_eq!(mint(state(65_536)), Ok(true));
    assert_eq!(
        mint(state(65_537)),
        Err(MintError::StateTooLarge { bytes: 65_537 })
    );
}

#[test]
fn a_token_no_verifier_would_look_at_is_not_minted() {
    let minted = mint(
        Grant::new("t".repeat(7000), "finance"),
        &ring(S1),
        NOW,
        &ENTROPY,
    );
    assert!(matches!(minted, Err(MintError::TokenTooLarge { bytes }) if bytes > MAX_TOKEN_BYTES));
}

#[test]
fn names_are_version_4_uuids_and_differ() {
    let tids: HashSet<_> = (0..=255)
        .map(|byte| {
            let minted = mint(grant(), &ring(S1), NOW, &Entropy::new([byte; 16], [0; 16])).unwrap();
            Claims::parse(&payload(&minted.token)).unwrap().tid
        })
        .collect();
    // Six of the 128 bits are the version's and the variant's; the other bytes still tell all of them apart.
    assert_eq!(tids.len(), 256);
    for tid in tids {
        assert_eq!((tid.len(), &tid[14..15]), (36, "4"), "{tid}");
        assert!("89ab".contains(&tid[19..20]), "{tid}");
    }
}

#[test]
fn secrets_below_32_bytes_are_refused() {
    assert!(Secret::new("x".repeat(32)).is_ok());
    assert_eq!(
        Secret::new("x".repeat(31)).unwrap_err().to_string(),
        "the secret has 31 bytes and needs at least 32: use a random one, for example from `openssl rand -hex 32`"
    );
    assert!(Secret::new("").is_err());
}

#[test]
fn debug_shows_neither_secret_nor_token_nor_state() {
    let grant = grant().with_state(raw(r#"{"pin":"hunter2"}"#));
    let claims = Claims {
        state: Some(raw(r#"{"pin":"hunter2"}"#)),
        ..Claims::new("triage", "finance", 1, 2, "tid")
    };
    let minted = mint(grant.clone(), &ring(S1), NOW, &ENTROPY).unwrap();
    let shown = format!("{:?} {grant:?} {claims:?} {minted:?} {ENTROPY:?}", ring(S1));
    for hidden in [
        S1,
        "hunter2",
        minted.token.expose(),
        "48, 49",
        "00000000-0000",
    ] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}
