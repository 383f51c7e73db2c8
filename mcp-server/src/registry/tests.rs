//! Sets under edits.

use std::sync::{Mutex, Weak};

use super::*;
use crate::hub::Listener;

struct Letter(&'static str);

impl Named for Letter {
    fn name(&self) -> &str {
        self.0
    }
}

#[derive(Default)]
struct Ear(Mutex<usize>);

impl Listener for Ear {
    fn deliver(&self, change: &Change) {
        assert_eq!(*change, Change::ToolsListChanged);
        *self.0.lock().unwrap() += 1;
    }
}

fn set_of(names: &[&'static str]) -> Set<Letter> {
    let set = Set::new(&Hub::default(), Change::ToolsListChanged);
    for name in names {
        set.add(Letter(name)).unwrap();
    }
    set
}

#[test]
fn the_order_is_that_of_registration_whatever_leaves() {
    let set = set_of(&["c", "a", "d", "b"]);
    assert!(set.remove("a") && !set.remove("a"));
    assert_eq!(set.names(), ["c", "d", "b"]);
    set.add(Letter("a")).unwrap();
    assert_eq!(set.names(), ["c", "d", "b", "a"]);
    let snapshot = set.snapshot();
    for name in ["a", "b", "c", "d"] {
        assert_eq!(snapshot.find(name).unwrap().name(), name);
    }
    assert!(snapshot.find("e").is_none());
}

#[test]
fn a_name_that_is_taken_is_refused_and_nothing_changes() {
    let set = set_of(&["a"]);
    assert_eq!(set.add(Letter("a")), Err(Taken));
    assert_eq!(set.names(), ["a"]);
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let set = set_of(&["a", "b"]);
    let before = set.snapshot();
    set.remove("a");
    set.add(Letter("c")).unwrap();
    let names: Vec<_> = before.entries().iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(before.find("a").is_some() && before.find("c").is_none());
    assert_eq!(set.names(), ["b", "c"]);
}

#[test]
fn each_edit_is_published_and_no_other() {
    let hub = Hub::default();
    let set = Set::new(&hub, Change::ToolsListChanged);
    let ear = Arc::new(Ear::default());
    let weak: Weak<Ear> = Arc::downgrade(&ear);
    let _place = hub.follow(weak);
    set.add(Letter("a")).unwrap();
    set.add(Letter("a")).unwrap_err();
    set.remove("b");
    set.remove("a");
    assert_eq!(*ear.0.lock().unwrap(), 2);
}

#[test]
fn what_was_offered_once_stays_offered() {
    let set = set_of(&[]);
    assert!(!set.is_offered() && !set.can_change());
    set.add(Letter("a")).unwrap();
    set.remove("a");
    assert!(set.is_offered() && !set.can_change());
    let opened = set_of(&[]);
    opened.open();
    assert!(opened.is_offered() && opened.can_change());
}
