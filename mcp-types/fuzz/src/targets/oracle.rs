//! What strict JSON is, found part by part with serde_json.

use std::fmt;

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Whether every part of a text that serde_json took as raw is strict, found part by part.
pub(crate) fn oracle(text: &str, depth: usize) -> bool {
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else {
        return false;
    };
    let inner = raw.get();
    match inner.as_bytes()[0] {
        b'{' => {
            depth > 0
                && serde_json::from_str::<Entries<'_>>(inner).is_ok_and(|Entries(all)| {
                    let mut names: Vec<&String> = all.iter().map(|(name, _)| name).collect();
                    names.sort();
                    names.windows(2).all(|pair| pair[0] != pair[1])
                        && all.iter().all(|(_, value)| oracle(value.get(), depth - 1))
                })
        }
        b'[' => {
            depth > 0
                && serde_json::from_str::<Vec<&RawValue>>(inner)
                    .is_ok_and(|items| items.iter().all(|item| oracle(item.get(), depth - 1)))
        }
        b'"' => serde_json::from_str::<String>(inner).is_ok(),
        b'-' | b'0'..=b'9' => inner.parse::<f64>().is_ok_and(f64::is_finite),
        _ => true,
    }
}

struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Entries(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}
