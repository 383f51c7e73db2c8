//! Resources: what a client can read, by address, and families of them that differ in a few blanks.

mod answer;

use std::{fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_types::{
    Outcome, Payload,
    content::Annotations,
    name::ResourceUri,
    resource::{
        ReadResourceResult, Resource as Definition, ResourceContents,
        ResourceTemplate as TemplateDefinition,
    },
};

use crate::{
    answer::Answer,
    cache::CacheHint,
    call::Call,
    completion::{self, Completers, Plain},
    described::{Filter, described},
    failed,
    handler::Handler,
    kind::{ForCompletion, ForResource},
    proto::template::Template,
    resources::{Entry, TemplateEntry},
    service::{BoxFuture, Service},
    vars,
};

/// A resource, until it is given to a server.
///
/// ```
/// use mcp_server::{Resource, Server, ToolError};
///
/// async fn load() -> Result<String, ToolError> {
///     Ok(std::fs::read_to_string("/proc/loadavg")?)
/// }
/// let server = Server::new("host", "1.0")
///     .resource(Resource::text("host://motd", "Be nice.").name("motd"))
///     .resource(Resource::new("host://load", load).description("Load averages").mime_type("text/plain"));
/// ```
pub struct Resource {
    definition: Definition,
    filter: Filter,
    read: Read,
}

impl Resource {
    /// A resource that `handler` reads, each time it is asked for.
    ///
    /// A handler that fails with [`ToolError::not_found`](crate::ToolError::not_found) says that there is none
    /// at present.
    pub fn new<A: 'static, H: Handler<A, ForResource>>(uri: impl Into<String>, handler: H) -> Self {
        Self::of(uri, Arc::new(Plain::new(handler)))
    }

    /// A resource that is always this text.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let size = text.len();
        Self::fixed(uri, size, "text/plain", ResourceContents::text("", text))
    }

    /// A resource that is always these bytes; they travel in base64.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let contents = ResourceContents::blob("", STANDARD.encode(bytes));
        Self::fixed(uri, bytes.len(), "application/octet-stream", contents)
    }

    fn fixed(
        uri: impl Into<String>,
        size: usize,
        mime_type: &str,
        contents: ResourceContents,
    ) -> Self {
        let service = move |_: Call| -> BoxFuture<Answer> {
            let answer = Answer::new(ReadResourceResult {
                contents: vec![contents.clone()],
                ..ReadResourceResult::default()
            });
            Box::pin(std::future::ready(answer))
        };
        let mut resource = Self::of(uri, Arc::new(service)).mime_type(mime_type);
        resource.definition.size = Some(size as u64);
        resource
    }

    fn of(uri: impl Into<String>, service: Arc<dyn Service>) -> Self {
        let uri = uri.into();
        let name = uri.rsplit('/').find(|part| !part.is_empty());
        Self {
            definition: Definition::new(uri.clone(), name.unwrap_or(&uri)),
            filter: Filter::default(),
            read: Read::new(service),
        }
    }

    /// A name for programs; by default the last part of the address.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.definition.name = name.into();
        self
    }

    /// Its media type. Contents that name none have it too.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.definition.mime_type = Some(mime_type.into());
        self
    }

    /// Its size in bytes, before any base64; known of texts and blobs.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.definition.size = Some(bytes);
        self
    }

    /// Whom it is for, how much it matters, and when it changed last.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// How long a client may reuse what it read; by default not at all.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.read.hint = Some(hint);
        self
    }

    /// The address.
    pub fn uri(&self) -> &str {
        &self.definition.uri
    }

    pub(crate) fn into_entry(self) -> Result<Entry, InvalidResource> {
        let Self {
            definition,
            filter,
            mut read,
        } = self;
        ResourceUri::try_from(&*definition.uri)
            .map_err(|error| InvalidResource(error.to_string()))?;
        read.mime_type.clone_from(&definition.mime_type);
        read.is_filtered = filter.is_some();
        Ok(Entry {
            definition,
            filter,
            read,
        })
    }
}

described!(Resource);

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("definition", &self.definition)
            .field("visible", &self.filter)
            .finish_non_exhaustive()
    }
}

/// Resources whose addresses differ in a few blanks, until they are given to a server.
///
/// The address is a template of [RFC 6570], levels 1 to 3. As there, `{id}` holds no `/` (a client encodes it), `{+path}`
/// does, and `{?page,size}` may leave out either.
///
/// ```
/// use mcp_server::{Completing, ResourceTemplate, Server, Vars};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Weather { city: String, days: Option<u8> }
///
/// async fn weather(Vars(Weather { city, days }): Vars<Weather>) -> String {
///     format!("Sun over {city} for {} days", days.unwrap_or(1))
/// }
/// let template = ResourceTemplate::new("weather://{city}{?days}", weather)
///     .name("weather")
///     .choices("city", ["Lisbon", "Oslo"]);
/// let server = Server::new("weather", "1.0").resource_template(template);
/// ```
///
/// A resource with the very address is preferred to a template, and of two templates the one with more fixed text.
///
/// [RFC 6570]: https://www.rfc-editor.org/rfc/rfc6570
pub struct ResourceTemplate {
    definition: TemplateDefinition,
    filter: Filter,
    read: Read,
    completers: Completers,
}

impl ResourceTemplate {
    /// The resources at `uri_template`, which `handler` reads. The template is checked when a server takes it.
    pub fn new<A: 'static, H: Handler<A, ForResource>>(
        uri_template: impl Into<String>,
        handler: H,
    ) -> Self {
        let text = uri_template.into();
        Self {
            definition: TemplateDefinition::new(text.clone(), text),
            filter: Filter::default(),
            read: Read::new(Arc::new(Plain::new(handler))),
            completers: Completers::default(),
        }
    }

    /// A name for programs; by default the template itself.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.definition.name = name.into();
        self
    }

    /// Their media type, if it is the same for all. Contents that name none have it too.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.definition.mime_type = Some(mime_type.into());
        self
    }

    /// Whom they are for, and how much they matter.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// How long a client may reuse what it read; by default not at all.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.read.hint = Some(hint);
        self
    }

    /// Helps to fill in a blank: `handler` takes a [`Completing`](crate::Completing), and whatever other handlers take.
    #[must_use]
    pub fn complete<A: 'static, H: Handler<A, ForCompletion>>(
        mut self,
        blank: &str,
        handler: H,
    ) -> Self {
        self.completers.set(blank, handler);
        self
    }

    /// Helps to fill in a blank from values that are known beforehand.
    #[must_use]
    pub fn choices<T: Into<String>>(
        self,
        blank: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.complete(blank, completion::among(values))
    }

    /// The template.
    pub fn uri_template(&self) -> &str {
        &self.definition.uri_template
    }

    pub(crate) fn into_entry(self) -> Result<TemplateEntry, InvalidResource> {
        let Self {
            definition,
            filter,
            mut read,
            completers,
        } = self;
        let text = &definition.uri_template;
        let template = Template::parse(text).map_err(|error| {
            InvalidResource(format!(
                "resource template `{text}` cannot be used: {error}"
            ))
        })?;
        let has = |name: &str| template.names().iter().any(|known| **known == *name);
        if let Some(name) = completers.names().find(|name| !has(name)) {
            return Err(InvalidResource(format!(
                "resource template `{text}` has no blank `{name}` to complete"
            )));
        }
        read.mime_type.clone_from(&definition.mime_type);
        read.is_filtered = filter.is_some();
        Ok(TemplateEntry {
            definition,
            template,
            filter,
            read,
            completers,
        })
    }
}

described!(ResourceTemplate);

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("definition", &self.definition)
            .field("visible", &self.filter)
            .field("completes", &self.completers)
            .finish_non_exhaustive()
    }
}

/// A resource or resource template that a server cannot offer: its address is not valid, or it is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct InvalidResource(String);

impl InvalidResource {
    pub(crate) fn taken(uri: &str) -> Self {
        Self(format!(
            "a resource at `{uri}` is registered already; give one of the two another address"
        ))
    }
}

/// How a resource is read.
#[derive(Clone)]
pub(crate) struct Read {
    service: Arc<dyn Service>,
    mime_type: Option<String>,
    hint: Option<CacheHint>,
    is_filtered: bool,
}

impl Read {
    fn new(service: Arc<dyn Service>) -> Self {
        Self {
            service,
            mime_type: None,
            hint: None,
            is_filtered: false,
        }
    }

    /// Reads the resource at `uri`: contents that name no address have this one.
    pub(crate) fn call(&self, uri: String, call: Call) -> BoxFuture<Answer> {
        let (read, revision) = (self.clone(), call.revision());
        let running = self.service.call(call);
        Box::pin(async move {
            let mut answer = running.await;
            failed::label(&mut answer, &uri);
            if failed::is_not_found(&answer) {
                answer.outcome = vars::not_found(&uri, revision).outcome;
            }
            if let Ok(Outcome::Complete(Payload::ReadResource(result))) = &mut answer.outcome {
                read.fill(&uri, result);
            }
            answer
        })
    }

    fn fill(&self, uri: &str, result: &mut ReadResourceResult) {
        for contents in &mut result.contents {
            let (known, mime_type) = match contents {
                ResourceContents::Text(text) => (&mut text.uri, &mut text.mime_type),
                ResourceContents::Blob(blob) => (&mut blob.uri, &mut blob.mime_type),
                _ => continue,
            };
            if known.is_empty() {
                uri.clone_into(known);
            }
            if mime_type.is_none() {
                mime_type.clone_from(&self.mime_type);
            }
        }
        let Some(hint) = self.hint else {
            return;
        };
        result.ttl_ms.get_or_insert_with(|| hint.ttl_ms());
        let scope = if self.is_filtered {
            CacheHint::default().scope
        } else {
            hint.scope
        };
        result.cache_scope.get_or_insert(scope);
    }
}
