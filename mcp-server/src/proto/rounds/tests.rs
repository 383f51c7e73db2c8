//! A call, round by round, as a transcript.

use mcp_types::elicitation::{ElicitFormParams, FormSchema};

use super::*;

const CAPS: Caps = Caps { rounds: 3, keys: 4 };

fn question(text: &str) -> InputRequest {
    ElicitFormParams::new(text, FormSchema::new()).into()
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn object(text: &str) -> RawObject {
    raw(text).decode().unwrap()
}

/// Asks `text` under `key`, as a handler that pauses does. Any answer but `"bad"` fits.
fn ask(rounds: &mut Rounds, key: &str, text: &str) -> Found {
    let request = question(text);
    let found = rounds.ask(key, &print_of(&request), |answer| {
        answer.as_str() != "\"bad\""
    });
    if found == Found::Missing {
        rounds.register(key, request);
    }
    found
}

/// The next round, in which these answers come.
fn next(book: Book, responses: &str) -> Rounds {
    let mut rounds = Rounds::new(CAPS);
    rounds.resume(Some(book), object(responses));
    rounds
}

fn keys(requests: &InputRequests) -> Vec<&str> {
    requests.iter().map(|(key, _)| key).collect()
}

#[test]
fn a_question_is_asked_until_it_is_answered_and_then_known() {
    let mut rounds = Rounds::new(CAPS);
    assert_eq!(ask(&mut rounds, "a", "A?"), Found::Missing);
    assert!(rounds.is_due());
    let (asked, book) = rounds.end();
    assert_eq!(keys(&asked), ["a"]);
    // Another key, none, and one that does not fit are as none.
    for responses in ["{}", r#"{"b":1}"#, r#"{"a":"bad"}"#] {
        let mut again = next(book.clone(), responses);
        assert_eq!(ask(&mut again, "a", "A?"), Found::Missing, "{responses}");
    }
    let mut rounds = next(book, r#"{"a":1}"#);
    assert_eq!(ask(&mut rounds, "a", "A?"), Found::Answer(raw("1")));
    assert_eq!(ask(&mut rounds, "b", "B?"), Found::Missing);
    let (asked, book) = rounds.end();
    assert_eq!(keys(&asked), ["b"]);
    // The answer of an earlier round stands before what comes under its key later.
    let mut rounds = next(book, r#"{"a":2,"b":3}"#);
    assert_eq!(ask(&mut rounds, "a", "A?"), Found::Answer(raw("1")));
    assert_eq!(ask(&mut rounds, "b", "B?"), Found::Answer(raw("3")));
    assert!(!rounds.is_due());
}

#[test]
fn questions_of_one_run_are_one_round() {
    let mut rounds = Rounds::new(CAPS);
    for key in ["b", "a", "b"] {
        assert_eq!(ask(&mut rounds, key, "?"), Found::Missing);
    }
    assert_eq!(keys(&rounds.end().0), ["b", "a"]);
}

#[test]
fn answers_without_a_state_count() {
    let mut rounds = Rounds::new(CAPS);
    rounds.resume(None, object(r#"{"a":1,"other":2}"#));
    assert_eq!(ask(&mut rounds, "a", "A?"), Found::Answer(raw("1")));
}

#[test]
fn an_answer_to_another_question_is_none() {
    let mut rounds = Rounds::new(CAPS);
    ask(&mut rounds, "a", "Pay 1?");
    let mut rounds = next(rounds.end().1, r#"{"a":1}"#);
    assert_eq!(ask(&mut rounds, "a", "Pay 100?"), Found::Missing);
    // Nor is one that was recorded in an earlier round.
    let mut rounds = next(rounds.end().1, r#"{"a":1}"#);
    assert_eq!(ask(&mut rounds, "a", "Pay 100?"), Found::Answer(raw("1")));
    ask(&mut rounds, "b", "B?");
    let mut rounds = next(rounds.end().1, "{}");
    assert_eq!(ask(&mut rounds, "a", "Pay 1000?"), Found::Missing);
}

#[test]
fn a_key_stands_for_one_question_in_a_run() {
    let mut rounds = Rounds::new(CAPS);
    ask(&mut rounds, "a", "A?");
    assert_eq!(ask(&mut rounds, "a", "B?"), Found::Broken);
    assert_eq!(rounds.is_broken(), Some(&Broken::TwoQuestions("a".into())));
    assert_eq!(ask(&mut rounds, "c", "C?"), Found::Broken);
    assert_eq!(rounds.begin_step("s"), Step::Broken);
}

#[test]
fn rounds_have_a_cap() {
    let mut rounds = Rounds::new(CAPS);
    for _ in 0..CAPS.rounds {
        assert_eq!(ask(&mut rounds, "a", "A?"), Found::Missing);
        assert_eq!(rounds.is_broken(), None);
        rounds = next(rounds.end().1, r#"{"a":"bad"}"#);
    }
    ask(&mut rounds, "a", "A?");
    assert_eq!(rounds.is_broken(), Some(&Broken::TooManyRounds(3)));
}

#[test]
fn live_answers_that_do_not_fit_have_the_same_cap() {
    let mut rounds = Rounds::new(CAPS);
    assert_eq!([(); 3].map(|()| rounds.misfit("a")), [true, true, false]);
    assert!(rounds.misfit("b"));
}

#[test]
fn keys_have_a_cap() {
    let mut rounds = Rounds::new(CAPS);
    for key in ["a", "b", "c", "d", "a"] {
        assert_eq!(ask(&mut rounds, key, "?"), Found::Missing);
    }
    assert_eq!(ask(&mut rounds, "e", "?"), Found::Broken);
    assert_eq!(rounds.is_broken(), Some(&Broken::TooManyKeys(4)));
    let mut rounds = Rounds::new(CAPS);
    for key in ["a", "b", "c", "d"] {
        assert_eq!(rounds.begin_step(key), Step::Run);
        rounds.end_step(key, Some(raw("1")));
    }
    assert_eq!(rounds.begin_step("a"), Step::Done(raw("1")));
    assert_eq!(rounds.begin_step("e"), Step::Broken);
}

#[test]
fn a_step_runs_once_and_a_failed_one_again() {
    let mut rounds = Rounds::new(CAPS);
    assert_eq!(rounds.begin_step("s"), Step::Run);
    assert_eq!(rounds.begin_step("s"), Step::Running);
    rounds.end_step("s", None);
    assert_eq!(rounds.begin_step("s"), Step::Run);
    // While it runs, a question waits.
    ask(&mut rounds, "a", "A?");
    assert!(!rounds.is_due());
    rounds.end_step("s", Some(raw("7")));
    assert!(rounds.is_due());
    let mut rounds = next(rounds.end().1, "{}");
    assert_eq!(rounds.begin_step("s"), Step::Done(raw("7")));
}

#[test]
fn what_is_asked_live_is_asked_once() {
    let mut rounds = Rounds::new(CAPS);
    let print = print_of(&question("A?"));
    assert_eq!(rounds.ask("a", &print, |_| true), Found::Missing);
    rounds.begin_live("a");
    assert_eq!(rounds.ask("a", &print, |_| true), Found::Live);
    rounds.record("a", &print, raw("1"));
    rounds.end_live("a");
    assert_eq!(rounds.ask("a", &print, |_| true), Found::Answer(raw("1")));
}

#[test]
fn what_a_handler_gives_back_is_known_with_all_answers_in_the_next_round() {
    let asks = |key: &str| {
        let mut requests = InputRequests::new();
        requests.insert(key, question(key));
        requests
    };
    let mut rounds = Rounds::new(CAPS);
    rounds.require(asks("a"), Some("one".into())).unwrap();
    let mut rounds = next(rounds.end().1, r#"{"a":1,"z":0}"#);
    assert_eq!(rounds.own(), Some("one"));
    assert_eq!(rounds.answers(), object(r#"{"a":1,"z":0}"#));
    rounds.require(asks("b"), None).unwrap();
    let mut rounds = next(rounds.end().1, r#"{"b":2}"#);
    assert_eq!(rounds.own(), None);
    assert_eq!(rounds.answers(), object(r#"{"b":2,"a":1}"#));
    // Who asks again wants another answer.
    rounds.require(asks("a"), None).unwrap();
    let mut rounds = next(rounds.end().1, "{}");
    assert_eq!(rounds.answers(), object(r#"{"b":2}"#));
    assert_eq!(
        rounds.require(asks("a"), None),
        Err(Broken::TooManyRounds(3))
    );
}

#[test]
fn a_run_that_begins_again_forgets_what_it_asked_and_nothing_else() {
    let mut rounds = Rounds::new(CAPS);
    ask(&mut rounds, "a", "A?");
    let prints = rounds.open_prints();
    rounds.run_again();
    assert!(!rounds.is_due());
    assert_eq!(ask(&mut rounds, "a", "A?"), Found::Missing);
    assert_eq!(rounds.open_prints(), prints);
    rounds.run_again();
    ask(&mut rounds, "a", "B?");
    assert_ne!(rounds.open_prints(), prints);
}

#[test]
fn a_book_survives_its_json() {
    let mut rounds = Rounds::new(CAPS);
    ask(&mut rounds, "a", "A?");
    rounds.record("b", &print_of(&question("B?")), raw(r#"{"n":1.50}"#));
    rounds.end_step("s", Some(raw("[1]")));
    let (_, book) = rounds.end();
    let text = serde_json::to_string(&book).unwrap();
    assert_eq!(serde_json::from_str::<Book>(&text).unwrap(), book);
}
