//! What a revision knows of a message, beside the message.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Wrong, within};
use crate::{jsonrpc::MAX_DEPTH, path::member, raw::RawJson, revision::Revision, strict};

/// The value that stands at `path`, if every reader understands it alike.
pub(super) fn value(raw: &RawJson, path: &str) -> Result<Value, Wrong> {
    strict::decode(raw.as_str(), MAX_DEPTH)
        .map_err(|flaw| Wrong::new(within(path, flaw.path.as_str()), flaw.flaw.to_string()))
}

/// All that `written`, what revision `at` has words for, must be in `read`; what else is there, nobody at that revision
/// minds.
pub(super) fn compare(
    path: &str,
    read: &Value,
    written: &Value,
    at: Revision,
) -> Result<(), Wrong> {
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => {
            // By name: the map's own order is another where some crate turns `preserve_order` on.
            let written: BTreeMap<_, _> = written.iter().collect();
            written
                .into_iter()
                .try_for_each(|(name, written)| match read.get(name) {
                    Some(read) => compare(&member(path, name), read, written, at),
                    None => Err(Wrong::new(path, format!("`{name}` is missing at {at}"))),
                })
        }
        (Value::Array(read), Value::Array(written)) if read.len() == written.len() => {
            let mut pairs = read.iter().zip(written).enumerate();
            pairs.try_for_each(|(index, (read, written))| {
                compare(&format!("{path}[{index}]"), read, written, at)
            })
        }
        _ if same(read, written) => Ok(()),
        _ => Err(Wrong::new(
            path,
            format!("it would be {} at {at}", short(written)),
        )),
    }
}

/// However a number is spelled.
fn same(read: &Value, written: &Value) -> bool {
    read == written || (read.as_f64().is_some() && read.as_f64() == written.as_f64())
}

/// What it would be, in few words.
fn short(value: &Value) -> String {
    match value {
        Value::Object(_) => "another object".to_owned(),
        Value::Array(items) => format!("an array of {}", items.len()),
        other => {
            let text = other.to_string();
            match text.char_indices().nth(60) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}
