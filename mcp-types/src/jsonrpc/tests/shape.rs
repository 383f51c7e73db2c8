//! Which text is which message: every subset of members, every odd id, every odd shape.

use bytes::Bytes;

use super::super::*;

fn read(text: impl AsRef<[u8]>) -> Result<Message, Malformed> {
    decode(&Bytes::copy_from_slice(text.as_ref()))
}

fn refused(text: impl AsRef<[u8]>) -> (MalformedKind, Flaw) {
    let malformed = read(text.as_ref()).expect_err(&String::from_utf8_lossy(text.as_ref()));
    (malformed.kind, malformed.flaw)
}

/// A message as a word: `request 1`, `notification`, `result 1`, `error 1`, `error`.
fn word(message: &Message) -> String {
    match message {
        Message::Request(request) => format!("request {:?}", request.id),
        Message::Notification(_) => "notification".to_owned(),
        Message::Response(ResponseMessage { id, body }) => {
            let body = if body.is_ok() { "result" } else { "error" };
            id.as_ref()
                .map_or_else(|| body.to_owned(), |id| format!("{body} {id:?}"))
        }
    }
}

const MEMBERS: [(&str, &str); 6] = [
    ("jsonrpc", r#""2.0""#),
    ("id", "1"),
    ("method", r#""x/y""#),
    ("params", r#"{"a":1}"#),
    ("result", r#"{"b":2}"#),
    ("error", r#"{"code":-1,"message":"no"}"#),
];

/// What JSON-RPC 2.0 and MCP say about a message with these members, each well formed.
fn oracle(there: [bool; 6]) -> Result<&'static str, (MalformedKind, Flaw)> {
    use MalformedKind::{Invalid, Response};
    let kind = match there {
        [_, _, false, _, true, _] | [_, _, false, _, _, true] => Response,
        _ => Invalid,
    };
    // `params` never matters: a response may have any other member.
    match there {
        [false, ..] => Err((kind, Flaw::Version)),
        [_, _, true, _, true, _] | [_, _, true, _, _, true] => Err((kind, Flaw::MethodAndResult)),
        [_, true, true, _, false, false] => Ok("request Number(1)"),
        [_, false, true, _, false, false] => Ok("notification"),
        [_, _, false, _, true, true] => Err((kind, Flaw::ResultAndError)),
        [_, true, false, _, true, false] => Ok("result Number(1)"),
        [_, false, false, _, true, false] => Err((kind, Flaw::ResultWithoutId)),
        [_, true, false, _, false, true] => Ok("error Number(1)"),
        [_, false, false, _, false, true] => Ok("error"),
        [_, _, false, _, false, false] => Err((kind, Flaw::NoMember)),
    }
}

#[test]
fn every_subset_of_members_in_either_order() {
    for bits in 0..64_u8 {
        let there = std::array::from_fn(|at| bits & (1 << at) != 0);
        let mut members: Vec<String> = MEMBERS
            .iter()
            .zip(there)
            .filter(|(_, there)| *there)
            .map(|((name, value), _)| format!("\"{name}\":{value}"))
            .collect();
        for _ in 0..2 {
            let text = format!("{{{}}}", members.join(","));
            match (read(&text), oracle(there)) {
                (Ok(message), Ok(expected)) => assert_eq!(word(&message), expected, "{text}"),
                (Err(malformed), Err(expected)) => {
                    assert_eq!((malformed.kind, malformed.flaw), expected, "{text}");
                    assert_eq!(malformed.id.is_some(), there[1], "{text}");
                    let answered = malformed.kind != MalformedKind::Response;
                    assert_eq!(malformed.answer().is_some(), answered, "{text}");
                }
                (got, expected) => panic!("{text}: {got:?}, not {expected:?}"),
            }
            members.reverse();
        }
    }
}

/// D28, BL-022, BL-025, BL-036.
#[test]
fn ids_are_strings_or_integers_and_keep_their_kind() {
    let check = |id: &str, expected: Option<RequestId>| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        match expected {
            Some(expected) => match read(&text) {
                Ok(Message::Request(request)) => assert_eq!(request.id, expected, "{id}"),
                other => panic!("{id}: {other:?}"),
            },
            None => {
                let malformed = read(&text).unwrap_err();
                assert_eq!(
                    (malformed.flaw, malformed.id.clone()),
                    (Flaw::Id, None),
                    "{id}"
                );
                let answer = malformed.answer().unwrap();
                assert_eq!(answer.code, ErrorCode::INVALID_REQUEST, "{id}");
            }
        }
    };
    check("1", Some(RequestId::Number(1)));
    check("0", Some(RequestId::Number(0)));
    check("-1", Some(RequestId::Number(-1)));
    check(r#""1""#, Some(RequestId::from("1")));
    check(r#""""#, Some(RequestId::from("")));
    check(r#""\u0031""#, Some(RequestId::from("1")));
    check(r#""null""#, Some(RequestId::from("null")));
    check("9223372036854775807", Some(RequestId::Number(i64::MAX)));
    check("-9223372036854775808", Some(RequestId::Number(i64::MIN)));
    for bad in [
        "null",
        "true",
        "false",
        "1.5",
        "1.0",
        "1e3",
        "9223372036854775808",
        "18446744073709551616",
        "1e999",
        "[]",
        "[1]",
        "{}",
    ] {
        check(bad, None);
    }
    assert_ne!(RequestId::from(1), RequestId::from("1"));
}

#[test]
fn a_response_says_whom_it_answers_unless_it_is_an_error() {
    let check = |text: &str, expected: Result<&str, Flaw>| {
        let got = read(text);
        assert_eq!(
            got.as_ref()
                .map(word)
                .map_err(|malformed| (malformed.kind, malformed.flaw)),
            expected
                .map(str::to_owned)
                .map_err(|flaw| (MalformedKind::Response, flaw)),
            "{text}"
        );
    };
    let error = r#""error":{"code":-32700,"message":"x"}"#;
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":null,{error}}}"#),
        Ok("error"),
    );
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":"a",{error}}}"#),
        Ok(r#"error String("a")"#),
    );
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1.5,{error}}}"#),
        Err(Flaw::Id),
    );
    check(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Err(Flaw::Id));
    check(r#"{"jsonrpc":"2.0","id":true,"result":{}}"#, Err(Flaw::Id));
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}"#,
        Err(Flaw::ErrorShape),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}"#,
        Err(Flaw::ErrorShape),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}}"#,
        Err(Flaw::ErrorShape),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
        Err(Flaw::ErrorShape),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
        Ok("error Number(1)"),
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        Ok("result Number(1)"),
    );
}

/// D18, D19, BL-030, BL-031, BL-050.
#[test]
fn what_is_no_message_is_named() {
    use MalformedKind::{Batch, Invalid, Parse};
    let check = |text: &[u8], kind, flaw| {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(refused(text), (kind, flaw), "{shown}");
    };
    for text in [
        "{oops not json",
        "",
        " ",
        "{",
        "{\"jsonrpc\":\"2.0\"",
        "nul",
        "{} {}",
        "{},",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}x",
        "{\"jsonrpc\":\"2.0\",\"id\":50,\"method\":\"x\",\"params\":{\"a\":NaN}}",
        "{\"jsonrpc\":\"2.0\",\"id\":51,\"method\":\"x\",\"params\":{\"a\":-Infinity}}",
        "{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"x\"}",
        "{'jsonrpc':'2.0'}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"a\u{1}b\"}",
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    ] {
        check(text.as_bytes(), Parse, Flaw::NotJson);
    }
    check(b"\"\xff\xfe\"", Parse, Flaw::NotUtf8);
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}",
        Parse,
        Flaw::NotUtf8,
    );
    for text in ["1", "-1.5", "\"x\"", "null", "true"] {
        check(text.as_bytes(), Invalid, Flaw::NotObject);
    }
    for text in ["[]", "[{}]", " [1, 2] "] {
        check(text.as_bytes(), Batch, Flaw::Batch);
    }
    for version in ["\"1.0\"", "\"2\"", "2.0", "2", "null", "\"2.0 \""] {
        let text = format!(r#"{{"jsonrpc":{version},"id":1,"method":"x"}}"#);
        check(text.as_bytes(), Invalid, Flaw::Version);
    }
    for method in ["1", "null", "[]", "{}", "true", r#""\ud800""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":{method}}}"#);
        check(text.as_bytes(), Invalid, Flaw::Method);
    }
    for params in ["null", "[]", "[1,2]", "1", "\"x\"", "true"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{params}}}"#);
        check(text.as_bytes(), Invalid, Flaw::Params);
    }
}

#[test]
fn the_answer_has_the_code_of_the_kind_and_tells_why() {
    let check = |text: &[u8], expected: &str| {
        let answer = read(text).unwrap_err().answer();
        assert_eq!(answer.map(|error| error.to_string()).unwrap(), expected);
    };
    check(
        b"{oops",
        "Parse error: not JSON at line 1, column 2 (-32700)",
    );
    check(b"\xff", "Parse error: the text is not UTF-8 (-32700)");
    check(
        b"[]",
        "Invalid request: a batch is not allowed here; send one message at a time (-32600)",
    );
    check(b"7", "Invalid request: a message is a JSON object (-32600)");
    check(
        br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
        "Invalid request: member `id` stands twice (-32600)",
    );
}

#[test]
fn a_member_that_stands_twice_is_refused_however_it_is_spelled() {
    for (name, value) in MEMBERS {
        let others = MEMBERS[..3].iter().filter(|(other, _)| *other != name);
        let others: String = others
            .map(|(name, value)| format!("\"{name}\":{value},"))
            .collect();
        let escaped = format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
        let text = format!(r#"{{{others}"{name}":{value},"{escaped}":{value}}}"#);
        assert_eq!(refused(&text).1, Flaw::DuplicateMember, "{text}");
    }
    for params in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{params}}}"#);
        assert_eq!(refused(&text).1, Flaw::DuplicateMember, "{text}");
    }
    // Members that mean nothing here may stand as often as they like.
    assert!(read(r#"{"jsonrpc":"2.0","id":1,"method":"x","y":1,"y":2}"#).is_ok());
}

/// BL-044.
#[test]
fn names_are_compared_exactly_after_their_escapes() {
    let params = |text: &str| match read(text) {
        Ok(Message::Request(request)) => request.params,
        other => panic!("{text}: {other:?}"),
    };
    let escaped = r#"{"json\u0072pc":"\u0032.0","i\u0064":1,"metho\u0064":"pin\u0067","\u0070arams":{"\u0061":1}}"#;
    assert_eq!(params(escaped).get("a"), Some("1"));
    let alike = "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"x\",\"params\":{\"a\":\"safe\"},\"param\u{17f}\":{\"a\":\"evil\"}}";
    assert_eq!(params(alike).get("a"), Some("\"safe\""));
    for text in [
        r#"{"jsonrpc":"2.0","ID":1,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id ":1,"method":"x"}"#,
    ] {
        assert_eq!(word(&read(text).unwrap()), "notification", "{text}");
    }
    assert_eq!(
        refused(r#"{"JSONRPC":"2.0","id":1,"method":"x"}"#).1,
        Flaw::Version
    );
}

/// BL-047.
#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth: usize, open: &str, close: &str| {
        // The message and its params are two of them.
        let inner = depth - 2;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}1{}}}}}"#,
            open.repeat(inner),
            close.repeat(inner)
        )
    };
    for (open, close) in [("[", "]"), ("{\"b\":", "}")] {
        assert!(read(nested(MAX_DEPTH, open, close)).is_ok(), "{open}");
        assert_eq!(
            refused(nested(MAX_DEPTH + 1, open, close)),
            (MalformedKind::Parse, Flaw::TooDeep),
            "{open}"
        );
    }
    assert_eq!(refused("[".repeat(100_000)).1, Flaw::TooDeep);
    assert_eq!(refused("{\"a\":".repeat(60_000)).1, Flaw::TooDeep);
    let in_text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":"{}\"{}"}}}}"#,
        "[".repeat(500),
        "{".repeat(500)
    );
    assert!(read(in_text).is_ok());
    // Brackets that closed again do not count.
    let wide = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":[{}1]}}}}"#,
        "[],".repeat(500)
    );
    assert!(read(wide).is_ok());
}

#[test]
fn white_space_around_a_message_is_none_of_it() {
    assert!(read("\t \r\n{ \"jsonrpc\" : \"2.0\" ,\n\"id\":1, \"method\" :\"x\" }\r\n ").is_ok());
}

/// D19.
#[test]
fn a_batch_is_judged_element_by_element() {
    let batch = |text: &str, limit| decode_batch(&Bytes::copy_from_slice(text.as_bytes()), limit);
    let words = |text: &str| -> Vec<String> {
        let elements = batch(text, 64).unwrap();
        let word = |element: &Result<Message, Malformed>| match element {
            Ok(message) => word(message),
            Err(malformed) => format!("{:?}", malformed.flaw),
        };
        elements.iter().map(word).collect()
    };
    assert_eq!(
        words(
            r#" [{"jsonrpc":"2.0","id":1,"method":"x"}, 1, [], {"jsonrpc":"2.0","method":"x"},
            {"jsonrpc":"2.0","id":"1","result":{}}, {"id":1,"method":"x"}] "#
        ),
        [
            "request Number(1)",
            "NotObject",
            "Batch",
            "notification",
            "result String(\"1\")",
            "Version"
        ]
    );
    let flaw = |text: &str, limit| batch(text, limit).unwrap_err().flaw;
    assert_eq!(flaw("[]", 64), Flaw::BatchLength);
    assert_eq!(flaw("[1,2,3]", 2), Flaw::BatchLength);
    assert_eq!(batch("[1,2,3]", 3).unwrap().len(), 3);
    assert_eq!(flaw("{}", 64), Flaw::BatchLength);
    assert_eq!(flaw("[1", 64), Flaw::NotJson);
    assert_eq!(flaw("[1] 2", 64), Flaw::NotJson);
    assert_eq!(flaw(&"[".repeat(200), 64), Flaw::TooDeep);
    let malformed = batch(&format!("[{}1]", "1,".repeat(99_999)), 64).unwrap_err();
    assert_eq!(
        malformed.to_string(),
        "a batch holds 1 to 64 messages, not 100000; send fewer at a time"
    );
    assert_eq!(malformed.answer().unwrap().code, ErrorCode::INVALID_REQUEST);
}

#[test]
fn a_flaw_says_where_it_is() {
    let check = |text: &str, flaw: Flaw, path: &str| {
        let malformed = read(text).unwrap_err();
        assert_eq!((malformed.flaw, &*malformed.path), (flaw, path), "{text}");
    };
    let call = |rest: &str| format!(r#"{{"jsonrpc":"2.0","method":"x/y",{rest}}}"#);
    check("", Flaw::NotJson, "$");
    check("5", Flaw::NotObject, "$");
    check("-1.5e3", Flaw::NotObject, "$");
    check("[]", Flaw::Batch, "$");
    let path = format!("${}…", "[0]".repeat(32));
    check(&"[".repeat(200), Flaw::TooDeep, &path);
    check(
        &call(r#""params":{"a":[1,01]}"#),
        Flaw::NotJson,
        "$.params.a[1]",
    );
    check(r#"{"method":"x/y"}"#, Flaw::Version, "$.jsonrpc");
    check(r#"{"jsonrpc":"2.0","method":5}"#, Flaw::Method, "$.method");
    check(r#"{"jsonrpc":"2.0"}"#, Flaw::NoMember, "$");
    check(&call(r#""id":1.5"#), Flaw::Id, "$.id");
    check(&call(r#""id":1,"id":1"#), Flaw::DuplicateMember, "$.id");
    for params in ["5", "1.5", "[]", r#""x""#, "null"] {
        check(
            &call(&format!(r#""params":{params}"#)),
            Flaw::Params,
            "$.params",
        );
    }
    check(
        &call(r#""params":{"name":1,"n\u0061me":2}"#),
        Flaw::DuplicateMember,
        "$.params.name",
    );
    check(
        &call(r#""params":{"a/b":1,"a/b":2}"#),
        Flaw::DuplicateMember,
        r#"$.params["a/b"]"#,
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
        Flaw::ErrorShape,
        "$.error",
    );
    check(
        r#"{"jsonrpc":"2.0","result":{}}"#,
        Flaw::ResultWithoutId,
        "$.id",
    );
    let batch = r#"[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":{},"method":"x"},7]"#;
    let read = decode_batch(&Bytes::from(batch), 3).unwrap();
    let paths: Vec<_> = read
        .iter()
        .map(|read| read.as_ref().err().map(|malformed| &*malformed.path))
        .collect();
    assert_eq!(paths, [None, Some("$[1].id"), Some("$[2]")]);
}
