//! The last of what a child wrote to stderr.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A ring of bytes. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    ring: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            ring: Arc::default(),
            limit,
        }
    }

    /// Reads to the end and keeps the last bytes.
    pub(super) async fn keep<R: AsyncRead + Unpin>(&self, mut stream: R) {
        let mut chunk = [0; 4096];
        // An error ends it like an end: what was read stays.
        while let Ok(size @ 1..) = stream.read(&mut chunk).await {
            self.push(&chunk[..size]);
        }
    }

    pub(super) fn text(&self) -> String {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = ring.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// The last line that is not blank.
    pub(super) fn last_line(&self) -> Option<String> {
        let text = self.text();
        let line = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())?;
        Some(line.chars().take(200).collect())
    }

    fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let over = (ring.len() + bytes.len()).saturating_sub(self.limit);
        ring.drain(..over);
        ring.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[tokio::test]
    async fn the_last_bytes_are_kept() {
        let check = async |text: &str, limit, expected: &str, line: Option<&str>| {
            let tail = Tail::new(limit);
            tail.keep(text.as_bytes()).await;
            assert_eq!(
                (tail.text().as_str(), tail.last_line().as_deref()),
                (expected, line)
            );
        };
        check("one\ntwo\n\n", 64, "one\ntwo\n\n", Some("two")).await;
        check("one\ntwo", 5, "e\ntwo", Some("two")).await;
        check(&"x".repeat(10_000), 3, "xxx", Some("xxx")).await;
        check("", 3, "", None).await;
        check("abc", 0, "", None).await;
    }
}
