//! Texts as types.

use std::{collections::BTreeMap, fmt::Debug};

use serde::Deserialize;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
struct Page {
    id: u32,
    ratio: Option<f64>,
    draft: Option<bool>,
    kind: Option<Kind>,
    #[serde(default)]
    tag: String,
    name: Option<Name>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Post,
    Note,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Name(String);

fn get<T: DeserializeOwned>(texts: &[(&str, &str)]) -> Result<T, String> {
    read(texts.iter().copied()).map_err(|error| error.to_string())
}

#[test]
fn each_text_becomes_what_its_field_wants() {
    let page = get::<Page>(&[
        ("id", "7"),
        ("ratio", "0.5"),
        ("draft", "true"),
        ("kind", "note"),
        ("tag", "12"),
        ("name", "n"),
        ("unknown", "x"),
    ]);
    let expected = Page {
        id: 7,
        ratio: Some(0.5),
        draft: Some(true),
        kind: Some(Kind::Note),
        tag: "12".into(),
        name: Some(Name("n".into())),
    };
    assert_eq!(page, Ok(expected));
    let bare = get::<Page>(&[("id", "7")]).unwrap();
    assert_eq!((bare.ratio, bare.tag.as_str()), (None, ""));
    let all = get::<BTreeMap<String, String>>(&[("a", "1"), ("b", "x")]).unwrap();
    assert_eq!(all["a"], "1");
    let any = get::<serde_json::Value>(&[("a", "1")]).unwrap();
    assert_eq!(any, serde_json::json!({"a": "1"}));
}

#[test]
fn what_does_not_fit_is_named() {
    #[track_caller]
    fn check<T: DeserializeOwned + Debug>(texts: &[(&str, &str)], expected: &str) {
        assert_eq!(get::<T>(texts).unwrap_err(), expected);
    }
    check::<Page>(&[], "missing field `id`");
    check::<Page>(
        &[("id", "x")],
        "`id` is `x`, expected an integer from 0 of 32 bits",
    );
    check::<Page>(
        &[("id", "-1")],
        "`id` is `-1`, expected an integer from 0 of 32 bits",
    );
    check::<Page>(
        &[("id", "1"), ("draft", "yes")],
        "`draft` is `yes`, expected `true` or `false`",
    );
    check::<Page>(
        &[("id", "1"), ("kind", "x")],
        "`kind` is `x`, expected one of `post`, `note`",
    );
    let long = "é".repeat(5_000);
    let error = get::<Page>(&[("id", &long)]).unwrap_err();
    assert!(error.len() < 300, "{}", error.len());
}
