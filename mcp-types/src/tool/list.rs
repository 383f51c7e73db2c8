//! `tools/list`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{
    encode::Encode,
    raw::{RawJson, RawObject},
    revision::Revision,
};

object! {
    /// Which page of a list.
    #[derive(Default)]
    pub struct ListToolsParams {
        /// Where the page before ended; none for the first.
        cursor: Option<String> = "cursor", optional;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// One page of tools.
    #[derive(Default)]
    pub struct ListToolsResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// The tools.
        tools: Vec<Tool> = "tools", list;
        /// Where the next page starts; none on the last.
        next_cursor: Option<String> = "nextCursor", hint;
        /// For how many milliseconds the page may be reused.
        ttl_ms: Option<u64> = "ttlMs", hint, since V2026_07_28;
        /// Who may reuse it.
        cache_scope: Option<CacheScope> = "cacheScope", hint, since V2026_07_28;
        /// Free members about the result.
        meta: Option<RawObject> = "_meta", hint;
    }
}

object! {
    /// A tool, as a client and its model see it.
    pub struct Tool {
        /// Its name, unique on its server.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What it does, for the model.
        description: Option<String> = "description", hint;
        /// What it takes: a JSON Schema with `type: "object"`.
        input_schema: RawJson = "inputSchema", required;
        /// What its structured content looks like: a JSON Schema.
        output_schema: Option<RawJson> = "outputSchema", hint, since V2025_06_18;
        /// Hints about its behaviour.
        annotations: Option<ToolAnnotations> = "annotations", hint, since V2025_03_26;
        /// How it may be run (task support); kept in every revision that can carry it.
        execution: Option<RawObject> = "execution", hint, since V2025_11_25;
        /// Pictures that stand for it: an array.
        icons: Option<RawJson> = "icons", hint, since V2025_11_25;
        /// Free members about the tool.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Tool {
    /// A tool that takes what `input_schema` says.
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Hints about a tool's behaviour. They bind nobody: trust them as far as the server.
    #[derive(Default)]
    pub struct ToolAnnotations {
        /// A name for people.
        title: Option<String> = "title", hint;
        /// It changes nothing.
        read_only_hint: Option<bool> = "readOnlyHint", hint;
        /// It may destroy something.
        destructive_hint: Option<bool> = "destructiveHint", hint;
        /// Running it twice is the same as running it once.
        idempotent_hint: Option<bool> = "idempotentHint", hint;
        /// It reaches beyond its server.
        open_world_hint: Option<bool> = "openWorldHint", hint;
    }
}

/// Who may reuse a cached answer (2026-07-28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheScope {
    /// Anyone, whoever asked.
    Public,
    /// Only the one whose authorization was presented.
    Private,
}

impl CacheScope {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

impl Serialize for CacheScope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Encode for CacheScope {
    fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for CacheScope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "public" => Ok(Self::Public),
            "private" => Ok(Self::Private),
            other => Err(D::Error::custom(format_args!(
                "unknown cache scope `{other}`"
            ))),
        }
    }
}
