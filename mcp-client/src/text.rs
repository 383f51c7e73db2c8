//! What a peer wrote, made fit for a message to people.

/// At most `most` characters of `text`, without control characters other than white space: a peer must not fill a log
/// or drive a terminal.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let mut chars = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let mut clipped: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn a_text_is_cut_and_tamed() {
        let check = |text: &str, expected: &str| assert_eq!(clip(text, 4), expected, "{text:?}");
        check("", "");
        check("abcd", "abcd");
        check("abcde", "abcd…");
        check("größer", "größ…");
        check("a\nb\tc", "a\nb\t…");
        check("\u{1b}[1m\r\0", "[1m");
    }
}
