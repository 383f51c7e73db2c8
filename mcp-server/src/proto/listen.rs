//! One subscription (2026-07-28): what its client hears, in which order, and how it ends.
//!
//! First what is honoured is acknowledged, then comes news, then the end. Of what changes again before the client has
//! heard of it one piece of news waits, so that no more can wait than was asked for.

mod places;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashSet, VecDeque},
    mem,
};

use mcp_types::subscription::SubscriptionFilter;

pub(crate) use self::places::{Place, Places, Reached};
use crate::hub::Change;

/// What the client is told next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// What is honoured: always the first.
    Acknowledged(SubscriptionFilter),
    /// Something changed.
    News(Change),
    /// The server is about to end it.
    Cancelled,
    /// The result of the request: always the last.
    Ended,
}

/// A subscription from its opening to its end.
#[derive(Debug)]
pub(crate) struct Subscription {
    state: State,
    wanted: Wanted,
    /// At most one of each subject, in the order in which they came.
    news: VecDeque<Change>,
    announces: bool,
}

#[derive(Debug, PartialEq)]
enum State {
    ExpectAcknowledgement(SubscriptionFilter, Then),
    Open,
    /// What waits is told, then that it is cancelled, if so, and then the end.
    Closing {
        announced: bool,
    },
    Ended,
}

/// What comes after the acknowledgement.
#[derive(Debug, PartialEq)]
enum Then {
    News,
    Close { announced: bool },
}

#[derive(Debug, Default)]
struct Wanted {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: HashSet<Box<str>>,
    tasks: HashSet<Box<str>>,
}

impl Subscription {
    /// One that is honoured to this extent: where that is nothing it ends as soon as it is acknowledged. `announces` says
    /// whether `notifications/cancelled` comes before the end that the server brings about.
    pub(crate) fn new(honoured: SubscriptionFilter, announces: bool) -> Self {
        let then = match honoured.is_empty() {
            true => Then::Close { announced: true },
            false => Then::News,
        };
        Self {
            wanted: Wanted::new(&honoured),
            state: State::ExpectAcknowledgement(honoured, then),
            news: VecDeque::new(),
            announces,
        }
    }

    /// Something changed. Says whether there is news that was not there before.
    pub(crate) fn handle_change(&mut self, change: &Change) -> bool {
        let is_live = matches!(
            self.state,
            State::ExpectAcknowledgement(_, Then::News) | State::Open
        );
        if !is_live || !self.wanted.holds(change) {
            return false;
        }
        match self.news.iter_mut().find(|news| same_subject(news, change)) {
            Some(news) if news == change => false,
            Some(news) => {
                *news = change.clone();
                true
            }
            None => {
                self.news.push_back(change.clone());
                true
            }
        }
    }

    /// The server ends it: its time is over, or the server's is.
    pub(crate) fn handle_close(&mut self) {
        let announced = !self.announces;
        match &mut self.state {
            State::ExpectAcknowledgement(_, then @ Then::News) => *then = Then::Close { announced },
            State::Open => self.state = State::Closing { announced },
            State::ExpectAcknowledgement(_, Then::Close { .. })
            | State::Closing { .. }
            | State::Ended => {}
        }
    }

    /// What to tell the client next; `None` while there is nothing, and after the end.
    pub(crate) fn poll(&mut self) -> Option<Said> {
        match mem::replace(&mut self.state, State::Ended) {
            State::ExpectAcknowledgement(honoured, then) => {
                self.state = match then {
                    Then::News => State::Open,
                    Then::Close { announced } => State::Closing { announced },
                };
                Some(Said::Acknowledged(honoured))
            }
            State::Open => {
                self.state = State::Open;
                self.news.pop_front().map(Said::News)
            }
            State::Closing { announced } => {
                let said = self.news.pop_front().map(Said::News);
                match (said, announced) {
                    (Some(said), announced) => {
                        self.state = State::Closing { announced };
                        Some(said)
                    }
                    (None, false) => {
                        self.state = State::Closing { announced: true };
                        Some(Said::Cancelled)
                    }
                    (None, true) => Some(Said::Ended),
                }
            }
            State::Ended => None,
        }
    }
}

impl Wanted {
    fn new(filter: &SubscriptionFilter) -> Self {
        let all = |list: &Option<Vec<String>>| {
            let list = list.iter().flatten();
            list.map(|text| text.as_str().into()).collect()
        };
        Self {
            tools: filter.tools_list_changed == Some(true),
            prompts: filter.prompts_list_changed == Some(true),
            resources: filter.resources_list_changed == Some(true),
            uris: all(&filter.resource_subscriptions),
            tasks: all(&filter.task_ids),
        }
    }

    fn holds(&self, change: &Change) -> bool {
        match change {
            Change::ToolsListChanged => self.tools,
            Change::PromptsListChanged => self.prompts,
            Change::ResourcesListChanged => self.resources,
            Change::ResourceUpdated(uri) => self.uris.contains(uri),
            Change::TaskChanged(task) => self.tasks.contains(task.id()),
        }
    }
}

/// Whether `later` says all that `news` does: of a task the newest state counts.
fn same_subject(news: &Change, later: &Change) -> bool {
    match (news, later) {
        (Change::TaskChanged(news), Change::TaskChanged(later)) => news.id() == later.id(),
        (news, later) => news == later,
    }
}
