//! The demultiplexer: where messages go, and that every exchange ends once.

use std::collections::HashSet;

use proptest::prelude::*;

use super::{Mux, Refused};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Id {
    Number(i64),
    Text(&'static str),
}

fn mux() -> Mux<Id, u32, char> {
    Mux::new(3)
}

#[test]
fn a_response_ends_the_exchange_of_its_exact_id() {
    let mut mux = mux();
    mux.open(Id::Number(1), None, 'a').unwrap();
    mux.open(Id::Text("1"), None, 'b').unwrap();
    assert_eq!(mux.handle_response(&Id::Text("1")), Some('b'));
    assert_eq!(mux.handle_response(&Id::Text("1")), None);
    assert_eq!(mux.handle_response(&Id::Number(1)), Some('a'));
    assert_eq!((mux.len(), mux.stray()), (0, 1));
}

#[test]
fn progress_goes_to_the_exchange_of_its_token_until_that_ends() {
    let mut mux = mux();
    mux.open(Id::Number(1), Some(7), 'a').unwrap();
    assert_eq!(mux.handle_progress(&7), Some('a'));
    assert_eq!(mux.handle_progress(&8), None);
    mux.handle_response(&Id::Number(1)).unwrap();
    assert_eq!(mux.handle_progress(&7), None);
    assert_eq!(mux.stray(), 2);
}

#[test]
fn ids_and_tokens_in_flight_are_not_given_twice() {
    let mut mux = mux();
    mux.open(Id::Number(1), Some(7), 'a').unwrap();
    assert_eq!(
        mux.open(Id::Number(1), Some(8), 'b'),
        Err(Refused::Duplicate)
    );
    assert_eq!(
        mux.open(Id::Number(2), Some(7), 'b'),
        Err(Refused::Duplicate)
    );
    assert_eq!(mux.open(Id::Number(2), Some(8), 'b'), Ok(()));
    assert_eq!(mux.handle_progress(&7), Some('a'));
    mux.cancel(&Id::Number(1)).unwrap();
    assert_eq!(mux.open(Id::Number(1), Some(7), 'c'), Ok(()));
}

#[test]
fn a_cancelled_exchange_takes_no_late_response() {
    let mut mux = mux();
    mux.open(Id::Number(1), None, 'a').unwrap();
    assert_eq!(mux.cancel(&Id::Number(1)), Some('a'));
    assert_eq!(mux.cancel(&Id::Number(1)), None);
    assert_eq!(mux.handle_response(&Id::Number(1)), None);
    assert_eq!(mux.stray(), 1);
}

#[test]
fn what_is_told_about_a_request_belongs_to_it_while_it_is_open() {
    let mut mux = mux();
    assert_eq!(mux.about(&Id::Number(1)), None);
    mux.open(Id::Number(1), None, 'a').unwrap();
    assert_eq!(mux.about(&Id::Number(1)), Some('a'));
    assert_eq!(mux.about(&Id::Text("1")), None);
    mux.handle_response(&Id::Number(1)).unwrap();
    assert_eq!((mux.about(&Id::Number(1)), mux.stray()), (None, 0));
}

#[test]
fn t3_an_error_without_an_id_answers_the_only_request() {
    let mut mux = mux();
    assert_eq!(mux.handle_anonymous(|_| true), None);
    mux.open(Id::Number(1), None, 'a').unwrap();
    assert_eq!(mux.handle_anonymous(|key| *key == 'b'), None);
    assert_eq!(mux.handle_anonymous(|_| true), Some('a'));
    mux.open(Id::Number(2), None, 'b').unwrap();
    mux.open(Id::Number(3), None, 'c').unwrap();
    assert_eq!(mux.handle_anonymous(|_| true), None);
    assert_eq!((mux.len(), mux.stray()), (2, 3));
}

#[test]
fn the_table_is_bounded() {
    let mut mux = mux();
    (1..=3).for_each(|id| mux.open(Id::Number(id), None, 'a').unwrap());
    assert_eq!(
        mux.open(Id::Number(4), None, 'a'),
        Err(Refused::Full { capacity: 3 })
    );
    mux.handle_response(&Id::Number(2)).unwrap();
    assert_eq!(mux.open(Id::Number(4), None, 'a'), Ok(()));
}

#[test]
fn a_closed_wire_ends_everything_at_once() {
    let mut mux = mux();
    mux.open(Id::Number(1), Some(1), 'a').unwrap();
    mux.open(Id::Number(2), None, 'b').unwrap();
    assert_eq!(
        mux.close().into_iter().collect::<HashSet<_>>(),
        HashSet::from(['a', 'b'])
    );
    assert!(mux.close().is_empty());
    assert!(mux.is_closed() && mux.is_empty());
    assert_eq!(mux.open(Id::Number(3), None, 'c'), Err(Refused::Closed));
    assert_eq!(mux.handle_progress(&1), None);
}

#[derive(Clone, Debug)]
enum Step {
    Open(u8, Option<u8>),
    Response(u8),
    Progress(u8),
    Cancel(u8),
    Anonymous,
    Close,
}

fn step() -> impl Strategy<Value = Step> {
    let id = 0u8..6;
    prop_oneof![
        4 => (id.clone(), proptest::option::of(id.clone())).prop_map(|(id, token)| Step::Open(id, token)),
        3 => id.clone().prop_map(Step::Response),
        2 => id.clone().prop_map(Step::Progress),
        2 => id.prop_map(Step::Cancel),
        1 => Just(Step::Anonymous),
        1 => Just(Step::Close),
    ]
}

proptest! {
    #[test]
    fn every_exchange_ends_exactly_once(steps in proptest::collection::vec(step(), 0..60)) {
        let mut mux = Mux::new(4);
        let mut open = HashSet::new();
        for (key, step) in steps.into_iter().enumerate() {
            let ended = match step {
                Step::Open(id, token) => {
                    if mux.open(id, token, key).is_ok() {
                        prop_assert!(open.insert(key));
                    }
                    vec![]
                }
                Step::Response(id) => mux.handle_response(&id).into_iter().collect(),
                Step::Cancel(id) => mux.cancel(&id).into_iter().collect(),
                Step::Anonymous => mux.handle_anonymous(|_| true).into_iter().collect(),
                Step::Close => mux.close(),
                Step::Progress(token) => {
                    let target = mux.handle_progress(&token);
                    prop_assert!(target.is_none_or(|key| open.contains(&key)));
                    vec![]
                }
            };
            for key in ended {
                prop_assert!(open.remove(&key), "{} ended twice", key);
            }
            prop_assert_eq!(mux.len(), open.len());
            prop_assert!(mux.len() <= 4 && mux.tokens.len() <= mux.len());
        }
        let rest: HashSet<_> = mux.close().into_iter().collect();
        prop_assert_eq!(rest, open);
    }
}
