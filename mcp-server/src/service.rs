//! The seam of a server: services, and the layers around them.

use std::{future::Future, pin::Pin, sync::Arc};

use crate::{answer::Answer, call::Call};

/// A future on the heap that any thread may poll.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Answers calls: a tool, or a whole server.
pub trait Service: Send + Sync {
    /// Answers one call. Dropping the future cancels it.
    fn call(&self, call: Call) -> BoxFuture<Answer>;
}

impl<F: Fn(Call) -> BoxFuture<Answer> + Send + Sync> Service for F {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        self(call)
    }
}

/// Goes around a service: around one tool, or around every request of a server.
///
/// A server-wide layer sees each request that handlers answer, with its method and parameters, and each
/// answer before it is written; `initialize`, `ping` and `server/discover` are the host's. Layers apply to tools added later as well.
pub trait Layer: Send + Sync {
    /// Puts this layer around `inner`.
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service>;

    /// Whether a server-wide layer looks into the answers of list methods. If none does, lists are put together from
    /// text that was written once, and are there as [`Payload::Written`](mcp_types::Payload::Written): a long list then
    /// costs a copy.
    fn reads_lists(&self) -> bool {
        true
    }
}

impl<F: Fn(Arc<dyn Service>) -> Arc<dyn Service> + Send + Sync> Layer for F {
    fn wrap(&self, inner: Arc<dyn Service>) -> Arc<dyn Service> {
        self(inner)
    }
}
