//! The tables of wire differences, row by row.
//!
//! A test named `rT_N_…` is row N of table T, counted from 1; tests without a number stand beside a row. What a row
//! says of the server is tested in `mcp-server`, under the same number (`r3_2_14`, `r3_4_11`, `r3_4_12`, and table 3.8, the
//! transport's), and an error code in `mcp-errors` (`r3_5_3`).
//!
//! A row is data: a value in the newest words, and in which revisions a member of it is there, or what the
//! value looks like in each.

mod ask;
mod base;
mod content;
mod feature;
mod lifecycle;
mod news;
mod tool;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    encode::{At, Encode},
    outcome::{Outcome, Payload},
    revision::Revision::{
        self, V2024_10_07 as OCT24, V2024_11_05 as NOV24, V2025_03_26 as MAR25,
        V2025_06_18 as JUN25, V2025_11_25 as NOV25, V2026_07_28 as JUL26,
    },
    wire::{Stamp, encode_outcome},
};

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// What revision `at` sees of a `T`.
fn seen<T: DeserializeOwned + Encode>(value: &Value, at: Revision) -> Value {
    let text = serde_json::to_string(&At(&read::<T>(value), at)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The member at `pointer` is there, unchanged, from `since` to `until`, and nowhere else.
fn spans<T: DeserializeOwned + Encode>(
    value: &Value,
    pointer: &str,
    since: Revision,
    until: Revision,
) {
    let whole = value.pointer(pointer);
    assert!(whole.is_some(), "{pointer} in {value}");
    for at in Revision::ALL {
        let expected = whole.filter(|_| (since..=until).contains(&at));
        assert_eq!(
            seen::<T>(value, at).pointer(pointer),
            expected,
            "{pointer} at {at}"
        );
    }
}

/// What revision `at` sees of a result.
fn shown<T>(value: &Value, stamp: &Stamp<'_>) -> Value
where
    T: DeserializeOwned,
    Payload: From<T>,
{
    let payload = Payload::from(read::<T>(value));
    let raw = encode_outcome(Outcome::Complete(payload), stamp).unwrap();
    raw.decode().unwrap()
}
