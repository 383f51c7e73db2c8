//! Subscriptions (2026-07-28) in memory: what is honoured, told and ended. Rows of the server's checklist (`s6`), of
//! the tables of wire differences (`r3`), of reports (`r8`) and of the official suite (`c2`).

#[cfg(feature = "stdio")]
mod lines;

use std::{
    pin::{Pin, pin},
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::Duration,
};

use mcp_server::{
    Answer, BoxFuture, Call, Change, Prompt, Prompts, Resource, ResourceTemplate, Resources,
    Server, Service, SubscriptionPolicy, TaskChange, Tool, Tools, types::task::Task,
};
use mcp_transport::{Event, Exchange, Notification, clock::ManualClock};
use mcp_types::{ErrorObject, Revision};
use serde_json::{Value, json};

use crate::peer::Peer;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// A server of one tool, one prompt, two resources and a template, and the handles to change them.
pub(crate) struct Changing {
    pub(crate) server: Server,
    pub(crate) tools: Tools,
    pub(crate) prompts: Prompts,
    pub(crate) resources: Resources,
}

pub(crate) fn changing() -> Changing {
    changing_under(SubscriptionPolicy::default())
}

pub(crate) fn changing_under(policy: SubscriptionPolicy) -> Changing {
    let server = unchanging().subscriptions(policy);
    Changing {
        tools: server.tools(),
        prompts: server.prompts(),
        resources: server.resources(),
        server,
    }
}

/// The same server where nobody can change anything.
fn unchanging() -> Server {
    Server::new("s", "1")
        .tool(tool("t"))
        .prompt(prompt("p"))
        .resource(Resource::text("test://a", "a"))
        .resource(Resource::text("test://secret", "s").visible(|_| false))
        .resource_template(ResourceTemplate::new("test://files/{name}", async || "f"))
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool::new(name, async || "done")
}

fn prompt(name: &str) -> Prompt {
    Prompt::new(name, async || "")
}

/// A subscription of a peer in memory.
struct Heard(Pin<Box<dyn Exchange>>);

impl Heard {
    /// What `filter` asks for, before anything was told.
    fn open(peer: &Peer, filter: &Value) -> Self {
        let params = json!({"notifications": filter}).to_string();
        Self(peer.open("subscriptions/listen", &params))
    }

    /// The same, and what is honoured.
    fn begin(peer: &Peer, filter: &Value) -> (Self, Value) {
        let mut heard = Self::open(peer, filter);
        let (method, params) = heard.told();
        assert_eq!(method, ACKNOWLEDGED);
        (heard, params["notifications"].clone())
    }

    /// What there is at once; `None` if nothing is told.
    fn poll(&mut self) -> Option<Event> {
        let mut cx = Context::from_waker(Waker::noop());
        match self.0.as_mut().poll_event(&mut cx) {
            Poll::Ready(event) => Some(event),
            Poll::Pending => None,
        }
    }

    /// The notification that comes next.
    #[track_caller]
    fn told(&mut self) -> (String, Value) {
        match self.poll() {
            Some(Event::Notification(told)) => {
                (told.method.to_string(), told.params.decode().unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    /// The methods of all that is told until there is nothing more, or the end.
    fn methods(&mut self) -> Vec<String> {
        let mut methods = Vec::new();
        loop {
            match self.poll() {
                Some(Event::Notification(told)) => methods.push(told.method.to_string()),
                Some(Event::Outcome(Ok(_))) => methods.push("result".to_owned()),
                None => return methods,
                other => panic!("{other:?}"),
            }
        }
    }

    /// The result, which comes next.
    #[track_caller]
    fn result(&mut self) -> Value {
        match self.poll() {
            Some(Event::Outcome(Ok(reply))) => reply.result.decode().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// The error, which comes next.
    #[track_caller]
    fn error(&mut self) -> ErrorObject {
        match self.poll() {
            Some(Event::Outcome(Err(failure))) => failure.peer_error().unwrap().clone(),
            other => panic!("{other:?}"),
        }
    }
}

/// The id that stands in `_meta`.
fn id(params: &Value) -> &Value {
    &params["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

fn everything() -> Value {
    json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["test://a"],
    })
}

#[test]
fn s6_who_listens_hears_of_all_that_changes_after_the_acknowledgement() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let mut heard = Heard::open(&peer, &everything());
    let (method, params) = heard.told();
    assert_eq!(method, ACKNOWLEDGED);
    assert_eq!(params["notifications"], everything());
    let subscription = id(&params).clone();
    assert!(subscription.is_number(), "{params}");
    assert!(heard.poll().is_none());
    it.tools.add(tool("u")).unwrap();
    it.resources.updated("test://a");
    it.prompts.add(prompt("q")).unwrap();
    it.resources.remove("test://a");
    let expected = [
        (TOOLS, json!({})),
        (UPDATED, json!({"uri": "test://a"})),
        (PROMPTS, json!({})),
        (RESOURCES, json!({})),
    ];
    for (expected, mut members) in expected {
        let (method, params) = heard.told();
        members["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": subscription});
        assert_eq!((method.as_str(), params), (expected, members));
    }
    assert!(heard.poll().is_none());
}

/// From when the request is judged; what changed before it is no news.
#[test]
fn s6_registered_before_the_acknowledgement_is_told_and_nothing_comes_before_it() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    it.tools.add(tool("before")).unwrap();
    let mut heard = Heard::open(&peer, &json!({"toolsListChanged": true}));
    assert_eq!(heard.told().0, ACKNOWLEDGED);
    assert!(heard.poll().is_none());
    it.tools.add(tool("after")).unwrap();
    assert_eq!(heard.methods(), [TOOLS]);
}

#[test]
fn s6_only_the_honoured_subset_is_acknowledged() {
    let check = |server: &Server, asked: Value, honoured: Value| {
        let (_, said) = Heard::begin(&Peer::modern(server), &asked);
        assert_eq!(said, honoured, "{asked}");
    };
    let it = changing();
    check(&it.server, everything(), everything());
    check(
        &it.server,
        json!({"toolsListChanged": false, "promptsListChanged": true, "com.example/x": true}),
        json!({"promptsListChanged": true}),
    );
    // A resource that is not there, or that the caller does not see, cannot be told of; nor one twice.
    let uris = [
        "test://files/1",
        "test://no",
        "test://secret",
        "test://files/1",
        "test://a",
    ];
    check(
        &it.server,
        json!({"resourceSubscriptions": uris}),
        json!({"resourceSubscriptions": ["test://files/1", "test://a"]}),
    );
    check(
        &it.server,
        json!({"resourceSubscriptions": ["test://no"]}),
        json!({}),
    );
    // Tasks are not served here.
    check(
        &it.server,
        json!({"taskIds": ["t1"], "toolsListChanged": true}),
        json!({"toolsListChanged": true}),
    );
    let tools_alone = unchanging();
    let _tools = tools_alone.tools();
    check(
        &tools_alone,
        everything(),
        json!({"toolsListChanged": true}),
    );
    // Where there are no prompts there is no list of them.
    let server = Server::new("s", "1").tool(tool("t"));
    let _hub = server.hub();
    check(&server, everything(), json!({"toolsListChanged": true}));
}

#[test]
fn r8_22_a_listen_on_a_static_server_ends_with_its_result_at_once() {
    let server = unchanging();
    let peer = Peer::modern(&server);
    for filter in [everything(), json!({}), json!({"toolsListChanged": false})] {
        let (mut heard, honoured) = Heard::begin(&peer, &filter);
        assert_eq!(honoured, json!({}));
        let result = heard.result();
        assert_eq!(result["resultType"], "complete");
        assert!(id(&result).is_number(), "{result}");
        assert!(heard.poll().is_none(), "it is over");
    }
}

#[test]
fn r8_22_a_server_may_have_no_subscriptions_at_all() {
    let it = changing_under(SubscriptionPolicy::off());
    let peer = Peer::modern(&it.server);
    let mut heard = Heard::open(&peer, &everything());
    assert_eq!(heard.error().code.0, -32601);
}

#[test]
fn s6_the_result_carries_the_id_of_the_subscription_and_who_made_it() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let mut heard = Heard::open(&peer, &everything());
    let (_, params) = heard.told();
    let subscription = id(&params).clone();
    drop(peer);
    assert_eq!(
        heard.result(),
        json!({"resultType": "complete", "_meta": {
            "io.modelcontextprotocol/subscriptionId": subscription,
            "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"},
        }})
    );
}

#[test]
fn s6_the_end_of_the_connection_ends_its_subscriptions_with_what_is_still_news() {
    let it = changing();
    let (one, other) = (Peer::modern(&it.server), Peer::modern(&it.server));
    let (mut ended, _) = Heard::begin(&one, &everything());
    let (mut kept, _) = Heard::begin(&other, &everything());
    it.tools.add(tool("u")).unwrap();
    drop(one);
    it.tools.add(tool("v")).unwrap();
    assert_eq!(ended.methods(), [TOOLS, "result"]);
    assert_eq!(kept.methods(), [TOOLS]);
}

#[test]
fn s6_cancelled_comes_before_the_result_where_the_policy_says_so() {
    let policy = SubscriptionPolicy::default().with_announced_end(true);
    let it = changing_under(policy);
    let peer = Peer::modern(&it.server);
    let mut heard = Heard::open(&peer, &everything());
    let subscription = id(&heard.told().1).clone();
    // What ends because there is nothing to tell is not torn down by anyone.
    let (mut empty, _) = Heard::begin(&peer, &json!({}));
    assert_eq!(empty.methods(), ["result"]);
    drop(peer);
    let (method, params) = heard.told();
    assert_eq!(method, "notifications/cancelled");
    assert_eq!(params["requestId"], subscription);
    assert_eq!(id(&params), &subscription);
    heard.result();
}

#[test]
fn s6_a_subscription_is_over_after_its_longest_duration_and_ends_with_its_result() {
    let clock = ManualClock::new();
    let policy = SubscriptionPolicy::default().with_max_duration(Duration::from_secs(60));
    let server = unchanging()
        .subscriptions(policy)
        .clock(Arc::new(clock.clone()));
    let tools = server.tools();
    let peer = Peer::modern(&server);
    let (mut heard, _) = Heard::begin(&peer, &json!({"toolsListChanged": true}));
    clock.advance(Duration::from_secs(59));
    assert!(heard.poll().is_none());
    tools.add(tool("u")).unwrap();
    clock.advance(Duration::from_secs(1));
    assert_eq!(heard.methods(), [TOOLS, "result"]);
    tools.add(tool("v")).unwrap();
    assert!(heard.poll().is_none());
    // By default there is no end.
    let it = changing();
    let server = it.server.clock(Arc::new(clock.clone()));
    let peer = Peer::modern(&server);
    let (mut heard, _) = Heard::begin(&peer, &everything());
    clock.advance(Duration::from_secs(1_000_000));
    assert!(heard.poll().is_none());
    assert_eq!(clock.next_deadline(), None);
}

#[test]
fn c11_so_many_subscriptions_a_connection_and_a_place_is_free_once_one_is_dropped_or_over() {
    let it = changing();
    let (peer, other) = (Peer::modern(&it.server), Peer::modern(&it.server));
    let mut all: Vec<_> = (0..8)
        .map(|_| Heard::begin(&peer, &everything()).0)
        .collect();
    let error = Heard::open(&peer, &everything()).error();
    assert_eq!(
        (error.code.0, &*error.message),
        (-32603, "Subscription limit reached")
    );
    let data: Value = error.data.unwrap().decode().unwrap();
    assert_eq!(
        data,
        json!({"code": "at_capacity", "retryAfter": 5, "limit": 8})
    );
    Heard::begin(&other, &everything());
    all.pop();
    let (mut empty, _) = Heard::begin(&peer, &json!({}));
    assert_eq!(empty.methods(), ["result"]);
    all.push(Heard::begin(&peer, &everything()).0);
    assert_eq!(Heard::open(&peer, &everything()).error().code.0, -32603);
    it.tools.add(tool("u")).unwrap();
    for mut heard in all {
        assert_eq!(heard.methods(), [TOOLS]);
    }
}

/// One that is dropped, over or refused leaves nothing behind.
#[test]
fn r12_who_listens_no_more_is_told_no_more() {
    let it = changing();
    let hub = it.server.hub();
    let followers = || format!("{hub:?}");
    let peer = Peer::modern(&it.server);
    let all: Vec<_> = (0..8)
        .map(|_| Heard::begin(&peer, &everything()).0)
        .collect();
    assert_eq!(followers(), "Hub { followers: 8 }");
    Heard::open(&peer, &everything()).error();
    drop(all);
    assert_eq!(followers(), "Hub { followers: 0 }");
    let (mut empty, _) = Heard::begin(&peer, &json!({}));
    empty.result();
    let (mut ended, _) = Heard::begin(&peer, &everything());
    assert_eq!(followers(), "Hub { followers: 1 }", "the empty one is over");
    drop(peer);
    ended.result();
    assert_eq!(followers(), "Hub { followers: 0 }");
}

#[test]
fn c11_so_many_resources_a_subscription() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let uris = |count: usize| -> Vec<String> {
        (0..count).map(|at| format!("test://files/{at}")).collect()
    };
    let (_, honoured) = Heard::begin(&peer, &json!({"resourceSubscriptions": uris(256)}));
    assert_eq!(
        honoured["resourceSubscriptions"].as_array().unwrap().len(),
        256
    );
    let error = Heard::open(&peer, &json!({"resourceSubscriptions": uris(257)})).error();
    assert_eq!(error.code.0, -32602);
    assert_eq!(
        error.message,
        "a subscription may name 256 resources; test://files/256 is one more: open another subscription"
    );
    let long: Vec<String> = (0..17)
        .map(|at| format!("test://files/{at}{}", "x".repeat(4_080)))
        .collect();
    let error = Heard::open(&peer, &json!({"resourceSubscriptions": long})).error();
    assert_eq!(error.code.0, -32602);
    assert!(
        error
            .message
            .contains("65536 bytes long together, and these are 69"),
        "{}",
        error.message
    );
    // The same one many times is one.
    let mut twice = uris(200);
    twice.extend(uris(200));
    let (_, honoured) = Heard::begin(&peer, &json!({"resourceSubscriptions": twice}));
    assert_eq!(
        honoured["resourceSubscriptions"].as_array().unwrap().len(),
        200
    );
}

#[test]
fn c6_of_many_equal_changes_before_the_client_looks_one_waits() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let (mut heard, _) = Heard::begin(&peer, &everything());
    for at in 0..10_000 {
        it.resources.updated("test://a");
        it.resources.updated(format!("test://files/{at}"));
        it.server.hub().publish(&Change::ToolsListChanged);
    }
    assert_eq!(heard.methods(), [UPDATED, TOOLS]);
}

#[test]
fn r3_6_5_list_changes_are_only_told_to_listeners_that_asked() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let mut each: Vec<_> = [
        (json!({"toolsListChanged": true}), TOOLS),
        (json!({"promptsListChanged": true}), PROMPTS),
        (json!({"resourcesListChanged": true}), RESOURCES),
        (json!({"resourceSubscriptions": ["test://a"]}), UPDATED),
    ]
    .map(|(filter, method)| (Heard::begin(&peer, &filter).0, method))
    .into();
    it.tools.add(tool("u")).unwrap();
    it.prompts.remove("p");
    it.resources.remove("test://secret");
    it.resources.updated("test://a");
    it.resources.updated("test://files/1");
    for (heard, method) in &mut each {
        assert_eq!(heard.methods(), [*method]);
    }
}

/// Whom a closure shows it to may be another matter when they list again.
#[test]
fn s6_a_list_that_not_everyone_sees_all_of_has_changed_for_everyone() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let (mut heard, _) = Heard::begin(&peer, &json!({"toolsListChanged": true}));
    it.tools.add(tool("hidden").visible(|_| false)).unwrap();
    assert_eq!(heard.methods(), [TOOLS]);
    it.tools.remove("hidden");
    assert_eq!(heard.methods(), [TOOLS]);
}

#[test]
fn r3_5_1_the_same_registry_feeds_both_eras() {
    let it = changing();
    let modern = Peer::modern(&it.server);
    let (mut heard, _) = Heard::begin(&modern, &json!({"resourceSubscriptions": ["test://a"]}));
    let legacy = now(Peer::legacy(&it.server, Revision::V2025_11_25));
    now(legacy.result("resources/subscribe", r#"{"uri":"test://a"}"#));
    let mut unasked = Heard(legacy.open("subscriptions/listen", "{}"));
    it.resources.updated("test://a");
    assert_eq!(
        unasked.told(),
        (UPDATED.to_owned(), json!({"uri": "test://a"}))
    );
    let (method, params) = heard.told();
    assert_eq!(
        (method.as_str(), &params["uri"]),
        (UPDATED, &json!("test://a"))
    );
    // A task is told by its own driver there.
    let task = TaskChange::new(&Task::new("t1", "2026-11-30T00:00:00Z"));
    it.server.hub().publish(&Change::TaskChanged(task));
    assert!(unasked.poll().is_none() && heard.poll().is_none());
}

#[test]
fn what_cannot_be_read_is_refused_and_takes_no_place() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    for _ in 0..20 {
        for params in ["{}", r#"{"notifications":7}"#] {
            let mut heard = Heard(peer.open("subscriptions/listen", params));
            assert_eq!(heard.error().code.0, -32602, "{params}");
        }
    }
    // A member of the wrong shape is not wanted; the rest is.
    let odd =
        json!({"toolsListChanged": "yes", "resourceSubscriptions": 7, "promptsListChanged": true});
    let (_, honoured) = Heard::begin(&peer, &odd);
    assert_eq!(honoured, json!({"promptsListChanged": true}));
}

/// A layer that says something around every request, and refuses what `refuses` says.
fn layered(server: Server, refuses: bool, seen: &Arc<Mutex<Vec<String>>>) -> Server {
    let seen = Arc::clone(seen);
    server.layer(move |inner: Arc<dyn Service>| -> Arc<dyn Service> {
        let seen = Arc::clone(&seen);
        Arc::new(move |call: Call| -> BoxFuture<Answer> {
            let (seen, inner) = (Arc::clone(&seen), Arc::clone(&inner));
            Box::pin(async move {
                let method = call.method.to_string();
                let words = Notification::new("notifications/message", call.params.clone());
                call.notify(words).await;
                if refuses {
                    return Answer::error(ErrorObject::new(mcp_types::ErrorCode(403), "no"));
                }
                let answer = inner.call(call).await;
                seen.lock().unwrap().push(method);
                answer
            })
        })
    })
}

#[test]
fn s6_a_layer_sees_the_opening_and_may_refuse_it_and_does_not_last_as_long() {
    let seen = Arc::default();
    let server = layered(unchanging(), false, &seen);
    let tools = server.tools();
    let peer = Peer::modern(&server);
    let (mut heard, _) = Heard::begin(&peer, &json!({"toolsListChanged": true}));
    assert_eq!(*seen.lock().unwrap(), ["subscriptions/listen"]);
    tools.add(tool("u")).unwrap();
    assert_eq!(heard.methods(), [TOOLS]);
    let refusing = layered(unchanging(), true, &seen);
    let mut refused = Heard::open(&Peer::modern(&refusing), &everything());
    assert_eq!(refused.error().code.0, 403);
    assert!(refused.poll().is_none());
}

/// What waits is woken, under no lock, from whatever thread publishes.
#[test]
fn who_waits_is_woken_by_a_change_and_by_the_end() {
    let it = changing();
    let peer = Peer::modern(&it.server);
    let (mut heard, _) = Heard::begin(&peer, &json!({"toolsListChanged": true}));
    let woken = Arc::new(Count::default());
    let mut poll = || {
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        heard.0.as_mut().poll_event(&mut cx).is_ready()
    };
    assert!(!poll());
    it.prompts.remove("p");
    assert_eq!(woken.count(), 0, "it is not wanted");
    it.tools.add(tool("u")).unwrap();
    assert_eq!(woken.count(), 1);
    it.tools.add(tool("v")).unwrap();
    assert_eq!(woken.count(), 1, "it was told to look already");
    assert!(poll() && !poll());
    drop(peer);
    assert_eq!(woken.count(), 2);
    assert!(poll());
}

#[derive(Default)]
struct Count(std::sync::atomic::AtomicUsize);

impl Count {
    fn count(&self) -> usize {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl std::task::Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// What is there at once.
fn now<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits"),
    }
}
