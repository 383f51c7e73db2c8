//! Events in the memory of the process.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;

use super::{EventKey, EventStore, EventStoreError};

/// Keeps events in memory: at most 100,000, of 64 MiB together. When there is no more room, the oldest go.
#[derive(Debug)]
pub struct MemoryEventStore {
    events: usize,
    bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<Arc<str>, HashMap<u64, VecDeque<Event>>>,
    /// Which stream each event is of, by age: the oldest event is the first of its stream.
    ages: BTreeMap<u64, (Arc<str>, u64)>,
    next_age: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Event {
    number: u64,
    age: u64,
    text: Bytes,
}

impl MemoryEventStore {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            events: 100_000,
            bytes: 64 << 20,
            state: Mutex::default(),
        }
    }

    /// Sets how many events are kept.
    #[must_use]
    pub fn with_events(self, events: usize) -> Self {
        Self { events, ..self }
    }

    /// Sets how many bytes of events are kept.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// How many events are kept now.
    pub fn len(&self) -> usize {
        self.state().ages.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryEventStore {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl EventStore for MemoryEventStore {
    async fn append(&self, key: EventKey, event: Bytes) -> Result<(), EventStoreError> {
        let mut state = self.state();
        state.push(key, event);
        while state.ages.len() > self.events || state.bytes > self.bytes {
            state.drop_oldest();
        }
        Ok(())
    }

    async fn after(&self, key: EventKey) -> Result<Vec<(u64, Bytes)>, EventStoreError> {
        let state = self.state();
        let streams = state.sessions.get(&key.session);
        let events = streams.and_then(|streams| streams.get(&key.stream));
        let after = events.into_iter().flatten();
        let after = after.filter(|event| event.number > key.number);
        Ok(after
            .map(|event| (event.number, event.text.clone()))
            .collect())
    }

    async fn forget(&self, session: &str) -> Result<(), EventStoreError> {
        let mut state = self.state();
        let streams = state.sessions.remove(session);
        for event in streams.into_iter().flatten().flat_map(|(_, events)| events) {
            state.ages.remove(&event.age);
            state.bytes -= event.text.len();
        }
        Ok(())
    }
}

impl State {
    fn push(&mut self, key: EventKey, text: Bytes) {
        let EventKey {
            session,
            stream,
            number,
        } = key;
        let age = self.next_age;
        self.next_age += 1;
        self.bytes += text.len();
        self.ages.insert(age, (Arc::clone(&session), stream));
        let streams = self.sessions.entry(session).or_default();
        let events = streams.entry(stream).or_default();
        events.push_back(Event { number, age, text });
    }

    fn drop_oldest(&mut self) {
        let Some((_, (session, stream))) = self.ages.pop_first() else {
            return;
        };
        let Some(streams) = self.sessions.get_mut(&session) else {
            return;
        };
        let Some(events) = streams.get_mut(&stream) else {
            return;
        };
        self.bytes -= events.pop_front().map_or(0, |event| event.text.len());
        if events.is_empty() {
            streams.remove(&stream);
        }
        if streams.is_empty() {
            self.sessions.remove(&session);
        }
    }
}
