//! HTTP/2 by its frames (RFC 9113), beside HTTP/1.1 on the same port.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{Client, Server, call, result, said};
use crate::proto::limits::Limits;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// A literal field whose name has this index in the static table.
fn field(index: u8, value: &str) -> Vec<u8> {
    let name = match index {
        0..15 => vec![index],
        _ => vec![15, index - 15],
    };
    let length = u8::try_from(value.len()).unwrap();
    [&name, &[length][..], value.as_bytes()].concat()
}

/// The head of a POST.
fn head(stream: u32) -> Vec<u8> {
    let fields = [
        vec![0x83, 0x86],
        field(4, "/mcp"),
        field(1, "localhost"),
        field(31, "application/json"),
    ];
    frame(HEADERS, END_HEADERS, stream, &fields.concat())
}

fn post(stream: u32, body: &str) -> Vec<u8> {
    [
        head(stream),
        frame(DATA, END_STREAM, stream, body.as_bytes()),
    ]
    .concat()
}

async fn connect(server: &Server) -> Client {
    connect_with(server, &[]).await
}

async fn connect_with(server: &Server, settings: &[u8]) -> Client {
    let mut client = server.connect().await;
    client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    send(&mut client, &frame(SETTINGS, 0, 0, settings)).await;
    client
}

/// Lets a stream have so many bytes more.
async fn widen(client: &mut Client, stream: u32, bytes: u32) {
    let frame = frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes());
    send(client, &frame).await;
}

async fn send(client: &mut Client, bytes: &[u8]) {
    client.stream.write_all(bytes).await.unwrap();
}

/// The payloads of the frames of a kind that a client has read.
fn frames(client: &Client, kind: u8) -> Vec<Vec<u8>> {
    let (mut rest, mut found) = (&client.read[..], Vec::new());
    while let [a, b, c, of, _, _, _, _, _, after @ ..] = rest {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let Some((payload, after)) = after.split_at_checked(length) else {
            break;
        };
        if *of == kind {
            found.push(payload.to_vec());
        }
        rest = after;
    }
    found
}

/// Waits for the ping that a server goes with, answers it, and reads to the end.
async fn goodbye(client: &mut Client) -> String {
    let ours = b"12345678";
    let ping = loop {
        if let Some(ping) = frames(client, PING).into_iter().find(|ping| ping != ours) {
            break ping;
        }
        let count = client.stream.read_buf(&mut client.read).await.unwrap();
        assert!(count > 0, "closed without a ping");
    };
    send(client, &frame(PING, 1, 0, &ping)).await;
    client.rest().await
}

#[tokio::test]
async fn both_versions_are_served_on_one_port() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = connect(&server).await;
    send(
        &mut client,
        &[post(1, &call(1, "call")), post(3, &call(2, "call"))].concat(),
    )
    .await;
    let (first, second) = (server.feed().await, server.feed().await);
    for feed in [first, second] {
        feed.send(said("notifications/message")).unwrap();
        feed.send(result("{}")).unwrap();
    }
    client.until(r#""id":1,"result":{}}"#).await;
    client.until(r#""id":2,"result":{}}"#).await;
    let mut old = server.post(&call(3, "call")).await;
    server.feed().await.send(result("{}")).unwrap();
    let answer = old.until(r#""id":3,"result":{}}"#).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[tokio::test]
async fn a16_the_limits_are_announced() {
    let server = Server::start(Limits::default()).await;
    let mut client = connect(&server).await;
    send(&mut client, &frame(PING, 0, 0, b"12345678")).await;
    client.until("12345678").await;
    let settings = frames(&client, SETTINGS).concat();
    let of = |id: u8| {
        let found = settings.chunks(6).find(|one| one[1] == id);
        found.map(|one| u32::from_be_bytes(one[2..6].try_into().unwrap()))
    };
    // SETTINGS_MAX_CONCURRENT_STREAMS and SETTINGS_MAX_HEADER_LIST_SIZE.
    assert_eq!((of(3), of(6)), (Some(100), Some(16 * 1024)));
}

#[tokio::test]
async fn a16_rapid_resets_end_that_connection_and_no_other() {
    let mut server = Server::start(Limits::default()).await;
    let mut other = server.post(&call(1, "call")).await;
    let feed = server.feed().await;
    let mut client = connect(&server).await;
    let cancel = 8_u32.to_be_bytes();
    let flood: Vec<u8> = (0..200)
        .flat_map(|at| {
            let stream = 2 * at + 1;
            [head(stream), frame(RST_STREAM, 0, stream, &cancel)].concat()
        })
        .collect();
    send(&mut client, &flood).await;
    client.rest().await;
    // ENHANCE_YOUR_CALM
    let goodbye = frames(&client, GOAWAY).pop().unwrap();
    assert_eq!(goodbye[4..8], 0xb_u32.to_be_bytes());
    feed.send(result("{}")).unwrap();
    other.until(r#""id":1,"result":{}}"#).await;
}

#[tokio::test]
async fn a_stream_that_is_taken_back_drops_its_exchange() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = connect(&server).await;
    send(&mut client, &post(1, &call(1, "call"))).await;
    let feed = server.feed().await;
    send(&mut client, &frame(RST_STREAM, 0, 1, &8_u32.to_be_bytes())).await;
    feed.closed().await;
}

#[tokio::test]
async fn a_connection_that_only_pings_is_idle() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = connect(&server).await;
    send(&mut client, &post(1, &call(1, "call"))).await;
    server.feed().await.send(result("{}")).unwrap();
    client.until(r#""id":1,"result":{}}"#).await;
    server.until_waiting(75).await;
    server.clock.advance(Duration::from_secs(50));
    send(&mut client, &frame(PING, 0, 0, b"12345678")).await;
    client.until("12345678").await;
    server.clock.advance(Duration::from_secs(25));
    goodbye(&mut client).await;
    assert!(!frames(&client, GOAWAY).is_empty());
}

#[tokio::test]
async fn a_preface_that_does_not_come_is_408_after_30_seconds() {
    let server = Server::start(Limits::default()).await;
    let mut client = server.connect().await;
    client.send("PRI * HT").await;
    server.until_waiting(30).await;
    server.clock.advance(Duration::from_secs(30));
    let answer = client.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test]
async fn shutdown_lets_calls_end() {
    let mut server = Server::start(Limits::default()).await;
    let mut client = connect(&server).await;
    send(&mut client, &post(1, &call(1, "call"))).await;
    let feed = server.feed().await;
    server.stop.send(()).unwrap();
    feed.send(result("{}")).unwrap();
    let all = goodbye(&mut client).await;
    assert!(all.contains(r#""id":1,"result":{}}"#), "{all}");
    assert_eq!(server.serving.await.unwrap().cut, 0);
}

/// Reads until so many bytes of frames of a kind are there.
async fn until_bytes(client: &mut Client, kind: u8, bytes: usize) {
    while frames(client, kind).concat().len() < bytes {
        assert!(client.stream.read_buf(&mut client.read).await.unwrap() > 0);
    }
}

/// A client whose streams have so large a window asks. It takes `later` bytes more of the answer after 50 seconds, which
/// sets the time back, and none after that.
async fn check_slow_read(window: u8, later: u8) {
    let mut server = Server::start(Limits::default()).await;
    // SETTINGS_INITIAL_WINDOW_SIZE
    let mut client = connect_with(&server, &[0, 4, 0, 0, 0, window]).await;
    send(&mut client, &post(1, &call(1, "call"))).await;
    let slow = server.feed().await;
    slow.send(result("{}")).unwrap();
    until_bytes(&mut client, HEADERS, 1).await;
    until_bytes(&mut client, DATA, window.into()).await;
    // Nobody waits for a head any more.
    server.clock.advance(Duration::from_secs(30));
    server.until_waiting(45).await;
    server.clock.advance(Duration::from_secs(20));
    if later > 0 {
        widen(&mut client, 1, later.into()).await;
        until_bytes(&mut client, DATA, usize::from(window + later)).await;
        server.clock.advance(Duration::from_secs(25));
        server.until_waiting(50).await;
        assert_eq!(frames(&client, RST_STREAM).len(), 0);
    }
    server
        .clock
        .advance(Duration::from_secs(if later > 0 { 50 } else { 25 }));
    until_bytes(&mut client, RST_STREAM, 4).await;
    // CANCEL
    assert_eq!(frames(&client, RST_STREAM), [8_u32.to_be_bytes()]);
    // The connection goes on.
    send(&mut client, &post(3, &call(2, "call"))).await;
    server.feed().await.send(result("{}")).unwrap();
    widen(&mut client, 3, 1000).await;
    client.until(r#""result":{}}"#).await;
}

#[tokio::test]
async fn a15_a_stream_whose_client_takes_nothing_is_reset_and_no_other() {
    check_slow_read(0, 0).await;
    check_slow_read(1, 0).await;
    check_slow_read(0, 1).await;
    check_slow_read(5, 5).await;
}
