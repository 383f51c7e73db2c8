//! Tools and what they make, where members move or change their shape.

use super::{
    Stamp, TextMirror, output,
    result::{set, write},
};
use crate::{
    content::ContentBlock,
    encode::At,
    raw::RawJson,
    revision::Revision,
    tool::{CallToolResult, Tool},
};

/// What a sieve cannot do: members that move, or change their shape.
pub(super) fn fit(tool: &mut Tool, at: Revision) {
    // 2025-03-26 has no `title` on a tool, but a place for it in the annotations.
    if at == Revision::V2025_03_26
        && let Some(title) = tool.title.take()
    {
        let annotations = tool.annotations.get_or_insert_default();
        annotations.title.get_or_insert(title);
    }
    if output::must_be_object(at)
        && let Some(schema) = tool
            .output_schema
            .take_if(|schema| output::wraps_output(schema))
    {
        tool.output_schema = Some(output::wrap_schema(&schema));
    }
}

pub(super) fn call_tool(mut result: CallToolResult, stamp: &Stamp<'_>) -> RawJson {
    let at = stamp.revision;
    if at == Revision::V2024_10_07 {
        return tool_result(result);
    }
    mirror(&mut result, stamp);
    if output::must_be_object(at) {
        // No failure is described by the tool's schema.
        let wrapped = stamp.wrapped_output && !result.failed();
        result.structured_content = result.structured_content.map(|value| {
            if wrapped || !value.is_object() {
                output::wrap_value(&value)
            } else {
                value
            }
        });
    }
    write(&At(&result, at))
}

/// Puts structured content into the content as text, or takes it out, for readers that know no structure, or show only
/// the content.
fn mirror(result: &mut CallToolResult, stamp: &Stamp<'_>) {
    let Some(value) = &result.structured_content else {
        return;
    };
    let is_mirror = |block: &ContentBlock| matches!(block, ContentBlock::Text(text) if text.text == value.as_str());
    let has_structure = stamp.revision >= Revision::V2025_06_18;
    match stamp.mirror {
        TextMirror::Never if has_structure => {
            if !result.failed() {
                result.content.retain(|block| !is_mirror(block));
            }
        }
        TextMirror::Always if !result.failed() => {
            if !result.content.iter().any(is_mirror) {
                result.content.push(ContentBlock::text(value.as_str()));
            }
        }
        _ => {
            if result.content.is_empty() {
                result.content.push(ContentBlock::text(value.as_str()));
            }
        }
    }
}

/// 2024-10-07 has one member, `toolResult`, for whatever a tool made. `isError` is not in its schema,
/// but that is open, and a failure must not pass for a success.
fn tool_result(result: CallToolResult) -> RawJson {
    let failed = result.failed();
    let mut object = result.extra;
    let has_newer_words = !result.content.is_empty() || result.structured_content.is_some();
    // One that an old server gave stands, unless there are newer words too.
    if has_newer_words || !object.contains("toolResult") {
        let made = result
            .structured_content
            .unwrap_or_else(|| write(&At(&result.content, Revision::V2024_10_07)));
        object.set("toolResult", made);
    }
    if failed {
        set(&mut object, "isError", &true);
    }
    if let Some(meta) = result.meta {
        set(&mut object, "_meta", &meta);
    }
    write(&object)
}
