//! Results as a server of an old revision words them, read in the words of the newest.

use crate::{
    content::ContentBlock,
    method::RequestType,
    raw::{RawJson, RawObject},
    revision::{Era, Revision},
};

/// Reads the complete result of a request of the kind `M` that a peer sent in revision `at`.
///
/// Legacy servers may put what a tool made into `toolResult`, the one member that 2024-10-07 has for it; it becomes
/// `content`, or `structuredContent` with its text as content.
///
/// # Errors
/// When the result has another shape.
pub fn decode_result<M: RequestType>(
    result: &RawJson,
    at: Revision,
) -> Result<M::Result, serde_json::Error> {
    match (M::METHOD, at.era()) {
        ("tools/call", Era::Legacy) => match unfold(result) {
            Some(unfolded) => RawJson::from_serialize(&unfolded)?.decode(),
            None => result.decode(),
        },
        _ => result.decode(),
    }
}

/// The result without `toolResult`, if that is all that it has.
fn unfold(result: &RawJson) -> Option<RawObject> {
    // Most results have no such member, and need no second look.
    if !result.as_str().contains("\"toolResult\"") {
        return None;
    }
    let mut object: RawObject = result.decode().ok()?;
    if object.contains("content") || object.contains("structuredContent") {
        return None;
    }
    let made = object.remove("toolResult")?;
    match made.decode::<Vec<ContentBlock>>() {
        Ok(blocks) if !blocks.is_empty() => object.set("content", made),
        _ => {
            let text = made
                .decode::<String>()
                .unwrap_or_else(|_| made.as_str().to_owned());
            let content = RawJson::from_serialize(&[ContentBlock::text(text)]).ok()?;
            object.set("content", content);
            object.set("structuredContent", made);
        }
    }
    Some(object)
}
