//! A tool's result as a value of the caller's.

use std::any::Any;

use mcp_types::{RawJson, content::ContentBlock, tool::CallToolResult};
use serde::de::DeserializeOwned;

/// `structuredContent` into `Out`, else the text as JSON or, for a `String`, as it is; `()` takes anything.
///
/// Structured content that is no `Out` is not the end, since some servers wrap a plain value in an object
/// there and write it plainly in the text.
///
/// # Errors
/// A sentence that says what the result is, and what it is not.
pub(crate) fn decode<Out: DeserializeOwned + 'static>(
    result: &CallToolResult,
) -> Result<Out, String> {
    if let Some(unit) = cast(()) {
        return Ok(unit);
    }
    let structured = result.structured_content.as_ref();
    let refused = match structured.map(RawJson::decode) {
        Some(Ok(out)) => return Ok(out),
        Some(Err(error)) => Some(error),
        None => None,
    };
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    let wanted = std::any::type_name::<Out>();
    if texts.is_empty() {
        return Err(match refused {
            Some(error) => format!("the structured content is no `{wanted}`: {error}"),
            None => format!(
                "the result has neither structured content nor text, so it is no `{wanted}`"
            ),
        });
    }
    let text = texts.join("\n");
    if let Some(text) = cast(text.clone()) {
        return Ok(text);
    }
    serde_json::from_str(&text).map_err(|error| match refused {
        Some(refused) => format!("the structured content is no `{wanted}`: {refused}"),
        None => format!("the text is no `{wanted}` in JSON: {error}"),
    })
}

/// `value`, if that is what is wanted.
fn cast<T: 'static, Out: 'static>(value: T) -> Option<Out> {
    let mut value = Some(value);
    (&mut value as &mut dyn Any)
        .downcast_mut::<Option<Out>>()
        .and_then(Option::take)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sum {
        sum: i64,
    }

    #[track_caller]
    fn check<Out: DeserializeOwned + PartialEq + std::fmt::Debug + 'static>(
        result: &str,
        expected: Out,
    ) {
        let result: CallToolResult = serde_json::from_str(result).unwrap();
        assert_eq!(decode::<Out>(&result), Ok(expected));
    }

    #[test]
    fn structured_content_comes_first_then_the_text() {
        check(
            r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"sum":5}}"#,
            Sum { sum: 5 },
        );
        check(
            r#"{"content":[{"type":"text","text":"{\"sum\":5}"}]}"#,
            Sum { sum: 5 },
        );
        check(
            r#"{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}"#,
            5_u8,
        );
        check(r#"{"content":[{"type":"text","text":" 2.5 "}]}"#, 2.5);
        check(r#"{"structuredContent":[1,2]}"#, vec![1, 2]);
        check(r#"{"content":[]}"#, ());
    }

    #[test]
    fn a_string_is_the_text_as_it_is() {
        check(
            r#"{"content":[{"type":"text","text":"\"quoted\""}]}"#,
            "\"quoted\"".to_owned(),
        );
        check(
            r#"{"content":[{"type":"text","text":"5"}]}"#,
            "5".to_owned(),
        );
        check(
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            "a\nb".to_owned(),
        );
        check(
            r#"{"content":[{"type":"text","text":"shown"}],"structuredContent":"meant"}"#,
            "meant".to_owned(),
        );
        check(
            r#"{"content":[{"type":"text","text":"shown"}],"structuredContent":{"a":1}}"#,
            "shown".to_owned(),
        );
    }

    #[test]
    fn what_does_not_fit_says_why() {
        let check = |result: &str, part: &str| {
            let result: CallToolResult = serde_json::from_str(result).unwrap();
            let said = decode::<Sum>(&result).unwrap_err();
            assert!(said.contains(part), "{said}");
        };
        check(r#"{"content":[]}"#, "neither structured content nor text");
        check(
            r#"{"content":[{"type":"text","text":"hello"}]}"#,
            "the text is no",
        );
        check(
            r#"{"structuredContent":{"sum":"x"}}"#,
            "the structured content is no",
        );
    }
}
