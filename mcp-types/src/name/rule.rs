//! What makes a name.

type Rule = Result<(), &'static str>;

pub(super) fn filled(text: &str) -> Rule {
    if text.is_empty() {
        return Err("it is empty");
    }
    Ok(())
}

pub(super) fn visible(text: &str) -> Rule {
    filled(text)?;
    if text.chars().any(char::is_control) {
        return Err("it has a control character");
    }
    Ok(())
}

pub(super) fn tool(text: &str) -> Rule {
    filled(text)?;
    let allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    if !text.chars().all(allowed) {
        return Err("only A-Z, a-z, 0-9, `_`, `-` and `.` are allowed");
    }
    if text.len() > 128 {
        return Err("it has more than 128 characters");
    }
    Ok(())
}

pub(super) fn task_id(text: &str) -> Rule {
    visible(text)?;
    if text.chars().nth(256).is_some() {
        return Err("it has more than 256 characters");
    }
    Ok(())
}

pub(super) fn uri(text: &str) -> Rule {
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err("it has no scheme; begin with one, as `file:`");
    };
    let letters = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
    if !scheme.starts_with(|it: char| it.is_ascii_alphabetic()) || !scheme.chars().all(letters) {
        return Err("its scheme is no letter followed by letters, digits, `+`, `-` or `.`");
    }
    if rest.is_empty() {
        return Err("nothing follows its scheme");
    }
    let bad = |it: char| it.is_control() || it.is_whitespace() || "<>\"{}|\\^`".contains(it);
    if rest.contains(bad) {
        return Err("it has a character that must be percent-encoded");
    }
    Ok(())
}

pub(super) fn template(text: &str) -> Rule {
    filled(text)?;
    let mut blank: Option<usize> = None;
    for (at, it) in text.char_indices() {
        match (it, blank) {
            ('{', None) => blank = Some(at),
            ('{', Some(_)) => return Err("a blank begins in another"),
            ('}', None) => return Err("a blank ends that did not begin"),
            ('}', Some(start)) if at == start + 1 => return Err("a blank has no name"),
            ('}', Some(_)) => blank = None,
            (it, _) if it.is_control() || it.is_whitespace() => {
                return Err("it has white space or a control character");
            }
            _ => {}
        }
    }
    if blank.is_some() {
        return Err("a blank does not end");
    }
    Ok(())
}

/// `[prefix "/"] name`.
pub(super) fn meta_key(text: &str) -> Rule {
    let (prefix, name) = match text.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    if let Some(prefix) = prefix
        && !prefix.split('.').all(is_label)
    {
        return Err(
            "its prefix is not labels with dots between them, each a letter, then letters, digits or `-`, and no `-` at its end",
        );
    }
    let ends = |it: char| it.is_ascii_alphanumeric();
    let allowed = |it: char| ends(it) || matches!(it, '-' | '_' | '.');
    match name {
        "" if prefix.is_some() => Ok(()),
        "" => Err("it is empty"),
        _ if !name.starts_with(ends) || !name.ends_with(ends) || !name.chars().all(allowed) => Err(
            "its name is not letters, digits, `-`, `_` and `.`, with a letter or digit at either end",
        ),
        _ => Ok(()),
    }
}

pub(super) fn extension_id(text: &str) -> Rule {
    match text.rsplit_once('/') {
        None => Err("it has no prefix; write `vendor.example/name`"),
        Some((_, "")) => Err("nothing follows its prefix"),
        Some(_) => meta_key(text),
    }
}

fn is_label(label: &str) -> bool {
    label.starts_with(|it: char| it.is_ascii_alphabetic())
        && label.ends_with(|it: char| it.is_ascii_alphanumeric())
        && label
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '-')
}
