//! Which version of HTTP a connection speaks, by its first bytes.

/// What HTTP/2 begins with ([RFC 9113 section 3.4](https://www.rfc-editor.org/rfc/rfc9113#section-3.4)).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What the first bytes of a connection say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preface {
    /// HTTP/1.1, or something that its parser will refuse.
    Http1,
    /// HTTP/2.
    Http2,
    /// It takes more bytes to tell.
    Unclear,
}

impl Preface {
    /// Judges what has come so far.
    pub fn of(bytes: &[u8]) -> Self {
        match (bytes.starts_with(HTTP2), HTTP2.starts_with(bytes)) {
            (true, _) => Self::Http2,
            (false, true) => Self::Unclear,
            (false, false) => Self::Http1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell() {
        for (bytes, expected) in [
            ("", Preface::Unclear),
            ("P", Preface::Unclear),
            ("PO", Preface::Http1),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r", Preface::Unclear),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Preface::Http2),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0", Preface::Http2),
            ("PRI * HTTP/1.1\r\n", Preface::Http1),
            ("GET / HTTP/1.1\r\n", Preface::Http1),
            ("\u{16}\u{3}\u{1}", Preface::Http1),
        ] {
            assert_eq!(Preface::of(bytes.as_bytes()), expected, "{bytes:?}");
        }
    }
}
