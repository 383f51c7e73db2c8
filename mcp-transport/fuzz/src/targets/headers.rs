//! Header values: every text has one, and it reads back as that text.

use http::HeaderValue;
use mcp_transport::proto::headers;

/// The bytes as a text to mirror, and as a value that came.
pub(crate) fn headers(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let value = headers::encode(text);
        let plain = value
            .as_bytes()
            .iter()
            .all(|byte| (b' '..=b'~').contains(byte) || *byte == b'\t');
        assert!(plain, "{value:?}");
        assert_eq!(headers::decode(&value).expect("what was encoded"), text);
    }
    if let Ok(value) = HeaderValue::from_bytes(data)
        && let Ok(text) = headers::decode(&value)
    {
        let again = headers::encode(&text);
        assert_eq!(headers::decode(&again).expect("what was encoded"), text);
    }
}
