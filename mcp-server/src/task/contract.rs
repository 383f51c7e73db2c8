//! Tests that every store of tasks passes, whoever wrote it.
//!
//! ```
//! # use mcp_server::task::{MemoryTasks, contract};
//! # use std::sync::Arc;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! contract::check(async |caps| Arc::new(MemoryTasks::new(caps)) as _).await;
//! # }
//! ```

use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_types::{
    RawJson, RawObject,
    input::{InputRequest, Question},
    tool::CallToolResult,
};

use super::{
    Applied, Refused, TaskCaps, TaskId, TaskListener, TaskOutcome, TaskOwner, TaskProfile,
    TaskRecord, TaskReply, TaskState, TaskStore, TaskStoreError, Transition,
};

/// A store under test. Times of the contract count from 0; a store that asks a server for the time must not.
type Store = Arc<dyn TaskStore>;

/// Runs the whole contract; `make` gives an empty store with room for so many tasks, anew each time.
pub async fn check(make: impl AsyncFn(TaskCaps) -> Store) {
    let roomy = TaskCaps::new(8, 16);
    what_was_created_is_found_as_it_was(&make(roomy).await).await;
    an_id_is_given_once(&make(roomy).await).await;
    a_change_makes_the_next_version(&make(roomy).await).await;
    another_version_than_expected_changes_nothing(&make(roomy).await).await;
    of_two_who_end_it_the_first_stands(&make(roomy).await).await;
    what_the_machine_refuses_is_refused(&make(roomy).await).await;
    questions_and_answers_are_kept(&make(roomy).await).await;
    what_is_not_there_is_missing(&make(roomy).await).await;
    a_task_is_forgotten_when_its_time_is_up(&make(roomy).await).await;
    lists_are_of_one_owner_in_order_and_in_pages(&make(roomy).await).await;
    listeners_hear_of_each_version(&make(roomy).await).await;
    what_is_over_makes_room(&make(TaskCaps::new(2, 3)).await).await;
}

fn record(id: &str, owner: &TaskOwner, now_ms: u64) -> TaskRecord {
    let id = TaskId::new(id);
    TaskRecord::new(id, owner.clone(), TaskProfile::Extension, "tool", now_ms)
        .with_ttl_ms(Some(1_000))
        .with_poll_ms(Some(10))
}

fn alice() -> TaskOwner {
    TaskOwner::Principal("alice".into())
}

fn done() -> Transition {
    let result = CallToolResult::text("done");
    Transition::Finish(TaskOutcome::Result(Box::new(result)))
}

async fn create(store: &Store, record: TaskRecord) -> Arc<TaskRecord> {
    let now = record.created_ms();
    let made = store.create(record, now).await;
    made.expect("there is room for another task")
}

async fn get(store: &Store, id: &str, now_ms: u64) -> Option<Arc<TaskRecord>> {
    let found = store.get(TaskId::new(id), now_ms).await;
    found.expect("the store can be read")
}

async fn apply(store: &Store, id: &str, expected: u64, transition: Transition) -> Applied {
    let applied = store.apply(TaskId::new(id), expected, transition, 5).await;
    applied.expect("the store can be written")
}

async fn applied(
    store: &Store,
    id: &str,
    expected: u64,
    transition: Transition,
) -> Arc<TaskRecord> {
    match apply(store, id, expected, transition).await {
        Applied::Done(record) => record,
        other => panic!("the transition should have happened: {other:?}"),
    }
}

async fn what_was_created_is_found_as_it_was(store: &Store) {
    let made = create(store, record("a", &alice(), 0)).await;
    assert_eq!(*made, record("a", &alice(), 0));
    assert_eq!(get(store, "a", 0).await.as_deref(), Some(&*made));
}

async fn an_id_is_given_once(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    let again = store.create(record("a", &TaskOwner::Nobody, 1), 1).await;
    assert!(matches!(again, Err(TaskStoreError::Taken)), "{again:?}");
    let kept = get(store, "a", 1).await.expect("the first one is kept");
    assert_eq!(kept.owner(), &alice());
}

async fn a_change_makes_the_next_version(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    let said = applied(store, "a", 1, Transition::Say(Some("half".into()))).await;
    assert_eq!(
        (said.version(), said.message(), said.updated_ms()),
        (2, Some("half"), 5)
    );
    let again = applied(store, "a", 2, Transition::Say(Some("half".into()))).await;
    assert_eq!(again.version(), 2, "nothing has changed");
    assert_eq!(get(store, "a", 5).await.as_deref(), Some(&*said));
}

async fn another_version_than_expected_changes_nothing(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    for expected in [0, 2] {
        match apply(store, "a", expected, Transition::Cancel).await {
            Applied::Conflict(record) => assert_eq!(record.version(), 1),
            other => panic!("version {expected} was not there: {other:?}"),
        }
    }
    let kept = get(store, "a", 5).await.expect("it is still there");
    assert_eq!(kept.state(), TaskState::Working);
}

async fn of_two_who_end_it_the_first_stands(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    applied(store, "a", 1, Transition::Cancel).await;
    let late = apply(store, "a", 1, done()).await;
    assert!(matches!(late, Applied::Conflict(_)), "{late:?}");
    let later = apply(store, "a", 2, done()).await;
    assert!(
        matches!(later, Applied::Refused(Refused::Over, _)),
        "{later:?}"
    );
    let kept = get(store, "a", 5).await.expect("it is still there");
    assert_eq!(kept.state(), TaskState::Cancelled);
}

async fn what_the_machine_refuses_is_refused(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    applied(store, "a", 1, ask("k")).await;
    match apply(store, "a", 2, ask("k")).await {
        Applied::Refused(Refused::KeyUsed, record) => assert_eq!(record.version(), 2),
        other => panic!("a key is used once: {other:?}"),
    }
}

fn ask(key: &str) -> Transition {
    Transition::Ask {
        key: key.into(),
        request: Box::new(InputRequest::new(Question::Roots(None))),
    }
}

async fn questions_and_answers_are_kept(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    applied(store, "a", 1, ask("k")).await;
    let asked = get(store, "a", 5).await.expect("it is there");
    let TaskState::InputRequired(requests) = asked.state() else {
        panic!("a task that asks waits: {asked:?}");
    };
    assert!(requests.get("k").is_some());
    let answer = RawJson::parse(r#"{"roots":[]}"#).expect("it is JSON");
    let mut answers = RawObject::new();
    answers.set("k", answer.clone());
    applied(store, "a", 2, Transition::Answer(answers)).await;
    let answered = get(store, "a", 5).await.expect("it is there");
    assert_eq!(answered.state(), TaskState::Working);
    assert_eq!(answered.reply("k"), Some(&TaskReply::Answer(answer)));
}

async fn what_is_not_there_is_missing(store: &Store) {
    assert_eq!(get(store, "none", 0).await, None);
    assert_eq!(
        apply(store, "none", 1, Transition::Cancel).await,
        Applied::Missing
    );
    assert!(list(store, &alice(), None).await.is_empty());
}

async fn a_task_is_forgotten_when_its_time_is_up(store: &Store) {
    create(store, record("a", &alice(), 0)).await;
    applied(store, "a", 1, done()).await;
    create(store, record("b", &alice(), 0).with_ttl_ms(None)).await;
    assert!(
        get(store, "a", 999).await.is_some(),
        "never before its time"
    );
    assert_eq!(get(store, "a", 1_000).await, None);
    let late = store
        .apply(TaskId::new("a"), 2, Transition::Cancel, 1_000)
        .await;
    assert!(matches!(late, Ok(Applied::Missing)), "{late:?}");
    let kept = get(store, "b", u64::MAX).await;
    assert!(kept.is_some(), "a task without an end is kept");
}

async fn list(store: &Store, owner: &TaskOwner, after: Option<(u64, TaskId)>) -> Vec<String> {
    let listed = store.list(owner.clone(), after, 2, 5).await;
    let listed = listed.expect("the store can be read");
    let ids = listed.iter().map(|record| record.id().as_str().to_owned());
    ids.collect()
}

async fn lists_are_of_one_owner_in_order_and_in_pages(store: &Store) {
    let session = TaskOwner::Session("alice".into());
    for (id, owner, at) in [
        ("c", alice(), 1),
        ("z", alice(), 0),
        ("s", session.clone(), 0),
        ("b", alice(), 1),
        ("n", TaskOwner::Nobody, 0),
    ] {
        create(store, record(id, &owner, at)).await;
    }
    assert_eq!(list(store, &alice(), None).await, ["z", "b"]);
    let rest = list(store, &alice(), Some((1, TaskId::new("b")))).await;
    assert_eq!(rest, ["c"]);
    let gone = list(store, &alice(), Some((0, TaskId::new("zz")))).await;
    assert_eq!(
        gone,
        ["b", "c"],
        "the place of a task that is gone is a place"
    );
    assert_eq!(list(store, &session, None).await, ["s"]);
    assert_eq!(list(store, &TaskOwner::Nobody, None).await, ["n"]);
}

#[derive(Default)]
struct Ear(Mutex<Vec<u64>>);

impl TaskListener for Ear {
    fn changed(&self, record: &Arc<TaskRecord>) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(record.version());
    }
}

async fn listeners_hear_of_each_version(store: &Store) {
    let (ear, gone) = (Arc::new(Ear::default()), Arc::new(Ear::default()));
    for ear in [&ear, &gone] {
        let ear: Weak<Ear> = Arc::downgrade(ear);
        store.events(ear);
    }
    drop(gone);
    create(store, record("a", &alice(), 0)).await;
    applied(store, "a", 1, Transition::Say(Some("x".into()))).await;
    applied(store, "a", 2, Transition::Say(Some("x".into()))).await;
    applied(store, "a", 2, done()).await;
    apply(store, "a", 3, Transition::Cancel).await;
    let mut heard = ear.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    heard.sort_unstable();
    heard.dedup();
    assert_eq!(heard, [1, 2, 3]);
}

async fn what_is_over_makes_room(store: &Store) {
    let [bob, carol] = ["bob", "carol"].map(|name| TaskOwner::Principal(name.into()));
    create(store, record("a1", &alice(), 0)).await;
    create(store, record("a2", &alice(), 0)).await;
    let full = store.create(record("a3", &alice(), 1), 1).await;
    assert!(
        matches!(full, Err(TaskStoreError::OwnerFull(2))),
        "{full:?}"
    );
    create(store, record("b1", &bob, 0)).await;
    let full = store.create(record("c1", &carol, 1), 1).await;
    assert!(matches!(full, Err(TaskStoreError::Full(3))), "{full:?}");
    applied(store, "a2", 1, done()).await;
    applied(store, "b1", 1, done()).await;
    // Its own before those of others.
    create(store, record("a3", &alice(), 2)).await;
    assert_eq!(get(store, "a2", 5).await, None);
    assert!(get(store, "b1", 5).await.is_some());
    // Anyone may be nobody as often as they like, so those of principals do not make room for that.
    let full = store.create(record("n1", &TaskOwner::Nobody, 2), 2).await;
    assert!(matches!(full, Err(TaskStoreError::Full(3))), "{full:?}");
    assert!(get(store, "b1", 5).await.is_some());
    // Those of others, where it has none.
    create(store, record("c1", &carol, 2)).await;
    assert_eq!(get(store, "b1", 5).await, None);
    assert!(get(store, "a1", 5).await.is_some(), "what runs is kept");
}
