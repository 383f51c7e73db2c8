//! What a client is told when its conversation was handed over, and when it came back.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use mcp_types::tool::{CallToolResult, Tool};
use mcp_types::{RawJson, RawObject};
use serde::Serialize;
use serde_json::json;

use super::forward::TRUSTED_KEY;
use super::return_trip::{clean_summary, format_safe_return};
use super::sanitize;

/// The most characters of a tool's description in the text.
const MAX_LINE: usize = 120;

/// The most tools that the text names; all stand in the structured content.
const MAX_LINES: usize = 40;

/// A conversation that was handed over.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a message that its maker fills in"
)]
pub struct Handed<'a> {
    /// To whom.
    pub domain: &'a str,
    /// Why, already cleaned.
    pub reason: Option<&'a str>,
    /// What names it in a modern client's calls.
    pub handle: Option<&'a str>,
    /// When it ends if nobody uses it: RFC 3339.
    pub expires_at: &'a str,
    /// What the names of its tools begin with.
    pub prefix: &'a str,
    /// Its tools as they are shown, without the return tool.
    pub tools: &'a [Tool],
    /// The return tool's name.
    pub return_tool: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<&'a str>,
    domain: &'a str,
    state: &'static str,
    expires_at: &'a str,
    tool_prefix: &'a str,
    tools: Vec<&'a str>,
    return_tool: &'a str,
}

impl Handed<'_> {
    /// The result of the tool that handed over: text for the model, and `structuredContent`
    /// `{handoff: {handle?, domain, state: "active", expiresAt, toolPrefix, tools, returnTool}}`.
    pub fn result(&self) -> CallToolResult {
        let structured = Structured {
            handle: self.handle,
            domain: self.domain,
            state: "active",
            expires_at: self.expires_at,
            tool_prefix: self.prefix,
            tools: self.tools.iter().map(|tool| tool.name.as_str()).collect(),
            return_tool: self.return_tool,
        };
        let mut result = CallToolResult::text(self.text());
        result.structured_content = RawJson::from_serialize(&json!({"handoff": structured})).ok();
        result
    }

    fn text(&self) -> String {
        let mut text = format!(
            "The conversation is handed over to the specialist \"{}\".",
            self.domain
        );
        if let Some(reason) = self.reason {
            let _ = write!(text, " Reason: {reason}");
        }
        if let Some(handle) = self.handle {
            let _ = write!(
                text,
                "\nHandle: {handle}. Pass it as the argument `handoff` in every call of the tools below."
            );
        }
        text.push_str("\nGo on with its tools:");
        for tool in self.tools.iter().take(MAX_LINES) {
            let said = tool.description.as_deref().unwrap_or_default();
            let said = said.lines().next().unwrap_or_default();
            let _ = write!(text, "\n- {}: {}", tool.name, sanitize::cut(said, MAX_LINE));
        }
        if let Some(more) = self.tools.len().checked_sub(MAX_LINES + 1) {
            let _ = write!(text, "\n- and {} more", more + 1);
        }
        let _ = write!(
            text,
            "\nIt ends at {} unless it is used before. When the task is done, call {} with a summary.",
            self.expires_at, self.return_tool
        );
        text
    }
}

/// A conversation that came back from `from` to the gateway `to`, with the specialist's `summary`.
///
/// The text is an envelope around untrusted data; `structuredContent` is `{return: {from, to, summary, status:
/// "returned"}}`, and `_meta` says that it is not to be trusted.
pub fn returned(from: &str, to: &str, summary: &str) -> CallToolResult {
    let summary_text = clean_summary(summary);
    report(
        format_safe_return(summary, from),
        &json!({"from": from, "to": to, "summary": summary_text, "status": "returned"}),
    )
}

/// A return where nothing is handed over any more, `from` whom it was if that is known.
pub fn already_returned(from: Option<&str>, to: &str) -> CallToolResult {
    report(
        format!("The conversation is at the gateway \"{to}\" already: nothing is handed over."),
        &json!({"from": from, "to": to, "summary": "", "status": "already_returned"}),
    )
}

fn report(text: String, members: &serde_json::Value) -> CallToolResult {
    let mut result = CallToolResult::text(text);
    result.structured_content = RawJson::from_serialize(&json!({"return": members})).ok();
    let mut meta = RawObject::new();
    if let Ok(trusted) = RawJson::from_serialize(&false) {
        meta.set(TRUSTED_KEY, trusted);
    }
    result.meta = Some(meta);
    result
}
