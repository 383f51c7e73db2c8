//! Caching hints: how long an answer may be reused, and by whom (2026-07-28).
//!
//! Source: the specification's page *Caching*. The results of methods that
//! [`MethodSpec::cacheable`](crate::method::MethodSpec::cacheable) marks carry `ttlMs`, a number of
//! milliseconds from 0 on, and `cacheScope`. A hint that cannot be read is none.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{encode::Encode, revision::Revision};

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
