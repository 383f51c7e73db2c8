//! What is written reads back the same, on one line, whatever it holds.

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::Value;

use super::super::*;
use crate::{
    method::Method,
    raw::{RawJson, RawParams},
};

fn on_one_line(out: &[u8]) -> Message {
    assert!(!out.iter().any(|byte| matches!(byte, b'\n' | b'\r')));
    decode(&Bytes::copy_from_slice(out)).unwrap()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn ids() -> impl Strategy<Value = RequestId> {
    prop_oneof![
        any::<i64>().prop_map(RequestId::from),
        ".*".prop_map(RequestId::from),
        "[0-9]{1,4}".prop_map(RequestId::from),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300_f64).prop_map(Value::from),
        ".*".prop_map(Value::from),
        Just(Value::from("l1\nl2\r\nl3\r\u{2028}\u{0}\u{7f}\"\\")),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// JSON text with line breaks between its tokens, as a handler's file may have them.
fn pretty() -> impl Strategy<Value = String> {
    json().prop_map(|value| {
        serde_json::to_string_pretty(&value)
            .unwrap()
            .replace('\n', "\r\n")
    })
}

fn params() -> impl Strategy<Value = RawParams> {
    prop::collection::btree_map(".*", pretty(), 0..4).prop_map(|members| {
        let empty = RawParams::empty();
        members.iter().fold(empty, |params, (name, text)| {
            params.with(name, &RawJson::parse(text.clone()).unwrap())
        })
    })
}

fn same(ours: &RawParams, theirs: &RawParams) -> bool {
    let values = |params: &RawParams| -> Vec<(String, Value)> {
        let members = params.iter();
        members
            .map(|(name, text)| (name.to_owned(), value(text)))
            .collect()
    };
    values(ours) == values(theirs)
}

proptest! {
    #[test]
    fn a_request(id in ids(), method in ".*", params in params(), meta in prop::option::of(pretty())) {
        // `_meta` is an object wherever it is written.
        let meta = meta.map(|text| format!("{{\r\n\"k\": {text}}}"));
        let mut out = Vec::new();
        write_request(&id, &method, &params, meta.as_deref(), &mut out);
        let Message::Request(request) = on_one_line(&out) else { panic!("no request") };
        prop_assert_eq!(&request.id, &id);
        prop_assert_eq!(&request.method, &Method::from(&*method));
        prop_assert_eq!(request.params.get("_meta").map(value), meta.as_deref().map(value).or_else(|| params.get("_meta").map(value)));
        prop_assert!(same(&request.params.without("_meta"), &params.without("_meta")));
    }

    #[test]
    fn a_notification(method in ".*", params in params()) {
        let mut out = Vec::new();
        write_notification(&method, &params, &mut out);
        let Message::Notification(notification) = on_one_line(&out) else { panic!("no notification") };
        prop_assert_eq!(&notification.method, &Method::from(&*method));
        prop_assert!(same(&notification.params, &params));
    }

    #[test]
    fn a_result(id in ids(), result in pretty()) {
        let mut out = Vec::new();
        write_result(&id, &RawJson::parse(result.clone()).unwrap(), &mut out);
        let Message::Response(response) = on_one_line(&out) else { panic!("no response") };
        prop_assert_eq!(response.id, Some(id));
        prop_assert_eq!(value(response.body.unwrap().as_str()), value(&result));
    }

    #[test]
    fn an_error(id in prop::option::of(ids()), code in any::<i64>(), message in ".*", data in prop::option::of(pretty())) {
        let mut error = ErrorObject::new(ErrorCode(code), message);
        error.data = data.map(|text| RawJson::parse(text).unwrap());
        let mut out = Vec::new();
        let written = id.clone().map_or(ErrorId::Null, ErrorId::Known);
        write_error(&written, &error, &mut out);
        let Message::Response(response) = on_one_line(&out) else { panic!("no response") };
        prop_assert_eq!(response.id, id);
        let back = response.body.unwrap_err();
        prop_assert_eq!((back.code, &back.message), (error.code, &error.message));
        let data = |error: &ErrorObject| error.data.as_ref().map(|data| value(data.as_str()));
        prop_assert_eq!(data(&back), data(&error));
    }

    #[test]
    fn no_bytes_make_the_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = Bytes::from(bytes);
        let _ = decode(&bytes).map_err(|malformed| malformed.answer());
        let _ = decode_batch(&bytes, 4);
    }

    #[test]
    fn no_json_makes_the_reader_fall_over(text in pretty()) {
        let parsed = decode(&Bytes::from(text));
        prop_assert!(parsed.map_err(|malformed| malformed.flaw) != Err(Flaw::NotJson));
    }
}

#[test]
fn the_id_of_an_error_may_be_null_or_absent() {
    let written = |id: ErrorId| {
        let mut out = Vec::new();
        write_error(
            &id,
            &ErrorObject::new(ErrorCode::PARSE_ERROR, "x"),
            &mut out,
        );
        String::from_utf8(out).unwrap()
    };
    let error = r#""error":{"code":-32700,"message":"x"}"#;
    assert_eq!(
        written(ErrorId::Null),
        format!(r#"{{"jsonrpc":"2.0","id":null,{error}}}"#)
    );
    assert_eq!(
        written(ErrorId::Omitted),
        format!(r#"{{"jsonrpc":"2.0",{error}}}"#)
    );
    assert_eq!(
        written(ErrorId::Known("7".into())),
        format!(r#"{{"jsonrpc":"2.0","id":"7",{error}}}"#)
    );
}

#[test]
fn nothing_is_added_to_what_is_forwarded() {
    let text = r#"{"jsonrpc":"2.0","id":7,"method":"x/y","params":{"n":1.50,"big":12345678901234567890,"s":"\u00e9\/"}}"#;
    let Ok(Message::Request(request)) = decode(&Bytes::from_static(text.as_bytes())) else {
        panic!("no request");
    };
    let mut out = Vec::new();
    write_request(
        &request.id,
        request.method.as_str(),
        &request.params,
        None,
        &mut out,
    );
    assert_eq!(String::from_utf8(out).unwrap(), text);
}

/// BL-053, BL-010.
#[test]
fn control_characters_come_back_unchanged() {
    let text = "a\u{0}b\u{1}c\u{7f}d\u{1b}e\nf\r\n";
    let mut out = Vec::new();
    let result = RawJson::from_serialize(&[text]).unwrap();
    write_result(&RequestId::from(1), &result, &mut out);
    let Message::Response(response) = on_one_line(&out) else {
        panic!("no response");
    };
    let back: Vec<String> = response.body.unwrap().decode().unwrap();
    assert_eq!(back, [text]);
}
