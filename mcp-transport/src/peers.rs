//! How many connections each peer address has.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The table of one listener. Clones share it. Loopback is not counted: behind a proxy everybody comes from there.
#[derive(Debug, Clone, Default)]
pub struct Peers(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One counted connection, until it is dropped.
#[derive(Debug)]
pub struct Place {
    peers: Peers,
    peer: Option<IpAddr>,
}

impl Peers {
    /// A place for one more connection of `peer`; `None` when it has `limit` already.
    pub fn enter(&self, peer: IpAddr, limit: usize) -> Option<Place> {
        let peer = peer.to_canonical();
        let peers = self.clone();
        if peer.is_loopback() {
            return Some(Place { peers, peer: None });
        }
        let mut counts = self.counts();
        let count = counts.get(&peer).copied().unwrap_or_default();
        if count >= limit {
            return None;
        }
        counts.insert(peer, count + 1);
        drop(counts);
        let peer = Some(peer);
        Some(Place { peers, peer })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(peer) = self.peer else {
            return;
        };
        let mut counts = self.peers.counts();
        if let Some(count) = counts.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a14_a_peer_has_so_many_places_and_leaves_none_behind() {
        let peers = Peers::default();
        let peer: IpAddr = "192.0.2.1".parse().unwrap();
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let first = peers.enter(peer, 2).unwrap();
        let second = peers.enter(mapped, 2).unwrap();
        assert!(peers.enter(peer, 2).is_none());
        assert!(peers.enter("192.0.2.2".parse().unwrap(), 2).is_some());
        drop(first);
        drop(peers.enter(peer, 2).unwrap());
        drop(second);
        assert!(peers.enter(peer, 0).is_none());
        assert!(peers.counts().is_empty());
    }

    #[test]
    fn loopback_is_not_counted() {
        let peers = Peers::default();
        let _places: Vec<_> = ["127.0.0.1", "::1", "127.8.8.8"]
            .map(|peer| peers.enter(peer.parse().unwrap(), 0).unwrap())
            .into();
        assert!(peers.counts().is_empty());
    }
}
