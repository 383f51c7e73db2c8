//! Sets under edits.

use std::sync::{Mutex, Weak};

use mcp_transport::Request;
use mcp_types::RawParams;

use super::*;
use crate::{
    hub::Listener,
    input::{InputHost, InputPolicy},
};

struct Letter(&'static str, Filter);

impl Named for Letter {
    fn key(&self) -> &str {
        self.0
    }

    fn filter(&self) -> &Filter {
        &self.1
    }
}

fn letter(name: &'static str) -> Letter {
    Letter(name, Filter::default())
}

fn call() -> Call {
    let request = Request::new("tools/list", RawParams::empty());
    let host = InputHost::new(InputPolicy::default(), "s".to_owned(), None);
    Call::new(request, Revision::LATEST, None, &host)
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
        set.add(letter(name)).unwrap();
    }
    set
}

#[test]
fn the_order_is_that_of_registration_whatever_leaves() {
    let set = set_of(&["c", "a", "d", "b"]);
    assert!(set.remove("a") && !set.remove("a"));
    assert_eq!(set.names(), ["c", "d", "b"]);
    set.add(letter("a")).unwrap();
    assert_eq!(set.names(), ["c", "d", "b", "a"]);
    let snapshot = set.snapshot();
    for name in ["a", "b", "c", "d"] {
        assert_eq!(snapshot.find(name, &call()).unwrap().key(), name);
    }
    assert!(snapshot.find("e", &call()).is_none());
}

#[test]
fn a_name_that_is_taken_is_refused_and_nothing_changes() {
    let set = set_of(&["a"]);
    assert_eq!(set.add(letter("a")), Err(Taken));
    assert_eq!(set.names(), ["a"]);
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let set = set_of(&["a", "b"]);
    let before = set.snapshot();
    set.remove("a");
    set.add(letter("c")).unwrap();
    let names: Vec<_> = before.entries().iter().map(|entry| entry.key()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(before.find("a", &call()).is_some() && before.find("c", &call()).is_none());
    assert_eq!(set.names(), ["b", "c"]);
}

#[test]
fn each_edit_is_published_and_no_other() {
    let hub = Hub::default();
    let set = Set::new(&hub, Change::ToolsListChanged);
    let ear = Arc::new(Ear::default());
    let weak: Weak<Ear> = Arc::downgrade(&ear);
    let _place = hub.follow(weak);
    set.add(letter("a")).unwrap();
    set.add(letter("a")).unwrap_err();
    set.remove("b");
    set.remove("a");
    assert_eq!(*ear.0.lock().unwrap(), 2);
}

#[test]
fn what_was_offered_once_stays_offered() {
    let set = set_of(&[]);
    assert!(!set.is_offered() && !set.can_change());
    set.add(letter("a")).unwrap();
    set.remove("a");
    assert!(set.is_offered() && !set.can_change());
    let opened = set_of(&[]);
    opened.open();
    assert!(opened.is_offered() && opened.can_change());
}

#[test]
fn a_page_goes_on_where_the_last_one_ended_whatever_left() {
    let set = set_of(&["a", "b", "c", "d"]);
    let check = |number, name, expected: &[&str]| {
        let snapshot = set.snapshot();
        let names: Vec<_> = snapshot
            .after(number, name)
            .iter()
            .map(|entry| entry.key())
            .collect();
        assert_eq!(names, expected);
    };
    check(1, "b", &["c", "d"]);
    // Another instance may have numbered it otherwise.
    check(9, "b", &["c", "d"]);
    set.remove("b");
    check(1, "b", &["c", "d"]);
    set.remove("c");
    check(1, "b", &["d"]);
    set.add(letter("b")).unwrap();
    check(3, "d", &["b"]);
    check(99, "gone", &[]);
}

#[test]
fn who_does_not_see_it_does_not_find_it() {
    let set = set_of(&["a"]);
    set.add(Letter("b", Filter::new(|call| call.method == "tools/call")))
        .unwrap();
    let snapshot = set.snapshot();
    assert!(snapshot.is_filtered());
    assert!(snapshot.find("b", &call()).is_none());
    set.remove("b");
    assert!(!set.snapshot().is_filtered() && snapshot.is_filtered());
}
