//! Writing a message: the envelope around parts that are already JSON.

use super::{ErrorObject, RequestId};
use crate::{
    raw::{RawJson, RawParams},
    revision::Revision,
};

/// Which id an error response carries.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way")]
pub enum ErrorId {
    /// That of the request.
    Known(RequestId),
    /// `null`: the request's id could not be read, up to revision 2025-06-18.
    Null,
    /// No member: the request's id could not be read, from revision 2025-11-25 on.
    Omitted,
}

impl ErrorId {
    /// For a request whose id could not be read: `null` up to 2025-06-18, nothing from 2025-11-25 on.
    pub const fn unknown(revision: Revision) -> Self {
        match revision {
            Revision::V2025_11_25 | Revision::V2026_07_28 => Self::Omitted,
            _ => Self::Null,
        }
    }
}

/// Appends a request. `meta`, a JSON object, takes the place of the `_meta` of `params`.
pub fn write_request(
    id: &RequestId,
    method: &str,
    params: &RawParams,
    meta: Option<&str>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    put(id, out);
    method_and_params(method, params, meta, out);
}

/// Appends a notification.
pub fn write_notification(method: &str, params: &RawParams, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    method_and_params(method, params, None, out);
}

/// Appends the response to a request that succeeded.
pub fn write_result(id: &RequestId, result: &RawJson, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    put(id, out);
    out.extend_from_slice(br#","result":"#);
    // The text may hold line breaks between its tokens, which would break a line-framed stream.
    one_line(result.as_str(), out);
    out.push(b'}');
}

/// Appends the response to a request that failed.
pub fn write_error(id: &ErrorId, error: &ErrorObject, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        ErrorId::Known(id) => {
            out.extend_from_slice(br#","id":"#);
            put(id, out);
        }
        ErrorId::Null => out.extend_from_slice(br#","id":null"#),
        ErrorId::Omitted => {}
    }
    out.extend_from_slice(br#","error":"#);
    let start = out.len();
    put(error, out);
    flatten(start, out);
    out.push(b'}');
}

fn method_and_params(method: &str, params: &RawParams, meta: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(br#","method":"#);
    put(method, out);
    if !params.is_empty() || meta.is_some() {
        out.extend_from_slice(br#","params":"#);
        let start = out.len();
        params.write(meta, out);
        flatten(start, out);
    }
    out.push(b'}');
}

fn put<T: serde::Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // These values have no map with odd keys and the sink is memory: it cannot fail.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok());
}

fn one_line(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    flatten(start, out);
}

/// Turns raw line breaks into spaces: in JSON they stand between tokens only.
fn flatten(start: usize, out: &mut [u8]) {
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}
