//! Tools: what `tools/list` says of them, and what `tools/call` takes and gives.
//!
//! Source: the specification's page *Tools*.

mod call;
mod list;

pub use self::{
    call::{CallToolParams, CallToolResult},
    list::{ListToolsParams, ListToolsResult, TaskSupport, Tool, ToolAnnotations},
};
pub use crate::cache::CacheScope;

#[cfg(test)]
mod tests;
