//! What can happen to a task in each of its states.

use mcp_types::input::InputRequest;
use proptest::prelude::*;

use super::*;
use crate::proto::task::{MAX_KEYS, MAX_REPLY_BYTES, Refused, TaskReply, TaskState};

/// Every state there is, by a way that leads there.
fn states() -> Vec<(&'static str, TaskRecord)> {
    vec![
        ("working", record()),
        ("asking", after([ask("a")])),
        ("asking twice", after([ask("a"), ask("b")])),
        (
            "answered",
            after([ask("a"), answers(r#"{"a":{"roots":[]}}"#)]),
        ),
        ("refused", after([ask("a"), refuse("a")])),
        ("withdrawn", after([ask("a"), withdraw("a")])),
        ("done", after([finish(text())])),
        ("done while it asked", after([ask("a"), finish(text())])),
        ("failed tool", after([finish(failure())])),
        ("failed", after([fail()])),
        ("cancelled", after([Transition::Cancel])),
        (
            "cancelled while it asked",
            after([ask("a"), Transition::Cancel]),
        ),
    ]
}

fn transitions() -> Vec<(&'static str, Transition)> {
    vec![
        ("ask a", ask("a")),
        ("ask new", ask("new")),
        ("withdraw a", withdraw("a")),
        ("withdraw none", withdraw("none")),
        ("answer a", answers(r#"{"a":{"roots":[]}}"#)),
        ("answer none", answers(r#"{"none":{"ignored":true}}"#)),
        ("answer a badly", answers(r#"{"a":{"roots":5}}"#)),
        ("refuse a", refuse("a")),
        ("refuse none", refuse("none")),
        ("say", Transition::Say(Some("half".into()))),
        ("say nothing", Transition::Say(None)),
        ("finish", finish(text())),
        ("fail", fail()),
        ("cancel", Transition::Cancel),
    ]
}

fn status(record: &TaskRecord) -> &'static str {
    match record.state() {
        TaskState::Working => "working",
        TaskState::InputRequired(_) => "input_required",
        TaskState::Done(_) => "done",
        TaskState::Cancelled => "cancelled",
    }
}

#[test]
fn a_task_that_is_over_never_changes() {
    for (state, record) in states().into_iter().filter(|(_, it)| it.is_over()) {
        for (name, transition) in transitions() {
            let mut changed = record.clone();
            let applied = changed.apply(transition, 9);
            assert_eq!(applied, Err(Refused::Over), "{name} when {state}");
            assert!(changed == record, "{name} when {state}");
        }
    }
}

#[test]
fn every_transition_in_every_live_state() {
    // By state: what comes of each transition, in their order.
    let table = [
        (
            "working",
            "input_required input_required - - - - - - - working - done done cancelled",
        ),
        (
            "asking",
            "KeyUsed input_required working - working - - working - input_required - done done cancelled",
        ),
        (
            "asking twice",
            "KeyUsed input_required input_required - input_required - - input_required - input_required - done done cancelled",
        ),
        (
            "answered",
            "KeyUsed input_required - - - - - - - working - done done cancelled",
        ),
        (
            "refused",
            "KeyUsed input_required - - - - - - - working - done done cancelled",
        ),
        (
            "withdrawn",
            "KeyUsed input_required - - - - - - - working - done done cancelled",
        ),
    ];
    let live: Vec<_> = states()
        .into_iter()
        .filter(|(_, it)| !it.is_over())
        .collect();
    assert_eq!(live.len(), table.len());
    for ((state, record), (row, expected)) in live.into_iter().zip(table) {
        assert_eq!(state, row);
        let expected: Vec<_> = expected.split(' ').collect();
        assert_eq!(expected.len(), transitions().len());
        for ((name, transition), expected) in transitions().into_iter().zip(expected) {
            let mut next = record.clone();
            let came = match next.apply(transition, 9) {
                Ok(true) => status(&next).to_owned(),
                Ok(false) => "-".to_owned(),
                Err(refused) => format!("{refused:?}"),
            };
            assert_eq!(came, expected, "{name} when {state}");
            let changed = !matches!(expected, "-" | "KeyUsed");
            assert_eq!(next.version(), record.version() + u64::from(changed));
            assert_eq!(next.updated_ms(), if changed { 9 } else { 0 });
            assert_eq!(next == record, !changed, "{name} when {state}");
        }
    }
}

#[test]
fn a_part_of_the_answers_leaves_the_rest_open() {
    let mut record = after([ask("a"), ask("b")]);
    record
        .apply(answers(r#"{"a":{"roots":[]},"c":5}"#), 1)
        .unwrap();
    let TaskState::InputRequired(open) = record.state() else {
        panic!("it still asks");
    };
    assert_eq!(open.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["b"]);
    let answered = TaskReply::Answer(RawJson::parse(r#"{"roots":[]}"#).unwrap());
    assert_eq!(
        (record.reply("a"), record.reply("b")),
        (Some(&answered), None)
    );
    // What was answered stays answered.
    assert_eq!(
        record.apply(answers(r#"{"a":{"roots":[{"uri":"file:///x"}]}}"#), 2),
        Ok(false)
    );
    assert_eq!(record.reply("a"), Some(&answered));
}

#[test]
fn an_answer_to_another_kind_of_question_is_none() {
    let ask = Transition::Ask {
        key: "a".into(),
        request: Box::new(form()),
    };
    let mut record = after([ask]);
    for bad in [r#"{"a":{"roots":[]}}"#, r#"{"a":null}"#, r#"{"a":12345}"#] {
        assert_eq!(record.apply(answers(bad), 1), Ok(false), "{bad}");
    }
    let good = r#"{"a":{"action":"accept","content":{}}}"#;
    assert_eq!(record.apply(answers(good), 1), Ok(true));
}

#[test]
fn keys_are_counted_for_the_whole_life() {
    let mut record = record();
    for at in 0..MAX_KEYS {
        let key = at.to_string();
        record.apply(ask(&key), 0).unwrap();
        record.apply(withdraw(&key), 0).unwrap();
    }
    assert_eq!(record.apply(ask("more"), 0), Err(Refused::TooManyKeys));
}

/// An answer of this many bytes to the question `key`, and the object it comes in.
fn answer_of_size(key: &str, size: usize) -> Transition {
    let empty = r#"{"roots":[],"_meta":{"a":""}}"#.len();
    let filled = "x".repeat(size - empty);
    answers(&format!(
        r#"{{"{key}":{{"roots":[],"_meta":{{"a":"{filled}"}}}}}}"#
    ))
}

#[test]
fn answers_are_bounded_in_bytes_for_the_whole_life() {
    let mut record = after([ask("a"), ask("b"), ask("c")]);
    let half = MAX_REPLY_BYTES / 2;
    assert_eq!(record.apply(answer_of_size("a", half), 1), Ok(true));
    let before = record.clone();
    let too_large = record.apply(answer_of_size("b", half + 1), 1);
    assert_eq!(too_large, Err(Refused::TooManyBytes));
    assert!(record == before, "the question stays open");
    // An answer to nothing that is asked does not count.
    assert_eq!(record.apply(answer_of_size("d", half + 1), 1), Ok(false));
    assert_eq!(record.apply(answer_of_size("b", half), 1), Ok(true));
    assert_eq!(
        record.apply(answers(r#"{"c":{"roots":[]}}"#), 1),
        Err(Refused::TooManyBytes)
    );
}

#[test]
fn a_refusal_always_has_room() {
    let mut record = after([ask("a"), ask("b")]);
    record
        .apply(answer_of_size("a", MAX_REPLY_BYTES), 1)
        .unwrap();
    let mut error = ErrorObject::new(ErrorCode(-1), "no".repeat(500));
    error.data = Some(RawJson::null());
    let key = "b".into();
    assert_eq!(record.apply(Transition::Refuse { key, error }, 1), Ok(true));
    let Some(TaskReply::Refused(kept)) = record.reply("b") else {
        panic!("it is refused");
    };
    assert_eq!((kept.code, &kept.data), (ErrorCode(-1), &None));
    assert!(kept.message.len() < 210, "{}", kept.message.len());
}

#[test]
fn nothing_of_what_was_asked_stays_when_it_is_over() {
    let answered = after([
        ask("a"),
        answers(r#"{"a":{"roots":[]}}"#),
        Transition::Cancel,
    ]);
    assert_eq!(answered.reply("a"), None);
    let text = serde_json::to_string(&answered).unwrap();
    assert!(!text.contains("roots"), "{text}");
}

#[test]
fn time_never_runs_back() {
    let mut record = after([]);
    record.apply(Transition::Say(Some("a".into())), 9).unwrap();
    record.apply(Transition::Say(Some("b".into())), 3).unwrap();
    assert_eq!(record.updated_ms(), 9);
}

#[test]
fn it_is_forgotten_at_its_time_and_not_before() {
    let record = record().with_ttl_ms(Some(10));
    assert_eq!((record.is_expired(9), record.is_expired(10)), (false, true));
    assert!(!record.with_ttl_ms(None).is_expired(u64::MAX));
    let long = self::record().with_ttl_ms(Some(u64::MAX));
    assert_eq!(long.expires_ms(), Some(u64::MAX));
}

#[test]
fn a_record_survives_being_written_and_read() {
    for (state, record) in states() {
        let text = serde_json::to_string(&record).unwrap();
        let read: TaskRecord = serde_json::from_str(&text).unwrap();
        assert!(read == record, "{state}: {text}");
    }
}

#[test]
fn what_it_prints_is_no_secret() {
    let record = after([
        ask("a"),
        answers(r#"{"a":{"roots":[{"uri":"file:///secret"}]}}"#),
    ]);
    let printed = format!("{record:?} {:?} {:?}", record.id(), record.owner());
    assert!(
        !printed.contains("secret") && !printed.contains("\"t\""),
        "{printed}"
    );
}

fn any_transition() -> impl Strategy<Value = Transition> {
    let key = prop_oneof![Just("a"), Just("b"), Just("c")];
    (0..9, key).prop_map(|(kind, key)| match kind {
        0 | 1 => ask(key),
        2 => withdraw(key),
        3 => answers(&format!(r#"{{"{key}":{{"roots":[]}}}}"#)),
        4 => answers(&format!(r#"{{"{key}":7}}"#)),
        5 => refuse(key),
        6 => Transition::Say(Some(key.into())),
        7 => Transition::Cancel,
        _ => finish(text()),
    })
}

proptest! {
    #[test]
    fn whatever_happens_it_ends_once_and_versions_count_changes(
        transitions in prop::collection::vec((any_transition(), 0_u64..100), 0..40)
    ) {
        let mut record = record();
        let mut ended: Option<TaskRecord> = None;
        for (transition, now) in transitions {
            let before = record.clone();
            let applied = record.apply(transition, now);
            let step = record.version() - before.version();
            prop_assert_eq!(step, u64::from(applied == Ok(true)));
            prop_assert!(record.updated_ms() >= before.updated_ms());
            if applied != Ok(true) {
                prop_assert!(record == before);
            }
            if let Some(ended) = &ended {
                prop_assert!(record == *ended);
            } else if record.is_over() {
                ended = Some(record.clone());
            }
            let waits = matches!(record.state(), TaskState::InputRequired(open) if !open.is_empty());
            prop_assert_eq!(waits, status(&record) == "input_required");
        }
    }
}

#[test]
fn a_question_that_is_open_has_no_answer() {
    let request: InputRequest = form();
    let record = after([Transition::Ask {
        key: "a".into(),
        request: Box::new(request.clone()),
    }]);
    let TaskState::InputRequired(open) = record.state() else {
        panic!("it asks");
    };
    assert_eq!((open.get("a"), record.reply("a")), (Some(&request), None));
}
