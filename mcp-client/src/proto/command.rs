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

/// Takes the variables that stand before the program, as in `KEY=value program`: what is set, in order.
pub fn take_variables(words: &mut Vec<String>) -> Vec<(String, String)> {
    let variables = words
        .iter()
        .map_while(|word| {
            let (name, value) = word.split_once('=')?;
            is_name(name).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect::<Vec<_>>();
    words.drain(..variables.len());
    variables
}

/// A shell's name of a variable.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether it is the address of a server that lacks its scheme, such as `localhost:8080/mcp`.
pub fn is_address(words: &[String]) -> bool {
    let [word] = words else { return false };
    let authority = word.split('/').next().unwrap_or_default();
    authority.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
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
    fn variables_stand_before_the_program() {
        let check = |line: &str, variables: &[(&str, &str)], rest: &[&str]| {
            let mut words = split(line).unwrap();
            let taken = take_variables(&mut words);
            let taken: Vec<_> = taken
                .iter()
                .map(|(n, v)| (n.as_str(), v.as_str()))
                .collect();
            assert_eq!(
                (taken.as_slice(), words.as_slice()),
                (variables, &*own(rest)),
                "{line}"
            );
        };
        check("npx -y x A=1", &[], &["npx", "-y", "x", "A=1"]);
        check("A=1 _b2='x y' npx", &[("A", "1"), ("_b2", "x y")], &["npx"]);
        check("A= B=c=d npx", &[("A", ""), ("B", "c=d")], &["npx"]);
        check("1A=2 npx", &[], &["1A=2", "npx"]);
        check("./a=b", &[], &["./a=b"]);
        check("=b", &[], &["=b"]);
        check("A=1", &[("A", "1")], &[]);
    }

    #[test]
    fn an_address_without_its_scheme_is_known() {
        let check = |line: &str, expected| {
            assert_eq!(is_address(&split(line).unwrap()), expected, "{line}");
        };
        check("localhost:8080", true);
        check("localhost:8080/mcp", true);
        check("127.0.0.1:80/", true);
        check("[::1]:80/mcp", true);
        check("example.com", false);
        check("npx", false);
        check("npx localhost:80", false);
        check(r"C:\\x.exe", false);
        check("a:b/c", false);
        check("./bin/x:8", false);
        check(":80", false);
    }

    fn own(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn what_is_no_command_is_refused() {
        assert_eq!(split(" "), Err(BadCommand::Empty));
        assert_eq!(split("''"), Err(BadCommand::Empty));
        assert_eq!(split("a 'b"), Err(BadCommand::Unclosed('\'')));
        assert_eq!(split("a \"b'"), Err(BadCommand::Unclosed('"')));
    }
}
