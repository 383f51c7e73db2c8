//! A command line as words, without a shell: quotes group, nothing is expanded.

use std::fmt;

/// Splits a command line into its program and arguments.
///
/// Words are separated by white space. Single quotes keep everything literal; in double quotes and
/// outside a backslash escapes a quote, a backslash or white space, and is itself elsewhere, so that
/// `C:\tools\x.exe` stays what it is. Variables, globs, pipes and redirections have no meaning.
///
/// # Errors
/// When a quote is not closed, or there is no word.
pub fn split(line: &str) -> Result<Vec<String>, BadCommand> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\')
                if chars.peek().is_some_and(|next| {
                    matches!(next, '\\' | '\'' | '"') || next.is_whitespace()
                }) =>
            {
                word.get_or_insert_default().extend(chars.next());
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(BadCommand::Unclosed(open));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err(BadCommand::Empty);
    }
    Ok(words)
}

/// A command line that cannot be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadCommand {
    /// There is no program in it.
    Empty,
    /// This quote is opened and not closed.
    Unclosed(char),
}

impl fmt::Display for BadCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the command is empty: name a program or an http(s) URL"),
            Self::Unclosed(quote) => {
                write!(f, "the command has a quote {quote} that is not closed")
            }
        }
    }
}

impl std::error::Error for BadCommand {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_would_but_nothing_is_expanded() {
        let check = |line: &str, expected: &[&str]| {
            assert_eq!(split(line).unwrap(), expected, "{line}");
        };
        check("npx", &["npx"]);
        check("  npx   -y  x ", &["npx", "-y", "x"]);
        check("a 'b c' \"d e\"", &["a", "b c", "d e"]);
        check("a b'c'\"d\"e", &["a", "bcde"]);
        check("a '' \"\"", &["a", "", ""]);
        check(r#"a "say \"hi\"" '\n'"#, &["a", "say \"hi\"", r"\n"]);
        check(r"a b\ c \\ \'", &["a", "b c", "\\", "'"]);
        check(r"C:\tools\x.exe -p", &[r"C:\tools\x.exe", "-p"]);
        check(
            "a $HOME * | b > c",
            &["a", "$HOME", "*", "|", "b", ">", "c"],
        );
        check("a\tb\nc", &["a", "b", "c"]);
    }

    #[test]
    fn what_is_no_command_is_refused() {
        assert_eq!(split(" "), Err(BadCommand::Empty));
        assert_eq!(split("''"), Err(BadCommand::Empty));
        assert_eq!(split("a 'b"), Err(BadCommand::Unclosed('\'')));
        assert_eq!(split("a \"b'"), Err(BadCommand::Unclosed('"')));
    }
}
