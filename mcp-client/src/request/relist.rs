//! The headers that mirror a call's arguments, and the second try when they are out of date.
//!
//! A server that wants other headers than it did refuses the call unrun (-32020). Its list tells what it wants now
//! (2026-07-28, basic/transports/streamable-http#client-behavior).

use std::{pin::Pin, time::Instant};

use mcp_errors::Failure;
use mcp_transport::{
    Request,
    proto::{headers::BadParam, mirror::ParamHeaders},
};
use mcp_types::ErrorCode;

use crate::client::Client;

/// Furnishes a `tools/call` with the headers that its tool wants, and keeps a copy if it may have to go out again.
pub(super) fn mirror(
    client: &Client,
    request: &mut Request,
) -> Result<Option<Box<Request>>, BadParam> {
    let Some(mirrors) = client.mirrors().filter(|_| request.method == "tools/call") else {
        return Ok(None);
    };
    let headers = mirrors.headers(&request.params)?;
    drop(mirrors);
    let mirrored = !headers.is_empty();
    if mirrored {
        request.ext.insert(headers);
    }
    let keep = mirrored || client.is_over_http();
    Ok(keep.then(|| Box::new(request.clone())))
}

/// A call that waits for the list, and then goes out again or ends as it did.
pub(super) type Relisting = Pin<Box<dyn Future<Output = Result<Request, Failure>> + Send>>;

/// Whether the server says that the headers differ from the body.
pub(super) fn is_refused(failure: &Failure) -> bool {
    let error = failure.peer_error();
    error.is_some_and(|error| error.code == ErrorCode::HEADER_MISMATCH)
}

/// Lists the tools, and gives the request back with other headers; if there are none, the failure.
pub(super) fn relist(
    client: Client,
    mut request: Box<Request>,
    failure: Failure,
    deadline: Instant,
) -> Relisting {
    Box::pin(async move {
        let left = deadline.saturating_duration_since(client.clock().now());
        if client.list_tools_within(left).await.is_err() {
            return Err(failure);
        }
        let headers = client
            .mirrors()
            .and_then(|mirrors| mirrors.headers(&request.params).ok());
        let before = request.ext.get::<ParamHeaders>().cloned();
        match headers {
            Some(headers) if headers != before.unwrap_or_default() => {
                tracing::debug!("the tool wants other headers now; the call is sent again");
                request.ext.insert(headers);
                Ok(*request)
            }
            _ => Err(failure),
        }
    })
}
