//! Lines read from a byte stream.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::proto::lines::{Line, LineDecoder};

/// Reads lines of bounded length from any byte stream.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    decoder: Option<LineDecoder>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads from `inner` lines of at most `limit` bytes.
    pub fn new(inner: R, limit: usize) -> Self {
        Self {
            inner,
            decoder: Some(LineDecoder::new(limit)),
        }
    }

    /// The next line; `None` once the stream ended and its last line was given.
    ///
    /// Cancel-safe: dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// What reading gave; after it the stream counts as ended.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        while let Some(decoder) = &mut self.decoder {
            if let Some(line) = decoder.next_line() {
                return Ok(Some(line));
            }
            decoder.buffer().reserve(READ_SIZE);
            match self.inner.read_buf(decoder.buffer()).await {
                Ok(0) => return Ok(self.decoder.take().and_then(LineDecoder::finish)),
                Ok(_) => {}
                Err(error) => {
                    self.decoder = None;
                    return Err(error);
                }
            }
        }
        Ok(None)
    }
}

const READ_SIZE: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, task::Poll};

    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn peers_7_a_read_that_is_given_up_loses_nothing() {
        let (mut near, far) = duplex(64);
        let mut lines = LineReader::new(far, 64);
        for part in ["one ", "line"] {
            near.write_all(part.as_bytes()).await.unwrap();
            let mut read = pin!(lines.next());
            let given_up = poll_fn(|cx| Poll::Ready(read.as_mut().poll(cx).is_pending()));
            assert!(given_up.await);
        }
        near.write_all(b"\nanother one\n").await.unwrap();
        for expected in ["one line", "another one"] {
            let Some(Line::Text(line)) = lines.next().await.unwrap() else {
                panic!("no line");
            };
            assert_eq!(line, expected);
        }
    }
}
