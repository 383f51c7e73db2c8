//! Where in a JSON text a decoding error lies: `arguments.items[2].name`.
//!
//! serde tells a line and a column; a model that mends its call needs a path.

#[cfg(test)]
mod tests;

/// What is wrong with the arguments in `text`, and where: `path: expectation`.
pub(crate) fn describe(text: &str, error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let end = offset(text, error.line(), error.column());
    let path = path_at(text.as_bytes().get(..end).unwrap_or(text.as_bytes()));
    // A value that stands in the message may be as long as the arguments.
    format!("{}: {}", clipped(&path, 200), clipped(message, 400))
}

/// How many bytes are read at a line and column, which count from one, columns in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    before.map(str::len).sum::<usize>() + column
}

/// The path of the value that `read`, the beginning of a JSON text, stops in.
fn path_at(read: &[u8]) -> String {
    let mut inside = Vec::new();
    let mut at = 0;
    while let Some(byte) = read.get(at) {
        match byte {
            b'"' => {
                let end = string_end(read, at);
                if let Some(Step::Member { name, named }) = inside.last_mut()
                    && !std::mem::replace(named, true)
                {
                    *name = &read[at..end];
                }
                at = end;
                continue;
            }
            b'{' => inside.push(Step::Member {
                name: b"",
                named: false,
            }),
            b'[' => inside.push(Step::Item(0)),
            b'}' | b']' => {
                inside.pop();
            }
            b',' => match inside.last_mut() {
                Some(Step::Member { named, .. }) => *named = false,
                Some(Step::Item(index)) => *index += 1,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    inside
        .iter()
        .fold("arguments".to_owned(), |path, step| step.after(path))
}

/// Where the string that starts at `start` ends, its closing quote included.
fn string_end(read: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = read.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    read.len()
}

/// A step from a value into one of its parts.
enum Step<'a> {
    /// `name` is the text of the member's name, quotes included.
    Member {
        name: &'a [u8],
        named: bool,
    },
    Item(usize),
}

impl Step<'_> {
    fn after(&self, path: String) -> String {
        let name = match self {
            Self::Item(index) => return format!("{path}[{index}]"),
            Self::Member { name, .. } => String::from_utf8_lossy(name),
        };
        let plain = name.trim_matches('"');
        let is_plain = |text: &str| {
            text.chars()
                .all(|char| char.is_alphanumeric() || char == '_')
        };
        match plain {
            "" => path,
            _ if is_plain(plain) => format!("{path}.{plain}"),
            _ => format!("{path}[{name}]"),
        }
    }
}

/// The beginning of what a peer sent, to be told in an error.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The path of the place that a JSON pointer names, in a value called `root`.
pub(crate) fn from_pointer(root: &str, pointer: &str) -> String {
    let steps = pointer.split('/').skip(1);
    steps.fold(root.to_owned(), |path, step| {
        let name = step.replace("~1", "/").replace("~0", "~");
        let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = |char: char| char.is_alphanumeric() || char == '_';
        match name {
            index if is_index => format!("{path}[{index}]"),
            name if !name.is_empty() && name.chars().all(is_plain) => format!("{path}.{name}"),
            name => format!("{path}[{name:?}]"),
        }
    })
}
