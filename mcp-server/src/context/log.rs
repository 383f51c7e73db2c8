//! Log messages for the client, where it asked for them.

use mcp_transport::Notification;
use mcp_types::{
    RawJson,
    logging::{LogLevel, LoggingMessageParams},
    wire::encode_params,
};
use serde::Serialize;

use super::Context;

impl Context {
    /// Tells the client something about the work on this call: `data` is any JSON, `logger` the part of the server
    /// that says it, or empty.
    ///
    /// It is sent if the server says that it logs ([`Server::logging`](crate::Server::logging)) and the client wants
    /// this level: a modern client says so in each request, a legacy one once for its session (`info` and worse unless
    /// it said otherwise). It waits while the peer is slow. Nothing secret belongs here, and what operators need belongs
    /// into the server's own log.
    ///
    /// ```
    /// use mcp_server::{Context, LogLevel, Server, Tool};
    ///
    /// async fn import(cx: Context) -> &'static str {
    ///     cx.log(LogLevel::Info, "import", "12 rows, 2 of them odd").await;
    ///     "imported"
    /// }
    /// let server = Server::new("import", "1.0").logging().tool(Tool::new("import", import));
    /// ```
    pub fn log(
        &self,
        level: LogLevel,
        logger: impl Into<String>,
        data: impl Serialize,
    ) -> impl Future<Output = ()> + Send {
        let wanted = self.0.meta.log_level();
        let wanted = wanted.is_some_and(|least| level.reaches(&least));
        // What nobody wants is not even written.
        let notification = wanted.then(|| {
            let data = RawJson::from_serialize(&data).unwrap_or_else(|_| RawJson::null());
            let mut params = LoggingMessageParams::new(level, data);
            params.logger = Some(logger.into()).filter(|logger| !logger.is_empty());
            let params = encode_params(&params, self.0.revision);
            Notification::new("notifications/message", params)
        });
        let outbox = self.0.input.outbox();
        async move {
            if let Some(notification) = notification {
                outbox.push(notification).await;
            }
        }
    }
}
