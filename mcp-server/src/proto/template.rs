//! Addresses with blanks, read backwards: which values an address fills them with.
//!
//! A template is one of [RFC 6570], levels 1 to 3; it is compiled once. Matching takes time in proportion to the
//! address times the parts of the template, whatever either holds: it works backwards to see from where the end can be
//! reached, then forwards along what can, each blank as long as can be.
//!
//! - A blank is filled by at least one character, those of forms (`{?x}`, `{&x}`, `{;x}`) excepted. As in the RFC only
//!   `{+x}` and `{#x}` take reserved characters such as `/`; others stand there percent-encoded.
//! - What the RFC leaves out when it has no value may be missing: the blanks of `{?…}`, `{&…}` and `{;…}` each by itself
//!   and in any order, those of `{.…}`, `{/…}` and `{#…}` from the end, and all but the first of `{x,y}` and `{+x,y}`.
//! - Where `?` or `#` starts a later part, no `{+x}` before it takes that character; nor does one of `{+x,y}` take a comma, or one
//!   of `{.x,y}` a dot.
//!
//! [RFC 6570]: https://www.rfc-editor.org/rfc/rfc6570

mod parse;
mod program;
#[cfg(test)]
mod tests;

use self::program::Op;

/// The longest address that is matched, in bytes; longer ones match nothing.
pub(crate) const MOST_BYTES: usize = 8 * 1024;

/// How many blanks a template may have.
pub(crate) const MOST_BLANKS: usize = 32;

/// A template, ready to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    names: Vec<Box<str>>,
    program: Vec<Op>,
    /// How many bytes are not blanks.
    literal: usize,
}

/// A blank, by its place among the names of its template, and what fills it, decoded.
pub(crate) type Filled = Vec<(usize, String)>;

impl Template {
    /// The names of the blanks, in order, each once.
    pub(crate) fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// How particular the template is: of two that match, the greater says more about the address.
    pub(crate) fn specificity(&self) -> (usize, std::cmp::Reverse<usize>) {
        (self.literal, std::cmp::Reverse(self.names.len()))
    }

    /// What fills the blanks if `uri` is of this form; those that are left out are not among them.
    pub(crate) fn matches(&self, uri: &str) -> Option<Filled> {
        if uri.len() > MOST_BYTES {
            return None;
        }
        let spans = program::run(&self.program, uri.as_bytes())?;
        let mut filled = Filled::with_capacity(spans.len());
        for (blank, span) in spans {
            let value = percent_decoded(&uri[span])?;
            match filled.iter().find(|(known, _)| *known == blank) {
                None => filled.push((blank, value)),
                // A form may name a value twice, but not two values.
                Some((_, known)) if *known == value => {}
                Some(_) => return None,
            }
        }
        Some(filled)
    }
}

/// A template that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadTemplate {
    #[error("brace at byte {0} has no partner")]
    Brace(usize),
    #[error(
        "expression `{{{0}}}` is not of RFC 6570: names are letters, digits, `_`, `.` and percent-encoded bytes"
    )]
    Name(Box<str>),
    #[error(
        "expression `{{{0}}}` is of level 4 of RFC 6570 (`*` or `:n`); levels 1 to 3 are supported"
    )]
    Level4(Box<str>),
    #[error("operator of expression `{{{0}}}` is reserved by RFC 6570")]
    Operator(Box<str>),
    #[error("blank `{0}` stands twice; give each its own name")]
    Twice(Box<str>),
    #[error("there are more than {MOST_BLANKS} blanks")]
    TooMany,
    #[error("there is no blank in it; register a resource in its place")]
    NoBlank,
    #[error("it is longer than {MOST_BYTES} bytes")]
    TooLong,
}

/// The text without percent-encoding; `None` if that leaves no UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let (b'%', Some(code)) = (byte, program::triplet(&bytes[at..])) {
            out.push(code);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}
