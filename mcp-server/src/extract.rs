//! Extractors: what a handler can take beside its arguments.

use std::fmt;

use mcp_errors::{ProtocolError, ToolError};
use mcp_transport::http::HeaderMap;
use mcp_types::capability::Implementation;

use crate::{
    answer::Answer, call::Call, failed, handler::FromCall, path::clipped, principal::Principal,
};

/// A value that a layer or the host put into [`Call::ext`]. Without one the call fails with -32603, and
/// `Option<Extension<T>>` is `None`.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Extension<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromCall for Extension<T> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        call.ext.get().cloned().map(Self).ok_or_else(|| {
            let kind = std::any::type_name::<T>();
            tracing::error!(
                kind,
                "a handler wants an extension that no layer has put into the call"
            );
            Box::new(Answer::error(ProtocolError::internal().into()))
        })
    }
}

impl<T: Clone + Send + Sync + 'static> FromCall for Option<Extension<T>> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        Ok(call.ext.get().cloned().map(Extension))
    }
}

/// The headers of the HTTP request; none on other transports.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Headers(pub HeaderMap);

impl FromCall for Headers {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        Ok(Self(call.headers().cloned().unwrap_or_default()))
    }
}

/// Can be read from one header of an HTTP request.
///
/// ```
/// # use std::num::ParseIntError;
/// use mcp_server::{Header, Tool, extract::FromHeader};
///
/// struct Tenant(u32);
///
/// impl FromHeader for Tenant {
///     const NAME: &'static str = "x-tenant";
///     type Error = ParseIntError;
///
///     fn from_header(value: &str) -> Result<Self, ParseIntError> {
///         value.parse().map(Self)
///     }
/// }
///
/// async fn report(Header(Tenant(id)): Header<Tenant>) -> String {
///     format!("the report of tenant {id}")
/// }
/// let tool = Tool::new("report", report);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not read from a header",
    note = "implement `FromHeader` for it: the header's name, and how its value is read"
)]
pub trait FromHeader: Sized {
    /// The header's name, in small letters.
    const NAME: &'static str;
    /// What is wrong with a value, in words that its sender can read.
    type Error: fmt::Display;

    /// Reads a value.
    ///
    /// # Errors
    /// When it is none.
    fn from_header(value: &str) -> Result<Self, Self::Error>;
}

/// One header of the HTTP request, read as a `T`.
///
/// Where it is missing, comes twice or does not fit, the call fails as `bad_request` with the header's name. Other
/// transports have no headers; `Option<Header<T>>` is `None` where there is none.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Header<T>(pub T);

impl<T: FromHeader> FromCall for Header<T> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let missing = || {
            refused(
                call,
                ToolError::bad_request(format!("header `{}` is missing", T::NAME)),
            )
        };
        Option::<Self>::from_call(call)?.ok_or_else(missing)
    }
}

impl<T: FromHeader> FromCall for Option<Header<T>> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let Some(headers) = call.headers() else {
            return Ok(None);
        };
        let wrong = |reason: &str| {
            let reason = format!("header `{}`: {}", T::NAME, clipped(reason, 200));
            refused(call, ToolError::bad_request(reason))
        };
        let mut values = headers.get_all(T::NAME).iter();
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err(wrong("it comes more than once; send it once")),
            (Some(value), None) => {
                let text = value.to_str().map_err(|_| wrong("its value is no text"))?;
                let read = T::from_header(text).map_err(|error| wrong(&error.to_string()))?;
                Ok(Some(Header(read)))
            }
        }
    }
}

/// Who asks, as the client says: its name and version, which nobody has checked.
///
/// A legacy client says so in `initialize`, a modern one with each request, if it likes. Where it does not, the call
/// fails as `bad_request`, and `Option<ClientInfo>` is `None`.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct ClientInfo(pub Implementation);

impl FromCall for ClientInfo {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let missing = "the client does not say who it is: send `io.modelcontextprotocol/clientInfo` in `_meta`";
        let unknown = || refused(call, ToolError::bad_request(missing));
        Option::<Self>::from_call(call)?.ok_or_else(unknown)
    }
}

impl FromCall for Option<ClientInfo> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        Ok(call.meta.client_info().map(ClientInfo))
    }
}

/// Without one the call fails as `auth_failed`, and `Option<Principal>` is `None`.
impl FromCall for Principal {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let nobody = || {
            refused(
                call,
                ToolError::auth_failed("the call needs a caller who is known: sign in"),
            )
        };
        Option::<Self>::from_call(call)?.ok_or_else(nobody)
    }
}

impl FromCall for Option<Principal> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        Ok(call.ext.get().cloned())
    }
}

/// The answer to a call that lacks something: for a tool a result that says so, else an error.
fn refused(call: &Call, error: ToolError) -> Box<Answer> {
    Box::new(if call.method == "tools/call" {
        failed::of_tool(error)
    } else {
        failed::as_error(error)
    })
}
