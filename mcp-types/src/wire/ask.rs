//! What a server asks with a request of its own, and what it is answered, per revision.

use std::{borrow::Cow, fmt};

use super::encode_params;
use crate::{
    elicitation::{ElicitParams, ElicitResult},
    encode::{At, Encode},
    input::{InputRequest, InputResponse, Question},
    raw::{RawJson, RawParams},
    revision::{Era, Revision},
    sampling::{CreateMessageParams, SamplingBlock, SamplingContent},
};

/// Something that the revision has no words for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsupported {
    /// What it is: `a form with a field of several choices`.
    pub what: Cow<'static, str>,
    /// The revision.
    pub revision: Revision,
}

impl Unsupported {
    pub(crate) fn new(what: impl Into<Cow<'static, str>>, revision: Revision) -> Self {
        Self {
            what: what.into(),
            revision,
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, revision } = self;
        write!(f, "{what} cannot be said in revision {revision}")
    }
}

impl std::error::Error for Unsupported {}

/// Writes the parameters of an ask for `revision`: of a request of its own up to 2025-11-25, of an entry of
/// `inputRequests` at 2026-07-28.
///
/// # Errors
/// When the revision has no such ask, or no words for a part that must not be lost.
pub fn encode_ask(request: &InputRequest, revision: Revision) -> Result<RawParams, Unsupported> {
    match &request.question {
        Question::Elicit(params) => elicit(params, revision),
        Question::Sample(params) => {
            sample(params, revision)?;
            Ok(encode_params(&**params, revision))
        }
        Question::Roots(params) => Ok(params
            .as_ref()
            .map_or_else(RawParams::empty, |params| encode_params(params, revision))),
        Question::Other { method, params } => {
            if revision.era() == Era::Legacy {
                return Err(Unsupported::new(format!("`{method}`"), revision));
            }
            Ok(params
                .as_ref()
                .and_then(|params| RawParams::from_serialize(params).ok())
                .unwrap_or_default())
        }
    }
}

fn elicit(params: &ElicitParams, at: Revision) -> Result<RawParams, Unsupported> {
    let refuse = |what: &'static str| Err(Unsupported::new(what, at));
    if at < Revision::V2025_06_18 {
        return refuse("`elicitation/create`");
    }
    match params {
        ElicitParams::Form(form) if at == Revision::V2025_06_18 => {
            let mut form = form.clone();
            form.requested_schema = form.requested_schema.for_june_2025()?;
            Ok(encode_params(&form, at))
        }
        ElicitParams::Url(_) if at == Revision::V2025_06_18 => {
            refuse("an elicitation by an address")
        }
        ElicitParams::Other(_) if at == Revision::V2025_06_18 => {
            refuse("an elicitation of an unknown mode")
        }
        ElicitParams::Url(url) if at == Revision::V2025_11_25 && url.elicitation_id.is_none() => {
            refuse("an elicitation by an address without an `elicitation_id`; set one, it")
        }
        params => Ok(encode_params(params, at)),
    }
}

fn sample(params: &CreateMessageParams, at: Revision) -> Result<(), Unsupported> {
    if at >= Revision::V2025_11_25 {
        return Ok(());
    }
    if params.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
        return Err(Unsupported::new("sampling with tools", at));
    }
    let contents = params.messages.iter().map(|message| &message.content);
    contents
        .into_iter()
        .try_for_each(|content| one_plain_block(content, at))
}

/// One block, of a type that is not about tools.
fn one_plain_block(content: &SamplingContent, at: Revision) -> Result<(), Unsupported> {
    match content.blocks() {
        [SamplingBlock::ToolUse(_)] => Err(Unsupported::new("a `tool_use` block", at)),
        [SamplingBlock::ToolResult(_)] => Err(Unsupported::new("a `tool_result` block", at)),
        [_] => Ok(()),
        blocks => Err(Unsupported::new(
            format!("a message of {} blocks", blocks.len()),
            at,
        )),
    }
}

/// Writes the answer to an ask for `revision`.
///
/// # Errors
/// When the revision has no words for a part that must not be lost.
pub fn encode_answer(response: &InputResponse, at: Revision) -> Result<RawJson, Unsupported> {
    match response {
        InputResponse::Elicit(_) if at < Revision::V2025_06_18 => {
            return Err(Unsupported::new("an answer to `elicitation/create`", at));
        }
        InputResponse::Elicit(result) if at == Revision::V2025_06_18 => several(result, at)?,
        InputResponse::Sample(result) if at < Revision::V2025_11_25 => {
            one_plain_block(&result.content, at)?;
        }
        _ => {}
    }
    Ok(write(response, at))
}

fn several(result: &ElicitResult, at: Revision) -> Result<(), Unsupported> {
    let mut values = result.content.iter().flat_map(|content| content.iter());
    if values.any(|(_, value)| value.as_str().starts_with('[')) {
        return Err(Unsupported::new("several choices in one field", at));
    }
    Ok(())
}

fn write<T: Encode>(value: &T, at: Revision) -> RawJson {
    // Vocabulary always becomes JSON.
    RawJson::from_serialize(&At(value, at)).unwrap_or_else(|_| RawJson::null())
}
