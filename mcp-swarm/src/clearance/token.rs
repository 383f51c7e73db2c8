//! Takes the delegation token off a request, so that nobody behind sees it.

use mcp_server::Call;
use mcp_transport::http::HeaderMap;

use crate::proto::forward::DELEGATION_KEY;
use crate::proto::token::{DELEGATION_HEADER, HandoffAuthCode, HandoffAuthError};

/// The token, `None` where there is none or an empty one.
///
/// # Errors
/// `INVALID_DELEGATION_TOKEN` where it is no text, comes twice, or header and `_meta` differ. It is gone from the call all the same.
pub(super) fn take(call: &mut Call) -> Result<Option<String>, HandoffAuthError> {
    let header = header(call.ext.get_mut::<HeaderMap>());
    let member = member(call);
    match (header?, member?) {
        (Some(header), Some(member)) if header != member => Err(invalid()),
        (header, member) => Ok(header.or(member)),
    }
}

fn header(headers: Option<&mut HeaderMap>) -> Result<Option<String>, HandoffAuthError> {
    let Some(headers) = headers else {
        return Ok(None);
    };
    let values: Vec<_> = headers
        .get_all(DELEGATION_HEADER)
        .into_iter()
        .cloned()
        .collect();
    headers.remove(DELEGATION_HEADER);
    match &values[..] {
        [] => Ok(None),
        [value] => match value.to_str() {
            Ok("") => Ok(None),
            Ok(token) => Ok(Some(token.to_owned())),
            Err(_) => Err(invalid()),
        },
        _ => Err(invalid()),
    }
}

fn member(call: &mut Call) -> Result<Option<String>, HandoffAuthError> {
    // `Call::meta` stands for the member of the parameters, which would keep the token.
    if call.params.get("_meta").is_some() {
        call.params = call.params.without("_meta");
    }
    let mut members = call.meta.as_object().clone();
    let Some(token) = members.remove(DELEGATION_KEY) else {
        return Ok(None);
    };
    call.meta = members.into();
    match token.decode::<Option<String>>() {
        Ok(token) => Ok(token.filter(|token| !token.is_empty())),
        Err(_) => Err(invalid()),
    }
}

fn invalid() -> HandoffAuthError {
    HandoffAuthError::new(HandoffAuthCode::Invalid)
}
