//! The openers and what follows them, as scripts.
//!
//! A script is a run of letters, one request each; what comes back is one letter each.

use super::*;
use crate::policy::EnvelopePolicy;

const PV: &str = "io.modelcontextprotocol/protocolVersion";
const CC: &str = "io.modelcontextprotocol/clientCapabilities";

/// Sends one request per letter and writes down each verdict: `M`odern, `L`egacy, `I`nitialize,
/// `P`ong, `p`re-initialize error, `v`ersion error (-32022), `e`nvelope error (-32602), `i`nvalid
/// request (-32600).
#[track_caller]
fn check(policy: &EraPolicy, script: &str, expected: &str) {
    let mut era = Era::Opening;
    let got: String = script
        .chars()
        .map(|letter| step(&mut era, letter, policy))
        .collect();
    assert_eq!(got, expected, "script {script}");
}

fn step(era: &mut Era, letter: char, policy: &EraPolicy) -> char {
    let full = format!(r#"{{"_meta":{{"{PV}":"2026-07-28","{CC}":{{}}}}}}"#);
    let (method, params) = match letter {
        'm' => ("tools/list", full),
        'd' => ("server/discover", full),
        'D' => ("server/discover", "{}".into()),
        'g' => ("ping", full),
        'n' => ("initialize", full),
        'l' => ("tools/list", "{}".into()),
        'u' => ("no/such", "{}".into()),
        'p' => ("ping", "{}".into()),
        'i' => ("initialize", r#"{"protocolVersion":"2025-11-25"}"#.into()),
        'v' => (
            "tools/list",
            format!(r#"{{"_meta":{{"{PV}":"2099-01-01"}}}}"#),
        ),
        'c' => (
            "tools/list",
            format!(r#"{{"_meta":{{"{PV}":"2026-07-28"}}}}"#),
        ),
        'o' => ("tools/list", format!(r#"{{"_meta":{{"{CC}":{{}}}}}}"#)),
        'x' => ("tools/list", r#"{"_meta":7}"#.into()),
        other => panic!("no such letter: {other}"),
    };
    let params = RawParams::parse(params).unwrap();
    let meta = envelope::read_meta(&params);
    let verdict = era.handle_request(&method.into(), &params, &meta, policy);
    match verdict {
        Verdict::Initialize => {
            era.negotiated(Revision::V2025_11_25);
            'I'
        }
        Verdict::Modern => 'M',
        Verdict::Legacy => 'L',
        Verdict::Pong => 'P',
        Verdict::Refuse(error) if error == policy.pre_init => 'p',
        Verdict::Refuse(error) => match error.code {
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => 'v',
            ErrorCode::INVALID_PARAMS => 'e',
            ErrorCode::INVALID_REQUEST => 'i',
            other => panic!("unexpected code {other}"),
        },
    }
}

#[test]
fn the_first_request_decides() {
    let policy = EraPolicy::default();
    check(&policy, "mmlicv", "MMevMv");
    check(&policy, "immvcxo", "ILLLLLL");
    check(&policy, "lmi", "ppI");
    check(&policy, "um", "pp");
    check(&policy, "om", "pp");
    check(&policy, "nm", "IL");
}

#[test]
fn probes_refusals_and_pings_do_not() {
    let policy = EraPolicy::default();
    for harmless in ["d", "v", "c", "x", "p", "g", "dvcxpg"] {
        let answers = harmless
            .replace(['d', 'g'], "M")
            .replace('p', "P")
            .replace(['c', 'x'], "e");
        check(&policy, &format!("{harmless}m"), &format!("{answers}M"));
        check(&policy, &format!("{harmless}i"), &format!("{answers}I"));
    }
    check(&policy, "Dd", "pp");
}

#[test]
fn every_policy_changes_what_it_says() {
    let default = EraPolicy::default;
    check(&default().with_lock(LockPolicy::OnSuccess), "lmi", "pMv");
    check(
        &default().with_modern_on_legacy(ModernOnLegacy::Reject),
        "imlo",
        "IiLL",
    );
    check(
        &default().with_modern_on_legacy(ModernOnLegacy::ServeModern),
        "imdvl",
        "IMMvL",
    );
    check(
        &default().with_second_initialize(SecondInitialize::Reject),
        "lii",
        "pIi",
    );
    check(&default(), "ii", "II");
    let code = ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid request parameters");
    check(&default().with_pre_init(code), "l", "p");
    check(&EraPolicy::modern_only(), "iplvm", "veevM");
    check(&EraPolicy::legacy_only(), "dmpi", "ppPI");
    let pair = default().with_envelope(EnvelopePolicy::ClientInfoPair);
    check(&pair, "cm", "pp");
    let info = default().with_envelope(EnvelopePolicy::RequireClientInfo);
    check(&info, "mi", "eI");
}

/// After any opener `initialize` still works unless the connection is modern, and no verdict unlocks.
#[test]
fn no_script_of_three_wedges_a_connection() {
    let policy = EraPolicy::default();
    let letters = [
        'm', 'd', 'D', 'g', 'n', 'l', 'u', 'p', 'i', 'v', 'c', 'o', 'x',
    ];
    for first in letters {
        for second in letters {
            let mut era = Era::Opening;
            step(&mut era, first, &policy);
            let locked = era;
            step(&mut era, second, &policy);
            match locked {
                Era::Modern => assert_eq!(era, Era::Modern),
                Era::Legacy(_) => assert!(matches!(era, Era::Legacy(_))),
                Era::Opening => {}
            }
            let modern = era == Era::Modern;
            let expected = if modern { 'v' } else { 'I' };
            assert_eq!(step(&mut era, 'i', &policy), expected, "{first}{second}");
            let expected = if modern { 'M' } else { 'L' };
            assert_eq!(step(&mut era, 'm', &policy), expected, "{first}{second}");
        }
    }
}

#[test]
fn an_error_without_an_id_says_null_or_nothing() {
    let check = |era: Era, expected| assert_eq!(era.error_id(None), expected, "{era:?}");
    check(Era::Opening, ErrorId::Null);
    check(Era::Legacy(None), ErrorId::Null);
    check(Era::Modern, ErrorId::Omitted);
    for revision in Revision::ALL.into_iter().take(5) {
        let expected = match revision {
            Revision::V2025_11_25 => ErrorId::Omitted,
            _ => ErrorId::Null,
        };
        check(Era::Legacy(Some(revision)), expected);
        assert_eq!(
            Era::Legacy(Some(revision)).takes_batches(),
            revision == Revision::V2025_03_26
        );
    }
    let known = Some(RequestId::Number(4));
    assert_eq!(
        Era::Modern.error_id(known),
        ErrorId::Known(RequestId::Number(4))
    );
}
