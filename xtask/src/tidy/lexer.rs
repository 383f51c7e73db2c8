//! Splits Rust source into code and comments, line by line, so that a rule about code never fires on prose.

/// A source file taken apart. Both parts have the lines of the original; what is not theirs is blank.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Code, with the contents of comments, strings and characters left out.
    pub(super) code: String,
    /// The text of comments, documentation among it.
    pub(super) comments: String,
}

/// Takes a source file apart.
pub(super) fn split(text: &str) -> Split {
    let mut lexer = Lexer {
        rest: text,
        out: Split::default(),
    };
    while let Some(next) = lexer.rest.chars().next() {
        lexer.token(next);
    }
    lexer.out
}

struct Lexer<'a> {
    rest: &'a str,
    out: Split,
}

impl Lexer<'_> {
    fn token(&mut self, next: char) {
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.comment(end);
        } else if self.rest.starts_with("/*") {
            self.comment(block_end(self.rest));
        } else if let Some(end) = raw_string_end(self.rest) {
            self.quoted(end);
        } else if next == '"' {
            self.quoted(string_end(self.rest));
        } else if next == '\'' {
            self.quoted(char_end(self.rest));
        } else if next == '_' || next.is_alphanumeric() {
            let end = self
                .rest
                .find(|c: char| c != '_' && !c.is_alphanumeric())
                .unwrap_or(self.rest.len());
            self.code(end);
        } else {
            self.code(next.len_utf8());
        }
    }

    fn code(&mut self, len: usize) {
        let (taken, rest) = self.rest.split_at(len);
        self.out.code.push_str(taken);
        self.out
            .comments
            .extend(taken.chars().filter(|c| *c == '\n'));
        self.rest = rest;
    }

    fn comment(&mut self, len: usize) {
        let (taken, rest) = self.rest.split_at(len);
        self.out.comments.push_str(taken);
        self.out.code.extend(taken.chars().filter(|c| *c == '\n'));
        self.rest = rest;
    }

    // A string stays visible as an empty one, so that `tag = "type"` still reads as an assignment.
    fn quoted(&mut self, len: usize) {
        let (taken, rest) = self.rest.split_at(len);
        self.out.code.push_str(if len == 1 { "'" } else { "\"\"" });
        let lines: String = taken.chars().filter(|c| *c == '\n').collect();
        self.out.code.push_str(&lines);
        self.out.comments.push_str(&lines);
        self.rest = rest;
    }
}

/// Block comments nest.
fn block_end(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The end of `r"…"`, `r#"…"#`, `br"…"`, `b"…"` and the like, if one starts here.
fn raw_string_end(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c"].into_iter().find(|prefix| {
        let rest = text
            .strip_prefix(prefix)
            .map(|rest| rest.trim_start_matches('#'));
        rest.is_some_and(|rest| rest.starts_with('"'))
    })?;
    let after = &text[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !prefix.ends_with('r') {
        return (hashes == 0).then(|| prefix.len() + string_end(after));
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let body = prefix.len() + hashes + 1;
    let end = text[body..]
        .find(&close)
        .map_or(text.len(), |at| body + at + close.len());
    Some(end)
}

/// The end of a character literal; 1 for the quote of a lifetime.
fn char_end(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            let mut ends = chars.skip(1).filter(|(_, c)| *c == '\'');
            ends.next().map_or(text.len(), |(at, _)| at + 1)
        }
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str, comments: &str) {
        let split = split(text);
        assert_eq!(split.code.trim(), code, "code of {text}");
        assert_eq!(split.comments.trim(), comments, "comments of {text}");
    }

    #[test]
    fn comments_leave_the_code() {
        check("a // b", "a", "// b");
        check("a /* b /* c */ d */ e", "a  e", "/* b /* c */ d */");
        check("//! tokio", "", "//! tokio");
        check("a / b", "a / b", "");
    }

    #[test]
    fn strings_are_emptied() {
        check(r#"f("tokio // \" x") + 1"#, r#"f("") + 1"#, "");
        check(r##"f(r#"tokio " x"#)"##, r#"f("")"#, "");
        check(r#"f(b"tokio", br"x", c"y")"#, r#"f("", "", "")"#, "");
        check("f(r#type)", "f(r#type)", "");
    }

    #[test]
    fn characters_are_not_lifetimes() {
        check(
            r#"('"', 'a', '\'', '\u{1F600}', b'x')"#,
            r#"("", "", "", "", b"")"#,
            "",
        );
        check("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)", "");
    }

    #[test]
    fn lines_stay_where_they_were() {
        let text = "a\n/* x\ny */ b\n\"p\nq\" c\n// d";
        let split = split(text);
        let line_of = |part: &str, word: &str| part.lines().position(|line| line.contains(word));
        assert_eq!(line_of(&split.code, "b"), Some(2));
        assert_eq!(line_of(&split.code, "c"), Some(4));
        assert_eq!(line_of(&split.comments, "d"), Some(5));
    }

    #[test]
    fn an_identifier_that_ends_in_r_does_not_open_a_string() {
        check(r#"var"x" y"#, r#"var"" y"#, "");
    }
}
