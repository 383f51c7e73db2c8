//! The trace context of a request to a specialist: the caller's trace, a span of its own.
//!
//! Source: W3C Trace Context, section 3.2 (`traceparent`). What is malformed is replaced and never passed on.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

/// The `traceparent` of the next hop: in the trace of `inbound` where that is valid, else in a new, sampled one.
///
/// `entropy` is 24 bytes of the system's generator.
pub fn next_hop(inbound: Option<&str>, entropy: [u8; 24]) -> String {
    let span = hex(&non_zero(&entropy[..8]));
    match inbound.and_then(parse) {
        Some(Parent { trace, sampled }) => format!("00-{trace}-{span}-0{}", u8::from(sampled)),
        None => format!("00-{}-{span}-01", hex(&non_zero(&entropy[8..]))),
    }
}

/// Whether it is a `traceparent` that may be passed on.
pub fn is_valid(text: &str) -> bool {
    parse(text).is_some()
}

struct Parent<'a> {
    trace: &'a str,
    sampled: bool,
}

fn parse(text: &str) -> Option<Parent<'_>> {
    let is_hex = |part: &str| {
        part.bytes()
            .all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
    };
    let is_id = |part: &str| is_hex(part) && part.bytes().any(|c| c != b'0');
    let mut parts = text.split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    // A later version may append to what version 00 has.
    let ends_well = version != "00" || parts.next().is_none();
    let sizes = [version.len(), trace.len(), span.len(), flags.len()] == [2, 32, 16, 2];
    let good = sizes
        && ends_well
        && is_hex(version)
        && version != "ff"
        && is_id(trace)
        && is_id(span)
        && is_hex(flags);
    let flags = u8::from_str_radix(flags, 16).ok()?;
    good.then_some(Parent {
        trace,
        sampled: flags & 1 == 1,
    })
}

fn non_zero(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.iter().all(|byte| *byte == 0)
        && let Some(last) = bytes.last_mut()
    {
        *last = 1;
    }
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
