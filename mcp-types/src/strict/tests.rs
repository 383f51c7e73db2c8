//! Strict text beside an oracle made of serde_json's own parts, and the places of flaws.

use proptest::prelude::*;

use super::*;
use crate::strict::tests::oracle::oracle;

#[path = "../../fuzz/src/targets/oracle.rs"]
mod oracle;

fn flawed(text: &str, flaw: StrictFlaw, path: &str) {
    let NotStrict {
        flaw: got,
        path: at,
        ..
    } = check(text, 8).expect_err(text);
    assert_eq!((got, at.as_str()), (flaw, path), "{text}");
}

#[test]
fn a_flaw_is_named_with_its_place() {
    use StrictFlaw::{DuplicateMember, LoneSurrogate, NumberRange, Syntax, TooDeep};
    flawed(r#"{"a":1,"a":2}"#, DuplicateMember, "$.a");
    flawed(r#"{"a":1,"\u0061":2}"#, DuplicateMember, "$.a");
    flawed(
        r#"{"b":[0,{"x":{"a":1,"b":2,"a":3}}]}"#,
        DuplicateMember,
        "$.b[1].x.a",
    );
    flawed(r#"{"b":1,"a":1,"c":0,"b":2,"a":2}"#, DuplicateMember, "$.b");
    flawed(
        r#"{"params":{"arguments":{"a":[1,2,3,1e999]}}}"#,
        NumberRange,
        "$.params.arguments.a[3]",
    );
    flawed("-1e309", NumberRange, "$");
    flawed(&"9".repeat(309), NumberRange, "$");
    flawed(&format!("[{}]", "9".repeat(5_000)), NumberRange, "$[0]");
    flawed(r#"["\ud800"]"#, LoneSurrogate, "$[0]");
    flawed(r#"["ok","\udc00\ud800"]"#, LoneSurrogate, "$[1]");
    flawed(r#"{"a":"\ud800x"}"#, LoneSurrogate, "$.a");
    flawed(r#"{"a":"\ud800\n"}"#, LoneSurrogate, "$.a");
    flawed(r#"{"a":"\ud800\ud800"}"#, LoneSurrogate, "$.a");
    flawed(r#"{"a":{"\ud800":1}}"#, LoneSurrogate, "$.a");
    flawed("[[[[[[[[[", TooDeep, "$[0][0][0][0][0][0][0][0]");
    flawed(r#"{"a":[1,2}"#, Syntax, "$.a[1]");
    flawed(r#"{"a b":[01]}"#, Syntax, r#"$["a b"][0]"#);
    flawed("{\"\":nul}", Syntax, r#"$[""]"#);
    flawed("", Syntax, "$");
}

#[test]
fn what_a_reader_only_comes_near_to_passes() {
    for text in [
        "-0",
        "0.1",
        "1e308",
        "1e-999",
        "9007199254740993",
        "18446744073709551616",
        "0.00000000000000000000000000001e300",
        r#""\ud83d\ude00\u0000\/""#,
        r#"{"a":{"a":[{"a":1},{"a":2}]}}"#,
        " [ ] ",
    ] {
        assert_eq!(check(text, 8), Ok(()), "{text}");
    }
    assert_eq!(check(&"9".repeat(308), 8), Ok(()));
}

#[test]
fn nesting_ends_at_the_callers_limit_and_never_beyond_128() {
    for depth in [0, 1, 2, 64, 127, 128, 129, 1_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for limit in [0, 1, 2, 127, 128, 129, 1_000] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let deep = depth > limit.min(MAX_DEPTH);
                let expected = if deep {
                    Err(StrictFlaw::TooDeep)
                } else {
                    Ok(())
                };
                assert_eq!(
                    check(&text, limit).map_err(|e| e.flaw),
                    expected,
                    "{depth} {limit}"
                );
            }
        }
    }
}

#[test]
fn long_paths_and_names_are_cut() {
    let text = format!("{{\"{}\":{}", "n".repeat(200), "[".repeat(200));
    let path = check(&text, 128).unwrap_err().path;
    let expected = format!("$[\"{}…\"]{}…", "n".repeat(64), "[0]".repeat(31));
    assert_eq!(path.as_str(), expected);
}

#[test]
fn an_object_is_an_object() {
    let check = |text: &str, expected: Option<StrictFlaw>| {
        let got = check_object(text, 3).err().map(|error| error.flaw);
        assert_eq!(got, expected, "{text}");
    };
    check(" {} ", None);
    check("[]", Some(StrictFlaw::NotObject));
    check("\t1", Some(StrictFlaw::NotObject));
    check(r#""{}""#, Some(StrictFlaw::NotObject));
    check("{} {}", Some(StrictFlaw::Syntax));
    check(r#"{"a":{"b":{"c":{}}}}"#, Some(StrictFlaw::TooDeep));
    check(r#"{"a":{"b":{}}}"#, None);
}

#[test]
fn a_value_is_read_only_if_it_is_strict() {
    assert_eq!(decode::<Vec<u8>>("[1,2]", 8), Ok(vec![1, 2]));
    let flaw = |text| decode::<Vec<u8>>(text, 8).unwrap_err().flaw;
    assert_eq!(flaw("[256]"), StrictFlaw::Shape);
    assert_eq!(flaw(r#"[1,{"a":1,"a":2}]"#), StrictFlaw::DuplicateMember);
}

#[test]
fn many_members_cost_no_more_than_sorting_them() {
    let members: Vec<String> = (0..200_000).map(|at| format!("\"{at}\":0")).collect();
    assert_eq!(check(&format!("{{{}}}", members.join(",")), 8), Ok(()));
    let text = format!("{{{},\"7\":0}}", members.join(","));
    flawed(&text, StrictFlaw::DuplicateMember, r#"$["7"]"#);
}

#[test]
fn the_message_names_place_and_remedy() {
    let message = check(r#"{"a":[1e999]}"#, 8).unwrap_err().to_string();
    assert_eq!(
        message,
        "a number beyond ±1.8e308; send it as text at `$.a[0]`"
    );
}

/// Texts that are JSON, or nearly.
fn nearly_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        r#"-?(0|[1-9][0-9]{0,2})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?"#,
        r#""([a-c]|\\u[dD][89a-fA-F][0-9a-f]{2}|\\n|\\|é|😀|\\u00e9){0,4}""#,
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("01".to_owned()),
        Just("\"\u{1}\"".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(" ,"))),
            prop::collection::vec((r#"[ab]|\\u0061|c{8,40}"#, inner), 0..4).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("\"{name}\" :{value}"))
                    .collect();
                format!("{{{}}}", members.join(",\n"))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn strict_is_what_the_oracle_says(text in nearly_json(), cut in any::<prop::sample::Index>(), put in "[\\[\\]{},:\"0\\\\ ]?") {
        prop_assert_eq!(check(&text, 4).is_ok(), oracle(&text, 4), "{}", text);
        let mut broken: Vec<char> = text.chars().collect();
        broken.splice(cut.index(broken.len())..=cut.index(broken.len()), put.chars());
        let broken: String = broken.into_iter().collect();
        prop_assert_eq!(check(&broken, 4).is_ok(), oracle(&broken, 4), "{}", broken);
    }

    #[test]
    fn a_text_ends_where_its_quote_stands(before in "[a-zé😀 ]{0,80}", after in "[a-z\"]{0,40}") {
        let text = format!("[\"{before}\",\"{}\"]", after.replace('"', "\\\""));
        prop_assert_eq!(check(&text, 1), Ok(()));
    }
}
