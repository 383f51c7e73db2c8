//! Parameters as a text that depends on what they mean alone.

use mcp_types::RawParams;
use serde_json::Value;

/// The parameters that a retry repeats: members sorted, numbers in one spelling. Members that are `null`, and empty
/// `arguments`, are as if they were absent.
pub(super) fn canonical(params: &RawParams) -> String {
    let mut members: Vec<(&str, String)> = params
        .iter()
        .filter(|(name, _)| !matches!(*name, "_meta" | "inputResponses" | "requestState"))
        .map(|(name, text)| {
            let value = serde_json::from_str::<Value>(&mark(text));
            // What serde_json cannot hold is compared as it stands.
            (
                name,
                value.map_or_else(|_| text.to_owned(), |value| write(&value)),
            )
        })
        .filter(|(name, text)| text != "null" && !(*name == "arguments" && text == "{}"))
        .collect();
    members.sort_unstable();
    let members = members
        .into_iter()
        .map(|(name, text)| format!("{}:{text}", Value::from(name)));
    members.collect::<Vec<_>>().join(",")
}

/// Begins a string that was one.
const TEXT: char = 't';
/// Begins a string that was a number. As numbers, serde_json would round them.
const NUMBER: char = 'n';

/// The same JSON with each number as a string, in one spelling, and strings marked so that they are not taken for one.
fn mark(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string(rest),
            '-' | '0'..='9' => number(rest),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match first {
            '"' => marked.extend(["\"", TEXT.encode_utf8(&mut [0; 4]), &token[1..]]),
            '-' | '0'..='9' => {
                marked.extend(['"', NUMBER]);
                marked.push_str(&spell(token));
                marked.push('"');
            }
            _ => marked.push_str(token),
        }
        rest = after;
    }
    marked
}

/// How long the string is that `text` begins with.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// How long the number is that `text` begins with.
fn number(text: &str) -> usize {
    let is_other = |char: char| !matches!(char, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
    text.find(is_other).unwrap_or(text.len())
}

fn write(value: &Value) -> String {
    match value {
        Value::String(text) => match text.strip_prefix(NUMBER) {
            Some(number) => number.to_owned(),
            None => plain(text),
        },
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(write).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", plain(name), write(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// A string without its mark.
fn plain(text: &str) -> String {
    Value::from(text.strip_prefix(TEXT).unwrap_or(text)).to_string()
}

/// A number in the one spelling that it shares with its equals alone: `1`, `1.0` and `1e0` are `1`. No digit is lost.
fn spell(number: &str) -> String {
    /// So long is an integer written out.
    const PLAIN: i64 = 20;
    let (sign, size) = match number.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", number),
    };
    let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let leading = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    let (Some(first), Some(others)) = (digits.get(..1), digits.get(1..)) else {
        return format!("{sign}0");
    };
    // The power of ten of the first digit.
    let place = exponent.parse::<i64>().ok().and_then(|exponent| {
        let shift = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()? - 1;
        exponent.checked_add(shift)
    });
    let Some(place) = place else {
        return number.to_owned();
    };
    let zeros = usize::try_from(place).ok().filter(|_| place < PLAIN);
    match zeros.and_then(|place| place.checked_sub(others.len())) {
        Some(zeros) => format!("{sign}{digits}{}", "0".repeat(zeros)),
        None if others.is_empty() => format!("{sign}{first}e{place}"),
        None => format!("{sign}{first}.{others}e{place}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(argument: &str) -> String {
        let params = format!(r#"{{"name":"a","arguments":{{"a":{argument}}}}}"#);
        canonical(&RawParams::parse(params).unwrap())
    }

    /// Numbers that are one: all have this spelling.
    fn check(numbers: &[&str], expected: &str) {
        for number in numbers {
            assert_eq!(spell(number), expected, "{number}");
            assert_eq!(of(number), of(expected), "{number}");
        }
    }

    #[test]
    fn equal_numbers_have_one_spelling() {
        check(&["1", "1.0", "1e0", "10E-1", "0.1e+1", "0.001e3"], "1");
        check(&["0", "0.0", "0e9"], "0");
        check(&["-10", "-1e1", "-10.00"], "-10");
        check(&["0.1", "0.10", "1e-1"], "1e-1");
        check(&["1234.5", "12345e-1"], "1.2345e3");
        check(&["100000000000000000000", "1e20"], "1e20");
        check(
            &["18446744073709551615", "18446744073709551615.0"],
            "18446744073709551615",
        );
        check(&["1e400", "10e399", "0.1e401"], "1e400");
        check(&["1e99999999999999999999"], "1e99999999999999999999");
    }

    #[test]
    fn numbers_that_are_one_as_floats_stay_apart() {
        for (one, other) in [
            ("18446744073709551616", "18446744073709551617"),
            ("-9223372036854775809", "-9223372036854775810"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567891",
            ),
            ("9007199254740993.0", "9007199254740992.0"),
            ("0.1", "0.10000000000000000001"),
            ("1e-400", "0"),
        ] {
            assert_ne!(of(one), of(other), "{one} {other}");
            assert_ne!(of(&format!("[{one}]")), of(&format!("[{other}]")));
        }
    }

    #[test]
    fn a_string_is_no_number_whatever_it_says() {
        for (number, text) in [("1", r#""1""#), ("1", r#""n1""#), ("1", r#""t1""#)] {
            assert_ne!(of(number), of(text));
        }
        let members = r#"{"n1":"\\\"2","t":"\\","":"3"}"#;
        let expected = r#""arguments":{"a":{"":"3","n1":"\\\"2","t":"\\"}},"name":"a""#;
        assert_eq!(of(members), expected);
    }

    proptest! {
        #[test]
        fn integers_are_written_out(number: u64) {
            prop_assert_eq!(spell(&number.to_string()), number.to_string());
        }

        #[test]
        fn a_float_is_spelled_as_its_shortest(number in -1e6_f64..1e6) {
            prop_assume!(number.fract() != 0.0);
            prop_assert_eq!(spell(&number.to_string()), format!("{number:e}"));
        }
    }
}
