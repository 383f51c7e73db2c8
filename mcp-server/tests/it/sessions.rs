//! What a legacy session hears unasked, and how it ends.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use mcp_server::{Context, Server, Session, Tool};
use mcp_transport::{Event, Notification};
use mcp_types::{RawParams, Revision};

use crate::peer::{Peer, event, finish};

/// A server whose one tool leaves its session in `seen`.
fn server(seen: &Arc<Mutex<Option<Session>>>) -> Server {
    let seen = Arc::clone(seen);
    let keep = move |cx: Context| {
        *seen.lock().unwrap() = cx.session().cloned();
        async { "kept" }
    };
    Server::new("s", "1").tool(Tool::new("keep", keep))
}

async fn next(peer: &Peer) -> Option<String> {
    let mut exchange = peer.open("subscriptions/listen", "{}");
    match event(&mut exchange).await {
        Event::Notification(notification) => Some(notification.method.to_string()),
        _ => None,
    }
}

#[tokio::test]
async fn a_legacy_session_hears_of_changed_tools_and_a_modern_peer_has_no_session() {
    let seen = Arc::default();
    let server = server(&seen);
    let peer = Peer::legacy(&server, Revision::V2025_11_25).await;
    peer.call("keep", "{}").await;
    let session = seen.lock().unwrap().take().unwrap();
    assert_eq!(session.client_info().name, "peer");
    let tools = server.tools();
    tools.add(Tool::new("more", async || "more")).unwrap();
    tools.remove("more");
    session
        .notify(Notification::new(
            "notifications/message",
            RawParams::empty(),
        ))
        .unwrap();
    let changed = "notifications/tools/list_changed";
    assert_eq!(next(&peer).await.as_deref(), Some(changed));
    assert_eq!(next(&peer).await.as_deref(), Some("notifications/message"));

    let modern = Peer::modern(&server);
    modern.call("keep", "{}").await;
    assert!(seen.lock().unwrap().is_none());
}

#[tokio::test]
async fn a_session_ends_with_its_connection_and_runs_its_hooks_once() {
    let seen = Arc::default();
    let server = server(&seen);
    let peer = Peer::legacy(&server, Revision::V2024_11_05).await;
    peer.call("keep", "{}").await;
    let session = seen.lock().unwrap().take().unwrap();
    let ended = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ended);
    session.on_close(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let mut unasked = peer.open("subscriptions/listen", "{}");
    drop(peer);
    assert!(matches!(event(&mut unasked).await, Event::Outcome(Ok(_))));
    assert!(session.is_closed());
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    session.on_close({
        let ended = Arc::clone(&ended);
        move || {
            ended.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(ended.load(Ordering::Relaxed), 2, "a late hook runs at once");
    assert!(
        session
            .notify(Notification::new("x", RawParams::empty()))
            .is_err()
    );
    // Nobody is told any more, and nothing is kept.
    server.tools().remove("keep");
}

#[tokio::test]
async fn a_new_initialize_is_a_new_session() {
    let seen = Arc::default();
    let server = server(&seen);
    let peer = Peer::legacy(&server, Revision::V2025_11_25).await;
    peer.call("keep", "{}").await;
    let first = seen.lock().unwrap().take().unwrap();
    let params = r#"{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"again","version":"2"}}"#;
    peer.result("initialize", params).await;
    peer.call("keep", "{}").await;
    let second = seen.lock().unwrap().take().unwrap();
    assert!(first != second && first.is_closed() && !second.is_closed());
    assert_eq!(second.revision(), Revision::V2025_03_26);
    assert_eq!(second.client_info().name, "again");
}

#[tokio::test]
async fn a_hook_may_use_the_connection_that_ended_its_session() {
    let seen = Arc::default();
    let server = server(&seen);
    let peer = Arc::new(Peer::legacy(&server, Revision::V2025_11_25).await);
    peer.call("keep", "{}").await;
    let first = seen.lock().unwrap().take().unwrap();
    let (asked, again) = (Arc::new(Mutex::new(None)), Arc::clone(&peer));
    first.on_close(|| panic!("a hook that panics keeps no other from running"));
    first.on_close({
        let asked = Arc::clone(&asked);
        move || *asked.lock().unwrap() = Some(again.open("tools/list", "{}"))
    });
    let params = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"again","version":"2"}}"#;
    peer.result("initialize", params).await;
    let asked = asked.lock().unwrap().take().unwrap();
    let (_, listed) = finish(asked).await;
    assert_eq!(listed.unwrap()["tools"][0]["name"], "keep");
}

#[tokio::test]
async fn a_client_that_reads_nothing_still_hears_that_the_tools_changed() {
    let seen = Arc::default();
    let server = server(&seen);
    let peer = Peer::legacy(&server, Revision::V2025_11_25).await;
    peer.call("keep", "{}").await;
    let session = seen.lock().unwrap().take().unwrap();
    let message = || Notification::new("notifications/message", RawParams::empty());
    let sent = std::iter::repeat_with(|| session.notify(message())).take_while(Result::is_ok);
    assert_eq!(sent.count(), 64);
    for _ in 0..3 {
        session.tools_changed();
    }
    for _ in 0..64 {
        assert_eq!(next(&peer).await.as_deref(), Some("notifications/message"));
    }
    assert_eq!(
        next(&peer).await.as_deref(),
        Some("notifications/tools/list_changed")
    );
    session.notify(message()).unwrap();
    assert_eq!(next(&peer).await.as_deref(), Some("notifications/message"));
}
