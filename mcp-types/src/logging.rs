//! Log messages of a server, for whoever asked.
//!
//! Source: the specification's page *Logging*. A legacy client sets the level once, with
//! `logging/setLevel`; a modern one says it in each request's `_meta`
//! ([`RequestMeta::log_level`](crate::RequestMeta::log_level)), and gets nothing if it does not.

use crate::raw::{RawJson, RawObject};

words! {
    /// How much a message matters, in the words of RFC 5424.
    pub enum LogLevel {
        /// For who looks for a defect.
        Debug = "debug",
        /// What goes on.
        Info = "info",
        /// Normal, but worth a look.
        Notice = "notice",
        /// May become a failure.
        Warning = "warning",
        /// A failure.
        Error = "error",
        /// A failure of a part that others need.
        Critical = "critical",
        /// Someone must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl LogLevel {
    /// From 0, debug, to 7, emergency; `None` for a word that the specification does not know.
    pub const fn severity(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 0,
            Self::Info => 1,
            Self::Notice => 2,
            Self::Warning => 3,
            Self::Error => 4,
            Self::Critical => 5,
            Self::Alert => 6,
            Self::Emergency => 7,
            Self::Other(_) => return None,
        })
    }

    /// Whether a message of this level reaches someone who wants `least` and what is worse. An unknown level
    /// reaches everyone; an unknown wish is none.
    pub fn reaches(&self, least: &Self) -> bool {
        match (self.severity(), least.severity()) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(level), Some(least)) => level >= least,
        }
    }
}

object! {
    /// The parameters of `logging/setLevel` (legacy).
    pub struct SetLevelParams {
        /// What the client wants to hear: this and worse.
        level: LogLevel = "level", required;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl SetLevelParams {
    /// Wants to hear `level` and worse.
    pub const fn new(level: LogLevel) -> Self {
        Self {
            level,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A message: `notifications/message`.
    pub struct LoggingMessageParams {
        /// How much it matters.
        level: LogLevel = "level", required;
        /// Which part of the server says it.
        logger: Option<String> = "logger", hint;
        /// What is said: any JSON.
        data: RawJson = "data", required;
        /// Free members about the notification.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl LoggingMessageParams {
    /// Says `data`.
    pub const fn new(level: LogLevel, data: RawJson) -> Self {
        Self {
            level,
            logger: None,
            data,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
