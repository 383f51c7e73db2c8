//! What fills the blanks of a resource template or a prompt, for its handler.

use std::sync::Arc;

use mcp_errors::ProtocolError;
use mcp_types::Revision;
use serde::de::DeserializeOwned;

use crate::{answer::Answer, call::Call, failed::invalid, handler::FromCall, proto::texts};

/// What fills the blanks of a resource template, read as a `T`; percent-encoding is undone.
///
/// A number or truth value is read from its text, and an `Option` is `None` where the address leaves the blank out. An
/// address whose values do not fit names no resource: the client is told that there is none.
///
/// ```
/// # use mcp_server::{ResourceTemplate, Vars};
/// # use serde::Deserialize;
/// #[derive(Deserialize)]
/// struct Post { id: u32 }
///
/// async fn post(Vars(Post { id }): Vars<Post>) -> String {
///     format!("Post number {id}")
/// }
/// let template = ResourceTemplate::new("blog://posts/{id}", post);
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Vars<T>(pub T);

impl<T: DeserializeOwned> FromCall for Vars<T> {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        read(call).map_or_else(
            || {
                let kind = std::any::type_name::<T>();
                tracing::error!(
                    kind,
                    "only resource templates and prompts have blanks to fill"
                );
                Err(Box::new(Answer::error(ProtocolError::internal().into())))
            },
            |read| read.map(Self),
        )
    }
}

/// The address that is read, as the client wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart by pattern"
)]
pub struct Uri(pub String);

impl FromCall for Uri {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let uri = call.params.decode_member("uri").ok().flatten();
        uri.map(Self).ok_or_else(|| {
            tracing::error!("only the handler of a resource can take its address");
            Box::new(Answer::error(ProtocolError::internal().into()))
        })
    }
}

/// Texts by name, on their way to a handler.
#[derive(Debug, Clone)]
pub(crate) struct Texts(pub(crate) Arc<[(Box<str>, Box<str>)]>);

/// The texts of a call, read as a `T`; `None` if it is one that has none.
pub(crate) fn read<T: DeserializeOwned>(call: &Call) -> Option<Result<T, Box<Answer>>> {
    let Texts(texts) = call.ext.get()?;
    let pairs = texts.iter().map(|(name, text)| (&**name, &**text));
    let read = texts::read(pairs).map_err(|error| {
        let answer = if call.method == "resources/read" {
            let uri: Option<String> = call.params.decode_member("uri").ok().flatten();
            not_found(&uri.unwrap_or_default(), call.revision())
        } else {
            Answer::error(invalid(format!("Invalid arguments: {error}")))
        };
        Box::new(answer)
    });
    Some(read)
}

/// There is no such resource, in the words of `revision`.
pub(crate) fn not_found(uri: &str, revision: Revision) -> Answer {
    Answer::error(ProtocolError::resource_not_found(uri).into_object(revision))
}
