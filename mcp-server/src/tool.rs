//! Tools: a handler with a name, and what is said about it in `tools/list`.

use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    mem,
    sync::{Arc, OnceLock},
    task::Poll,
};

use mcp_types::{
    RawJson,
    schema::{Place, Profile, clean},
    tool::{TaskSupport, Tool as Definition, ToolAnnotations},
    wire::wraps_output,
};
use schemars::Schema;
use serde_json::{Map, Value};

use crate::{
    answer::Answer,
    call::Call,
    described::{Filter, described},
    failed,
    handler::Handler,
    input::{drive, pausing},
    proto::mirror::Mirrors,
    schema,
    service::{BoxFuture, Layer, Service},
    tools::Entry,
    validate::InvalidSchema,
};

/// A tool, until it is given to a server.
///
/// What it takes and gives is read off its handler's types, and cleaned for hosts: JSON Schema
/// 2020-12, its root an object.
///
/// An argument that proxies are to see, so that they can route by it, is marked in its schema: modern clients on HTTP then
/// repeat it in a header, `Mcp-Param-Region` here, and a call in which the two differ is refused before the handler.
///
/// ```
/// # use mcp_server::{Args, Tool, schemars::{self, JsonSchema}};
/// # use serde::Deserialize;
/// #[derive(Deserialize, JsonSchema)]
/// struct Query {
///     #[schemars(extend("x-mcp-header" = "Region"))]
///     region: String,
///     sql: String,
/// }
/// async fn query(Args(Query { region, sql }): Args<Query>) -> String {
///     format!("{sql} in {region}")
/// }
/// let tool = Tool::new("query", query).description("Runs a query");
/// ```
pub struct Tool {
    definition: Definition,
    schema: InputSchema,
    output: Option<Schema>,
    profile: Option<Profile>,
    label: Option<Arc<str>>,
    layers: Vec<Arc<dyn Layer>>,
    blocking: bool,
    begins_in_handler: bool,
    filter: Filter,
    bind: Box<dyn FnOnce(Finish) -> Arc<dyn Service> + Send + Sync>,
}

enum InputSchema {
    Typed(Schema),
    Raw,
}

impl Tool {
    /// A tool that `handler` runs. The name is checked when a server takes the tool.
    pub fn new<A: 'static, H: Handler<A>>(name: impl Into<String>, handler: H) -> Self {
        let input = H::input_schema().unwrap_or_else(schema::of_nothing);
        Self {
            definition: Definition::new(name, RawJson::null()),
            schema: InputSchema::Typed(input),
            output: H::output_schema(),
            profile: None,
            label: None,
            layers: Vec::new(),
            blocking: false,
            begins_in_handler: false,
            filter: Filter::default(),
            bind: Box::new(|finish| {
                Arc::new(Bound {
                    handler: Arc::new(handler),
                    finish,
                    extractors: PhantomData,
                })
            }),
        }
    }

    /// A tool that is listed as `definition` says, run by any service.
    pub fn from_service(definition: Definition, service: Arc<dyn Service>) -> Self {
        Self {
            definition,
            schema: InputSchema::Raw,
            output: None,
            profile: None,
            label: None,
            layers: Vec::new(),
            blocking: false,
            begins_in_handler: false,
            filter: Filter::default(),
            bind: Box::new(|_| pausing(service)),
        }
    }

    /// It changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.annotations().read_only_hint = Some(true);
        self
    }

    /// Whether it may destroy something. A host assumes so unless told.
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.annotations().destructive_hint = Some(destructive);
        self
    }

    /// Running it twice is the same as running it once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.annotations().idempotent_hint = Some(true);
        self
    }

    /// Whether it reaches beyond its server. A host assumes so unless told.
    #[must_use]
    pub fn open_world(mut self, open: bool) -> Self {
        self.annotations().open_world_hint = Some(open);
        self
    }

    /// The name that its failures carry as `service`; by default that of the tool.
    #[must_use]
    pub fn service_label(mut self, label: impl Into<Arc<str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// What it takes, in place of what its handler's types say: a JSON Schema with `type: "object"`,
    /// listed as it is.
    #[must_use]
    pub fn input_schema(mut self, schema: RawJson) -> Self {
        self.definition.input_schema = schema;
        self.schema = InputSchema::Raw;
        self
    }

    /// Whose rules its schemas follow: [`Profile::standard`] for those of the handler's types, and those that were
    /// given stay as they are. Named here, a profile is for both.
    #[must_use]
    pub fn schema_profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Puts a layer around this tool; the last one added is outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// It computes, or blocks its thread, for longer than a moment. It is not run where messages are read,
    /// so on a runtime of several threads pings, cancellations and other calls of its connection go on.
    ///
    /// It still holds a thread of the runtime; what takes seconds belongs on threads of its own.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    /// Whether it runs as a task, on a server that has tasks ([`Server::tasks`](crate::Server::tasks)): never, by
    /// default. One that *may* gives clients that know tasks a task, and others its result; one that *must* is for
    /// clients that know tasks alone.
    ///
    /// `tools/list` says so (`execution.taskSupport`) from 2025-11-25 on.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is a word, and reads as one"
    )]
    pub fn tasks(mut self, support: TaskSupport) -> Self {
        self.definition.set_task_support(&support);
        self
    }

    /// Its task begins when its handler says so, with [`Context::begin_task`](crate::Context::begin_task), and not
    /// before the handler runs. What the handler asks before is asked as in any call; if it is done before, a modern
    /// client gets the result itself.
    #[must_use]
    pub fn task_begins_in_handler(mut self) -> Self {
        self.begins_in_handler = true;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    fn annotations(&mut self) -> &mut ToolAnnotations {
        self.definition.annotations.get_or_insert_default()
    }

    pub(crate) fn into_entry(self) -> Result<Entry, InvalidTool> {
        let Self {
            mut definition,
            schema: input,
            output,
            profile,
            label,
            layers,
            blocking,
            begins_in_handler,
            filter,
            bind,
        } = self;
        check_name(&definition.name)?;
        let input = match input {
            InputSchema::Typed(schema) => Some(schema),
            InputSchema::Raw => None,
        };
        list(&mut definition, input.as_ref(), output.as_ref(), profile)?;
        let wraps_output = definition.output_schema.as_ref().is_some_and(wraps_output);
        let mirrors = mirrors(&definition)?;
        let label = label.unwrap_or_else(|| definition.name.as_str().into());
        let service = bind(Finish {
            label: Arc::clone(&label),
        });
        let service = layers
            .iter()
            .fold(service, |inner, layer| layer.wrap(inner));
        let service = if blocking {
            elsewhere(service)
        } else {
            service
        };
        Ok(Entry {
            task_support: definition.task_support(),
            begins_in_handler,
            definition,
            service,
            wraps_output,
            mirrors,
            filter,
            label,
            checks: OnceLock::new(),
        })
    }
}

described!(Tool);

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("definition", &self.definition)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}

/// A tool that a server cannot offer: its name or schema is not valid, or the name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct InvalidTool(String);

impl InvalidTool {
    pub(crate) fn taken(name: &str) -> Self {
        Self(format!(
            "a tool named `{name}` is registered already; give one of the two another name"
        ))
    }

    pub(crate) fn unchecked(name: &str, member: &str, reason: &InvalidSchema) -> Self {
        Self(format!(
            "the {member} of tool `{name}` is not to be checked against: {reason}"
        ))
    }
}

fn check_name(name: &str) -> Result<(), InvalidTool> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if (1..=128).contains(&name.len()) && name.bytes().all(is_allowed) {
        return Ok(());
    }
    let name = name.escape_debug();
    Err(InvalidTool(format!(
        "tool name `{name}` is not valid; use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`"
    )))
}

/// Puts the schemas into the definition, cleaned, and tells the log what hosts will not like of them.
fn list(
    definition: &mut Definition,
    input: Option<&Schema>,
    output: Option<&Schema>,
    chosen: Option<Profile>,
) -> Result<(), InvalidTool> {
    let name = definition.name.clone();
    let profile = chosen.unwrap_or_default();
    let listed = |made: Option<&Schema>, given: Option<&RawJson>, place| match (made, given) {
        (Some(schema), _) => schema::cleaned(schema, place, &profile).map(Some),
        (None, Some(schema)) if chosen.is_some() => clean(schema, place, &profile).map(Some),
        (None, given) => Ok(given.cloned()),
    };
    let refuse = |error| {
        InvalidTool(format!(
            "a schema of tool `{name}` cannot be listed: {error}"
        ))
    };
    let input = listed(input, Some(&definition.input_schema), Place::Input).map_err(refuse)?;
    definition.input_schema = input.unwrap_or_else(RawJson::null);
    check_input(definition)?;
    let given = definition.output_schema.take();
    definition.output_schema = listed(output, given.as_ref(), Place::Output).map_err(refuse)?;
    schema::warn(&name, &definition.input_schema, Place::Input, &profile);
    if let Some(schema) = &definition.output_schema {
        schema::warn(&name, schema, Place::Output, &profile);
    }
    Ok(())
}

/// The arguments that a modern HTTP client repeats in headers.
fn mirrors(definition: &Definition) -> Result<Mirrors, InvalidTool> {
    let schema = definition.input_schema.decode().unwrap_or_default();
    let name = &definition.name;
    Mirrors::of(&schema).map_err(|error| InvalidTool(format!("tool `{name}`: {error}")))
}

fn check_input(definition: &Definition) -> Result<(), InvalidTool> {
    let name = &definition.name;
    let schema = definition.input_schema.decode::<Map<String, Value>>();
    let kind = schema.ok().and_then(|root| root.get("type").cloned());
    match kind {
        Some(kind) if kind == "object" => Ok(()),
        Some(kind) => Err(InvalidTool(format!(
            "the arguments of tool `{name}` have the type {kind}; take a struct or a map with string keys"
        ))),
        None => Err(InvalidTool(format!(
            "the input schema of tool `{name}` must be an object with \"type\": \"object\""
        ))),
    }
}

/// A service that waits once before it starts: hosts go on in a task of its own with what waits.
fn elsewhere(inner: Arc<dyn Service>) -> Arc<dyn Service> {
    Arc::new(move |call: Call| -> BoxFuture<Answer> {
        let inner = Arc::clone(&inner);
        Box::pin(async move {
            let mut waited = false;
            poll_fn(|cx| {
                if mem::replace(&mut waited, true) {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            inner.call(call).await
        })
    })
}

/// What becomes of a handler's answer before any layer sees it.
#[derive(Clone)]
struct Finish {
    label: Arc<str>,
}

impl Finish {
    fn finish(&self, mut answer: Answer) -> Answer {
        failed::label(&mut answer, &self.label);
        answer
    }
}

struct Bound<H, A> {
    handler: Arc<H>,
    finish: Finish,
    extractors: PhantomData<fn() -> A>,
}

impl<A: 'static, H: Handler<A>> Service for Bound<H, A> {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        let finish = self.finish.clone();
        let handler = Arc::clone(&self.handler);
        Box::pin(async move {
            let answer = drive(call, H::may_require_input(), |call| handler.call(call));
            finish.finish(answer.await)
        })
    }
}
