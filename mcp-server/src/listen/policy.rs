//! How many may listen at once, to how much, and for how long.

use std::time::Duration;

/// Whether and how clients of 2026-07-28 hear of changes: `subscriptions/listen`. How many resources one subscription may
/// name is [`Limits::subscriptions`](crate::Limits::subscriptions).
///
/// ```
/// # use std::time::Duration;
/// # use mcp_server::{Server, SubscriptionPolicy};
/// // Where an invocation lasts 60 s, a subscription ends in good order before that.
/// let policy = SubscriptionPolicy::default().with_max_duration(Duration::from_secs(50));
/// let server = Server::new("files", "1.0").subscriptions(policy);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubscriptionPolicy {
    /// Whether there are any. Without them a server does not say to such clients that its lists change.
    pub served: bool,
    /// Subscriptions of one connection on stdio, on a socket or in memory: 8.
    pub per_connection: usize,
    /// Subscriptions of one [`Principal`](crate::Principal) on HTTP: 64.
    pub per_principal: usize,
    /// Subscriptions of one host on HTTP: 10,000.
    pub total: usize,
    /// After which time a subscription ends, with its result: by default it lasts until the client or the server ends
    /// it. It goes by the clock of the HTTP host, or else by that of [`Server::clock`](crate::Server::clock).
    pub max_duration: Option<Duration>,
    /// Whether `notifications/cancelled` comes before the result when the server ends a subscription. The page
    /// *Cancellation* wants it, the page *Subscriptions* the result alone, which is the default.
    pub announces_end: bool,
}

impl Default for SubscriptionPolicy {
    fn default() -> Self {
        Self {
            served: true,
            per_connection: 8,
            per_principal: 64,
            total: 10_000,
            max_duration: None,
            announces_end: false,
        }
    }
}

impl SubscriptionPolicy {
    /// No subscriptions: `subscriptions/listen` is an unknown method.
    pub fn off() -> Self {
        Self {
            served: false,
            ..Self::default()
        }
    }

    /// Sets how many one connection may have.
    #[must_use]
    pub fn with_per_connection(self, per_connection: usize) -> Self {
        Self {
            per_connection,
            ..self
        }
    }

    /// Sets how many a principal may have.
    #[must_use]
    pub fn with_per_principal(self, per_principal: usize) -> Self {
        Self {
            per_principal,
            ..self
        }
    }

    /// Sets how many a host on HTTP may have.
    #[must_use]
    pub fn with_total(self, total: usize) -> Self {
        Self { total, ..self }
    }

    /// Sets after which time one ends.
    #[must_use]
    pub fn with_max_duration(self, max_duration: Duration) -> Self {
        Self {
            max_duration: Some(max_duration),
            ..self
        }
    }

    /// Sets whether `notifications/cancelled` announces that the server ends one.
    #[must_use]
    pub fn with_announced_end(self, announces_end: bool) -> Self {
        Self {
            announces_end,
            ..self
        }
    }
}
