//! What a gateway is told before it is built.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_transport::{Clock, Endpoint};

use super::SwarmGateway;
use super::catalogue::Catalogue;
use super::shared::Shared;
use super::timer::Timer;
use super::upstream::Address;
use crate::proto::exposure::Face;
use crate::proto::handoff::{Limits, Sessions};
use crate::proto::namespace::{BadDomainName, DomainName, Separator};
use crate::proto::registry::{Registry, RegistryError};
use crate::proto::token::{DEFAULT_TTL, KeyRing, MAX_TTL};
use crate::store::{HandoffStateStore, MemoryStates};

/// How long a specialist may work on one call.
const CALL: Duration = Duration::from_secs(60);

/// Makes a [`SwarmGateway`].
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    name: String,
    version: String,
    registry: Registry,
    locals: HashMap<String, Address>,
    flaw: Option<RegistryError>,
    keys: Option<KeyRing>,
    separator: Separator,
    limits: Limits,
    call_timeout: Duration,
    token_ttl: Duration,
    store: Option<Arc<dyn HandoffStateStore>>,
    clock: Option<Arc<dyn Clock>>,
}

impl Builder {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: "0".to_owned(),
            registry: Registry::new(),
            locals: HashMap::new(),
            flaw: None,
            keys: None,
            separator: Separator::default(),
            limits: Limits::default(),
            call_timeout: CALL,
            token_ttl: DEFAULT_TTL,
            store: None,
            clock: None,
        }
    }

    /// Registers the specialist `name` at `url`. The name is its tokens' scope and its tools' prefix: 1 to 31 of `a`–`z`,
    /// `0`–`9` and `-`. `mcp://` means `http://`, `mcps://` means `https://`.
    ///
    /// Reaching it needs the feature `http`.
    pub fn specialist(mut self, name: impl AsRef<str>, url: impl AsRef<str>) -> Self {
        let added = self.registry.add(name.as_ref(), url.as_ref());
        self.note(added);
        self
    }

    /// Registers the specialist `name` in this process. `connect` makes a connection to it, each time a new one:
    /// for a [`Server`](mcp_server::Server), `move || Arc::new(server.connect())`.
    pub fn specialist_endpoint(
        mut self,
        name: impl AsRef<str>,
        connect: impl Fn() -> Arc<dyn Endpoint> + Send + Sync + 'static,
    ) -> Self {
        let added = self.registry.add_local(name.as_ref());
        self.note(added);
        let address = Address::Local(Arc::new(connect));
        self.locals.insert(name.as_ref().to_owned(), address);
        self
    }

    /// Lets `alias` mean the specialist `name`, as a whole target or as the first label of a target's host.
    /// `name-agent` in a URL always does.
    pub fn alias(mut self, name: impl AsRef<str>, alias: impl AsRef<str>) -> Self {
        let added = self.registry.alias(name.as_ref(), alias.as_ref());
        self.note(added);
        self
    }

    /// The secret that tokens are signed with, which the specialists know too: a [`Secret`](crate::Secret), or a
    /// [`KeyRing`] while it is being replaced.
    pub fn delegation_secret(mut self, keys: impl Into<KeyRing>) -> Self {
        self.keys = Some(keys.into());
        self
    }

    /// The version that the gateway says it has when it connects to a specialist.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// What stands between a specialist's name and its tool's: `__`.
    pub fn separator(mut self, separator: Separator) -> Self {
        self.separator = separator;
        self
    }

    /// How long connecting to a specialist may take, its list of tools included: 5 s.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.limits.connect = limit;
        self
    }

    /// How long a handoff lives without a call: 300 s.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.limits.idle = limit;
        self
    }

    /// How many handoffs there may be at a time, connecting ones among them: 100.
    pub fn max_sessions(mut self, limit: usize) -> Self {
        self.limits.sessions = limit;
        self
    }

    /// How long a specialist may work on one call: 60 s.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.call_timeout = limit;
        self
    }

    /// How long a token is good for: 60 s, of at most 300, in whole ones. Each request has its own.
    pub fn token_ttl(mut self, ttl: Duration) -> Self {
        self.token_ttl = ttl;
        self
    }

    /// Where carried state waits that is too large for a token; by default this process's memory, which
    /// only specialists in it can ask.
    pub fn state_store(mut self, store: Arc<dyn HandoffStateStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Who tells the time: by default the machine's clock, which the feature `http` brings.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Builds the gateway. Nothing is connected to yet.
    ///
    /// # Errors
    /// [`BuildError`] when a name, an address or an alias is not usable, or something is missing.
    pub fn build(self) -> Result<SwarmGateway, BuildError> {
        let gateway = DomainName::new(&self.name)?;
        if let Some(flaw) = self.flaw {
            return Err(flaw.into());
        }
        if self.registry.is_empty() {
            return Err(BuildError::NoSpecialist);
        }
        if self.registry.entry(&self.name).is_some() {
            return Err(BuildError::Namesake { name: self.name });
        }
        if self.token_ttl.is_zero()
            || self.token_ttl > MAX_TTL
            || self.token_ttl.subsec_nanos() != 0
        {
            return Err(BuildError::TokenTtl {
                ttl: self.token_ttl,
            });
        }
        let keys = self.keys.ok_or(BuildError::NoSecret)?;
        let clock = self.clock.or_else(own_clock).ok_or(BuildError::NoClock)?;
        let mut locals = self.locals;
        let addresses = self.registry.iter().filter_map(|entry| {
            let address = match &entry.url {
                Some(url) => Address::Url(url.clone()),
                None => locals.remove(entry.name.as_str())?,
            };
            Some((entry.name.clone(), address))
        });
        let addresses = addresses.collect();
        let store = self
            .store
            .unwrap_or_else(|| Arc::new(MemoryStates::new(clock.clone())));
        Ok(SwarmGateway::new(Shared {
            face: Face::new(gateway, self.separator),
            version: self.version.into(),
            registry: self.registry,
            addresses,
            keys,
            token_ttl: self.token_ttl,
            store,
            clock,
            limits: self.limits,
            call_timeout: self.call_timeout,
            catalogue: Catalogue::default(),
            timer: Timer::default(),
            sessions: Mutex::new(Sessions::new(self.limits)),
            attempts: Mutex::default(),
            clients: Mutex::default(),
        }))
    }

    fn note(&mut self, added: Result<(), RegistryError>) {
        if let Err(flaw) = added {
            self.flaw.get_or_insert(flaw);
        }
    }
}

#[cfg(feature = "http")]
fn own_clock() -> Option<Arc<dyn Clock>> {
    Some(Arc::new(mcp_transport::clock::SystemClock))
}

#[cfg(not(feature = "http"))]
fn own_clock() -> Option<Arc<dyn Clock>> {
    None
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("registry", &self.registry)
            .field("separator", &self.separator)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A gateway cannot be built like this.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The gateway's name is none.
    #[error(transparent)]
    Name(#[from] BadDomainName),
    /// A specialist's name, address or alias is not usable.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A specialist has the gateway's own name.
    #[error("`{name}` is the gateway's own name: give the specialist another one")]
    #[non_exhaustive]
    Namesake {
        /// The name.
        name: String,
    },
    /// There is no specialist.
    #[error("a gateway needs a specialist: add one with `specialist(name, url)`")]
    NoSpecialist,
    /// There is no secret.
    #[error("a gateway needs a secret to sign with: add it with `delegation_secret(secret)`")]
    NoSecret,
    /// There is no clock.
    #[error(
        "there is no clock: pass one with `clock`, or turn on the feature `http`, which has the machine's"
    )]
    NoClock,
    /// A token cannot live that long.
    #[error("a delegation token lives 1 to 300 whole seconds, not {ttl:?}: change `token_ttl`")]
    #[non_exhaustive]
    TokenTtl {
        /// What was asked for.
        ttl: Duration,
    },
}
