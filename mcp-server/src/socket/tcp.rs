//! Connections over TCP.

use std::{
    task::{Context, Poll, ready},
    time::Duration,
};

use mcp_transport::{
    peers::{Peers, Place},
    proto::limits::Limits,
};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};

use super::accept::{Accepted, Listener};

pub(super) struct Tcp {
    listener: TcpListener,
    peers: Peers,
    per_peer: usize,
    idle_time: Duration,
}

impl Tcp {
    pub(super) fn new(listener: TcpListener, limits: &Limits) -> Self {
        Self {
            listener,
            peers: Peers::default(),
            per_peer: limits.connections_per_peer,
            idle_time: limits.idle_time,
        }
    }
}

impl Listener for Tcp {
    type Stream = TcpStream;
    type Place = Place;
    const STRICT: bool = true;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<Accepted<Self>> {
        let (stream, peer) = ready!(self.listener.poll_accept(cx))?;
        // A client that is silent may be gone without a word: the system asks it.
        let alive = TcpKeepalive::new().with_time(self.idle_time);
        let set = SockRef::from(&stream).set_tcp_keepalive(&alive);
        if let Err(error) = set.and_then(|()| stream.set_nodelay(true)) {
            tracing::debug!(%error, "a connection without keep-alive or TCP_NODELAY");
        }
        let place = self.peers.enter(peer.ip(), self.per_peer);
        Poll::Ready(Ok((stream, place)))
    }
}
