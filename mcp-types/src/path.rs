//! JSON paths, for people who look for what is wrong: `$.tools[3].name`.

/// The path of a member of the object at `parent`.
pub(crate) fn member(parent: &str, name: &str) -> String {
    let plain = name
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || it == '_')
        && name.starts_with(|it: char| !it.is_ascii_digit());
    if plain {
        format!("{parent}.{name}")
    } else {
        format!("{parent}[{name:?}]")
    }
}

#[cfg(test)]
mod tests {
    use super::member;

    #[test]
    fn a_name_that_is_no_word_is_quoted() {
        let check = |name, expected: &str| assert_eq!(member("$", name), expected);
        check("a_1", "$.a_1");
        check("1a", r#"$["1a"]"#);
        check("", r#"$[""]"#);
        check("a/b.c", r#"$["a/b.c"]"#);
        check("é\"\n", r#"$["é\"\n"]"#);
    }
}
