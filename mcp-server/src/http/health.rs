//! What whoever watches the process asks: whether it lives, and whether it takes work.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{Router, routing::get};
use http::StatusCode;

/// Whether the host takes work: until it is told to shut down.
#[derive(Debug, Clone, Default)]
pub(super) struct Health {
    draining: Arc<AtomicBool>,
}

impl Health {
    /// From now on the host is not ready.
    pub(super) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Adds `/healthz` and `/readyz` to `router`.
    ///
    /// Whoever probes names the host as it likes, mostly by its number, so these two look at no allow-list; they
    /// tell nothing but their status.
    pub(super) fn routes(self, router: Router) -> Router {
        router
            .route("/healthz", get(async || (StatusCode::OK, "ok\n")))
            .route("/readyz", get(async move || self.ready()))
    }

    fn ready(&self) -> (StatusCode, &'static str) {
        match self.draining.load(Ordering::Relaxed) {
            false => (StatusCode::OK, "ok\n"),
            true => (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_until_it_is_told_to_shut_down() {
        let (health, told) = {
            let health = Health::default();
            (health.clone(), health)
        };
        assert_eq!(health.ready(), (StatusCode::OK, "ok\n"));
        told.drain();
        let drained = (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
        assert_eq!(health.ready(), drained);
    }
}
