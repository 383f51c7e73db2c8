//! Admission, cancellation and the end of requests.

use proptest::prelude::*;

use super::*;

type Table = InFlight<&'static str, &'static str>;

fn id(number: i64) -> RequestId {
    number.into()
}

fn end(table: &mut Table, id: &RequestId, ticket: Ticket) -> bool {
    let answered = table.handle_answer(id, ticket);
    if answered {
        table.handle_sent();
    }
    answered
}

fn ticket(admission: Admission<&'static str>) -> Ticket {
    match admission {
        Admission::Run(ticket, _) => ticket,
        other => panic!("not started: {other:?}"),
    }
}

#[test]
fn what_does_not_fit_waits_and_then_is_refused() {
    let mut table = Table::new(1, 1);
    let first = ticket(table.handle_request(&id(1), "a"));
    assert_eq!(table.handle_request(&id(2), "b"), Admission::Waits);
    assert_eq!(table.handle_request(&id(3), "c"), Admission::Full("c"));
    assert_eq!(table.poll_waiting(), None);
    assert!(end(&mut table, &id(1), first));
    let (next, second, job) = table.poll_waiting().unwrap();
    assert_eq!((next, job), (id(2), "b"));
    assert!(end(&mut table, &id(2), second));
}

#[test]
fn an_id_in_flight_is_a_duplicate_and_an_ended_one_is_free() {
    let mut table = Table::new(1, 1);
    let first = ticket(table.handle_request(&id(1), "a"));
    assert_eq!(table.handle_request(&id(1), "b"), Admission::Duplicate("b"));
    assert_eq!(table.handle_request(&id(2), "c"), Admission::Waits);
    assert_eq!(table.handle_request(&id(2), "d"), Admission::Duplicate("d"));
    assert_eq!(
        table.handle_request(&RequestId::from("1"), "e"),
        Admission::Full("e"),
        "a string is another id than a number"
    );
    assert!(end(&mut table, &id(1), first));
    table.poll_waiting().unwrap();
    assert_eq!(table.handle_request(&id(1), "f"), Admission::Waits);
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let mut table = Table::new(1, 1);
    let first = ticket(table.handle_request(&id(1), "a"));
    table.handle_spawned(&id(1), first, "stop a");
    assert_eq!(table.handle_request(&id(2), "b"), Admission::Waits);
    assert_eq!(table.handle_cancel(&id(2)), Cancelled::Waiting("b"));
    assert_eq!(
        table.handle_cancel(&id(1)),
        Cancelled::Running(Some("stop a"))
    );
    assert!(!table.is_wanted(&id(1), first));
    assert_eq!(table.handle_cancel(&id(1)), Cancelled::Unknown);
    assert!(!end(&mut table, &id(1), first));
}

#[test]
fn a_late_end_does_not_end_a_new_run_of_the_same_id() {
    let mut table = Table::new(2, 0);
    let first = ticket(table.handle_request(&id(1), "a"));
    table.handle_cancel(&id(1));
    table.handle_spawned(&id(1), first, "late");
    let second = ticket(table.handle_request(&id(1), "b"));
    assert!(!end(&mut table, &id(1), first));
    assert!(end(&mut table, &id(1), second));
}

#[test]
fn an_answer_on_its_way_frees_the_id_before_the_place() {
    let mut table = Table::new(1, 1);
    let first = ticket(table.handle_request(&id(1), "a"));
    assert!(table.handle_answer(&id(1), first));
    assert_eq!(table.handle_request(&id(1), "b"), Admission::Waits);
    assert_eq!(table.poll_waiting(), None);
    table.handle_sent();
    assert!(table.poll_waiting().is_some());
}

#[derive(Debug, Clone)]
enum Op {
    Request(i64),
    Cancel(i64),
    End(usize),
    Next,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        (0..6i64).prop_map(Op::Request),
        (0..6i64).prop_map(Op::Cancel),
        (0..8usize).prop_map(Op::End),
        Just(Op::Next),
    ];
    proptest::collection::vec(op, 0..60)
}

proptest! {
    /// Each admitted request ends exactly once: answered, or cancelled; and the bounds hold.
    #[test]
    fn every_request_ends_once(ops in ops()) {
        let mut table = Table::new(2, 2);
        let (mut admitted, mut ended) = (0, 0);
        let mut runs: Vec<(RequestId, Ticket)> = Vec::new();
        for op in ops {
            match op {
                Op::Request(n) => match table.handle_request(&id(n), "") {
                    Admission::Run(ticket, _) => { admitted += 1; runs.push((id(n), ticket)); }
                    Admission::Waits => admitted += 1,
                    Admission::Duplicate(_) | Admission::Full(_) => {}
                },
                Op::Cancel(n) => {
                    if table.handle_cancel(&id(n)) != Cancelled::Unknown { ended += 1; }
                }
                Op::End(n) if n < runs.len() => {
                    let (id, ticket) = runs.remove(n);
                    if end(&mut table, &id, ticket) { ended += 1; }
                }
                Op::End(_) => {}
                Op::Next => {
                    if let Some((id, ticket, _)) = table.poll_waiting() { runs.push((id, ticket)); }
                }
            }
            prop_assert!(table.running.len() <= 2 && table.waiting.len() <= 2);
            prop_assert_eq!(admitted, ended + table.running.len() + table.waiting.len());
        }
    }
}
