//! Rows of a subscription: what is told after what; all orders of what can happen to one; places.

use mcp_types::{subscription::SubscriptionFilter, task::Task};

use super::{Places, Reached, Said, Subscription};
use crate::hub::{Change, TaskChange};

/// Everything there is to want, one of each.
fn all() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(true),
        resources_list_changed: Some(true),
        resource_subscriptions: Some(vec!["a:1".to_owned(), "a:2".to_owned()]),
        task_ids: Some(vec!["t1".to_owned()]),
        ..SubscriptionFilter::default()
    }
}

fn tools() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: Some(true),
        ..SubscriptionFilter::default()
    }
}

fn updated(uri: &str) -> Change {
    Change::ResourceUpdated(uri.into())
}

fn task(id: &str, message: &str) -> Change {
    let mut task = Task::new(id, "2026-11-30T00:00:00Z");
    task.status_message = Some(message.to_owned());
    Change::TaskChanged(TaskChange::new(&task))
}

/// All that is told, each in a word.
fn told(subscription: &mut Subscription) -> Vec<String> {
    std::iter::from_fn(|| subscription.poll())
        .map(|said| match said {
            Said::Acknowledged(_) => "acknowledged".to_owned(),
            Said::News(Change::ResourceUpdated(uri)) => uri.into(),
            Said::News(change) => change.method().to_owned(),
            Said::Cancelled => "cancelled".to_owned(),
            Said::Ended => "ended".to_owned(),
        })
        .collect()
}

/// What is told of `changes` to who wants what `filter` names.
fn check(filter: SubscriptionFilter, changes: &[Change], expected: &[&str]) {
    let mut subscription = Subscription::new(filter, false);
    assert_eq!(told(&mut subscription), ["acknowledged"]);
    for change in changes {
        subscription.handle_change(change);
    }
    assert_eq!(told(&mut subscription), expected, "{changes:?}");
}

#[test]
fn only_what_is_honoured_is_told() {
    let changes = [
        Change::PromptsListChanged,
        updated("a:1"),
        Change::ToolsListChanged,
        updated("a:3"),
        Change::ResourcesListChanged,
        task("t1", "x"),
        task("t2", "x"),
    ];
    check(tools(), &changes, &["notifications/tools/list_changed"]);
    let everything = [
        "notifications/prompts/list_changed",
        "a:1",
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        "notifications/tasks",
    ];
    check(all(), &changes, &everything);
    let refused = SubscriptionFilter {
        tools_list_changed: Some(false),
        prompts_list_changed: Some(true),
        ..SubscriptionFilter::default()
    };
    check(refused, &changes, &["notifications/prompts/list_changed"]);
}

#[test]
fn never_two_equal_wait() {
    let (list, uri) = (Change::ToolsListChanged, updated("a:1"));
    let changes = [list.clone(), uri.clone(), uri, list, updated("a:2")];
    check(
        all(),
        &changes,
        &["notifications/tools/list_changed", "a:1", "a:2"],
    );
}

#[test]
fn of_a_task_the_newest_state_waits_in_the_place_of_the_first() {
    let mut subscription = Subscription::new(all(), false);
    subscription.poll();
    assert!(subscription.handle_change(&task("t1", "first")));
    assert!(subscription.handle_change(&Change::ToolsListChanged));
    assert!(subscription.handle_change(&task("t1", "second")));
    assert!(!subscription.handle_change(&task("t1", "second")));
    assert_eq!(subscription.poll(), Some(Said::News(task("t1", "second"))));
    let last = subscription.poll();
    assert_eq!(last, Some(Said::News(Change::ToolsListChanged)));
    assert_eq!(subscription.poll(), None);
}

#[test]
fn what_was_told_is_news_again_when_it_changes_again() {
    let mut subscription = Subscription::new(tools(), false);
    subscription.poll();
    for _ in 0..3 {
        assert!(subscription.handle_change(&Change::ToolsListChanged));
        assert_eq!(
            told(&mut subscription),
            ["notifications/tools/list_changed"]
        );
    }
}

#[test]
fn the_acknowledgement_names_what_is_honoured() {
    let said = Subscription::new(all(), false).poll();
    assert_eq!(said, Some(Said::Acknowledged(all())));
}

/// What can happen to a subscription.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Change,
    Close,
    Poll,
}

/// Every order of six steps, on a subscription that wants something and one that wants nothing, with the end announced
/// and not: the acknowledgement is first and alone of its kind, the end is last, and nothing is told that was not news.
#[test]
fn every_order_of_steps_keeps_the_order_of_what_is_told() {
    let steps = [Step::Change, Step::Close, Step::Poll];
    for number in 0..3usize.pow(6) {
        let order: Vec<Step> = (0..6)
            .map(|at| steps[number / 3usize.pow(at) % 3])
            .collect();
        for announces in [false, true] {
            for (filter, wants) in [(tools(), true), (SubscriptionFilter::default(), false)] {
                run(&order, filter, wants, announces);
            }
        }
    }
}

fn run(order: &[Step], filter: SubscriptionFilter, wants: bool, announces: bool) {
    let mut subscription = Subscription::new(filter, announces);
    let (mut said, mut news, mut closed) = (Vec::new(), 0, !wants);
    for step in order {
        match step {
            Step::Change => {
                let counts = subscription.handle_change(&Change::ToolsListChanged);
                assert!(!(counts && closed), "{order:?}");
                news += usize::from(counts);
            }
            Step::Close => {
                subscription.handle_close();
                closed = true;
            }
            Step::Poll => said.extend(subscription.poll()),
        }
    }
    let by_server = wants && order.contains(&Step::Close);
    subscription.handle_close();
    said.extend(std::iter::from_fn(|| subscription.poll()));
    let count = |wanted: &dyn Fn(&Said) -> bool| said.iter().filter(|said| wanted(said)).count();
    let context = format!("{order:?} {announces} {wants}: {said:?}");
    assert!(matches!(said[0], Said::Acknowledged(_)), "{context}");
    assert_eq!(
        count(&|said| matches!(said, Said::Acknowledged(_))),
        1,
        "{context}"
    );
    assert_eq!(said.last(), Some(&Said::Ended), "{context}");
    assert_eq!(count(&|said| *said == Said::Ended), 1, "{context}");
    assert_eq!(
        count(&|said| matches!(said, Said::News(_))),
        news,
        "{context}"
    );
    // What ends by itself, having nothing to tell, is not cancelled by anyone.
    let cancelled = count(&|said| *said == Said::Cancelled);
    assert_eq!(
        cancelled,
        usize::from(announces && wants),
        "{context} {by_server}"
    );
    if cancelled == 1 {
        assert_eq!(said[said.len() - 2], Said::Cancelled, "{context}");
    }
}

#[test]
fn places_are_counted_for_all_and_for_each_principal() {
    let mut places = Places::new(3, 2);
    let all: Vec<_> = (0..3).map(|handle| places.take(handle).unwrap()).collect();
    assert_eq!(places.take(3), Err(Reached(3)));
    assert_eq!(places.name(all[0], "a"), Ok(()));
    assert_eq!(places.name(all[1], "a"), Ok(()));
    assert_eq!(places.name(all[1], "a"), Ok(()), "it is so already");
    assert_eq!(places.name(all[2], "a"), Err(Reached(2)));
    assert_eq!(places.name(all[2], "b"), Ok(()));
    places.leave(all[0]);
    // Who comes twice to give back gives back once.
    places.leave(all[0]);
    assert_eq!(places.name(all[0], "c"), Ok(()), "it is nobody's place");
    let again = places.take(4).unwrap();
    assert_eq!(places.name(again, "a"), Ok(()));
    assert_eq!(places.take(5), Err(Reached(3)));
    places.leave(all[2]);
    let last = places.take(6).unwrap();
    assert_eq!(places.name(last, "a"), Err(Reached(2)));
    assert_eq!(places.name(last, "b"), Ok(()));
}

#[test]
fn who_has_a_place_when_the_host_closes_is_told_and_so_is_who_comes_later() {
    let mut places = Places::new(9, 9);
    let left = places.take(1).unwrap();
    places.take(2).unwrap();
    places.leave(left);
    assert!(!places.is_closed());
    assert_eq!(places.close(), [2]);
    assert!(places.is_closed());
}
