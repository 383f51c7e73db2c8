//! Specialists that are not there, and gateways that are full.

use std::{
    net::Ipv4Addr,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_transport::clock::ManualClock;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::{
    caller::{Caller, ERAS, code, text},
    house::{House, finance, secret, serve, unwatched},
    wait::{soon, timed},
};

/// A port that takes connections and never answers, for as long as it is held.
async fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    (listener, url)
}

#[tokio::test]
async fn a_specialist_that_never_answers_is_given_up_at_the_deadline() {
    const LIMIT: Duration = Duration::from_millis(200);
    for era in ERAS {
        let (_held, url) = silent().await;
        let house = House::only_finance(&url, |builder| builder.connect_timeout(LIMIT));
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        let (routed, took) = timed(caller.route("finance")).await;
        assert_eq!(
            code(&routed).as_deref(),
            Some("UPSTREAM_CONNECT_TIMEOUT"),
            "{era:?}"
        );
        assert!(took >= LIMIT && took <= Duration::from_secs(1), "{took:?}");
        assert!(!text(&routed).contains("127.0.0.1"), "{}", text(&routed));
        assert_eq!(house.gateway.session_count(), 0);

        // Its own tools are there as before, and in time.
        let (names, took) = timed(caller.names()).await;
        assert_eq!(names.first().map(String::as_str), Some("route"));
        assert!(took <= Duration::from_secs(1), "{took:?}");
    }
}

#[tokio::test]
async fn a_specialist_that_points_elsewhere_is_not_followed() {
    for era in ERAS {
        let (listener, url) = silent().await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let asked = Arc::clone(&seen);
        #[expect(clippy::disallowed_methods, reason = "it is aborted below")]
        let pointing = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = vec![0; 4_096];
                let read = stream.read(&mut head).await.unwrap();
                let line = String::from_utf8_lossy(&head[..read]);
                let line = line.lines().next().unwrap_or_default().to_owned();
                asked.lock().unwrap().push(line);
                let away = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\n\
                            Content-Length: 0\r\nConnection: close\r\n\r\n";
                stream.write_all(away.as_bytes()).await.unwrap();
            }
        });
        let house = House::only_finance(&url, |builder| builder);
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        let routed = caller.route("finance").await;
        pointing.abort();
        assert_eq!(
            code(&routed).as_deref(),
            Some("HANDOFF_UPSTREAM_UNAVAILABLE"),
            "{era:?}: {routed:?}"
        );
        let seen = seen.lock().unwrap();
        assert!(
            !seen.is_empty() && seen.iter().all(|line| line.contains("/mcp")),
            "{era:?}: {seen:?}"
        );
    }
}

#[tokio::test]
async fn by_default_a_specialist_has_five_seconds_to_answer() {
    for era in ERAS {
        let (listener, url) = silent().await;
        let clock = ManualClock::new();
        let ticking = Arc::new(clock.clone());
        let house = House::only_finance(&url, |builder| builder.clock(ticking));
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        let mut routing = pin!(caller.route("finance"));
        let _connection = tokio::select! {
            routed = &mut routing => panic!("{era:?}: given up at once: {routed:?}"),
            connection = soon("the connection", listener.accept()) => connection.unwrap(),
        };
        clock.advance(Duration::from_millis(4_999));
        assert_eq!(house.gateway.connecting_count(), 1);
        clock.advance(Duration::from_millis(1));
        let routed = routing.await;
        assert_eq!(
            code(&routed).as_deref(),
            Some("UPSTREAM_CONNECT_TIMEOUT"),
            "{era:?}"
        );
        assert_eq!(house.gateway.session_count(), 0);
    }
}

#[tokio::test]
async fn a_specialist_that_is_not_there_is_unavailable() {
    for era in ERAS {
        let (held, url) = silent().await;
        drop(held);
        let house = House::only_finance(&url, |builder| builder);
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        let routed = caller.route("finance").await;
        assert_eq!(
            code(&routed).as_deref(),
            Some("HANDOFF_UPSTREAM_UNAVAILABLE"),
            "{era:?}"
        );
        assert!(!text(&routed).contains("127.0.0.1"), "{}", text(&routed));
        assert_eq!(house.gateway.session_count(), 0);
    }
}

#[tokio::test]
async fn a_specialist_that_dies_fails_its_calls_and_lets_the_client_return() {
    for era in ERAS {
        let seen = unwatched();
        let specialist = serve(finance(secret(), &seen)).await;
        let house = House::only_finance(&specialist.url, |builder| builder);
        let triage = serve(house.triage).await;
        let mut caller = Caller::at(&triage.url, era).await;
        caller.route("finance").await;
        caller.hears_of_change().await;
        drop(specialist);
        let failed = caller
            .call("finance__status", json!({"invoice": "42"}))
            .await;
        assert_eq!(
            code(&failed).as_deref(),
            Some("HANDOFF_UPSTREAM_UNAVAILABLE"),
            "{era:?}"
        );
        let back = caller.back("it died").await;
        assert_eq!(code(&back), None, "{era:?}");
        assert_eq!(house.gateway.session_count(), 0);
    }
}

#[tokio::test]
async fn a_full_gateway_takes_nobody_until_somebody_returns() {
    for era in ERAS {
        let house = House::over_http(|builder| builder.max_sessions(1)).await;
        let triage = serve(house.triage).await;
        let mut first = Caller::at(&triage.url, era).await;
        let mut second = Caller::at(&triage.url, era).await;
        assert_eq!(code(&first.route("finance").await), None);
        let refused = second.route("support").await;
        assert_eq!(
            code(&refused).as_deref(),
            Some("SESSION_LIMIT_EXCEEDED"),
            "{era:?}"
        );
        first.back("done").await;
        assert_eq!(code(&second.route("support").await), None);
        assert_eq!(house.gateway.session_count(), 1);
    }
}
