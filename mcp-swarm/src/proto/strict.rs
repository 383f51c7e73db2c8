//! Refuses JSON that two readers could understand differently: duplicate members, too deep, out of range.
//!
//! A token's claims and a carried state are signed here and read elsewhere, perhaps by another
//! library. Where a member appears twice one reader takes the first and another the last, so such
//! text never passes. Numbers outside `f64` and lone surrogates are refused by the parser itself.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Checks that `json` is exactly one JSON object, without duplicate members at any level and nested at
/// most `max_depth` levels (the object itself is level 1).
///
/// # Errors
/// The parser's message, without any of the text.
pub(crate) fn check_object(json: &str, max_depth: usize) -> Result<(), NotStrict> {
    if !json
        .trim_start_matches([' ', '\t', '\n', '\r'])
        .starts_with('{')
    {
        return Err(NotStrict);
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    Level { left: max_depth }
        .deserialize(&mut reader)
        .map_err(|_| NotStrict)?;
    reader.end().map_err(|_| NotStrict)
}

/// The text is not one strict JSON object. Says no more, since the text may be secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotStrict;

#[derive(Clone, Copy)]
struct Level {
    left: usize,
}

impl Level {
    fn down<E: Error>(self) -> Result<Self, E> {
        self.left
            .checked_sub(1)
            .map(|left| Self { left })
            .ok_or_else(|| E::custom("nested too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let below = self.down()?;
        while items.next_element_seed(below)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let below = self.down()?;
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name) {
                return Err(A::Error::custom("a member appears twice"));
            }
            members.next_value_seed(below)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: bool) {
        assert_eq!(check_object(json, 3).is_ok(), expected, "{json}");
    }

    #[test]
    fn only_one_strict_object_passes() {
        check("{}", true);
        check(r#" {"a":[1,-1,1.5,true,null,"x"],"b":{"a":{}}} "#, true);
        check(r#"{"a":1,"a":2}"#, false);
        check(r#"{"b":{"a":1,"a":2}}"#, false);
        check(r#"{"a":1,"\u0061":2}"#, false);
        check(r#"{"a":{"b":{"c":{}}}}"#, false);
        check(r#"{"a":[[[]]]}"#, false);
        check(r#"{"a":[[]]}"#, true);
        check(r#"{"a":1e999}"#, false);
        check(r#"{"a":"\ud800"}"#, false);
        check("[]", false);
        check("null", false);
        check("1", false);
        check(r#""{}""#, false);
        check("{} {}", false);
        check("{", false);
        check("", false);
    }
}
