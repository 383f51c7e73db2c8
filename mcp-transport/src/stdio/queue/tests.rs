//! The outbound queue: lines, bounds, and how it ends.

use bytes::Bytes;
use tokio::io::AsyncReadExt as _;

use super::{Closed, SendError, outbound};
use crate::{
    proto::{limits::Limits, lines::Line},
    stdio::LineReader,
};

fn limits(messages: usize, bytes: usize) -> Limits {
    Limits::default()
        .with_outbound_messages(messages)
        .with_outbound_bytes(bytes)
}

async fn written(messages: &[&'static str]) -> String {
    let (sender, queue) = outbound(&limits(64, 1024));
    for message in messages {
        sender
            .send(Bytes::from_static(message.as_bytes()))
            .await
            .unwrap();
    }
    drop(sender);
    let mut out = Vec::new();
    queue.write_to(&mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn each_message_is_one_line() {
    assert_eq!(written(&["{}", "[1]"]).await, "{}\n[1]\n");
    assert_eq!(written(&["{\n\"a\":\r\n1}"]).await, "{ \"a\":  1}\n");
}

#[tokio::test]
async fn messages_and_bytes_are_bounded() {
    let message = || Bytes::from_static(b"12345");
    let (sender, _queue) = outbound(&limits(2, 1024));
    assert_eq!(sender.try_send(message()), Ok(()));
    assert_eq!(sender.try_send(message()), Ok(()));
    assert_eq!(sender.try_send(message()), Err(SendError::Full(message())));
    let (sender, _queue) = outbound(&limits(64, 9));
    assert_eq!(sender.try_send(message()), Ok(()));
    assert_eq!(sender.try_send(message()), Err(SendError::Full(message())));
}

#[tokio::test]
async fn a_message_larger_than_the_queue_passes_alone() {
    let (sender, queue) = outbound(&limits(64, 4));
    let (near, mut far) = tokio::io::duplex(8);
    let send = async {
        sender.send(Bytes::from_static(b"a")).await.unwrap();
        sender.send(Bytes::from(vec![b'x'; 100])).await.unwrap();
        sender.finish().await;
    };
    let mut text = String::new();
    let (_, written, read) =
        tokio::join!(send, queue.write_to(near), far.read_to_string(&mut text));
    written.unwrap();
    assert_eq!(read.unwrap(), 2 + 101);
}

#[tokio::test]
async fn a_finished_queue_writes_what_came_before() {
    let (sender, queue) = outbound(&limits(64, 1024));
    sender.send(Bytes::from_static(b"a")).await.unwrap();
    sender.finish().await;
    sender.send(Bytes::from_static(b"b")).await.unwrap();
    let mut out = Vec::new();
    queue.write_to(&mut out).await.unwrap();
    assert_eq!(out, b"a\n");
    assert_eq!(sender.send(Bytes::from_static(b"c")).await, Err(Closed));
    assert_eq!(
        sender.try_send(Bytes::new()),
        Err(SendError::Closed(Bytes::new()))
    );
}

#[tokio::test]
async fn a_sender_that_waits_for_room_sees_the_end() {
    let (sender, queue) = outbound(&limits(64, 4));
    sender.send(Bytes::from_static(b"full")).await.unwrap();
    let (sent, ()) = tokio::join!(sender.send(Bytes::from_static(b"more")), async {
        drop(queue)
    });
    assert_eq!(sent, Err(Closed));
}

#[tokio::test]
async fn a_reader_gives_lines_and_then_the_last_one() {
    let mut reader = LineReader::new(&b"a\n\n1234567890\r\nb"[..], 8);
    let mut lines = Vec::new();
    while let Some(line) = reader.next().await.unwrap() {
        lines.push(line);
    }
    let text = |text: &'static str| Line::Text(Bytes::from_static(text.as_bytes()));
    assert_eq!(lines, [text("a"), Line::Overlong, text("b")]);
    assert_eq!(reader.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_queue_ends_after_what_waits_also_when_it_is_full() {
    for messages in [1, 2, 64] {
        let (sender, queue) = outbound(&limits(messages, 1024));
        sender.send(Bytes::from_static(b"a")).await.unwrap();
        sender.end();
        let mut out = Vec::new();
        queue.write_to(&mut out).await.unwrap();
        assert_eq!(out, b"a\n");
        assert_eq!(sender.send(Bytes::from_static(b"c")).await, Err(Closed));
    }
}
