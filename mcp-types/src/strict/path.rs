//! A place in a JSON text, in words.

use std::fmt::{self, Write as _};

use crate::path::member;

/// How many steps of a path are shown.
const MAX_STEPS: usize = 32;
/// How many characters of one name are shown.
const MAX_NAME: usize = 64;

/// A place in a JSON text: `$.params.arguments.a[3]`.
///
/// A name that is no plain word is quoted (`$["a b"]`); a long one, and a path of many steps, ends in `…`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonPath(Box<str>);

impl JsonPath {
    /// The value that holds the byte at `offset`; right behind a name it is that member's.
    ///
    /// Reads the text once more, so it is for errors. The text before `offset` is JSON; what follows need not be.
    pub(crate) fn at(text: &[u8], offset: usize) -> Self {
        let mut steps: Vec<Step<'_>> = Vec::new();
        let before = &text[..offset.min(text.len())];
        let mut at = 0;
        while let Some(byte) = before.get(at) {
            match byte {
                b'{' => steps.push(Step::Object(None)),
                b'[' => steps.push(Step::Array(0)),
                b'}' | b']' => {
                    steps.pop();
                }
                b',' => match steps.last_mut() {
                    Some(Step::Object(name)) => *name = None,
                    Some(Step::Array(index)) => *index += 1,
                    None => {}
                },
                b'"' => {
                    let length = quoted(&before[at..]);
                    if let (Some(length), Some(Step::Object(name @ None))) =
                        (length, steps.last_mut())
                    {
                        *name = Some(&before[at..at + length]);
                    }
                    at += length.unwrap_or(before.len());
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        let mut path = String::from("$");
        for step in steps.iter().take(MAX_STEPS) {
            step.show(&mut path);
        }
        if steps.len() > MAX_STEPS {
            path.push('…');
        }
        Self(path.into())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Copy)]
enum Step<'a> {
    /// An object, and the member that is being read, quotes and all.
    Object(Option<&'a [u8]>),
    /// An array, and the index of the element.
    Array(usize),
}

impl Step<'_> {
    fn show(self, path: &mut String) {
        match self {
            // The object itself, before or between members.
            Self::Object(None) => {}
            Self::Object(Some(quoted)) => {
                let plain = || String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned();
                let name = serde_json::from_slice::<String>(quoted);
                push_name(path, &name.unwrap_or_else(|_| plain()));
            }
            Self::Array(index) => {
                // Writing to a string cannot fail.
                let _ = write!(path, "[{index}]");
            }
        }
    }
}

fn push_name(path: &mut String, name: &str) {
    let mut shown: String = name.chars().take(MAX_NAME).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    *path = member(path, &shown);
}

/// The length of the text at the start of `text`, quotes included; `None` if it does not end.
fn quoted(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
