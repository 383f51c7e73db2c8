//! A server that is a process of ours: rows T1 to T12.

use super::*;

#[track_caller]
fn check(story: Vec<Observation>, trace: &str, end: End) {
    super::check(Wire::Process, story, trace, end);
}

#[test]
fn t1_a_result_is_modern() {
    check(
        vec![discovered(&["2026-07-28"])],
        "D",
        Connected(JUL26, FIRM),
    );
}

#[test]
fn t2_any_error_leads_to_initialize_in_the_same_process() {
    for code in [-32601, -32602, -32600, -32603, -32000, 1] {
        check(vec![peer(code)], "D I", Waits);
    }
    check(vec![peer(-32602), initialized("2024-11-05")], "D I", {
        Connected(Revision::V2024_11_05, ASSUMED)
    });
}

#[test]
fn t4_silence_leads_to_initialize_in_the_same_process() {
    let (sent, end) = play(Plan::new(Wire::Process), vec![timeout()]);
    assert_eq!(end, Waits);
    assert_eq!(sent[0].deadline - sent[0].not_before, seconds(5));
    assert!(!sent[1].fresh);
    check(
        vec![timeout(), initialized("2025-11-25")],
        "D I",
        Connected(NOV25, ASSUMED),
    );
}

#[test]
fn t5_an_exit_on_the_probe_starts_the_process_once_more() {
    check(vec![lost()], "D +I", Waits);
    check(
        vec![lost(), initialized("2025-11-25")],
        "D +I",
        Connected(NOV25, ASSUMED),
    );
    // Also where the exit shows only later.
    check(vec![timeout(), lost()], "D I +I", Waits);
    check(
        vec![peer(-32601), lost(), lost()],
        "D I +I",
        Fails(Reason::ProcessExited),
    );
}

#[test]
fn t6_a_process_spoilt_by_the_probe_is_started_once_more() {
    check(vec![peer(-32600), peer(-32600)], "D I +I", Waits);
    check(
        vec![peer(-32600), peer(-32600), peer(-32600)],
        "D I +I",
        Fails(Reason::Rejected),
    );
    let story = vec![
        peer(-32600),
        refuses(&["2025-06-18"]),
        initialized("2025-11-25"),
    ];
    check(story, "D I +I", Connected(NOV25, ASSUMED));
}

#[test]
fn t7_a_modern_server_that_was_late_is_probed_again_in_the_same_process() {
    let story = vec![
        timeout(),
        refuses(&["2026-07-28"]),
        discovered(&["2026-07-28"]),
    ];
    check(story, "D I D", Connected(JUL26, FIRM));
}

#[test]
fn t8_modern_errors_count_as_over_http() {
    check(vec![peer(-32021)], "D", Fails(Reason::CapabilityRequired));
    check(
        vec![refuses(&["2025-06-18"]), initialized("2025-06-18")],
        "D I",
        Connected(JUN25, FIRM),
    );
}

#[test]
fn t10_a_process_that_only_exits_is_named() {
    check(vec![lost(), lost()], "D +I", Fails(Reason::ProcessExited));
}

#[test]
fn t11_a_missing_program_ends_it() {
    check(
        vec![fails(FailureKind::Unreachable)],
        "D",
        Fails(Reason::Unreachable),
    );
    // Also the second time.
    check(
        vec![lost(), fails(FailureKind::Unreachable)],
        "D +I",
        Fails(Reason::Unreachable),
    );
}

#[test]
fn t12_a_process_that_waits_for_a_terminal_times_out() {
    check(vec![timeout(), timeout()], "D I", Fails(Reason::Timeout));
}

#[test]
fn a_socket_is_as_a_process_but_for_its_end() {
    let check = |story, trace, end| super::check(Wire::Socket, story, trace, end);
    check(
        vec![discovered(&["2026-07-28"])],
        "D",
        Connected(JUL26, FIRM),
    );
    check(vec![peer(-32601)], "D I", Waits);
    check(vec![timeout()], "D I", Waits);
    let story = vec![lost(), initialized("2025-11-25")];
    check(story, "D +I", Connected(NOV25, ASSUMED));
    check(vec![peer(-32600), peer(-32600)], "D I +I", Waits);
    check(vec![lost(), lost()], "D +I", Fails(Reason::Lost));
    let gone = vec![lost(), fails(FailureKind::Unreachable)];
    check(gone, "D +I", Fails(Reason::Unreachable));
}

#[test]
fn a_process_is_started_anew_only_once() {
    let story = vec![lost(), refuses(&["2026-07-28"]), lost()];
    check(story, "D +I D", Fails(Reason::ProcessExited));
}
