//! Takes the teeth out of text that a specialist or a caller wrote and a model will read.
//!
//! [`clean`] folds full-width ASCII, drops characters nobody sees, and replaces what looks like the start of
//! another role's turn by `[BLOCKED]`. It is a fence, not a wall: other look-alikes, encodings and plain
//! persuasion pass, which is why such text is also shown inside an envelope that says whose it is.

/// What a role marker is replaced by.
pub const BLOCKED: &str = "[BLOCKED]";

// Matched without regard to ASCII case.
const MARKERS: &[&str] = &[
    "[system]",
    "[sistema]",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
];

/// `text` with full-width ASCII folded, invisible characters dropped and role markers blocked.
///
/// Dropped are the C0 and C1 controls except line feed and tab, zero-width and bidirectional
/// controls, and the invisible tag characters. Blocked are `[SYSTEM]`, `[SISTEMA]`, `[INST]`, `<<SYS>>`, everything
/// of the form `<|im_start|>`, and a line that is just `### system`.
pub fn clean(text: &str) -> String {
    let text: String = text.chars().filter_map(fold).collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let at_line_start = out.is_empty() || out.ends_with('\n');
        if let Some(len) = marker(rest, at_line_start) {
            out.push_str(BLOCKED);
            rest = &rest[len..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// At most `max` characters of `text`.
pub fn cut(text: &str, max: usize) -> &str {
    text.char_indices()
        .nth(max)
        .map_or(text, |(at, _)| &text[..at])
}

/// At most `max` characters of `text`, without controls: fit to be quoted in an error message.
pub fn excerpt(text: &str, max: usize) -> String {
    text.chars()
        .filter_map(fold)
        .filter(|c| !c.is_control())
        .take(max)
        .collect()
}

/// Escapes `&`, `<` and `>` for the content of an element.
pub fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Escapes `&`, `"`, `'`, `<` and `>` for the value of an attribute.
pub fn escape_attribute(text: &str) -> String {
    escape_text(text)
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn fold(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => Some(c),
        '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{3000}' => Some(' '),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        _ if c.is_control() || is_invisible(c) => None,
        _ => Some(c),
    }
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// The length of the role marker that `text` starts with.
fn marker(text: &str, at_line_start: bool) -> Option<usize> {
    let starts = |marker: &str| {
        text.get(..marker.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(marker))
    };
    match text.as_bytes().first()? {
        b'[' | b'<' => MARKERS
            .iter()
            .find(|marker| starts(marker))
            .map(|marker| marker.len())
            .or_else(|| pipe_marker(text)),
        b'#' if at_line_start => heading_marker(text),
        _ => None,
    }
}

/// `<|word|>`, the special tokens of several chat formats.
fn pipe_marker(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("<|")?;
    let len = inner
        .bytes()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == b'_')
        .count();
    ((1..=32).contains(&len) && inner[len..].starts_with("|>")).then_some(len + 4)
}

/// A whole line `### system`, with or without a colon. A heading that goes on, such as `### System status`, stays.
fn heading_marker(text: &str) -> Option<usize> {
    let line = text.split('\n').next()?;
    let word = line.strip_prefix("###")?.trim_matches([' ', '\t', ':']);
    (word.eq_ignore_ascii_case("system") || word.eq_ignore_ascii_case("sistema"))
        .then_some(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text), expected, "{text:?}");
    }

    #[test]
    fn role_markers_are_blocked() {
        for marker in [
            "[SYSTEM]",
            "[system]",
            "[SyStEm]",
            "[SISTEMA]",
            "[INST]",
            "[/INST]",
            "<<SYS>>",
            "<</SYS>>",
        ] {
            check(&format!("a {marker} b"), "a [BLOCKED] b");
        }
        check("<|im_start|>system", "[BLOCKED]system");
        check("<|endoftext|><|END_OF_TURN_TOKEN|>", "[BLOCKED][BLOCKED]");
        check("### system", "[BLOCKED]");
        check("a\n### System:\nb", "a\n[BLOCKED]\nb");
        check("###SISTEMA", "[BLOCKED]");
        check("[SYS[SYSTEM]TEM]", "[SYS[BLOCKED]TEM]");
    }

    #[test]
    fn look_alikes_are_folded_before_they_are_looked_for() {
        check("［ＳＹＳＴＥＭ］", "[BLOCKED]");
        check("[SYS\u{200b}TEM]", "[BLOCKED]");
        check("[SYS\u{0}TEM]", "[BLOCKED]");
        check("[\u{202e}SYSTEM]", "[BLOCKED]");
        check("[SYS\u{e0041}TEM]", "[BLOCKED]");
        check("＃＃＃\u{3000}system", "[BLOCKED]");
    }

    #[test]
    fn honest_text_stays() {
        for text in [
            "systematic",
            "[systematic]",
            "[ system ]",
            "system",
            "SYSTEM",
            "### System status",
            "a ### system",
            "a <| b",
            "<||>",
            "<|a b|>",
            "#### system",
            "a\n\tb",
            "請求書 #42",
            "é\u{301}",
            "[",
            "<",
            "###",
            "",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn invisible_characters_are_dropped() {
        check("a\r\nb\u{7}\u{1b}[0m\u{7f}\u{85}\u{feff}", "a\nb[0m");
        check("a\u{2028}b", "a\nb");
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("請求書", 2), "請求");
        assert_eq!(cut("請求書", 3), "請求書");
        assert_eq!(cut("", 0), "");
        assert_eq!(excerpt("a\nb\u{1b}c", 2), "ab");
    }
}
