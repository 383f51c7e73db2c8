//! A client that listens, in both eras: over memory, a byte stream and HTTP, and to a gateway.

use std::{future::poll_fn, net::Ipv4Addr, sync::Arc, task::Poll, time::Duration};

use mcp_client::{Client, Listener};
use mcp_server::{Resource, Server, SubscriptionPolicy, Tool};
use mcp_types::{Era, subscription::SubscriptionFilter};
use tokio::{net::TcpListener, sync::oneshot};

use crate::{
    caller::{Caller, ERAS},
    house::{House, serve},
    pipes::over_stream,
    trip::whole_trip,
    wait::soon,
};

const TOOLS: &str = "notifications/tools/list_changed";

/// How long a client waits to be told something.
const NEWS: Duration = Duration::from_secs(10);

fn server() -> Server {
    Server::new("s", "1")
        .tool(tool("t"))
        .resource(Resource::text("test://a", "a"))
}

fn tool(name: &str) -> Tool {
    Tool::new(name, async || "done")
}

/// What is heard next.
async fn next(heard: &mut Listener) -> Option<String> {
    let told = heard.next(NEWS).await.unwrap();
    told.map(|told| told.method.to_string())
}

/// A listener of all lists, once it is heard.
async fn listening(client: &Client) -> Listener {
    heard_of(client, client.listen().unwrap()).await
}

/// The listener, once its acknowledgement has come; a legacy server has none.
async fn heard_of(client: &Client, mut heard: Listener) -> Listener {
    let ready = poll_fn(|cx| {
        let polled = heard.poll_next(cx);
        assert!(polled.is_pending(), "{polled:?}");
        match !client.is_modern() || heard.acknowledged().is_some() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    });
    soon("the acknowledgement", ready).await;
    heard
}

/// Whether nothing is there to be heard.
async fn is_silent(heard: &mut Listener) -> bool {
    poll_fn(|cx| Poll::Ready(heard.poll_next(cx).is_pending())).await
}

/// Hears of what changes, while calls are made beside it.
async fn hears(server: &Server, client: &Client) {
    let tools = server.tools();
    let mut heard = listening(client).await;
    for _ in 0..3 {
        tools.add(tool("u")).unwrap();
        assert_eq!(next(&mut heard).await.as_deref(), Some(TOOLS));
        let list = client.list_tools().await.unwrap();
        assert_eq!(list.tools.len(), 2);
        tools.remove("u");
        assert_eq!(next(&mut heard).await.as_deref(), Some(TOOLS));
    }
    if client.is_modern() {
        let filter = SubscriptionFilter {
            resource_subscriptions: Some(vec!["test://a".to_owned(), "test://b".to_owned()]),
            ..SubscriptionFilter::default()
        };
        let resources = server.resources();
        let other = client.listen_to(filter).unwrap();
        let mut other = heard_of(client, other).await;
        resources.updated("test://b");
        resources.updated("test://a");
        let told = other.next(NEWS).await.unwrap().unwrap();
        assert_eq!(told.method, "notifications/resources/updated");
        assert_eq!(told.params.get("uri"), Some("\"test://a\""));
        let honoured = other.acknowledged().unwrap();
        let uris = honoured.resource_subscriptions.as_deref();
        assert_eq!(uris, Some(&["test://a".to_owned()][..]));
        assert!(is_silent(&mut heard).await, "the other wants no resources");
    }
}

#[tokio::test]
async fn a_client_hears_of_changes_in_memory() {
    for era in ERAS {
        let server = server();
        let _handles = (server.tools(), server.resources());
        let caller = Caller::on(Arc::new(server.connect()), era).await;
        soon("listening", hears(&server, &caller.client)).await;
    }
}

#[tokio::test]
async fn a_client_hears_of_changes_over_a_byte_stream() {
    for era in ERAS {
        let server = server();
        let _handles = (server.tools(), server.resources());
        over_stream(&server, era, async |caller| {
            hears(&server, &caller.client).await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_client_hears_of_changes_over_http_until_the_server_ends_it_in_good_order() {
    for era in ERAS {
        let server = server();
        let _handles = (server.tools(), server.resources());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let host = server.http();
        let serving = host.serve_on(listener, async { drop(stopped.await) });
        let work = async {
            let connecting = Client::builder("caller", "1.0").pin(era).connect(&url);
            let client = connecting.await.unwrap();
            hears(&server, &client).await;
            let mut heard = listening(&client).await;
            drop(stop);
            if era == Era::Modern {
                assert_eq!(next(&mut heard).await, None, "its result has come");
            }
        };
        let (served, ()) = soon("all of it", async { tokio::join!(serving, work) }).await;
        served.unwrap();
    }
}

#[tokio::test]
async fn a_server_with_nothing_to_tell_ends_it_at_once_and_one_without_subscriptions_says_so() {
    let caller = Caller::on(Arc::new(server().connect()), Era::Modern).await;
    let mut heard = caller.client.listen().unwrap();
    assert_eq!(soon("the end", next(&mut heard)).await, None);
    assert!(heard.acknowledged().unwrap().is_empty());
    let without = server().subscriptions(SubscriptionPolicy::off());
    let caller = Caller::on(Arc::new(without.connect()), Era::Modern).await;
    let mut heard = caller.client.listen().unwrap();
    let error = soon("the end", heard.next(NEWS)).await.unwrap_err();
    assert!(error.is_method_not_found(), "{error}");
}

/// A modern client's list is the same before and after a handoff, so that it hears nothing of one, only of the gateway's
/// own list.
#[tokio::test]
async fn a_modern_client_of_a_gateway_hears_of_its_own_list_and_of_no_handoff() {
    for over_http in [false, true] {
        let house = House::in_memory();
        let tools = house.triage.tools();
        let (mut caller, _served) = match over_http {
            false => (
                Caller::on(Arc::new(house.triage.connect()), Era::Modern).await,
                None,
            ),
            true => {
                let served = serve(house.triage).await;
                (Caller::at(&served.url, Era::Modern).await, Some(served))
            }
        };
        let mut heard = listening(&caller.client).await;
        let honoured = heard.acknowledged().unwrap();
        assert_eq!(honoured.tools_list_changed, Some(true));
        assert_eq!(honoured.prompts_list_changed, None);
        soon("the trip", whole_trip(&mut caller)).await;
        assert!(is_silent(&mut heard).await);
        tools.add(tool("more")).unwrap();
        assert_eq!(next(&mut heard).await.as_deref(), Some(TOOLS));
        soon("the end", caller.client.close()).await;
    }
}
