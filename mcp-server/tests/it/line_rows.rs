//! Rows B3 to B21 of the table of threats that are about lines, as bytes in and bytes out. After each the connection
//! still serves.

use mcp_server::{Limits, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};

const PING: &str = r#"{"jsonrpc":"2.0","id":"after","method":"ping"}"#;

/// What comes back for `input` and a ping after it.
async fn lines(input: impl AsRef<[u8]>) -> Vec<Value> {
    let server = Server::new("s", "1").limits(Limits::default().with_server_line(200_000));
    let (ours, theirs) = duplex(1 << 20);
    let (reader, writer) = split(theirs);
    let client = async {
        let (mut read, mut write) = split(ours);
        for part in [input.as_ref(), b"\n", PING.as_bytes()] {
            write.write_all(part).await.unwrap();
        }
        write.shutdown().await.unwrap();
        let mut output = String::new();
        read.read_to_string(&mut output).await.unwrap();
        output
    };
    let (served, output) = tokio::join!(server.serve(reader, writer), client);
    served.unwrap();
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// That `input` has these answers: the id of each, and `ok` or its code.
async fn check(input: impl AsRef<[u8]>, expected: &[&str]) {
    let shown = String::from_utf8_lossy(&input.as_ref()[..input.as_ref().len().min(100)]);
    let told = lines(input.as_ref()).await.into_iter().map(|answer| {
        let code = answer["error"]["code"].as_i64();
        let code = code.map_or_else(|| "ok".to_owned(), |code| code.to_string());
        format!("{} {code}", answer["id"])
    });
    let mut told: Vec<String> = told.collect();
    assert_eq!(told.pop().as_deref(), Some("\"after\" ok"), "{shown}");
    assert_eq!(told, expected, "{shown}");
}

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

#[tokio::test]
async fn b3_a_line_without_end_is_skipped_to_its_newline() {
    check("x".repeat(200_001), &["null -32600"]).await;
    check("x".repeat(900_000), &["null -32600"]).await;
    let fits = ping("1").len();
    check(
        format!("{}{}", ping("1"), " ".repeat(200_000 - fits)),
        &["1 ok"],
    )
    .await;
    check(
        format!("{}{}", ping("1"), " ".repeat(200_001 - fits)),
        &["null -32600"],
    )
    .await;
}

#[tokio::test]
async fn b6_a_depth_bomb_is_a_parse_error() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{open}{close}}}}}"#)
    };
    check(nested(126), &["1 ok"]).await;
    for depth in [127, 1_000, 90_000] {
        check(nested(depth), &["null -32700"]).await;
    }
    check("[".repeat(100_000), &["null -32700"]).await;
}

#[tokio::test]
async fn b11_invalid_utf_8_is_a_parse_error() {
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
        &["null -32700"],
    )
    .await;
    check(b"\xff\xfe", &["null -32700"]).await;
}

#[tokio::test]
async fn b12_a_mark_counts_at_the_start_of_the_stream_alone() {
    check(format!("\u{feff}{}", ping("1")), &["1 ok"]).await;
    let later = format!("{}\n\u{feff}{}", ping("1"), ping("2"));
    check(later, &["1 ok", "null -32700"]).await;
}

#[tokio::test]
async fn b10_numbers_that_json_has_no_words_for_are_a_parse_error() {
    for number in ["NaN", "Infinity", "-Infinity", "+1", "01", ".5", "0x1"] {
        let params =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{number}}}}}"#);
        check(params, &["null -32700"]).await;
    }
}

#[tokio::test]
async fn b13_half_a_character_is_refused_where_it_is_read_and_the_connection_lives() {
    let method = r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#;
    check(method, &["1 -32600"]).await;
    let id = r#"{"jsonrpc":"2.0","id":"\udfff","method":"ping"}"#;
    check(id, &["null -32600"]).await;
    // What nobody reads is nobody's business.
    let unread = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#;
    check(unread, &["1 ok"]).await;
}

#[tokio::test]
async fn b14_control_characters_are_escaped_or_refused_and_only_lf_splits() {
    for byte in ["\0", "\u{1}", "\u{1f}"] {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"{byte}"}}}}"#);
        check(message, &["null -32700"]).await;
    }
    let separators = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"<>"}}"#;
    check(
        separators.replace("<>", "\u{2028}\u{2029}\u{85}"),
        &["1 ok"],
    )
    .await;
}

#[tokio::test]
async fn b16_blank_lines_and_crlf_are_nothing() {
    check(format!("\n\r\n \t\n{}\r\n\r\n", ping("1")), &["1 ok"]).await;
}

#[tokio::test]
async fn b17_json_that_is_no_message_is_refused_without_an_id() {
    for line in ["null", "true", "1", "\"text\"", "{}", "[]"] {
        check(line, &["null -32600"]).await;
    }
}

#[tokio::test]
async fn b19_an_id_that_is_none_is_refused_and_nothing_runs() {
    for id in ["null", "true", "1.5", "{}", "[]", "1e400"] {
        check(ping(id), &["null -32600"]).await;
    }
}

#[tokio::test]
async fn b20_ids_come_back_as_they_were() {
    let (text, number, zero) = (ping("\"1\""), ping("1"), ping("0"));
    check(
        format!("{text}\n{number}\n{zero}"),
        &["\"1\" ok", "1 ok", "0 ok"],
    )
    .await;
}

#[tokio::test]
async fn b21_a_wrong_version_of_json_rpc_is_refused_with_the_id() {
    check(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, &["7 -32600"]).await;
    check(r#"{"id":7,"method":"ping"}"#, &["7 -32600"]).await;
}

#[tokio::test]
async fn b7_a_member_that_stands_twice_is_refused() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"ping"}"#,
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#,
    ] {
        check(line, &["1 -32600"]).await;
    }
}

#[tokio::test]
async fn b8_names_are_compared_byte_by_byte() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"meth\u0000od":"ping"}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"me\u{17f}hod\":\"ping\"}",
    ] {
        check(line, &["1 -32600"]).await;
    }
    let other = r#"{"jsonrpc":"2.0","id":1,"ID":2,"method":"ping","Method":"x"}"#;
    check(other, &["1 ok"]).await;
}

/// `messages` as one batch.
fn batch(messages: &[String]) -> String {
    format!("[{}]", messages.join(","))
}

#[tokio::test]
async fn b18_a_batch_is_refused_whole_but_in_2025_03_26() {
    let pings: Vec<String> = (0..3).map(|id| ping(&id.to_string())).collect();
    check(batch(&pings), &["null -32600"]).await;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let params = format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}"#
        );
        let open =
            format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{params}}}"#);
        let told = lines(&format!("{open}\n{}", batch(&pings))).await;
        let expected = match revision {
            "2025-03-26" => json!([
                {"jsonrpc": "2.0", "id": 0, "result": {}},
                {"jsonrpc": "2.0", "id": 1, "result": {}},
                {"jsonrpc": "2.0", "id": 2, "result": {}},
            ]),
            _ => json!(-32600),
        };
        let answer = match told[1].is_array() {
            true => told[1].clone(),
            false => told[1]["error"]["code"].clone(),
        };
        assert_eq!(answer, expected, "{revision}");
        assert_eq!(told.len(), 3, "{revision}");
    }
}

#[tokio::test]
async fn b18_a_batch_has_64_members_at_most() {
    let params = r#"{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    let open = format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{params}}}"#);
    for (size, is_served) in [(64, true), (65, false)] {
        let pings: Vec<String> = (0..size).map(|id| ping(&id.to_string())).collect();
        let told = lines(&format!("{open}\n{}", batch(&pings))).await;
        assert_eq!(told[1].as_array().map(Vec::len), is_served.then_some(size));
        assert_eq!(told[1]["error"]["code"].is_null(), is_served);
    }
}
