//! What every specialist offers, as last heard: fetched now and then, kept when it cannot be.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_types::tool::Tool;

use super::shared::{Shared, lock};
use super::upstream::Upstream;
use super::wait::{all, until};
use crate::proto::exposure::{NotShown, Shown};
use crate::proto::namespace::DomainName;

/// How long a specialist's list is good for.
const FRESH: Duration = Duration::from_secs(60);

/// How long a specialist that did not answer is not asked again.
const SILENT: Duration = Duration::from_secs(10);

/// The most of the gateway's own tools that an error names.
const MAX_WAYS_IN: usize = 8;

/// The lists of all specialists, and what they come to beside the gateway's own tools.
#[derive(Default)]
pub(super) struct Catalogue(Mutex<State>);

#[derive(Default)]
struct State {
    known: HashMap<DomainName, Known>,
    /// The gateway's own tools, as last listed.
    own: Option<Arc<[Tool]>>,
    shown: Option<Arc<Shown>>,
    /// Which of the gateway's own tools have handed over.
    ways_in: BTreeSet<String>,
}

struct Known {
    tools: Option<Arc<[Tool]>>,
    /// When to ask again.
    until: Instant,
}

impl Catalogue {
    /// A specialist's list was heard.
    pub(super) fn learn(&self, domain: &DomainName, tools: &[Tool], now: Instant) {
        let mut state = lock(&self.0);
        let known = state
            .known
            .get(domain)
            .and_then(|known| known.tools.clone());
        let unchanged = known.filter(|known| **known == *tools);
        if unchanged.is_none() {
            state.shown = None;
        }
        let known = Known {
            tools: Some(unchanged.unwrap_or_else(|| tools.into())),
            until: now + FRESH,
        };
        state.known.insert(domain.clone(), known);
    }

    /// The gateway's own tools were listed.
    pub(super) fn learn_own(&self, tools: &[Tool]) {
        let mut state = lock(&self.0);
        if state.own.as_deref() != Some(tools) {
            state.own = Some(tools.into());
            state.shown = None;
        }
    }

    /// The gateway's own tools, if they were ever listed.
    pub(super) fn own(&self) -> Option<Arc<[Tool]>> {
        lock(&self.0).own.clone()
    }

    /// The gateway's own tool `name` hands over.
    pub(super) fn learn_way_in(&self, name: &str) {
        let mut state = lock(&self.0);
        if state.ways_in.len() < MAX_WAYS_IN && !state.ways_in.contains(name) {
            state.ways_in.insert(name.to_owned());
        }
    }

    /// The gateway's tools that hand over: those that have, else all its own; at most eight.
    pub(super) fn ways_in(&self) -> Vec<String> {
        let state = lock(&self.0);
        if !state.ways_in.is_empty() {
            return state.ways_in.iter().cloned().collect();
        }
        let own = state.own.as_deref().unwrap_or_default().iter();
        own.take(MAX_WAYS_IN)
            .map(|tool| tool.name.clone())
            .collect()
    }

    fn silent(&self, domain: &DomainName, now: Instant) {
        let mut state = lock(&self.0);
        let tools = state
            .known
            .get(domain)
            .and_then(|known| known.tools.clone());
        let until = now + SILENT;
        state.known.insert(domain.clone(), Known { tools, until });
    }

    /// One client asks until then. Others need not wait for the answer where there is a list already.
    fn claim(&self, domain: &DomainName, until: Instant) {
        let mut state = lock(&self.0);
        let known = state.known.get_mut(domain);
        if let Some(known) = known.filter(|known| known.tools.is_some()) {
            known.until = until;
        }
    }

    fn is_due(&self, domain: &DomainName, now: Instant) -> bool {
        lock(&self.0)
            .known
            .get(domain)
            .is_none_or(|known| known.until <= now)
    }
}

impl Shared {
    /// What all modern clients see, by what is known.
    pub(super) fn catalogue(&self) -> Arc<Shown> {
        let mut state = lock(&self.catalogue.0);
        if let Some(shown) = &state.shown {
            return shown.clone();
        }
        let specialists = self.registry.iter().filter_map(|entry| {
            let tools = state.known.get(&entry.name)?.tools.as_deref()?;
            Some((&entry.name, tools))
        });
        let own = state.own.as_deref().unwrap_or_default();
        let shown = Arc::new(self.face.catalogue(own, specialists));
        log_dropped(&shown);
        state.shown = Some(shown.clone());
        shown
    }

    /// Asks the specialists whose lists are not fresh, all at the same time, each no longer than a connect may take.
    /// Whoever does not answer keeps the list it had.
    pub(super) async fn refresh_catalogue(&self, trace: Option<&str>) {
        let now = self.clock.now();
        let due = self.registry.iter().map(|entry| &entry.name);
        let due = due.filter(|domain| self.catalogue.is_due(domain, now));
        all(due
            .map(|domain| Box::pin(self.refresh(domain, trace)) as _)
            .collect())
        .await;
    }

    async fn refresh(&self, domain: &DomainName, trace: Option<&str>) {
        self.catalogue
            .claim(domain, self.clock.now() + self.limits.connect);
        let fetched = async {
            let upstream = Upstream::connect(self, domain, trace).await?;
            let tools = upstream.list(self, trace).await;
            super::timer::close(Arc::new(upstream));
            tools
        };
        let deadline = self.clock.now() + self.limits.connect;
        match until(fetched, &*self.clock, deadline).await {
            Some(Ok(tools)) => self.catalogue.learn(domain, &tools, self.clock.now()),
            failed => {
                if failed.is_none() {
                    tracing::warn!(%domain, "a specialist did not list its tools in time");
                }
                self.catalogue.silent(domain, self.clock.now());
            }
        }
    }
}

/// Says which tools nobody sees.
pub(super) fn log_dropped(shown: &Shown) {
    for dropped in &shown.dropped {
        match dropped {
            NotShown::Name(dropped) => tracing::warn!(
                domain = %dropped.route.domain, tool = dropped.route.original, reason = ?dropped.reason,
                "a specialist's tool is not shown: its name is taken"
            ),
            NotShown::Argument(route) => tracing::warn!(
                domain = %route.domain, tool = route.original,
                "a specialist's tool is not shown to modern clients: it has an argument `handoff`, or a schema that none can be added to"
            ),
            NotShown::Own(name) => tracing::warn!(
                tool = name,
                "a tool of the gateway's own server is not shown: it has the return tool's name"
            ),
        }
    }
}
