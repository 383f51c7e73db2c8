//! The vocabulary of the Model Context Protocol: envelope, revisions, methods and messages.
//!
//! One domain model in the words of revision 2026-07-28 stands for all six revisions: it is read
//! leniently (an unknown member, hint or enum value never costs a message, and is kept), and
//! written strictly, for the [`Revision`] that was negotiated ([`wire`]).
//!
//! Used alone, it makes an inspector of messages in twenty lines (`examples/inspect.rs`): of each line of a log it says
//! what it is, at which revisions it is valid, and what is wrong with it at the others.
//!
//! ```
//! use std::collections::HashMap;
//!
//! use bytes::Bytes;
//! use mcp_types::{Message, Method, RequestId, Revision, inspect::judge, jsonrpc};
//!
//! fn inspect(line: &str, asked: &mut HashMap<RequestId, Method>) -> String {
//!     let message = match jsonrpc::decode(&Bytes::copy_from_slice(line.as_bytes())) {
//!         Ok(message) => message,
//!         Err(malformed) => return format!("no message: {malformed}, at `{}`", malformed.path),
//!     };
//!     let answers = match &message {
//!         Message::Request(it) => {
//!             asked.insert(it.id.clone(), it.method.clone());
//!             None
//!         }
//!         Message::Response(it) => it.id.as_ref().and_then(|id| asked.remove(id)),
//!         Message::Notification(_) => None,
//!     };
//!     let mut said = format!("{message}");
//!     for at in Revision::ALL {
//!         if let Err(wrong) = judge(&message, answers.as_ref(), at) {
//!             said += &format!("\n  {at}: {wrong}");
//!         }
//!     }
//!     said
//! }
//!
//! let said = inspect(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &mut HashMap::new());
//! assert_eq!(said, "request 1 `ping`\n  2026-07-28: `ping` is no method of 2026-07-28, at `$.method`");
//! ```
//!
//! Not here: IO, time, policy. This crate runs anywhere serde does.
//!
//! | module | holds |
//! |---|---|
//! | [`jsonrpc`] | the envelope, its one-pass codec, ids, error objects |
//! | [`revision`] | the six revisions and the two eras |
//! | [`method`] | the one table of methods: direction, eras, results, headers |
//! | [`raw`] | JSON kept as it came: values, objects, parameters |
//! | [`meta`] | `_meta` of requests |
//! | [`capability`], [`lifecycle`] | who can do what; discovery, `initialize`, ping |
//! | [`content`], [`icon`] | content blocks, annotations, pictures |
//! | [`tool`], [`resource`], [`prompt`], [`completion`] | what a server offers |
//! | [`schema`] | JSON Schemas of tools: cleaned for hosts, and judged by their rules |
//! | [`elicitation`], [`sampling`], [`roots`] | what a server may ask for |
//! | [`input`] | how it asks, in either era |
//! | [`task`], [`subscription`], [`logging`], [`notification`] | work that goes on, and news of it |
//! | [`page`], [`cache`] | lists in pages, answers that may be reused |
//! | [`name`] | names that are valid by construction |
//! | [`outcome`] | what a request ends in |
//! | [`params`] | what a request or notification says, by its method |
//! | [`inspect`] | at which revisions a message is valid, and what is wrong with it at others |
//! | [`strict`] | JSON that every reader understands alike |
//! | [`wire`] | encoders: what leaves, per revision |

#[macro_use]
mod object;
#[macro_use]
mod word;

pub mod cache;
pub mod capability;
pub mod completion;
pub mod content;
pub mod elicitation;
pub mod encode;
pub mod icon;
pub mod input;
pub mod inspect;
pub mod jsonrpc;
pub mod lifecycle;
pub mod logging;
pub mod meta;
pub mod method;
pub mod name;
pub mod notification;
pub mod outcome;
pub mod page;
pub mod params;
mod path;
pub mod prompt;
pub mod raw;
pub mod resource;
pub mod revision;
pub mod roots;
pub mod sampling;
pub mod schema;
#[cfg(test)]
mod specification;
pub mod strict;
pub mod subscription;
pub mod task;
pub mod tool;
pub mod wire;

pub use crate::jsonrpc::{ErrorCode, ErrorObject, Message, RequestId};
pub use crate::meta::RequestMeta;
pub use crate::method::Method;
pub use crate::outcome::{Outcome, Payload};
pub use crate::raw::{RawJson, RawObject, RawParams};
pub use crate::revision::{Era, Revision};
