//! The bounded table, against a naive model.

use proptest::prelude::*;

use super::*;
use crate::proto::task::table::{Applied, NoRoom, Table, TaskCaps};

fn of(id: u64, owner: u8, now: u64, ttl: Option<u64>) -> TaskRecord {
    let owner = TaskOwner::Principal(owner.to_string().into());
    let id = TaskId::new(id.to_string());
    TaskRecord::new(id, owner, TaskProfile::Extension, "tool", now).with_ttl_ms(ttl)
}

#[derive(Debug, Clone)]
enum Step {
    Create(u8, Option<u64>),
    End(u64),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..3_u8, prop::option::of(1..50_u64)).prop_map(|(owner, ttl)| Step::Create(owner, ttl)),
        2 => (0..30_u64).prop_map(Step::End),
        1 => (0..20_u64).prop_map(Step::Pass),
    ]
}

proptest! {
    #[test]
    fn it_is_bounded_keeps_what_runs_and_forgets_in_time(steps in prop::collection::vec(step(), 0..80)) {
        let caps = TaskCaps::new(3, 5);
        let mut table = Table::new(caps);
        // What must be there: tasks that run and have time left.
        let mut running: Vec<TaskRecord> = Vec::new();
        let mut now = 0;
        for (id, step) in (0..).zip(steps) {
            running.retain(|record| !record.is_expired(now));
            match step {
                Step::Create(owner, ttl) => {
                    let record = of(id, owner, now, ttl);
                    let own = running.iter().filter(|it| it.owner() == record.owner()).count();
                    match table.create(record.clone(), now) {
                        Ok(_) => running.push(record),
                        Err(NoRoom::Owner(most)) => prop_assert_eq!((most, own), (3, 3)),
                        Err(NoRoom::Total(most)) => prop_assert_eq!((most, running.len()), (5, 5)),
                        Err(NoRoom::Taken) => prop_assert!(false, "the id is new"),
                    }
                    prop_assert!(own <= 3 && running.len() <= 5);
                }
                Step::End(id) => {
                    let id = TaskId::new(id.to_string());
                    let was_running = running.iter().position(|record| *record.id() == id);
                    let (applied, changed) = table.apply(&id, 1, Transition::Cancel, now);
                    prop_assert_eq!(changed, was_running.is_some(), "{:?}", applied);
                    if let Some(at) = was_running {
                        running.remove(at);
                    }
                }
                Step::Pass(by) => now += by,
            }
            running.retain(|record| !record.is_expired(now));
            for record in &running {
                prop_assert!(table.get(record.id(), now).is_some());
            }
            prop_assert!(table.len() <= 5);
            for owner in 0..3_u8 {
                let owner = TaskOwner::Principal(owner.to_string().into());
                prop_assert!(table.list(&owner, None, 99, now).len() <= 3);
            }
        }
        table.get(&TaskId::new("none"), u64::MAX);
        let endless = running.iter().filter(|record| record.ttl_ms().is_none()).count();
        prop_assert!(table.len() >= endless && table.len() <= 5);
    }
}

#[test]
fn a_cap_of_nothing_lets_nothing_in() {
    let mut table = Table::new(TaskCaps::new(0, 0));
    assert_eq!(table.create(of(1, 1, 0, None), 0), Err(NoRoom::Owner(0)));
    let mut table = Table::new(TaskCaps::new(1, 0));
    assert_eq!(table.create(of(1, 1, 0, None), 0), Err(NoRoom::Total(0)));
}

#[test]
fn nobody_cannot_make_principals_lose_what_they_have() {
    let owned = |id: u64, owner: TaskOwner| {
        let id = TaskId::new(id.to_string());
        TaskRecord::new(id, owner, TaskProfile::Extension, "tool", 0)
    };
    let principal = || TaskOwner::Principal("a".into());
    let session = |key: &str| TaskOwner::Session(key.into());
    let mut table = Table::new(TaskCaps::new(9, 2));
    for (id, owner) in [(1, principal()), (2, session("s"))] {
        let record = table.create(owned(id, owner), 0).unwrap();
        table.apply(record.id(), 1, Transition::Cancel, 0);
    }
    // Another session takes the place of what nobody has, and then there is none.
    let third = table.create(owned(3, session("t")), 0).unwrap();
    assert_eq!(
        table.create(owned(4, TaskOwner::Nobody), 0),
        Err(NoRoom::Total(2))
    );
    assert!(table.get(&TaskId::new("1"), 0).is_some());
    // A principal may take any that is over, the oldest first.
    table.apply(third.id(), 1, Transition::Cancel, 0);
    table
        .create(owned(5, TaskOwner::Principal("b".into())), 0)
        .unwrap();
    assert!(table.get(&TaskId::new("1"), 0).is_none());
    assert!(table.get(third.id(), 0).is_some());
}

#[test]
fn who_reads_keeps_what_was_read() {
    let mut table = Table::new(TaskCaps::default());
    let read = table.create(of(1, 1, 0, None), 0).unwrap();
    let (applied, _) = table.apply(read.id(), 1, Transition::Cancel, 1);
    let Applied::Done(now) = applied else {
        panic!("it could happen");
    };
    assert!(!read.is_over() && now.is_over());
}
