//! Caching hints: how long a client may reuse an answer, and for whom (2026-07-28).

use std::time::Duration;

use mcp_types::cache::CacheScope;

/// For how long an answer may be reused, and for whom.
///
/// What says nothing may not be reused: 0 ms, private. Where what a caller sees depends on who it is, as with tools that
/// not everyone sees, the scope stays private whatever the hint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHint {
    /// For how long; whole milliseconds are told.
    pub ttl: Duration,
    /// For whom.
    pub scope: CacheScope,
}

impl CacheHint {
    /// The same for everyone: a shared cache may hold it.
    pub const fn public(ttl: Duration) -> Self {
        let scope = CacheScope::Public;
        Self { ttl, scope }
    }

    /// For the caller alone.
    pub const fn private(ttl: Duration) -> Self {
        let scope = CacheScope::Private;
        Self { ttl, scope }
    }

    pub(crate) fn ttl_ms(self) -> u64 {
        u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for CacheHint {
    fn default() -> Self {
        Self::private(Duration::ZERO)
    }
}

/// A list of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `prompts/list`.
    Prompts,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
}

/// The hints of a server: for all lists and discovery, and for single lists.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Caching {
    pub(crate) server: CacheHint,
    lists: [Option<CacheHint>; 4],
}

impl Caching {
    pub(crate) fn set(&mut self, list: List, hint: CacheHint) {
        self.lists[list as usize] = Some(hint);
    }

    pub(crate) fn of(&self, list: List) -> CacheHint {
        self.lists[list as usize].unwrap_or(self.server)
    }
}
