//! One poll of an exchange takes a bounded piece of an answer that never ends.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use ::http::{Response, header};
use bytes::Bytes;
use http_body::Frame;
use mcp_types::RequestId;
use reqwest::{Body, Url};

use super::HttpExchange;
use crate::{
    exchange::{Event, Exchange},
    http::client::{HttpClient, Sent},
};

/// A body that gives one piece and then another for ever, always ready.
struct Endless {
    first: &'static str,
    then: &'static str,
}

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let then = self.then;
        let piece = std::mem::replace(&mut self.first, then);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(piece.as_bytes())))))
    }
}

fn exchange(first: &'static str, then: &'static str) -> HttpExchange {
    let client = HttpClient::new("http://127.0.0.1:1/mcp").unwrap();
    let id = RequestId::Number(1);
    let (headers, body) = (::http::HeaderMap::new(), Bytes::new());
    let mut exchange = HttpExchange::modern(client, id, headers, body);
    let mut answer = Response::new(Body::wrap(Endless { first, then }));
    answer.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/event-stream"),
    );
    exchange.state = exchange.begin(Sent {
        url: Url::parse("http://127.0.0.1:1/mcp").unwrap(),
        headers: ::http::HeaderMap::new(),
        answer,
    });
    exchange
}

#[test]
fn comments_without_end_give_way() {
    let mut exchange = exchange("", ": more\n\n");
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..3 {
        assert!(Pin::new(&mut exchange).poll_event(&mut cx).is_pending());
    }
}

#[test]
fn an_answer_is_given_before_what_follows_it_without_end() {
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
    let mut exchange = exchange(answer, ": more\n\n");
    let mut cx = Context::from_waker(Waker::noop());
    let Poll::Ready(Event::Outcome(outcome)) = Pin::new(&mut exchange).poll_event(&mut cx) else {
        panic!("no answer")
    };
    assert_eq!(outcome.unwrap().result.as_str(), "{}");
    assert!(Pin::new(&mut exchange).poll_event(&mut cx).is_pending());
}
