//! What is asked: a method and its parameters.

use std::{fmt, marker::PhantomData};

use mcp_types::{
    RawJson, RawParams,
    lifecycle::EmptyParams,
    method::{self, RequestType},
    tool::{CallToolParams, ListToolsParams},
};
use serde::Serialize;

use crate::error::What;

/// A request of the kind `M` with its parameters. Parameters that cannot be sent fail the call, not this.
pub struct Ask<M: RequestType> {
    pub(super) params: Result<RawParams, String>,
    name: Option<String>,
    kind: PhantomData<fn() -> M>,
}

/// Runs a tool.
pub type CallTool = Ask<method::CallTool>;
/// One page of tools; [`Client::list_tools`](crate::Client::list_tools) gives them all.
pub type ListTools = Ask<method::ListTools>;
/// Is a legacy server alive?
pub type Ping = Ask<method::Ping>;

impl<M: RequestType> Ask<M> {
    /// With these parameters.
    pub fn with(params: &M::Params) -> Self {
        Self {
            params: RawParams::from_serialize(params)
                .map_err(|error| format!("the parameters are not a JSON object: {error}")),
            name: None,
            kind: PhantomData,
        }
    }

    pub(super) fn what(&self) -> What {
        What::of::<M>(self.name.clone())
    }
}

impl Ask<method::CallTool> {
    /// Runs the tool `name` with `args`: anything that becomes a JSON object, or `()` for none.
    pub fn new(name: impl Into<String>, args: impl Serialize) -> Self {
        let name = name.into();
        let arguments = match RawJson::from_serialize(&args) {
            Ok(value) if value.is_object() => Ok(Some(value)),
            Ok(value) if value.as_str() == "null" => Ok(None),
            Ok(_) => Err("a tool's arguments are a JSON object: pass a struct or a map".to_owned()),
            Err(error) => Err(format!("the arguments are not JSON: {error}")),
        };
        let mut params = CallToolParams::new(name.clone());
        let mut ask = match arguments {
            Ok(arguments) => {
                params.arguments = arguments;
                Self::with(&params)
            }
            Err(why) => Self {
                params: Err(why),
                name: None,
                kind: PhantomData,
            },
        };
        ask.name = Some(name);
        ask
    }
}

impl Ask<method::ListTools> {
    /// The first page.
    pub fn new() -> Self {
        Self::with(&ListToolsParams::default())
    }

    /// The page at `cursor`, which the page before named.
    pub fn after(cursor: &str) -> Self {
        Self::with(&ListToolsParams {
            cursor: Some(cursor.to_owned()),
            ..ListToolsParams::default()
        })
    }
}

impl Default for Ask<method::ListTools> {
    fn default() -> Self {
        Self::new()
    }
}

impl Ask<method::Ping> {
    /// A ping.
    pub fn new() -> Self {
        Self::with(&EmptyParams::default())
    }
}

impl Default for Ask<method::Ping> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: RequestType> fmt::Debug for Ask<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ask({})", self.what())
    }
}
