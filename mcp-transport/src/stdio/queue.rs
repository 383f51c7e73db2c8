//! The outbound side of a byte stream: a bounded queue and the one place that writes it.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
};

use crate::proto::{limits::Limits, lines::one_line};

/// Makes a queue for one stream, bounded by `limits.outbound_messages` and `limits.outbound_bytes`.
///
/// The [`Outbound`] can be cloned to every sender; the [`Queue`] is written by whoever owns the stream.
pub fn outbound(limits: &Limits) -> (Outbound, Queue) {
    let (sender, receiver) =
        mpsc::channel(limits.outbound_messages.clamp(1, Semaphore::MAX_PERMITS));
    let most = u32::try_from(limits.outbound_bytes.max(1)).unwrap_or(u32::MAX);
    let room = Arc::new(Semaphore::new((most as usize).min(Semaphore::MAX_PERMITS)));
    let ended = Arc::new(AtomicBool::new(false));
    let queue = Queue {
        receiver,
        ended: Arc::clone(&ended),
    };
    let outbound = Outbound {
        sender,
        room,
        most,
        ended,
    };
    (outbound, queue)
}

/// Where messages for a stream are put. Cloning gives another handle to the same queue.
#[derive(Clone, Debug)]
pub struct Outbound {
    sender: mpsc::Sender<Entry>,
    room: Arc<Semaphore>,
    most: u32,
    /// Whether the stream ends once nothing waits.
    ended: Arc<AtomicBool>,
}

impl Outbound {
    /// Queues one message, waiting for room. A message larger than the whole queue waits until it is empty.
    ///
    /// # Errors
    ///
    /// [`Closed`] if the stream is no longer written.
    pub async fn send(&self, message: Bytes) -> Result<(), Closed> {
        let room = tokio::select! {
            room = Arc::clone(&self.room).acquire_many_owned(self.size(&message)) => room.map_err(|_| Closed)?,
            () = self.sender.closed() => return Err(Closed),
        };
        self.sender
            .send(Entry::Message(one_line(message), room))
            .await
            .map_err(|_| Closed)
    }

    /// Queues one message if there is room now.
    ///
    /// # Errors
    ///
    /// [`SendError`], which gives the message back.
    pub fn try_send(&self, message: Bytes) -> Result<(), SendError> {
        if self.sender.is_closed() {
            return Err(SendError::Closed(message));
        }
        let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(self.size(&message)) else {
            return Err(SendError::Full(message));
        };
        self.sender
            .try_send(Entry::Message(one_line(message), room))
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(entry) => SendError::Full(entry.into_message()),
                mpsc::error::TrySendError::Closed(entry) => SendError::Closed(entry.into_message()),
            })
    }

    /// Ends the stream after what is queued; nothing that is sent later is written.
    pub async fn finish(&self) {
        // A closed queue has ended already.
        let _ = self.sender.send(Entry::End).await;
    }

    /// Ends the stream once nothing waits, without waiting for room: for a place that cannot wait, such as a drop.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
        // Where there is no room the writer has something to write, and looks at the mark after it.
        let _ = self.sender.try_send(Entry::End);
    }

    fn size(&self, message: &Bytes) -> u32 {
        u32::try_from(message.len())
            .unwrap_or(u32::MAX)
            .clamp(1, self.most)
    }
}

/// What is to be written; see [`outbound`].
#[derive(Debug)]
pub struct Queue {
    receiver: mpsc::Receiver<Entry>,
    ended: Arc<AtomicBool>,
}

impl Queue {
    /// Writes each message as a line until every [`Outbound`] is gone or one of them finished, and shuts the
    /// stream down.
    ///
    /// Messages that wait together are written together; the stream is flushed whenever none waits.
    ///
    /// # Errors
    ///
    /// What writing gave. The queue is closed then, which senders see.
    pub async fn write_to<W: AsyncWrite + Unpin>(mut self, mut stream: W) -> io::Result<()> {
        let mut entries = Vec::new();
        let mut text = BytesMut::new();
        let mut ended = false;
        while !ended && self.receiver.recv_many(&mut entries, BATCH).await > 0 {
            for entry in entries.drain(..) {
                let Entry::Message(message, _room) = entry else {
                    ended = true;
                    break;
                };
                text.put_slice(&message);
                text.put_u8(b'\n');
                if text.len() >= WRITE_SIZE {
                    stream.write_all_buf(&mut text).await?;
                }
            }
            stream.write_all_buf(&mut text).await?;
            stream.flush().await?;
            ended |= self.ended.load(Ordering::Acquire) && self.receiver.is_empty();
            if text.capacity() > KEPT_SIZE {
                text = BytesMut::new();
            }
        }
        stream.shutdown().await
    }
}

const BATCH: usize = 32;
const WRITE_SIZE: usize = 64 * 1024;
/// A buffer that one large message grew beyond this is given back.
const KEPT_SIZE: usize = 256 * 1024;

/// The stream is no longer written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream is closed")]
#[expect(clippy::exhaustive_structs, reason = "a participle without parts")]
pub struct Closed;

/// Why a message was not queued; it is given back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The queue is full: the peer reads too slowly.
    #[error("the outbound queue is full; the peer reads too slowly")]
    Full(Bytes),
    /// The stream is no longer written.
    #[error("the stream is closed")]
    Closed(Bytes),
}

#[derive(Debug)]
enum Entry {
    Message(Bytes, OwnedSemaphorePermit),
    End,
}

impl Entry {
    fn into_message(self) -> Bytes {
        match self {
            Self::Message(message, _) => message,
            Self::End => Bytes::new(),
        }
    }
}

#[cfg(test)]
mod tests;
