//! What must hold for any bytes, as plain functions: libFuzzer and the crate's own tests both call them.

mod headers;
mod lines;
mod oracle;
mod sse;

/// A target: it panics where something does not hold.
pub(crate) type Target = fn(&[u8]);

/// Every target of this crate, by the name of its folder of seeds.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("header", headers::headers),
    ("line", lines::lines),
    ("sse", sse::sse),
    ("sse_oracle", oracle::oracle),
];

/// Cuts `data` into chunks whose sizes the first bytes give.
fn chunks(data: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let (sizes, stream) = data.split_at(data.len().min(4));
    let mut rest = stream;
    let mut cut = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let at = rest.len().min(usize::from(*size % 16) + 1);
        cut.push(&rest[..at]);
        rest = &rest[at..];
    }
    (cut, stream)
}
