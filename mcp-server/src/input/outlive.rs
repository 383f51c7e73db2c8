//! Calls whose handlers outlive the exchange that they came in: tasks.

use std::sync::Arc;

use super::{BackChannel, Input};

impl Input {
    /// The handler goes on after the exchange, and asks by `channel` from here on: whoever runs it closes this. So it does
    /// the outbox, if `speaks`; if not, that is closed with the exchange.
    pub(crate) fn outlive(&self, channel: Arc<dyn BackChannel>, speaks: bool) {
        self.set_channel(channel);
        let _once = self.outlives.set(speaks);
    }

    /// Whether questions are asked while the call waits, also those that a handler gives back.
    pub(super) fn asks_live(&self) -> bool {
        self.is_legacy() || self.channel.get().is_some()
    }

    /// The exchange is over, and so is the call, unless its handler outlives it.
    pub(crate) fn exchange_over(&self) {
        match self.outlives.get() {
            None => {
                self.outbox().close();
                self.close();
            }
            Some(false) => self.outbox().close(),
            // Whoever runs the handler reads what it says from here on.
            Some(true) => self.wake_driver(),
        }
    }
}
