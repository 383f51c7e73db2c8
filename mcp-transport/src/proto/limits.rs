//! Every limit a transport keeps, with defaults that are on.

use core::time::Duration;

/// How much a transport takes, keeps and waits for. Each limit has a default and a `with_…` to change it.
///
/// ```
/// # use mcp_transport::proto::limits::Limits;
/// let limits = Limits::hardened().with_connections(64);
/// assert_eq!(limits.request_body, 256 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// HTTP request body at a server, in bytes: 4 MiB.
    pub request_body: usize,
    /// stdio line at a server, in bytes: 4 MiB.
    pub server_line: usize,
    /// stdio line at a client, in bytes: 16 MiB.
    pub client_line: usize,
    /// HTTP response body at a client, in bytes: 16 MiB.
    pub response_body: usize,
    /// Server-sent event at a client, in bytes: 16 MiB.
    pub event: usize,
    /// Body of a failed response that is kept for the error, in bytes: 1 KiB.
    pub error_body: usize,
    /// Headers of an HTTP request: 100.
    pub headers: usize,
    /// Head of an HTTP request, in bytes: 64 KiB.
    pub head: usize,
    /// Nesting of a JSON message: 128.
    pub depth: usize,
    /// Messages in a batch, which only 2025-03-26 has: 64.
    pub batch: usize,
    /// Calls of one connection that run at once at a server: 64.
    pub running: usize,
    /// Calls of one connection that wait for a place at a server: 64.
    pub queued: usize,
    /// Resources that a legacy session may subscribe to, or that a subscription may name, at a server: 256.
    pub subscriptions: usize,
    /// Requests in flight on one connection at a client: 1,024.
    pub in_flight: usize,
    /// Connections of a server on HTTP or a socket: 1,024.
    pub connections: usize,
    /// Connections of one peer address on HTTP or TCP, loopback excepted: 64.
    pub connections_per_peer: usize,
    /// Messages that wait on one outbound stream: 64.
    pub outbound_messages: usize,
    /// Bytes that wait on one outbound stream: 1 MiB.
    pub outbound_bytes: usize,
    /// Standard error of a child that is kept, in bytes: 64 KiB.
    pub stderr: usize,
    /// Time until an HTTP request's head, or the first line on a socket, is complete: 30 s.
    pub head_time: Duration,
    /// Time until an HTTP request's body is complete: 60 s.
    pub body_time: Duration,
    /// Time after which a body that is not complete must have come at `body_rate`: 10 s.
    pub body_grace: Duration,
    /// What must have come of a body for each second beyond `body_grace`, in bytes: 1 KiB. With 0 it may drip until
    /// `body_time`.
    pub body_rate: usize,
    /// Time an HTTP connection may be idle, and a peer may take nothing: 75 s. A TCP client that is silent so long is
    /// asked by the system whether it is still there.
    pub idle_time: Duration,
    /// Time to connect: 10 s.
    pub connect_time: Duration,
    /// Time a message on the side takes at most: a cancellation, the end of a session: 2 s.
    pub farewell_time: Duration,
    /// Time a child gets to end after its stdin closed: 2 s.
    pub child_eof_time: Duration,
    /// Time a child gets to end after SIGTERM: 2 s.
    pub child_term_time: Duration,
    /// Time a server gets to finish its calls when it shuts down: 10 s.
    pub drain_time: Duration,
    /// Time a server gets to finish its calls after its stdin ended: 3 s.
    pub eof_drain_time: Duration,
    /// The longest `Retry-After` that is honoured: 1 h.
    pub retry_after: Duration,
    /// How long an HTTP client tries to begin another legacy session in place of a lost one: 30 s.
    pub renew_time: Duration,
    /// How long after that a session that is lost again is not replaced: 10 s.
    pub renew_pause: Duration,
    /// How long the stream of an HTTP+SSE server (2024-11-05) may be silent, comments counted, before it is given up:
    /// 5 min.
    pub stream_idle_time: Duration,
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

impl Limits {
    /// The defaults with smaller request bodies, 256 KiB, for a server that strangers can reach.
    pub fn hardened() -> Self {
        Self {
            request_body: 256 * KIB,
            server_line: 256 * KIB,
            ..Self::default()
        }
    }

    /// How long after its first byte a body of which `read` bytes have come may still be incomplete: a body that
    /// drips has less time than one that flows.
    pub fn body_patience(&self, read: usize) -> Duration {
        if self.body_rate == 0 {
            return self.body_time;
        }
        let rate = u32::try_from(self.body_rate).unwrap_or(u32::MAX);
        let flowing = Duration::from_secs(read as u64) / rate;
        self.body_grace.saturating_add(flowing).min(self.body_time)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_body: 4 * MIB,
            server_line: 4 * MIB,
            client_line: 16 * MIB,
            response_body: 16 * MIB,
            event: 16 * MIB,
            error_body: KIB,
            headers: 100,
            head: 64 * KIB,
            depth: 128,
            batch: 64,
            running: 64,
            queued: 64,
            subscriptions: 256,
            in_flight: KIB,
            connections: KIB,
            connections_per_peer: 64,
            outbound_messages: 64,
            outbound_bytes: MIB,
            stderr: 64 * KIB,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(60),
            body_grace: Duration::from_secs(10),
            body_rate: KIB,
            idle_time: Duration::from_secs(75),
            connect_time: Duration::from_secs(10),
            farewell_time: Duration::from_secs(2),
            child_eof_time: Duration::from_secs(2),
            child_term_time: Duration::from_secs(2),
            drain_time: Duration::from_secs(10),
            eof_drain_time: Duration::from_secs(3),
            retry_after: Duration::from_secs(3600),
            renew_time: Duration::from_secs(30),
            renew_pause: Duration::from_secs(10),
            stream_idle_time: Duration::from_secs(300),
        }
    }
}

macro_rules! setters {
    ($($name:ident: $field:ident: $type:ty;)*) => {
        impl Limits {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                pub fn $name(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

setters! {
    with_request_body: request_body: usize;
    with_server_line: server_line: usize;
    with_client_line: client_line: usize;
    with_response_body: response_body: usize;
    with_event: event: usize;
    with_error_body: error_body: usize;
    with_headers: headers: usize;
    with_head: head: usize;
    with_depth: depth: usize;
    with_batch: batch: usize;
    with_running: running: usize;
    with_queued: queued: usize;
    with_subscriptions: subscriptions: usize;
    with_in_flight: in_flight: usize;
    with_connections: connections: usize;
    with_connections_per_peer: connections_per_peer: usize;
    with_outbound_messages: outbound_messages: usize;
    with_outbound_bytes: outbound_bytes: usize;
    with_stderr: stderr: usize;
    with_head_time: head_time: Duration;
    with_body_time: body_time: Duration;
    with_body_grace: body_grace: Duration;
    with_body_rate: body_rate: usize;
    with_idle_time: idle_time: Duration;
    with_connect_time: connect_time: Duration;
    with_farewell_time: farewell_time: Duration;
    with_child_eof_time: child_eof_time: Duration;
    with_child_term_time: child_term_time: Duration;
    with_drain_time: drain_time: Duration;
    with_eof_drain_time: eof_drain_time: Duration;
    with_retry_after: retry_after: Duration;
    with_renew_time: renew_time: Duration;
    with_renew_pause: renew_pause: Duration;
    with_stream_idle_time: stream_idle_time: Duration;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a14_a_body_has_ten_seconds_and_one_more_for_each_kib() {
        let check = |limits: &Limits, read, millis| {
            assert_eq!(
                limits.body_patience(read),
                Duration::from_millis(millis),
                "{read}"
            );
        };
        let limits = Limits::default();
        check(&limits, 0, 10_000);
        check(&limits, 512, 10_500);
        check(&limits, 49 * KIB, 59_000);
        check(&limits, 50 * KIB, 60_000);
        check(&limits, usize::MAX, 60_000);
        let limits = limits.with_body_rate(0);
        check(&limits, 0, 60_000);
        let limits = limits
            .with_body_rate(usize::MAX)
            .with_body_time(Duration::from_secs(5));
        check(&limits, 0, 5_000);
    }
}
