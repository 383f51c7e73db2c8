//! The rules of retrying, each by its name, and what holds for any sequence of failures.

use std::time::SystemTime;

use mcp_types::{ErrorCode, ErrorObject, Method, method::TABLE, tool::ToolAnnotations};
use proptest::prelude::*;

use super::*;
use crate::{Executed, Failure, FailureKind, ProtocolError, ToolErrorCode, ToolErrorEnvelope};

const S: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

#[expect(
    clippy::disallowed_methods,
    reason = "a test needs some instant to count from"
)]
fn start() -> std::time::Instant {
    std::time::Instant::now()
}

fn tool(code: &str) -> Symptom {
    Symptom::from(&ToolErrorEnvelope::new("x", code, "y"))
}

fn hinted(code: &str, hint: Duration) -> Symptom {
    Symptom {
        hint: Some(hint),
        ..tool(code)
    }
}

fn failed(kind: FailureKind) -> Symptom {
    Symptom::from(&Failure::new(kind, "x"))
}

fn http(status: u16) -> Symptom {
    Symptom::from(&Failure::new(FailureKind::Http, "x").with_http_status(status))
}

fn first(policy: Retry, safety: Safety, symptom: &Symptom) -> Verdict {
    let now = start();
    let mut attempts = Attempts::new(policy, safety, now + 7200 * S);
    attempts.handle_failure(symptom, &mut Budget::new(now), u64::MAX, now)
}

fn repeats(policy: Retry, safety: Safety, symptom: &Symptom) -> bool {
    matches!(first(policy, safety, symptom), Verdict::Repeat { .. })
}

fn wait(policy: &Retry, hint: Option<Duration>, failed: u32, random: u64) -> Duration {
    policy.wait(hint, failed, random)
}

#[test]
fn idempotency_gate() {
    let check = |symptom: &Symptom, effects: bool, repeatable: bool| {
        assert_eq!(
            repeats(Retry::new(), Safety::Effects, symptom),
            effects,
            "{symptom:?}"
        );
        assert_eq!(
            repeats(Retry::new(), Safety::Repeatable, symptom),
            repeatable,
            "{symptom:?}"
        );
    };
    // Not executed is proved: no connection, 429, at capacity.
    check(&failed(FailureKind::Unreachable), true, true);
    check(&failed(FailureKind::Full), true, true);
    check(&tool("rate_limited"), true, true);
    check(&tool("at_capacity"), true, true);
    let refused = Failure::new(FailureKind::Http, "x").with_http_status(429);
    check(
        &Symptom::from(&refused.with_executed(Executed::No)),
        true,
        true,
    );
    let full = ProtocolError::at_capacity("64 are the most", S);
    check(&Symptom::from(&Failure::peer(full.into())), true, true);
    // It may have run.
    check(&tool("service_unavailable"), false, true);
    check(&tool("upstream_error"), false, true);
    check(&failed(FailureKind::Lost), false, true);
    check(&failed(FailureKind::Timeout), false, true);
    check(&http(503), false, true);
    // It is not the kind that passes.
    check(&tool("output_validation_failed"), false, false);
    check(&tool("bad_request"), false, false);
    // The caller opts in.
    for symptom in [tool("upstream_error"), failed(FailureKind::Lost), http(503)] {
        assert!(repeats(
            Retry::new().even_if_run(),
            Safety::Effects,
            &symptom
        ));
    }
    assert!(!repeats(
        Retry::new().even_if_run(),
        Safety::Effects,
        &tool("bad_request")
    ));
}

#[test]
fn idempotency_gate_of_methods() {
    let effects = [
        "tools/call",
        "tasks/update",
        "tasks/cancel",
        "sampling/createMessage",
        "elicitation/create",
    ];
    for spec in TABLE {
        let method = Method::from(spec.name);
        let expected = effects.contains(&spec.name) || spec.name.starts_with("notifications/");
        let safety = Safety::of(&method);
        assert_eq!(safety == Safety::Effects, expected, "{method}");
    }
    assert_eq!(Safety::of(&Method::from("x/custom")), Safety::Effects);
}

#[test]
fn idempotency_gate_of_tools() {
    let check = |claims: &str, trusted: bool, expected: Safety| {
        let claims: ToolAnnotations = serde_json::from_str(claims).unwrap();
        assert_eq!(
            Safety::of_tool(Some(&claims), trusted),
            expected,
            "{claims:?}"
        );
    };
    for claims in [r#"{"readOnlyHint":true}"#, r#"{"idempotentHint":true}"#] {
        check(claims, true, Safety::Repeatable);
        check(claims, false, Safety::Effects);
    }
    for claims in [
        "{}",
        r#"{"readOnlyHint":false}"#,
        r#"{"readOnlyHint":"true"}"#,
    ] {
        check(claims, true, Safety::Effects);
    }
    check(r#"{"destructiveHint":false}"#, true, Safety::Effects);
    assert_eq!(Safety::of_tool(None, true), Safety::Effects);
}

#[test]
fn delay_is_full_jitter_up_to_a_cap() {
    let policy = Retry::new();
    for (failed, longest) in [
        (1, 250 * MS),
        (2, 500 * MS),
        (3, S),
        (7, 16 * S),
        (8, 20 * S),
        (u32::MAX, 20 * S),
    ] {
        assert_eq!(wait(&policy, None, failed, 0), Duration::ZERO);
        assert_eq!(
            wait(&policy, None, failed, 1 << 63),
            longest / 2,
            "{failed}"
        );
        let most = wait(&policy, None, failed, u64::MAX);
        assert!(most < longest && most + MS > longest, "{failed}: {most:?}");
    }
}

#[test]
fn delay_is_never_earlier_than_the_hint() {
    let policy = Retry::new();
    for (hint, most) in [
        (7 * S, 700 * MS),
        (100 * S, S),
        (Duration::ZERO, Duration::ZERO),
    ] {
        assert_eq!(wait(&policy, Some(hint), 1, 0), hint);
        assert!(wait(&policy, Some(hint), 1, u64::MAX) <= hint + most);
        assert_eq!(wait(&policy, Some(hint), 1, 1 << 63), hint + most / 2);
    }
    assert_eq!(
        wait(&policy, Some(Duration::MAX), 1, u64::MAX),
        Duration::MAX
    );
}

#[test]
fn hint_is_clamped_to_an_hour_and_the_clamp_reported() {
    let check = |hint: Duration, expected: Duration, expected_clamp: bool| {
        let verdict = first(
            Retry::by_code(),
            Safety::Effects,
            &hinted("rate_limited", hint),
        );
        let Verdict::Repeat { wait, clamped } = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!((wait, clamped), (expected, expected_clamp));
    };
    check(7 * S, 7 * S, false);
    check(3600 * S, 3600 * S, false);
    check(3601 * S, 3600 * S, true);
    check(Duration::MAX, 3600 * S, true);
}

#[test]
fn hint_sources() {
    let failure = Failure::new(FailureKind::Http, "x").with_http_status(429);
    let symptom = Symptom::from(&failure.with_retry_after(7 * S));
    assert_eq!(symptom.hint, Some(7 * S));
    let of_body = |data: &str| {
        let text = format!(r#"{{"code":-32000,"message":"busy","data":{data}}}"#);
        let error: ErrorObject = serde_json::from_str(&text).unwrap();
        Symptom::from(&Failure::peer(error))
    };
    let symptom = of_body(r#"{"retryAfter":1.5}"#);
    assert_eq!((symptom.hint, symptom.transient), (Some(1500 * MS), true));
    for none in [
        r#"{"retryAfter":-1}"#,
        r#"{"retryAfter":"soon"}"#,
        "[]",
        "null",
    ] {
        let symptom = of_body(none);
        assert_eq!((symptom.hint, symptom.transient), (None, false), "{none}");
    }
    let dated: ToolErrorEnvelope = serde_json::from_str(
        r#"{"code":"rate_limited","error":"y","retryAfter":"Sun, 06 Nov 1994 08:50:37 GMT"}"#,
    )
    .unwrap();
    let now = SystemTime::UNIX_EPOCH + 784_111_777 * S;
    assert_eq!(Symptom::of_tool(&dated, now).hint, Some(60 * S));
}

#[test]
fn deadline() {
    let now = start();
    let check = |left: Duration, hint: Duration, expected: Option<Duration>| {
        let mut attempts = Attempts::new(Retry::by_code(), Safety::Effects, now + left);
        let mut budget = Budget::new(now);
        let symptom = hinted("at_capacity", hint);
        match attempts.handle_failure(&symptom, &mut budget, 0, now) {
            Verdict::Repeat { wait, .. } => assert_eq!(Some(wait), expected),
            stop => {
                assert_eq!((stop, expected), (Verdict::Stop(Stop::Deadline), None));
                assert_eq!(budget.tokens(now), 100, "nothing is paid");
            }
        }
    };
    check(10 * S, 9 * S, Some(9 * S));
    check(10 * S, 10 * S, None);
    check(10 * S, 11 * S, None);
    check(Duration::ZERO, Duration::ZERO, None);
}

#[test]
fn attempts_are_three_in_all() {
    let check = |policy: Retry, expected: usize| {
        let mut now = start();
        let mut budget = Budget::new(now);
        let mut attempts = Attempts::new(policy, Safety::Effects, now + 3600 * S);
        let stop = loop {
            match attempts.handle_failure(&tool("at_capacity"), &mut budget, 9, now) {
                Verdict::Repeat { wait, .. } => now += wait,
                Verdict::Stop(stop) => break stop,
            }
        };
        assert_eq!((stop, attempts.log().len()), (Stop::Attempts, expected));
    };
    check(Retry::new(), 3);
    check(Retry::by_code(), 3);
    check(Retry::new().attempts(7), 7);
    check(Retry::never(), 1);
    check(Retry::new().attempts(0), 1);
}

#[test]
fn budget() {
    let now = start();
    let mut budget = Budget::with(22, Duration::ZERO, now);
    let mut ask = |symptom: &Symptom, now| {
        let mut attempts = Attempts::new(Retry::new(), Safety::Repeatable, now + 60 * S);
        attempts.handle_failure(symptom, &mut budget, 0, now)
    };
    let timeout = failed(FailureKind::Timeout);
    assert!(matches!(ask(&timeout, now), Verdict::Repeat { .. }));
    for _ in 0..2 {
        assert!(matches!(ask(&http(503), now), Verdict::Repeat { .. }));
    }
    assert_eq!(ask(&http(503), now), Verdict::Stop(Stop::Budget));
    assert_eq!(budget.tokens(now + 3600 * S), 2);
    budget.handle_success(now);
    assert_eq!(budget.tokens(now), 3);
}

#[test]
fn budget_fills_with_time_and_success_up_to_its_size() {
    let now = start();
    let mut budget = Budget::new(now);
    budget.handle_success(now);
    assert_eq!(budget.tokens(now), 100);
    while budget.withdraw(false, now) {}
    assert_eq!(budget.tokens(now), 0);
    // Asking often loses nothing of what is on its way.
    for tenth in 1..=25 {
        let at = now + tenth * 100 * MS;
        assert!(!budget.withdraw(true, at));
        assert_eq!(budget.tokens(at), tenth / 10);
    }
    assert_eq!(budget.tokens(now + 5 * S), 5);
    assert!(budget.withdraw(false, now + 5 * S));
    assert_eq!(budget.tokens(now + 1_000_000 * S), 100);
    // A clock that stands, or goes back, takes nothing.
    assert_eq!(budget.tokens(now), 0);
}

#[test]
fn breaker() {
    let now = start();
    let sick = http(502);
    let mut breaker = Breaker::new(3, 10 * S);
    for _ in 0..2 {
        breaker.handle_failure(&sick, now);
        assert_eq!(breaker.handle_call(now), Gate::Call);
    }
    breaker.handle_failure(&sick, now);
    assert_eq!(breaker.handle_call(now + 4 * S), Gate::Wait(6 * S));
    // One probe alone, and its failure opens it again.
    assert_eq!(breaker.handle_call(now + 10 * S), Gate::Probe);
    assert_eq!(breaker.handle_call(now + 11 * S), Gate::Wait(9 * S));
    breaker.handle_failure(&failed(FailureKind::Timeout), now + 12 * S);
    assert_eq!(breaker.handle_call(now + 13 * S), Gate::Wait(9 * S));
    // A probe that never answers is followed by another.
    assert_eq!(breaker.handle_call(now + 22 * S), Gate::Probe);
    assert_eq!(breaker.handle_call(now + 32 * S), Gate::Probe);
    breaker.handle_success();
    assert!(breaker.is_closed());
    assert_eq!(breaker.handle_call(now + 32 * S), Gate::Call);
}

#[test]
fn breaker_counts_only_what_tells_of_the_server() {
    let now = start();
    let opens = |symptom: &Symptom| {
        let mut breaker = Breaker::new(1, S);
        breaker.handle_failure(symptom, now);
        !breaker.is_closed()
    };
    for kind in [
        FailureKind::Timeout,
        FailureKind::Unreachable,
        FailureKind::Lost,
    ] {
        assert!(opens(&failed(kind)), "{kind:?}");
    }
    for kind in [
        FailureKind::Cancelled,
        FailureKind::Invalid,
        FailureKind::Unauthorized,
    ] {
        assert!(!opens(&failed(kind)), "{kind:?}");
    }
    for status in [400, 401, 403, 404, 429, 500, 503] {
        assert_eq!(opens(&http(status)), status >= 500, "{status}");
    }
    assert!(!opens(&tool("upstream_error")));
    // What the server refuses shows that it is alive.
    let mut breaker = Breaker::new(2, S);
    for symptom in [
        http(500),
        http(404),
        http(500),
        tool("bad_request"),
        http(500),
    ] {
        breaker.handle_failure(&symptom, now);
        assert!(breaker.is_closed());
    }
    // What was cancelled here tells nothing.
    breaker.handle_failure(&failed(FailureKind::Cancelled), now);
    breaker.handle_failure(&http(500), now);
    assert!(!breaker.is_closed());
}

#[test]
fn no_retry() {
    let check = |symptom: &Symptom| {
        for policy in [Retry::new(), Retry::new().even_if_run(), Retry::by_code()] {
            let verdict = first(policy, Safety::Repeatable, symptom);
            assert_eq!(verdict, Verdict::Stop(Stop::NotTransient), "{symptom:?}");
        }
    };
    for status in [400, 401, 403, 404, 405, 409, 410, 413, 415, 422] {
        check(&http(status));
    }
    let tls = Failure::new(FailureKind::Unreachable, "x").with_transient(false);
    check(&Symptom::from(&tls));
    for kind in [
        FailureKind::Malformed,
        FailureKind::Redirected,
        FailureKind::Unauthorized,
        FailureKind::Cancelled,
        FailureKind::Closed,
        FailureKind::Invalid,
        FailureKind::TooLarge,
    ] {
        check(&failed(kind));
    }
    for error in [
        ProtocolError::unsupported_version([mcp_types::Revision::LATEST], "1900-01-01"),
        ProtocolError::method_not_found("x"),
        ProtocolError::internal(),
    ] {
        check(&Symptom::from(&Failure::peer(error.into())));
    }
}

#[test]
fn seeded_randomness_and_time_give_the_same_schedule() {
    let schedule = |seed: u64| {
        let mut now = start();
        let (mut budget, mut random) = (Budget::new(now), seed);
        let mut attempts =
            Attempts::new(Retry::new().attempts(9), Safety::Repeatable, now + 3600 * S);
        while let Verdict::Repeat { wait, .. } =
            attempts.handle_failure(&http(503), &mut budget, random, now)
        {
            now += wait;
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
        }
        attempts.log().to_vec()
    };
    assert_eq!(schedule(7), schedule(7));
    assert_ne!(schedule(7), schedule(8));
}

#[test]
fn report_attempts() {
    let now = start();
    let mut budget = Budget::new(now);
    let mut attempts = Attempts::new(Retry::by_code(), Safety::Effects, now + 60 * S);
    attempts.handle_failure(&hinted("rate_limited", 2 * S), &mut budget, 0, now);
    attempts.handle_failure(&http(503), &mut budget, 0, now);
    attempts.handle_failure(&failed(FailureKind::Lost), &mut budget, 0, now);
    let told: Vec<_> = attempts
        .log()
        .iter()
        .map(|it| {
            (
                it.number,
                it.code.as_ref().map(ToolErrorCode::as_str),
                it.status,
                it.waited,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, Some("rate_limited"), Some(429), 2 * S),
            (2, Some("service_unavailable"), Some(503), Duration::ZERO),
            (3, None, None, Duration::ZERO),
        ]
    );
    for stop in [
        Stop::NotTransient,
        Stop::MayHaveRun,
        Stop::Attempts,
        Stop::Deadline,
    ] {
        assert!(!stop.to_string().is_empty() && !stop.as_str().contains(' '));
    }
}

/// DESIGN section 6: the four wait codes, the hint or else min(2^n, 30) s with full jitter, three attempts.
#[test]
fn by_code() {
    let wait_codes = [
        "rate_limited",
        "at_capacity",
        "service_unavailable",
        "upstream_error",
    ];
    for code in ToolErrorCode::ALL {
        let repeated = repeats(Retry::by_code(), Safety::Effects, &tool(code.as_str()));
        assert_eq!(repeated, wait_codes.contains(&code.as_str()), "{code}");
    }
    let policy = Retry::by_code();
    assert_eq!(policy.attempts, 3);
    for (failed, longest) in [(1, S), (2, 2 * S), (3, 4 * S), (5, 16 * S), (6, 30 * S)] {
        assert_eq!(wait(&policy, None, failed, 1 << 63), longest / 2);
        assert_eq!(wait(&policy, None, failed, 0), Duration::ZERO);
    }
    assert_eq!(wait(&policy, Some(7 * S), 2, u64::MAX), 7 * S);
    // What has no code is repeated only where that is safe.
    assert!(!repeats(
        Retry::by_code(),
        Safety::Effects,
        &failed(FailureKind::Lost)
    ));
    assert!(repeats(
        Retry::by_code(),
        Safety::Effects,
        &failed(FailureKind::Unreachable)
    ));
}

/// Unknown codes survive and are not repeated unless the call is safe.
#[test]
fn unknown_codes() {
    for policy in [Retry::new(), Retry::by_code()] {
        let check = |symptom: &Symptom, safety, expected| {
            assert_eq!(
                repeats(policy.clone(), safety, symptom),
                expected,
                "{symptom:?}"
            );
        };
        check(&tool("quota_gone"), Safety::Effects, false);
        check(&tool("quota_gone"), Safety::Repeatable, false);
        let mut envelope = ToolErrorEnvelope::new("x", "quota_gone", "y");
        envelope.retry_after = Some(S);
        check(&Symptom::from(&envelope), Safety::Effects, false);
        check(&Symptom::from(&envelope), Safety::Repeatable, true);
    }
    let error = ErrorObject::new(ErrorCode(7), "x");
    let symptom = Symptom::from(&Failure::peer(error));
    assert!(!repeats(Retry::new(), Safety::Repeatable, &symptom));
}

#[test]
fn a_gateways_codes_are_repeated_by_their_buckets() {
    assert!(repeats(
        Retry::new(),
        Safety::Effects,
        &tool("HANDOFF_CONNECTING")
    ));
    let unavailable = tool("HANDOFF_UPSTREAM_UNAVAILABLE");
    assert!(!repeats(Retry::new(), Safety::Effects, &unavailable));
    assert!(repeats(Retry::new(), Safety::Repeatable, &unavailable));
    assert!(!repeats(
        Retry::new(),
        Safety::Repeatable,
        &tool("HANDOFF_EXPIRED")
    ));
    // The four are the four.
    assert!(!tool("HANDOFF_CONNECTING").has_wait_code());
}

/// 200 clients, one call a second each, against a server that is dead for 30 s: once it is back, no second brings
/// it one and a half times what is normal.
#[test]
fn a_server_that_comes_back_is_not_trampled() {
    const CLIENTS: usize = 200;
    let zero = start();
    let mut budgets = vec![Budget::new(zero); CLIENTS];
    let mut random = 42_u64;
    let mut draw = move || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        random ^ (random >> 33)
    };
    // (when in ms, client, attempts so far), always in order.
    let mut queue = std::collections::BinaryHeap::new();
    for client in 0..CLIENTS {
        for second in 0..60 {
            let at = second * 1000 + (client as u64 * 5);
            let call = Attempts::new(
                Retry::new(),
                Safety::Repeatable,
                zero + (at as u32 + 60_000) * MS,
            );
            queue.push((std::cmp::Reverse(at), client, queue.len(), Call(call)));
        }
    }
    let mut load = [0_u32; 180];
    while let Some((std::cmp::Reverse(at), client, order, Call(mut call))) = queue.pop() {
        load[(at / 1000) as usize] += 1;
        let now = zero + at as u32 * MS;
        if !(10_000..40_000).contains(&at) {
            budgets[client].handle_success(now);
            continue;
        }
        if let Verdict::Repeat { wait, .. } =
            call.handle_failure(&http(503), &mut budgets[client], draw(), now)
        {
            let next = at + wait.as_millis() as u64;
            queue.push((std::cmp::Reverse(next), client, order, Call(call)));
        }
    }
    let peak = load[40..60].iter().max().unwrap();
    assert!(*peak < 300, "{load:?}");
    assert!(
        load[10..40].iter().any(|it| *it > 300),
        "the outage was felt: {load:?}"
    );
}

/// Calls that wait are ordered by what stands before them.
struct Call(Attempts);

impl PartialEq for Call {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Call {}

impl PartialOrd for Call {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Call {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

fn any_symptom() -> impl Strategy<Value = Symptom> {
    let executed = prop_oneof![
        Just(Executed::No),
        Just(Executed::Unknown),
        Just(Executed::Yes)
    ];
    let hint = proptest::option::of((0_u64..100_000).prop_map(Duration::from_millis));
    let code = proptest::option::of(prop_oneof![
        Just(ToolErrorCode::RATE_LIMITED),
        Just(ToolErrorCode::UPSTREAM_ERROR),
        Just(ToolErrorCode::BAD_REQUEST),
        Just(ToolErrorCode::new("other")),
    ]);
    (executed, hint, code, any::<(bool, bool, bool)>()).prop_map(
        |(executed, hint, code, (transient, timeout, unhealthy))| Symptom {
            code,
            status: None,
            executed,
            transient,
            hint,
            timeout,
            unhealthy,
        },
    )
}

proptest! {
    #[test]
    fn any_sequence_ends_in_time_and_effects_happen_once(
        symptoms in proptest::collection::vec((any_symptom(), any::<u64>(), 0_u64..5_000), 1..20),
        policy in prop_oneof![Just(Retry::new()), Just(Retry::by_code()), Just(Retry::new().attempts(9))],
        repeatable in any::<bool>(),
        left in 0_u64..200_000,
    ) {
        let zero = start();
        let deadline = zero + Duration::from_millis(left);
        let safety = if repeatable { Safety::Repeatable } else { Safety::Effects };
        let mut attempts = Attempts::new(policy.clone(), safety, deadline);
        let (mut budget, mut now, mut sends) = (Budget::new(zero), zero, 0);
        for (symptom, random, took) in &symptoms {
            sends += 1;
            now += Duration::from_millis(*took);
            let before = budget.tokens(now);
            let verdict = attempts.handle_failure(symptom, &mut budget, *random, now);
            let Verdict::Repeat { wait, .. } = verdict else {
                prop_assert_eq!(budget.tokens(now), before);
                break;
            };
            prop_assert!(symptom.transient);
            prop_assert!(repeatable || symptom.executed == Executed::No
                || (policy == Retry::by_code() && symptom.has_wait_code()));
            prop_assert!(wait >= symptom.hint.unwrap_or_default().min(policy.longest_hint));
            prop_assert!(symptom.hint.is_some() || wait <= policy.cap);
            prop_assert!(budget.tokens(now) < before);
            now += wait;
            prop_assert!(now < deadline);
        }
        prop_assert!(sends <= policy.attempts);
        prop_assert_eq!(attempts.log().len(), sends as usize);
    }

    #[test]
    fn full_jitter_is_within_and_grows_with_the_draw(
        nanos in any::<u64>(), seconds in any::<u64>(), a in any::<u64>(), b in any::<u64>(),
    ) {
        let longest = Duration::new(seconds, (nanos % 1_000_000_000) as u32);
        let (low, high) = (a.min(b), a.max(b));
        prop_assert!(full_jitter(longest, low) <= full_jitter(longest, high));
        prop_assert!(full_jitter(longest, high) <= longest);
        prop_assert_eq!(full_jitter(longest, 0), Duration::ZERO);
    }
}
