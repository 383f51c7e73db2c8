//! The tables of profiles, each row as a test by its name (server.md 4.2).

use mcp_types::{Revision, tool::TaskSupport};

use crate::proto::task::{
    TaskProfile::{Extension, InlineHandle, Legacy2025},
    plan::{Facts, Plan, Sight, plan, sight},
};

const SUPPORTS: [TaskSupport; 3] = [
    TaskSupport::Forbidden,
    TaskSupport::Optional,
    TaskSupport::Required,
];

/// What becomes of calls of a forbidden, an optional and a required tool.
fn check(revision: Revision, declares: bool, wants_task: bool, inline: bool, expected: [Plan; 3]) {
    let plans = SUPPORTS.each_ref().map(|support| {
        plan(Facts {
            revision,
            declares,
            wants_task,
            support,
            inline_handles: inline,
        })
    });
    let what = format!("{revision} declares={declares} task={wants_task} inline={inline}");
    assert_eq!(plans, expected, "{what}");
}

#[test]
fn r4_2_up_to_2025_06_18_there_are_no_tasks() {
    for revision in &Revision::ALL[..4] {
        for at in 0..8 {
            let flag = |bit: u8| at & bit != 0;
            check(*revision, flag(1), flag(2), flag(4), [Plan::Plain; 3]);
        }
    }
}

#[test]
fn r4_2_2025_11_25_without_a_task_param() {
    for (declares, inline) in [(false, false), (true, false), (false, true), (true, true)] {
        let expected = [Plan::Plain, Plan::Plain, Plan::Required];
        check(Revision::V2025_11_25, declares, false, inline, expected);
    }
}

#[test]
fn r4_2_2025_11_25_with_a_task_param_whatever_initialize_declared() {
    let task = Plan::Task(Legacy2025);
    for (declares, inline) in [(false, false), (true, false), (false, true), (true, true)] {
        let expected = [Plan::Forbidden, task, task];
        check(Revision::V2025_11_25, declares, true, inline, expected);
    }
}

#[test]
fn r4_2_2026_07_28_declared_on_this_request_beats_inline_handles() {
    let task = Plan::Task(Extension);
    for (wants_task, inline) in [(false, false), (true, false), (false, true), (true, true)] {
        check(
            Revision::LATEST,
            true,
            wants_task,
            inline,
            [Plan::Plain, task, task],
        );
    }
}

#[test]
fn r4_2_2026_07_28_not_declared() {
    for wants_task in [false, true] {
        let expected = [Plan::Plain, Plan::Plain, Plan::Undeclared];
        check(Revision::LATEST, false, wants_task, false, expected);
    }
}

#[test]
fn r4_2_2026_07_28_not_declared_with_inline_handles() {
    let task = Plan::Task(InlineHandle);
    for wants_task in [false, true] {
        check(
            Revision::LATEST,
            false,
            wants_task,
            true,
            [Plan::Plain, task, task],
        );
    }
}

#[test]
fn a_word_for_task_support_that_nobody_knows_is_no_support() {
    let support = TaskSupport::from("sometimes");
    let facts = Facts {
        revision: Revision::LATEST,
        declares: true,
        wants_task: true,
        support: &support,
        inline_handles: true,
    };
    assert_eq!(plan(facts), Plan::Plain);
}

#[test]
fn what_tasks_methods_can_see() {
    let modern = Revision::LATEST;
    for (method, declares, inline, expected) in [
        ("tasks/get", true, false, Sight::All(Extension)),
        ("tasks/get", true, true, Sight::All(Extension)),
        ("tasks/get", false, false, Sight::Legacy),
        ("tasks/get", false, true, Sight::Handles),
        ("tasks/cancel", true, false, Sight::All(Extension)),
        ("tasks/cancel", false, false, Sight::Legacy),
        ("tasks/cancel", false, true, Sight::Handles),
        ("tasks/update", true, false, Sight::All(Extension)),
        ("tasks/update", false, false, Sight::Undeclared),
        ("tasks/update", false, true, Sight::Undeclared),
    ] {
        assert_eq!(
            sight(method, modern, declares, inline),
            expected,
            "{method}"
        );
    }
    for method in ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"] {
        for declares in [false, true] {
            let seen = sight(method, Revision::V2025_11_25, declares, true);
            assert_eq!(seen, Sight::All(Legacy2025), "{method}");
        }
    }
}
