//! The change hub: what changes in a server is published once, and reaches whoever follows.
//!
//! Legacy sessions follow from their `initialize` to their end. Anything else that listens, such as the
//! exchange of a subscription, follows by the same seam: a weak `Listener`, told each change at once, under
//! no lock, which keeps of it what it wants.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_transport::Notification;
use mcp_types::{
    RawParams, Revision, resource::ResourceUpdatedParams, task::Task, wire::encode_params,
};

/// Something changed that clients may want to hear of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    ToolsListChanged,
    /// The list of prompts.
    PromptsListChanged,
    /// The list of resources, or that of resource templates.
    ResourcesListChanged,
    /// What a resource holds; this is its address.
    ResourceUpdated(Box<str>),
    /// How a task stands. Only a subscription hears it; a legacy session is told by the task's own driver.
    TaskChanged(TaskChange),
}

/// A task as it stands now, written for who hears of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskChange {
    id: Box<str>,
    params: Box<str>,
}

impl TaskChange {
    /// How `task` stands.
    pub fn new(task: &Task) -> Self {
        let params = encode_params(task, Revision::LATEST).to_raw();
        Self {
            id: task.task_id.as_str().into(),
            params: params.as_str().into(),
        }
    }

    /// The task's id.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Change {
    /// The method of the notification that tells it.
    pub fn method(&self) -> &'static str {
        match self {
            Self::ToolsListChanged => "notifications/tools/list_changed",
            Self::PromptsListChanged => "notifications/prompts/list_changed",
            Self::ResourcesListChanged => "notifications/resources/list_changed",
            Self::ResourceUpdated(_) => "notifications/resources/updated",
            Self::TaskChanged(_) => "notifications/tasks",
        }
    }

    /// The address of the resource that changed.
    pub fn uri(&self) -> Option<&str> {
        match self {
            Self::ResourceUpdated(uri) => Some(uri),
            Self::ToolsListChanged
            | Self::PromptsListChanged
            | Self::ResourcesListChanged
            | Self::TaskChanged(_) => None,
        }
    }

    /// What tells a client of `revision`.
    pub(crate) fn notification(&self, revision: Revision) -> Notification {
        let params = match self {
            Self::ResourceUpdated(uri) => {
                encode_params(&ResourceUpdatedParams::new(&**uri), revision)
            }
            // An object, since it was written as one.
            Self::TaskChanged(task) => {
                RawParams::parse(task.params.as_bytes().to_vec()).unwrap_or_default()
            }
            Self::ToolsListChanged | Self::PromptsListChanged | Self::ResourcesListChanged => {
                RawParams::empty()
            }
        };
        Notification::new(self.method(), params)
    }
}

/// Hears of changes. It is told while something else runs: it notes what it wants, and wakes who waits.
pub(crate) trait Listener: Send + Sync {
    /// Something changed.
    fn deliver(&self, change: &Change);
}

/// Where changes are published, and who is told. Clones are the same hub.
///
/// Adding and removing tools, prompts and resources publishes by itself; what a resource holds is the
/// program's to publish:
///
/// ```
/// # use mcp_server::{Change, Server};
/// let server = Server::new("files", "1.0");
/// let hub = server.hub();
/// // later, wherever the file is written:
/// hub.publish(&Change::ResourceUpdated("file:///notes.txt".into()));
/// ```
///
/// Several instances of a server stay in step by publishing what they hear of each other, for example
/// over Redis.
#[derive(Clone, Default)]
pub struct Hub(Arc<Inner>);

#[derive(Default)]
struct Inner {
    followers: Mutex<Followers>,
    open: AtomicBool,
}

#[derive(Default)]
struct Followers {
    next: u64,
    // In the order they came, so that who is told first is no accident.
    by_key: BTreeMap<u64, Weak<dyn Listener>>,
}

impl Hub {
    /// Tells everyone who follows and wants to know. It never waits: many equal changes before a
    /// client looks are one.
    pub fn publish(&self, change: &Change) {
        let followers: Vec<_> = self.0.followers().by_key.values().cloned().collect();
        for listener in followers.iter().filter_map(Weak::upgrade) {
            listener.deliver(change);
        }
    }

    /// Says that the program can publish whatever it wants.
    pub(crate) fn open(&self) {
        self.0.open.store(true, Ordering::Relaxed);
    }

    /// Whether the program can publish whatever it wants.
    pub(crate) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Tells `listener` of changes until what this returns is dropped, or the listener is gone.
    #[must_use = "dropping it ends the following"]
    pub(crate) fn follow(&self, listener: Weak<dyn Listener>) -> Following {
        let mut followers = self.0.followers();
        let key = followers.next;
        followers.next += 1;
        followers.by_key.insert(key, listener);
        Following {
            hub: Arc::downgrade(&self.0),
            key,
        }
    }
}

impl Inner {
    fn followers(&self) -> MutexGuard<'_, Followers> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let followers = self.0.followers().by_key.len();
        f.debug_struct("Hub")
            .field("followers", &followers)
            .finish()
    }
}

/// A place among those who are told; dropping it gives it up.
pub(crate) struct Following {
    hub: Weak<Inner>,
    key: u64,
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            let left = hub.followers().by_key.remove(&self.key);
            // Its destructor may come back here, so it runs after the lock.
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Ear(Mutex<Vec<Change>>);

    impl Listener for Ear {
        fn deliver(&self, change: &Change) {
            self.0.lock().unwrap().push(change.clone());
        }
    }

    fn ear() -> (Arc<Ear>, Weak<dyn Listener>) {
        let ear = Arc::new(Ear::default());
        let weak: Weak<Ear> = Arc::downgrade(&ear);
        (ear, weak)
    }

    fn heard(ear: &Ear) -> usize {
        ear.0.lock().unwrap().len()
    }

    #[test]
    fn who_follows_is_told_until_it_lets_go() {
        let (hub, (ear, weak)) = (Hub::default(), ear());
        let following = hub.follow(weak);
        hub.publish(&Change::ToolsListChanged);
        drop(following);
        hub.publish(&Change::PromptsListChanged);
        assert_eq!(*ear.0.lock().unwrap(), [Change::ToolsListChanged]);
        assert!(hub.0.followers().by_key.is_empty());
    }

    #[test]
    fn who_is_gone_is_not_told_and_costs_nobody_else() {
        let (hub, (gone, weak), (ear, other)) = (Hub::default(), ear(), ear());
        let _places = (hub.follow(weak), hub.follow(other));
        drop(gone);
        hub.publish(&Change::ResourceUpdated("a:b".into()));
        assert_eq!(heard(&ear), 1);
    }

    #[test]
    fn a_listener_may_use_the_hub_while_it_is_told() {
        struct Leaves(Hub, Mutex<Option<Following>>);
        impl Listener for Leaves {
            fn deliver(&self, change: &Change) {
                let left = self.1.lock().unwrap().take();
                if left.is_some() {
                    drop(left);
                    self.0.publish(change);
                }
            }
        }
        let (hub, (ear, weak)) = (Hub::default(), ear());
        let leaves = Arc::new(Leaves(hub.clone(), Mutex::default()));
        let of_leaves: Weak<Leaves> = Arc::downgrade(&leaves);
        *leaves.1.lock().unwrap() = Some(hub.follow(of_leaves));
        let _place = hub.follow(weak);
        hub.publish(&Change::ToolsListChanged);
        assert_eq!(heard(&ear), 2);
    }

    #[test]
    fn each_change_has_its_notification() {
        let check = |change: Change, method: &str, params: &str| {
            let told = change.notification(Revision::V2025_11_25);
            assert_eq!(told.method, method);
            let mut text = Vec::new();
            told.params.write(None, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), params);
        };
        check(
            Change::ToolsListChanged,
            "notifications/tools/list_changed",
            "{}",
        );
        check(
            Change::PromptsListChanged,
            "notifications/prompts/list_changed",
            "{}",
        );
        check(
            Change::ResourcesListChanged,
            "notifications/resources/list_changed",
            "{}",
        );
        let updated = Change::ResourceUpdated("a:b".into());
        check(
            updated,
            "notifications/resources/updated",
            r#"{"uri":"a:b"}"#,
        );
    }
}
