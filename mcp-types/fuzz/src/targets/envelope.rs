//! The envelope: what is decoded can be written, and reads back as what it was.

use bytes::Bytes;
use mcp_types::{
    Message,
    jsonrpc::{self, ErrorId, Flaw, Malformed},
};

/// One message, and a batch.
pub(crate) fn envelope(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    match jsonrpc::decode(&bytes) {
        Err(malformed) => judged(&malformed),
        Ok(message) => {
            let once = written(&message);
            let again = jsonrpc::decode(&once).expect("what is written can be read");
            // Line breaks between tokens became spaces, and nothing else changed.
            if !data.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                assert_eq!(message, again);
            }
            assert_eq!(written(&again), once);
        }
    }
    match jsonrpc::decode_batch(&bytes, 8) {
        Err(malformed) => judged(&malformed),
        Ok(messages) => {
            assert!((1..=8).contains(&messages.len()));
            messages
                .iter()
                .filter_map(|it| it.as_ref().err())
                .for_each(judged);
        }
    }
}

fn judged(malformed: &Malformed) {
    assert!(malformed.path.starts_with('$'), "{malformed:?}");
    if let Some(answer) = malformed.answer() {
        let mut out = Vec::new();
        let id = malformed
            .id
            .clone()
            .map_or(ErrorId::Omitted, ErrorId::Known);
        jsonrpc::write_error(&id, &answer, &mut out);
        let read = jsonrpc::decode(&out.into());
        assert!(matches!(read, Ok(Message::Response(_))), "{malformed:?}");
    }
    if malformed.flaw == Flaw::TooDeep {
        assert!(malformed.path.len() > 3, "{malformed:?}");
    }
}

fn written(message: &Message) -> Bytes {
    let mut out = Vec::new();
    match message {
        Message::Request(request) => {
            let (id, method) = (&request.id, request.method.as_str());
            jsonrpc::write_request(id, method, &request.params, None, &mut out);
        }
        Message::Notification(it) => {
            jsonrpc::write_notification(it.method.as_str(), &it.params, &mut out);
        }
        Message::Response(response) => match (&response.body, &response.id) {
            (Ok(result), Some(id)) => jsonrpc::write_result(id, result, &mut out),
            (Ok(_), None) => panic!("a result without an id"),
            (Err(error), id) => {
                let id = id.clone().map_or(ErrorId::Omitted, ErrorId::Known);
                jsonrpc::write_error(&id, error, &mut out);
            }
        },
    }
    assert!(!out.contains(&b'\n'), "a message is one line");
    out.into()
}
