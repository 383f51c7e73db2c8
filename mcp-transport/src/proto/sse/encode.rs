//! Events to bytes that no payload can break out of.

use core::time::Duration;

use bytes::{BufMut, BytesMut};

/// One event to be written; [`Self::message`] is what MCP sends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    name: Option<&'a str>,
    id: Option<&'a str>,
    retry: Option<Duration>,
    data: Option<&'a [u8]>,
}

impl<'a> Frame<'a> {
    /// `event: message` with one JSON-RPC message as its data.
    pub fn message(data: &'a [u8]) -> Self {
        Self {
            name: Some("message"),
            data: Some(data),
            ..Self::default()
        }
    }

    /// A block without data, for an id or a reconnection time alone.
    pub fn metadata() -> Self {
        Self::default()
    }

    /// Names the event `name`.
    ///
    /// # Errors
    ///
    /// [`BadField`] if `name` has a line break, which would start another field.
    pub fn with_name(mut self, name: &'a str) -> Result<Self, BadField> {
        self.name = Some(one_line("event", name)?);
        Ok(self)
    }

    /// Gives the event the id `id`.
    ///
    /// # Errors
    ///
    /// [`BadField`] if `id` has a line break, or a NUL, for which receivers ignore the field.
    pub fn with_id(mut self, id: &'a str) -> Result<Self, BadField> {
        self.id = Some(one_line("id", id)?);
        Ok(self)
    }

    /// With this data; an empty one tells the receiver the id and nothing else.
    pub fn with_data(mut self, data: &'a [u8]) -> Self {
        self.data = Some(data);
        self
    }

    /// Tells the receiver how long to wait before it reconnects, in whole milliseconds.
    pub fn with_retry(mut self, retry: Duration) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Appends the event and its blank line to `out`.
    ///
    /// Each line break of the data (LF, CR or CRLF) starts a `data` line of its own, so the receiver reads
    /// LF in its place and nothing else of the data is taken for a field. JSON written compactly has none.
    pub fn write(&self, out: &mut BytesMut) {
        if let Some(name) = self.name {
            field(out, "event", name.as_bytes());
        }
        if let Some(id) = self.id {
            field(out, "id", id.as_bytes());
        }
        if let Some(retry) = self.retry {
            field(out, "retry", retry.as_millis().to_string().as_bytes());
        }
        if let Some(data) = self.data {
            lines(data, |line| field(out, "data", line));
        }
        out.put_u8(b'\n');
    }
}

/// Appends a comment, which receivers ignore: it keeps a quiet stream alive.
///
/// Each line of `text` becomes a comment line, so the text cannot turn into a field.
pub fn comment(text: &str, out: &mut BytesMut) {
    lines(text.as_bytes(), |line| field(out, "", line));
    out.put_u8(b'\n');
}

/// A name or id that has no form in an event stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {field} field {value:?} of an event has a line break or a NUL: remove it")]
pub struct BadField {
    field: &'static str,
    value: String,
}

fn one_line<'a>(field: &'static str, value: &'a str) -> Result<&'a str, BadField> {
    if value.contains(['\r', '\n', '\0']) {
        return Err(BadField {
            field,
            value: value.to_owned(),
        });
    }
    Ok(value)
}

fn field(out: &mut BytesMut, name: &str, value: &[u8]) {
    out.reserve(name.len() + value.len() + 3);
    out.put_slice(name.as_bytes());
    out.put_slice(b": ");
    out.put_slice(value);
    out.put_u8(b'\n');
}

fn lines(text: &[u8], mut each: impl FnMut(&[u8])) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
        each(&rest[..at]);
        let crlf = rest[at..].starts_with(b"\r\n");
        rest = &rest[at + 1 + usize::from(crlf)..];
    }
    each(rest);
}
