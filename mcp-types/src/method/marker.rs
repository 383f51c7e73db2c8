//! Which parameters go with a request, and which result comes back.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    encode::Encode,
    lifecycle::{DiscoverResult, EmptyParams, EmptyResult, InitializeParams, InitializeResult},
    tool::{CallToolParams, CallToolResult, ListToolsParams, ListToolsResult},
};

/// A kind of request. Implement it for methods of your own.
pub trait RequestType {
    /// The method's name.
    const METHOD: &'static str;
    /// What is sent: a JSON object.
    type Params: Serialize;
    /// What a complete result holds.
    type Result: DeserializeOwned;
}

macro_rules! markers {
    ($($(#[$meta:meta])* $Name:ident = $method:literal ($Params:ty) -> $Result:ty;)*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        pub struct $Name;

        impl RequestType for $Name {
            const METHOD: &'static str = $method;
            type Params = $Params;
            type Result = $Result;
        }

        const _: fn() = || {
            fn written_per_revision<T: Encode>() {}
            written_per_revision::<$Result>();
        };
    )* };
}

markers! {
    /// `server/discover`: what a modern server is and can do.
    Discover = "server/discover" (EmptyParams) -> DiscoverResult;
    /// `initialize`: opens a legacy connection.
    Initialize = "initialize" (InitializeParams) -> InitializeResult;
    /// `ping`: is the peer alive? Legacy only.
    Ping = "ping" (EmptyParams) -> EmptyResult;
    /// `tools/list`: one page of tools.
    ListTools = "tools/list" (ListToolsParams) -> ListToolsResult;
    /// `tools/call`: runs a tool.
    CallTool = "tools/call" (CallToolParams) -> CallToolResult;
}
