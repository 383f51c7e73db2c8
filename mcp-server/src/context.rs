//! What a handler can ask about its call, and say while it runs.

mod ask;
mod log;
mod task;

use std::{fmt, sync::Arc};

use mcp_transport::{Extensions, Notification, http::HeaderMap};
use mcp_types::{
    RequestMeta, Revision,
    capability::{ClientCapabilities, Implementation},
    notification::ProgressParams,
    wire::encode_params,
};
use serde_json::Number;

use crate::{answer::Answer, call::Call, handler::FromCall, input::Input, session::Session};

/// The call that a handler serves, without its arguments. Clones are the same call; it may outlive
/// the handler, and then says nothing any more.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    meta: RequestMeta,
    ext: Extensions,
    revision: Revision,
    session: Option<Session>,
    input: Arc<Input>,
}

impl Context {
    /// Says how far the call has come, if its sender wants to know; waits while the peer is slow.
    ///
    /// Progress only grows: a step that is not beyond the last one is not sent. An unknown `total` is
    /// `None::<u64>`; an empty `message` is left out.
    pub async fn progress(
        &self,
        progress: impl Amount,
        total: impl Amount,
        message: impl Into<String>,
    ) {
        let (Some(token), Some(progress)) = (self.0.meta.progress_token(), progress.to_number())
        else {
            return;
        };
        let mut params = ProgressParams::new(token, progress.clone());
        params.total = total.to_number();
        params.message = Some(message.into()).filter(|message| !message.is_empty());
        let params = encode_params(&params, self.0.revision);
        let notification = Notification::new("notifications/progress", params);
        self.0
            .input
            .outbox()
            .push_progress(&progress, notification)
            .await;
    }

    /// Sends any notification that belongs to this call, before its answer.
    pub async fn notify(&self, notification: Notification) {
        self.0.input.outbox().push(notification).await;
    }

    /// `_meta` of the request; on a legacy connection filled in from its session.
    pub fn meta(&self) -> &RequestMeta {
        &self.0.meta
    }

    /// The headers of the HTTP request; `None` on other transports.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.ext.get()
    }

    /// Who asks, if the client says so.
    pub fn client_info(&self) -> Option<Implementation> {
        self.0.meta.client_info()
    }

    /// What the client can do.
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.0.meta.client_capabilities()
    }

    /// The legacy session; `None` on a modern request.
    pub fn session(&self) -> Option<&Session> {
        self.0.session.as_ref()
    }

    /// What came beside the message, and what layers put there.
    pub fn extensions(&self) -> &Extensions {
        &self.0.ext
    }
}

impl FromCall for Context {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        Ok(Self(Arc::new(Inner {
            meta: call.meta.clone(),
            ext: call.ext.clone(),
            revision: call.revision(),
            session: call.session().cloned(),
            input: Arc::clone(call.input()),
        })))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Extensions may hold credentials.
        f.debug_struct("Context")
            .field("revision", &self.0.revision)
            .field("session", &self.0.session)
            .finish_non_exhaustive()
    }
}

/// A number of steps: any integer or float, or `None` where it is not known.
pub trait Amount {
    /// The number; `None` for what JSON cannot say, such as NaN.
    fn to_number(self) -> Option<Number>;
}

macro_rules! integers {
    ($($int:ty)*) => { $(
        impl Amount for $int {
            fn to_number(self) -> Option<Number> {
                Some(self.into())
            }
        }
    )* };
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl Amount for f64 {
    fn to_number(self) -> Option<Number> {
        Number::from_f64(self)
    }
}

impl Amount for f32 {
    fn to_number(self) -> Option<Number> {
        f64::from(self).to_number()
    }
}

impl<T: Amount> Amount for Option<T> {
    fn to_number(self) -> Option<Number> {
        self.and_then(T::to_number)
    }
}
