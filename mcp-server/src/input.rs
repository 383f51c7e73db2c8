//! Input: what a handler asks in the middle of a call.
//!
//! One line serves both eras:
//!
//! ```
//! # use mcp_server::{Context, Tool, ToolError};
//! async fn deploy(cx: Context) -> Result<String, ToolError> {
//!     if !cx.confirm("go", "Deploy the shop?").await? {
//!         return Ok("nothing was done".to_owned());
//!     }
//!     let build: u64 = cx.step("build", || async { Ok::<_, ToolError>(42) }).await?;
//!     Ok(format!("build {build} is live"))
//! }
//! let tool = Tool::new("deploy", deploy);
//! ```
//!
//! On a legacy connection an ask is a request to the client, and the handler waits. At 2026-07-28 the call ends with
//! the question, and the client makes it again with the answer: **the handler runs again from its beginning**, and
//! finds the answer where it asks. So what it does before an ask happens once a round. Three rules keep that
//! harmless:
//!
//! - effects stand after the last ask, or within [`Context::step`](crate::Context::step), whose outcome is kept;
//! - each question has a key of its own, always the same one;
//! - a "no" is an answer: [`Elicited::Declined`] is not asked again.
//!
//! Questions that do not need one another's answers are asked in one round, with `tokio::join!`.
//! [`InputPolicy::replay_check`] finds handlers that break the rules.
//!
//! What was answered so far travels with the client, sealed ([`KeyRing`]). A handler may also give back
//! [`InputRequired`](crate::types::input::InputRequired) and look at what came with
//! [`InputResponses`](crate::types::input::InputResponses) and [`RequestState`].
//!
//! Only `tools/call`, `prompts/get` and `resources/read` can ask.

mod asking;
mod drive;
mod error;
mod explicit;
mod extract;
mod form;
mod keys;
mod live;
mod outlive;
mod pending;
mod policy;
mod seal;
mod step;

pub(crate) use self::{
    asking::{Facts, Input},
    drive::{drive, pausing},
    form::form_of,
    pending::Pending,
    policy::{InputHost, own_clock},
    step::Within,
};
pub use self::{
    error::{AskError, MissingCapability},
    extract::{Elicited, RequestState, Round},
    keys::{KeyRing, MIN_SECRET_BYTES, StateKey, WeakKey},
    live::BackChannel,
    policy::InputPolicy,
};
