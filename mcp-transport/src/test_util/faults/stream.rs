//! A byte stream with faults.

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    FaultLog, Faults,
    lane::{Lane, Step},
};
use crate::clock::{Clock, Sleep};

/// A byte stream between which and its user things go wrong as a plan says.
///
/// What is read is one lane, what is written another. Bytes are lost only with a connection that breaks or ends: a
/// delay holds them back, and what is chopped arrives whole. Half a stream, which can only be read or only be written,
/// will do.
///
/// ```
/// use std::sync::Arc;
/// use mcp_transport::{clock::ManualClock, test_util::{FaultKind, Faults, FaultyStream}};
/// use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let (near, mut far) = duplex(1024);
/// let faults = Faults::seeded(1).chop(1.0);
/// let mut near = FaultyStream::new(near, faults, Arc::new(ManualClock::new()));
/// far.write_all(b"a line that is longer than any piece of it\n").await?;
/// let mut piece = [0; 64];
/// assert!(near.read(&mut piece).await? <= 16);
/// assert_eq!(near.log().count(FaultKind::Chop), 1);
/// # Ok(())
/// # }
/// ```
pub struct FaultyStream<S> {
    /// Gone once it was cut, so that the other side sees it too.
    inner: Option<S>,
    read: Direction,
    write: Direction,
    /// Who waits to read, to be told when writing cuts the stream.
    reader: Option<Waker>,
    clock: Arc<dyn Clock>,
    log: FaultLog,
}

struct Direction {
    lane: Lane,
    sleep: Option<Sleep>,
    garbage: Bytes,
}

/// What a direction may do now.
enum May {
    Pass(usize),
    Garbage,
    End,
    Cut,
}

impl<S> FaultyStream<S> {
    /// Faults between `inner` and whoever uses this, on the lanes 0 and 1. Delays go by `clock`.
    pub fn new(inner: S, faults: Faults, clock: Arc<dyn Clock>) -> Self {
        let direction = |lane| Direction {
            lane,
            sleep: None,
            garbage: Bytes::new(),
        };
        Self {
            inner: Some(inner),
            read: direction(Lane::new(faults.clone(), 0)),
            write: direction(Lane::new(faults, 1)),
            reader: None,
            clock,
            log: FaultLog::new(),
        }
    }

    /// The stream of this number: each has faults of its own.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        for (direction, offset) in [(&mut self.read, 0), (&mut self.write, 1)] {
            direction.lane = direction.lane.renumbered(2 * number + offset);
        }
        self
    }

    /// Counts its faults in `log`.
    #[must_use]
    pub fn logging(mut self, log: FaultLog) -> Self {
        self.log = log;
        self
    }

    /// What has gone wrong so far.
    pub fn log(&self) -> &FaultLog {
        &self.log
    }

    fn cut(&mut self) -> io::Error {
        self.inner = None;
        self.read.lane.handle_cut();
        self.write.lane.handle_cut();
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        cut()
    }
}

impl Direction {
    fn poll_may(&mut self, clock: &dyn Clock, log: &FaultLog, cx: &mut Context<'_>) -> Poll<May> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
            }
            if !self.garbage.is_empty() {
                return Poll::Ready(May::Garbage);
            }
            let (step, fault) = self.lane.poll_step();
            if let Some(fault) = &fault {
                log.record(fault);
            }
            match step {
                Step::Wait(wait) => self.sleep = Some(clock.sleep_until(clock.deadline(wait))),
                Step::Insert(bytes) => self.garbage = bytes.into(),
                Step::Pass(bytes) => return Poll::Ready(May::Pass(bytes)),
                Step::End => return Poll::Ready(May::End),
                Step::Cut => return Poll::Ready(May::Cut),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FaultyStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match ready!(this.read.poll_may(&*this.clock, &this.log, cx)) {
            May::Garbage => {
                let bytes = this.read.garbage.len().min(buf.remaining());
                buf.put_slice(&this.read.garbage.split_to(bytes));
                Poll::Ready(Ok(()))
            }
            May::Pass(bytes) => {
                let bytes = bytes.min(buf.remaining());
                let mut piece = ReadBuf::new(buf.initialize_unfilled_to(bytes));
                let Some(inner) = &mut this.inner else {
                    return Poll::Ready(Err(cut()));
                };
                if Pin::new(inner).poll_read(cx, &mut piece)?.is_pending() {
                    this.reader = Some(cx.waker().clone());
                    return Poll::Pending;
                }
                let read = piece.filled().len();
                buf.advance(read);
                this.read.lane.handle_passed(read);
                Poll::Ready(Ok(()))
            }
            May::End => Poll::Ready(Ok(())),
            May::Cut => Poll::Ready(Err(this.cut())),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FaultyStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        loop {
            let may = ready!(this.write.poll_may(&*this.clock, &this.log, cx));
            let Some(inner) = this.inner.as_mut().map(Pin::new) else {
                return Poll::Ready(Err(cut()));
            };
            match may {
                May::Garbage => {
                    let garbage = &mut this.write.garbage;
                    let written = ready!(inner.poll_write(cx, garbage))?;
                    if written == 0 {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                    garbage.advance(written);
                }
                May::Pass(bytes) => {
                    let piece = &buf[..buf.len().min(bytes)];
                    let written = ready!(inner.poll_write(cx, piece))?;
                    this.write.lane.handle_passed(written);
                    return Poll::Ready(Ok(written));
                }
                // The other side has been told that nothing more comes, and what does is for nobody.
                May::End => {
                    return inner.poll_shutdown(cx).map_ok(|()| buf.len());
                }
                May::Cut => return Poll::Ready(Err(this.cut())),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().inner {
            Some(inner) => Pin::new(inner).poll_flush(cx),
            None => Poll::Ready(Err(cut())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().inner {
            Some(inner) => Pin::new(inner).poll_shutdown(cx),
            None => Poll::Ready(Ok(())),
        }
    }
}

fn cut() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionReset,
        "the plan of faults cuts the stream here",
    )
}

impl<S> fmt::Debug for FaultyStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyStream")
            .field("read", &self.read.lane)
            .field("write", &self.write.lane)
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}
