//! What holds in any order of events: the cap, one publication an attempt, and no tunnel lost.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Activate(u8),
    Connected(usize),
    Failed(usize),
    Begin(u8),
    End(usize),
    HandBack(u8),
    Disconnect(u8),
    Wait(u64),
    Dispose,
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..4_u8;
    prop_oneof![
        6 => session.clone().prop_map(Step::Activate),
        6 => any::<usize>().prop_map(Step::Connected),
        2 => any::<usize>().prop_map(Step::Failed),
        4 => session.clone().prop_map(Step::Begin),
        4 => any::<usize>().prop_map(Step::End),
        2 => session.clone().prop_map(Step::HandBack),
        1 => session.prop_map(Step::Disconnect),
        3 => (0..8_u64).prop_map(Step::Wait),
        1 => (100..400_u64).prop_map(Step::Wait),
        1 => Just(Step::Dispose),
    ]
}

/// The machine, and what it must have done: tunnels are numbered in the order they connect.
struct World {
    sessions: Sessions<u64>,
    now: Instant,
    tickets: Vec<(u8, Ticket)>,
    calls: Vec<Call<u64>>,
    /// The newest attempt of each session.
    newest: HashMap<u8, Generation>,
    /// How often each tunnel was retired.
    retired: Vec<u32>,
}

impl World {
    fn new() -> Self {
        let sessions = Sessions::new(Limits {
            sessions: 3,
            endings: 2,
            ..Limits::default()
        });
        Self {
            sessions,
            now: start(),
            tickets: vec![],
            calls: vec![],
            newest: HashMap::new(),
            retired: vec![],
        }
    }

    fn act(&mut self, step: Step) {
        let (now, anyone) = (self.now, Principal::anonymous());
        match step {
            Step::Activate(session) => self.activate(session),
            Step::Connected(at) if !self.tickets.is_empty() => self.connected(at),
            Step::Failed(at) if !self.tickets.is_empty() => {
                let (_, ticket) = self.tickets.swap_remove(at % self.tickets.len());
                let _ = self.sessions.failed(ticket, failure(), now);
            }
            Step::Begin(session) => {
                let begun = self.sessions.begin_call(&named(session), &anyone, now);
                self.calls
                    .extend(begun.inspect(|call| self.assert_kept(*call.tunnel())));
            }
            Step::End(at) if !self.calls.is_empty() => {
                let call = self.calls.swap_remove(at % self.calls.len());
                let tunnel = *call.tunnel();
                if self.sessions.end_call(call, now).is_ok() {
                    self.assert_kept(tunnel);
                }
            }
            Step::HandBack(session) => {
                if self
                    .sessions
                    .hand_back(&named(session), &anyone, now)
                    .is_ok()
                {
                    self.newest.remove(&session);
                }
            }
            Step::Disconnect(session) => {
                self.sessions.disconnected(&named(session), now);
                self.newest.remove(&session);
            }
            Step::Wait(secs) => {
                self.now += Duration::from_secs(secs);
                self.sessions.handle_timeout(self.now);
            }
            Step::Dispose => {
                self.sessions.dispose(now);
                self.newest.clear();
            }
            Step::Connected(_) | Step::Failed(_) | Step::End(_) => {}
        }
        self.settle();
    }

    fn activate(&mut self, session: u8) {
        let finance = DomainName::new("finance").unwrap();
        let activated =
            self.sessions
                .activate(named(session), Principal::anonymous(), finance, self.now);
        if let Ok(ticket) = activated {
            self.newest.insert(session, ticket.generation());
            self.tickets.push((session, ticket));
        }
    }

    fn connected(&mut self, at: usize) {
        let (session, ticket) = self.tickets.swap_remove(at % self.tickets.len());
        let (generation, deadline) = (ticket.generation(), ticket.deadline());
        let tunnel = self.retired.len() as u64;
        self.retired.push(0);
        if self.sessions.connected(ticket, tunnel, self.now).is_ok() {
            assert_eq!(
                self.newest.get(&session),
                Some(&generation),
                "only the newest attempt publishes"
            );
            assert!(self.now < deadline, "and only in time");
        }
    }

    fn assert_kept(&self, tunnel: u64) {
        assert_eq!(
            self.retired[tunnel as usize], 0,
            "a retired tunnel takes and gives nothing"
        );
    }

    fn settle(&mut self) {
        while let Some(event) = self.sessions.poll_event() {
            if let Event::Retired { tunnel } = event {
                self.retired[tunnel as usize] += 1;
                assert_eq!(self.retired[tunnel as usize], 1, "a tunnel is retired once");
            }
        }
        assert!(self.sessions.session_count() <= 3, "the cap holds");
        assert!(self.sessions.connecting_count() <= self.sessions.session_count());
        assert!(self.sessions.memory_len() <= 2, "the memory is bounded");
        assert!(
            self.sessions.poll_timeout().is_none_or(|at| at > self.now),
            "nothing overdue is left"
        );
        let kept = self.retired.iter().filter(|times| **times == 0).count();
        assert!(kept <= self.sessions.session_count(), "no tunnel is lost");
    }
}

fn named(session: u8) -> SessionKey {
    SessionKey::legacy(session.into())
}

impl<T> Sessions<T> {
    fn memory_len(&self) -> usize {
        self.memory.len()
    }
}

proptest! {
    #[test]
    fn whatever_happens(steps in proptest::collection::vec(step(), 0..120)) {
        let mut world = World::new();
        for step in steps {
            world.act(step);
        }
        world.act(Step::Dispose);
        for (_, ticket) in std::mem::take(&mut world.tickets) {
            let tunnel = world.retired.len() as u64;
            world.retired.push(0);
            prop_assert_eq!(world.sessions.connected(ticket, tunnel, world.now), Err(Stale::Closed));
        }
        world.settle();
        prop_assert!(world.retired.iter().all(|times| *times == 1), "every tunnel is retired in the end");
    }
}
