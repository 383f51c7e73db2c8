//! Failures of tools: a result that says so, with the stable envelope.

use mcp_types::{RawJson, tool::CallToolResult};
use serde::Serialize;

use crate::answer::Answer;

/// Arguments that do not fit the tool.
pub(crate) fn bad_arguments(detail: &str) -> Answer {
    answer("bad_request", detail, Some(400))
}

fn answer(code: &'static str, error: &str, status: Option<u16>) -> Answer {
    let mut result = CallToolResult::text(error);
    result.is_error = Some(true);
    result.structured_content = RawJson::from_serialize(&Envelope {
        code,
        error,
        status,
    })
    .ok();
    Answer::new(result)
}

#[derive(Serialize)]
struct Envelope<'a> {
    code: &'a str,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
}
