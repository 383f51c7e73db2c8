//! Where an answer goes, and the lines that leave.

use bytes::{BufMut as _, Bytes, BytesMut};
use mcp_errors::{Failure, ProtocolError};
use mcp_transport::{
    Notification, Reply,
    stdio::{Outbound, SendError},
};
use mcp_types::{
    ErrorObject, RequestId,
    jsonrpc::{self, ErrorId},
};
use tokio::sync::oneshot;

/// Where the answer to one request goes.
pub(super) enum ReplyTo {
    /// On a line of its own.
    Line(Outbound),
    /// Into the array that answers a batch.
    Batch(oneshot::Sender<Bytes>),
}

impl ReplyTo {
    /// Sends an answer, waiting for room; into nowhere if nobody reads any more.
    pub(super) async fn send(self, line: Bytes) {
        match self {
            Self::Line(out) => {
                let _closed = out.send(line).await;
            }
            Self::Batch(sender) => {
                let _closed = sender.send(line);
            }
        }
    }

    /// Sends an answer if there is room now, or gives it back.
    pub(super) fn try_send(self, line: Bytes) -> Result<(), (Self, Bytes)> {
        match self {
            Self::Line(out) => match out.try_send(line) {
                Err(SendError::Full(line)) => Err((Self::Line(out), line)),
                _ => Ok(()),
            },
            Self::Batch(sender) => {
                let _closed = sender.send(line);
                Ok(())
            }
        }
    }
}

/// The answers to a batch as one array, once all are there. What is not answered, as a notification or a
/// cancelled request, is not in it; `None` for a batch of such.
pub(super) async fn gather(answers: Vec<oneshot::Receiver<Bytes>>) -> Option<Bytes> {
    let mut array = BytesMut::from(&b"["[..]);
    for answer in answers {
        let Ok(answer) = answer.await else {
            continue;
        };
        if array.len() > 1 {
            array.put_u8(b',');
        }
        array.put(answer);
    }
    array.put_u8(b']');
    (array.len() > 2).then(|| array.freeze())
}

/// A response.
pub(super) fn outcome_line(id: &RequestId, outcome: Result<Reply, Failure>) -> Bytes {
    match outcome {
        Ok(reply) => {
            let mut line = Vec::with_capacity(reply.result.as_str().len() + 64);
            jsonrpc::write_result(id, &reply.result, &mut line);
            line.into()
        }
        Err(failure) => {
            let id = ErrorId::Known(id.clone());
            match failure.peer_error() {
                Some(error) => error_line(&id, error),
                // A failure of our own says nothing to a peer.
                None => error_line(&id, &ProtocolError::internal().into()),
            }
        }
    }
}

/// A response to a request that failed.
pub(super) fn error_line(id: &ErrorId, error: &ErrorObject) -> Bytes {
    let mut line = Vec::with_capacity(128);
    jsonrpc::write_error(id, error, &mut line);
    line.into()
}

/// A notification.
pub(super) fn notification_line(notification: &Notification) -> Bytes {
    let mut line = Vec::with_capacity(128);
    jsonrpc::write_notification(
        notification.method.as_str(),
        &notification.params,
        &mut line,
    );
    line.into()
}
