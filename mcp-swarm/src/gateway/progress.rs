//! Passes a specialist's progress to whoever called, under the caller's own token.

use mcp_server::Call;
use mcp_transport::Notification;
use mcp_types::jsonrpc::ProgressToken;
use mcp_types::notification::ProgressParams;
use mcp_types::wire::encode_params;

/// Where progress goes.
pub(super) struct Relay<'a> {
    call: &'a Call,
    token: ProgressToken,
}

impl<'a> Relay<'a> {
    /// `None` where the caller did not ask for progress.
    pub(super) fn of(call: &'a Call) -> Option<Self> {
        let token = call.meta.progress_token()?;
        Some(Self { call, token })
    }

    /// Passes it on if it is progress under the token that was `asked` for; waits while the caller is slow.
    pub(super) async fn pass_on(&self, notification: &Notification, asked: &str) {
        if notification.method != "notifications/progress" {
            return;
        }
        match notification.params.decode::<ProgressParams>() {
            Ok(mut progress) if progress.progress_token == asked.into() => {
                progress.progress_token = self.token.clone();
                progress.meta = None;
                let params = encode_params(&progress, self.call.revision());
                let onward = Notification::new("notifications/progress", params);
                self.call.notify(onward).await;
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "progress that cannot be read"),
        }
    }
}
