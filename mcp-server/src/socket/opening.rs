//! The beginning of a connection: a first line in time, and on TCP nothing but JSON.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use mcp_transport::clock::Sleep;
use tokio::io::{AsyncRead, ReadBuf};

/// Reads a stream whose first line must be complete before a deadline, and may have to begin with a JSON object.
pub(super) struct Opening<R> {
    inner: R,
    /// Until the first line is complete.
    deadline: Option<Sleep>,
    /// Whether the first line must begin with a JSON object.
    strict: bool,
    /// Whether something was seen that is not blank: blank lines are no beginning.
    has_begun: bool,
}

impl<R> Opening<R> {
    pub(super) fn new(inner: R, deadline: Sleep, strict: bool) -> Self {
        Self {
            inner,
            deadline: Some(deadline),
            strict,
            has_begun: false,
        }
    }

    /// A line may come in any number of pieces.
    fn judge(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            match byte {
                b'\n' if self.has_begun => {
                    self.deadline = None;
                    break;
                }
                _ if self.has_begun || byte.is_ascii_whitespace() => {}
                b'{' => self.has_begun = true,
                _ if self.strict => {
                    let error = "the connection does not begin with a JSON object";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error));
                }
                _ => self.has_begun = true,
            }
        }
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Opening<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        let Some(deadline) = &mut self.deadline else {
            return polled;
        };
        match polled {
            Poll::Ready(Ok(())) => Poll::Ready(self.judge(&buf.filled()[before..])),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending if deadline.as_mut().poll(cx).is_ready() => {
                let error = "the first line was not complete in time";
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, error)))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use mcp_transport::{Clock as _, clock::ManualClock};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    /// Reads `chunks`, with a minute between them, at a deadline of 30 s; gives what was read and how it ended.
    async fn check(strict: bool, chunks: &[&str], read: &str, ended: Option<io::ErrorKind>) {
        let clock = Arc::new(ManualClock::new());
        let (mut near, far) = duplex(1024);
        let deadline = clock.sleep_until(clock.now() + Duration::from_secs(30));
        let mut opening = Opening::new(far, deadline, strict);
        let mut got = String::new();
        let reading = async {
            let mut chunk = [0; 64];
            loop {
                match opening.read(&mut chunk).await {
                    Ok(0) => break None,
                    Ok(size) => got.push_str(std::str::from_utf8(&chunk[..size]).unwrap()),
                    Err(error) => break Some(error.kind()),
                }
            }
        };
        let writing = async {
            for chunk in chunks {
                near.write_all(chunk.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
                clock.advance(Duration::from_secs(60));
                tokio::task::yield_now().await;
            }
            drop(near);
        };
        let (kind, ()) = tokio::join!(reading, writing);
        assert_eq!((got.as_str(), kind), (read, ended), "{chunks:?}");
    }

    #[tokio::test]
    async fn a_first_line_in_time_and_then_any_silence() {
        for strict in [false, true] {
            check(strict, &["{}\n", "x", "\n"], "{}\nx\n", None).await;
            check(strict, &["\r\n {}\n", "y\n"], "\r\n {}\ny\n", None).await;
            check(strict, &["{}"], "{}", Some(io::ErrorKind::TimedOut)).await;
            check(strict, &["\n", "{}\n"], "\n", Some(io::ErrorKind::TimedOut)).await;
            check(strict, &[], "", None).await;
        }
    }

    #[tokio::test]
    async fn a_first_line_whose_end_comes_by_itself_is_complete() {
        let clock = Arc::new(ManualClock::new());
        let (mut near, far) = duplex(1024);
        let deadline = clock.sleep_until(clock.now() + Duration::from_secs(30));
        let mut opening = Opening::new(far, deadline, true);
        let mut chunk = [0; 64];
        for piece in ["\n", "{", "}", "\n"] {
            near.write_all(piece.as_bytes()).await.unwrap();
            let size = opening.read(&mut chunk).await.unwrap();
            assert_eq!(&chunk[..size], piece.as_bytes());
        }
        clock.advance(Duration::from_secs(60));
        let mut silence = std::pin::pin!(opening.read(&mut chunk));
        let waits = std::future::poll_fn(|cx| Poll::Ready(silence.as_mut().poll(cx).is_pending()));
        assert!(waits.await, "the client may be silent now");
    }

    #[tokio::test]
    async fn what_is_no_json_object_is_not_even_read_on_tcp() {
        for request in [
            "POST / HTTP/1.1\r\n\r\n{}\n",
            "[]\n",
            "\n\nx",
            "\u{feff}{}\n",
        ] {
            check(true, &[request], "", Some(io::ErrorKind::InvalidData)).await;
        }
        check(false, &["hello\n"], "hello\n", None).await;
    }
}
