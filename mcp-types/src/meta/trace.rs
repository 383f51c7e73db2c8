//! Where a request belongs in a trace: three keys of `_meta` that W3C has named.
//!
//! Source: 2026-07-28, *Base protocol*, section on `_meta`; W3C *Trace Context* and *Baggage*.

use crate::raw::{RawJson, RawObject};

/// The trace and the span that a request belongs to.
pub const TRACEPARENT: &str = "traceparent";
/// What tracing systems add.
pub const TRACESTATE: &str = "tracestate";
/// What an application sends along.
pub const BAGGAGE: &str = "baggage";

/// The trace that a message belongs to. What it says is the sender's claim, and no proof of anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "W3C has named these three")]
pub struct TraceContext {
    /// `version-trace-span-flags`, in hexadecimal.
    pub traceparent: Option<String>,
    /// What tracing systems add.
    pub tracestate: Option<String>,
    /// What an application sends along.
    pub baggage: Option<String>,
}

impl TraceContext {
    /// Reads the three keys of a `_meta`. A `traceparent` that breaks the rules of W3C counts as absent, and so
    /// does the `tracestate` beside it.
    pub fn read(meta: &RawObject) -> Self {
        let traceparent = meta.decode(TRACEPARENT);
        let traceparent = traceparent.filter(|text: &String| is_traceparent(text));
        Self {
            tracestate: traceparent.as_ref().and_then(|_| meta.decode(TRACESTATE)),
            traceparent,
            baggage: meta.decode(BAGGAGE),
        }
    }

    /// Writes what is there into a `_meta`, and takes out what is not.
    pub fn write(&self, meta: &mut RawObject) {
        for (key, value) in [
            (TRACEPARENT, &self.traceparent),
            (TRACESTATE, &self.tracestate),
            (BAGGAGE, &self.baggage),
        ] {
            match value.as_ref().map(RawJson::from_serialize) {
                Some(Ok(value)) => meta.set(key, value),
                _ => {
                    meta.remove(key);
                }
            }
        }
    }

    /// Whether there is nothing.
    pub const fn is_empty(&self) -> bool {
        self.traceparent.is_none() && self.tracestate.is_none() && self.baggage.is_none()
    }
}

/// Four fields of lower-case hexadecimal; neither ids of zeros, nor version `ff`. Later versions may have more.
fn is_traceparent(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut hex = |length: usize| {
        fields.next().filter(|field| {
            let hex = |it| matches!(it, b'0'..=b'9' | b'a'..=b'f');
            field.len() == length && field.bytes().all(hex)
        })
    };
    let (version, trace, span, flags) = (hex(2), hex(32), hex(16), hex(2));
    let zeros = |field: &str| field.bytes().all(|it| it == b'0');
    version.is_some_and(|version| version != "ff" && (version != "00" || fields.next().is_none()))
        && trace.is_some_and(|id| !zeros(id))
        && span.is_some_and(|id| !zeros(id))
        && flags.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_one_or_none() {
        let check =
            |text: &str, expected: bool| assert_eq!(is_traceparent(text), expected, "{text}");
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        check(good, true);
        check(&format!("{good}-x"), false);
        check(&format!("cc{}-what-comes", &good[2..]), true);
        check(&format!("ff{}", &good[2..]), false);
        check(&good.to_uppercase(), false);
        check(&good[..54], false);
        check(
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            false,
        );
        check(
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            false,
        );
        check("", false);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let context = TraceContext {
            traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
            tracestate: Some("a=b".to_owned()),
            baggage: Some("k=v".to_owned()),
        };
        let mut meta = RawObject::new();
        context.write(&mut meta);
        assert_eq!(TraceContext::read(&meta), context);
        TraceContext::default().write(&mut meta);
        assert!(meta.is_empty() && TraceContext::read(&meta).is_empty());
        let bad: RawObject =
            serde_json::from_str(r#"{"traceparent":"x","tracestate":"a=b","baggage":5}"#).unwrap();
        assert!(TraceContext::read(&bad).is_empty());
    }
}
