//! The envelope of a tool's error, and a peer's JSON-RPC error.

use mcp_errors::{ProtocolError, ToolErrorEnvelope};
use mcp_types::{ErrorObject, Outcome, RawJson, Revision, tool::CallToolResult, wire};

/// What is read from a failed result reaches every revision whole, and comes back; a peer's error keeps its words.
pub(crate) fn tool_error(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(envelope) = serde_json::from_str::<ToolErrorEnvelope>(text) {
        let written = RawJson::from_serialize(&envelope).expect("an envelope is JSON");
        let again: ToolErrorEnvelope = written.decode().expect("and an envelope");
        assert_eq!(again, envelope);
        for revision in Revision::ALL {
            let result = ToolErrorEnvelope::fit(again.clone().into_result(), revision);
            let stamp = wire::Stamp::new(revision);
            let sent = wire::encode_outcome(Outcome::from(result), &stamp).expect("it is complete");
            let came: CallToolResult = sent.decode().expect("a result");
            assert_eq!(
                ToolErrorEnvelope::from_result(&came).as_ref(),
                Some(&envelope),
                "{revision}"
            );
        }
    }
    if let Ok(result) = serde_json::from_str::<CallToolResult>(text) {
        let found = ToolErrorEnvelope::from_result(&result);
        assert!(found.is_none() || result.failed());
    }
    if let Ok(object) = serde_json::from_str::<ErrorObject>(text) {
        let error = ProtocolError::from(object.clone());
        assert_eq!(error.message(), object.message);
        for revision in Revision::ALL {
            let sent = error.clone().into_object(revision);
            assert_eq!((&sent.message, &sent.data), (&object.message, &object.data));
            let again = ProtocolError::from(sent).into_object(revision);
            assert_eq!(again.code, error.code(revision), "{revision}");
        }
    }
}
