//! What a host on HTTP can be told.

use std::{sync::Arc, time::Duration};

use mcp_transport::{Clock, clock::SystemClock};

use super::events::EventStore;
use crate::{policy::LegacyMode, proto::sessions::SessionLimits};

/// The settings of one host.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) legacy: LegacyMode,
    pub(super) sessions: SessionLimits,
    pub(super) clock: Arc<dyn Clock>,
    /// Whether probes of health are answered.
    pub(super) health: bool,
    /// Whether HTTP+SSE is served.
    pub(super) pair: bool,
    /// Where clients of it see the path for messages, if not beside the stream.
    pub(super) messages: Option<String>,
    /// Where events of legacy streams are kept.
    pub(super) store: Option<Arc<dyn EventStore>>,
    /// When a client is to come back to a stream that was closed.
    pub(super) retry: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            legacy: LegacyMode::default(),
            sessions: SessionLimits::default(),
            clock: Arc::new(SystemClock),
            health: false,
            pair: false,
            messages: None,
            store: None,
            retry: Duration::from_secs(1),
        }
    }
}
