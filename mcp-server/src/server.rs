//! A server: what it offers, under which name, and which layers go around it.

mod features;

#[cfg(feature = "stdio")]
use std::io;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use mcp_transport::{Clock, proto::limits::Limits};
use mcp_types::{capability::Implementation, wire::TextMirror};

use crate::{
    connection::Connection,
    core::Core,
    features::Features,
    gate::Gate,
    hub::Hub,
    input::{InputHost, InputPolicy, KeyRing},
    policy::EraPolicy,
    router::Router,
    service::{Layer, Service},
    task::TasksPolicy,
    tool::{InvalidTool, Tool},
    tools::Tools,
    validate::SchemaCheck,
};

/// A server, to be hosted on as many connections as one likes.
///
/// ```
/// # use mcp_server::{Args, Json, Server, Tool, schemars::{self, JsonSchema}};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Deserialize, JsonSchema)] struct Add { a: i64, b: i64 }
/// # #[derive(Serialize, JsonSchema)] struct Sum { sum: i64 }
/// async fn add(Args(Add { a, b }): Args<Add>) -> Json<Sum> {
///     Json(Sum { sum: a + b })
/// }
/// let server = Server::new("calculator", "1.0.0")
///     .instructions("Adds integers.")
///     .tool(Tool::new("add", add).description("Adds two integers").read_only());
/// ```
pub struct Server {
    info: Implementation,
    instructions: Option<String>,
    policy: EraPolicy,
    limits: Limits,
    features: Features,
    input: InputPolicy,
    tasks: Option<TasksPolicy>,
    clock: Option<Arc<dyn Clock>>,
    mirror: TextMirror,
    layers: Vec<Arc<dyn Layer>>,
    // Layers are put around the router once, however many hosts there are.
    core: OnceLock<Arc<Core>>,
}

impl Server {
    /// A server of this name and version, which every client sees.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self::named(Implementation::new(name, version))
    }

    /// A server that also says its title, description or website.
    pub fn named(info: Implementation) -> Self {
        Self {
            info,
            instructions: None,
            policy: EraPolicy::default(),
            limits: Limits::default(),
            features: Features::new(),
            input: InputPolicy::default(),
            tasks: None,
            clock: None,
            mirror: TextMirror::default(),
            layers: Vec::new(),
            core: OnceLock::new(),
        }
    }

    /// How to use the server, for a model.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self {
            instructions: Some(text.into()),
            ..self.changed()
        }
    }

    /// Offers a tool; `tools/list` keeps the order.
    ///
    /// # Panics
    /// When the tool's definition is not valid, or its name is taken: a mistake of the program, found
    /// when it starts. [`Server::try_tool`] returns it instead.
    #[must_use]
    pub fn tool(self, tool: Tool) -> Self {
        match self.try_tool(tool) {
            Ok(server) => server,
            Err(error) => panic!("{error}"),
        }
    }

    /// Offers a tool, whose definition may come from elsewhere than the program.
    ///
    /// # Errors
    /// When the tool's definition is not valid, or its name is taken.
    pub fn try_tool(self, tool: Tool) -> Result<Self, InvalidTool> {
        self.features.tools.add(tool)?;
        Ok(self)
    }

    /// Puts a layer around all requests; the last one added is outermost.
    ///
    /// A server with a layer says that it has tools, and that their list may change, since the layer may bring
    /// some.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.features.tools.0.open();
        self.layers.push(Arc::new(layer));
        self.changed()
    }

    /// Checks the arguments and results of tools against their schemas, those that are here and those to come; the
    /// first check that is set stands. `JsonSchema`, of the feature `validate`, is one:
    ///
    #[cfg_attr(feature = "validate", doc = "```")]
    #[cfg_attr(not(feature = "validate"), doc = "```ignore")]
    /// # use mcp_server::{Server, validate::JsonSchema};
    /// let server = Server::new("calculator", "1.0.0").schema_check(JsonSchema::new());
    /// ```
    ///
    /// Arguments that do not fit are a failure of the tool (`isError`, code `bad_request`) that names the place and what
    /// was expected there, as those are that its handler's type does not take. A result that does not fit becomes
    /// `output_validation_failed`, with a line in the log; failures of tools are no results. What layers around the
    /// server answer is theirs.
    ///
    /// # Panics
    /// When a schema is wrong, or would cost too much to be checked against: a mistake of the program, found when it
    /// starts. [`Server::try_schema_check`] returns it instead.
    #[must_use]
    pub fn schema_check(self, check: impl SchemaCheck + 'static) -> Self {
        match self.try_schema_check(check) {
            Ok(server) => server,
            Err(error) => panic!("{error}"),
        }
    }

    /// Checks the arguments and results of tools, whose schemas may come from elsewhere than the program.
    ///
    /// # Errors
    /// When a schema is wrong, or would cost too much to be checked against.
    pub fn try_schema_check(self, check: impl SchemaCheck + 'static) -> Result<Self, InvalidTool> {
        self.features.tools.check_by(Arc::new(check))?;
        Ok(self)
    }

    /// Sets whether a tool's structured content stands in `content` too, as text.
    #[must_use]
    pub fn text_mirror(self, mirror: TextMirror) -> Self {
        Self {
            mirror,
            ..self.changed()
        }
    }

    /// Sets which eras and revisions are served, and how they are told apart.
    #[must_use]
    pub fn era_policy(self, policy: EraPolicy) -> Self {
        Self {
            policy,
            ..self.changed()
        }
    }

    /// Sets how much is taken, kept and waited for.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.features.subscriptions = limits.subscriptions;
        Self {
            limits,
            ..self.changed()
        }
    }

    /// Sets how handlers ask: rounds, time, keys. Where it has no keys, those that were set before stay.
    #[must_use]
    pub fn input(mut self, mut policy: InputPolicy) -> Self {
        match &policy.keys {
            Some(keys) => self.features.cursors.follow(keys),
            None => policy.keys = self.input.keys.take(),
        }
        Self {
            input: policy,
            ..self.changed()
        }
    }

    /// Sets the keys that seal what a call has asked so far (`requestState`), and that sign the cursors of lists.
    /// Instances that serve the same clients share them; without them, each process has a key of its own.
    #[must_use]
    pub fn state_keys(self, keys: KeyRing) -> Self {
        let input = self.input.clone().with_keys(keys);
        self.input(input)
    }

    /// Sets the clock that questions and tasks go by: by default the machine's, which the features `http` and `stdio` bring.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self {
            clock: Some(clock),
            ..self.changed()
        }
    }

    /// A handle to add and remove tools while the server runs.
    ///
    /// A server says that its list of tools may change (`listChanged`) from when this was first asked for.
    pub fn tools(&self) -> Tools {
        self.features.tools.0.open();
        self.features.tools.clone()
    }

    /// Where changes are published: what a resource holds, and what other instances say.
    ///
    /// A server says that all its lists may change, and that clients may subscribe to resources, from when this was
    /// first asked for.
    pub fn hub(&self) -> Hub {
        self.features.hub.open();
        self.features.hub.clone()
    }

    /// Connects a client in the same process: an [`Endpoint`](mcp_transport::Endpoint).
    pub fn connect(&self) -> Connection {
        Connection::new(Gate::new(self.core()))
    }

    /// Serves one connection over a byte stream, a message a line, until `reader` ends; calls in
    /// flight then get [`Limits::eof_drain_time`] to finish. Dropping the future ends the connection.
    ///
    /// # Errors
    /// Those of reading and writing, and when the peer takes nothing for [`Limits::idle_time`]. A peer
    /// that closed its end has ended the connection, which is none.
    #[cfg(feature = "stdio")]
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> io::Result<()>
    where
        R: tokio::io::AsyncRead + Unpin + Send,
        W: tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let clock = Arc::new(mcp_transport::clock::SystemClock);
        let never = std::future::pending();
        crate::duplex::serve(Gate::new(self.core()), reader, writer, clock, never).await
    }

    /// Serves the peer at this process's stdin and stdout until stdin ends; calls in flight then get
    /// [`Limits::eof_drain_time`] to finish. A read of stdin that is still under way keeps neither this future nor the
    /// process.
    ///
    /// Stdout is the server's alone meanwhile. On Unix whatever else prints to it, in this process or in a program that
    /// a tool runs, lands on stderr, and whatever else reads stdin finds it empty; both are given back at the end.
    ///
    /// # Errors
    /// Those of reading and writing.
    #[cfg(feature = "stdio")]
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let streams = crate::stdio::Streams::take()?;
        let mut all_written = streams.all_written;
        tokio::select! {
            biased;
            served = self.serve(streams.stdin, streams.stdout) => served?,
            // Nobody reads any more, though stdin may stay open.
            _ = &mut all_written => return Ok(()),
        }
        let clock = mcp_transport::clock::SystemClock;
        let deadline = Clock::deadline(&clock, self.limits.farewell_time);
        tokio::select! {
            _ = all_written => {}
            () = Clock::sleep_until(&clock, deadline) => {}
        }
        drop(streams.taken);
        Ok(())
    }

    /// Serves on a Unix domain socket at `path`, whose file its owner alone may use, until the future is dropped.
    /// [`Self::sockets`] has the choices, and a shutdown that lets calls finish.
    ///
    /// # Errors
    /// As [`SocketHost::serve_unix`](crate::socket::SocketHost::serve_unix).
    #[cfg(all(feature = "stdio", unix))]
    pub async fn serve_unix(&self, path: impl AsRef<std::path::Path>) -> io::Result<()> {
        self.sockets()
            .serve_unix(path, std::future::pending())
            .await
    }

    /// Binds `address`, which must be on loopback, and serves on it, a message a line, until the future is dropped.
    /// Every user of the machine can call it; where that is too much, a Unix socket is the better choice.
    ///
    /// # Errors
    /// When the address cannot be bound, or as [`SocketHost::serve_tcp`](crate::socket::SocketHost::serve_tcp).
    #[cfg(feature = "stdio")]
    pub async fn serve_tcp(&self, address: impl tokio::net::ToSocketAddrs) -> io::Result<()> {
        let listener = tokio::net::TcpListener::bind(address).await?;
        self.sockets()
            .serve_tcp(listener, std::future::pending())
            .await
    }

    /// The choices of hosting on sockets.
    #[cfg(feature = "stdio")]
    pub fn sockets(&self) -> crate::socket::SocketHost {
        crate::socket::SocketHost::new(self.core())
    }

    /// What the hosts share.
    pub(crate) fn core(&self) -> Arc<Core> {
        let core = self.core.get_or_init(|| {
            let server = Arc::new(self.info.clone());
            let read = self.layers.iter().any(|layer| layer.reads_lists());
            let features = self.with_tasks();
            let router = Router::new(features.clone(), Arc::clone(&server), read);
            let router: Arc<dyn Service> = Arc::new(router);
            let layers = self.layers.iter();
            Arc::new(Core {
                server,
                instructions: self.instructions.clone(),
                policy: self.policy.clone(),
                mirror: self.mirror,
                limits: self.limits.clone(),
                features,
                input: InputHost::new(
                    self.input.clone(),
                    self.info.name.clone(),
                    self.clock.clone(),
                ),
                root: layers.fold(router, |inner, layer| layer.wrap(inner)),
            })
        });
        Arc::clone(core)
    }

    fn changed(self) -> Self {
        Self {
            core: OnceLock::new(),
            ..self
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.info.name)
            .field("version", &self.info.version)
            .field("features", &self.features)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
