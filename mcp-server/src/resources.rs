//! The resources of a running server.

use std::fmt;

use mcp_types::resource::{Resource as Definition, ResourceTemplate as TemplateDefinition};

use crate::{
    completion::Completers,
    described::Filter,
    features::Flag,
    hub::{Change, Hub},
    proto::template::Template,
    registry::{Named, Set},
    resource::{InvalidResource, Read, Resource, ResourceTemplate},
};

/// The resources and resource templates of a running server. Clones are the same set.
///
/// Changing it tells every client that listens.
#[derive(Clone)]
pub struct Resources {
    pub(crate) fixed: Set<Entry>,
    pub(crate) templates: Set<TemplateEntry>,
    hub: Hub,
    completes: Flag,
}

/// A resource as it is listed, and how it is read.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) filter: Filter,
    pub(crate) read: Read,
}

/// A resource template as it is listed, and how its resources are read.
pub(crate) struct TemplateEntry {
    pub(crate) definition: TemplateDefinition,
    pub(crate) template: Template,
    pub(crate) filter: Filter,
    pub(crate) read: Read,
    pub(crate) completers: Completers,
}

impl Named for Entry {
    fn key(&self) -> &str {
        &self.definition.uri
    }

    fn filter(&self) -> &Filter {
        &self.filter
    }
}

impl Named for TemplateEntry {
    fn key(&self) -> &str {
        &self.definition.uri_template
    }

    fn filter(&self) -> &Filter {
        &self.filter
    }
}

impl Resources {
    pub(crate) fn new(hub: &Hub, completes: Flag) -> Self {
        Self {
            fixed: Set::new(hub, Change::ResourcesListChanged),
            templates: Set::new(hub, Change::ResourcesListChanged),
            hub: hub.clone(),
            completes,
        }
    }

    /// Adds a resource at the end of the list.
    ///
    /// # Errors
    /// When its address is not valid, or taken.
    pub fn add(&self, resource: Resource) -> Result<(), InvalidResource> {
        let uri = resource.uri().to_owned();
        let added = self.fixed.add(resource.into_entry()?);
        added.map_err(|_| InvalidResource::taken(&uri))
    }

    /// Adds a resource template at the end of the list.
    ///
    /// # Errors
    /// When the template is not valid, or registered already.
    pub fn add_template(&self, template: ResourceTemplate) -> Result<(), InvalidResource> {
        let uri = template.uri_template().to_owned();
        let entry = template.into_entry()?;
        if !entry.completers.is_empty() {
            self.completes.raise();
        }
        let added = self.templates.add(entry);
        added.map_err(|_| InvalidResource::taken(&uri))
    }

    /// Removes the resource at `uri`; reads that run go on. Says whether there was one.
    pub fn remove(&self, uri: &str) -> bool {
        self.fixed.remove(uri)
    }

    /// Removes a resource template. Says whether there was one.
    pub fn remove_template(&self, uri_template: &str) -> bool {
        self.templates.remove(uri_template)
    }

    /// Tells who subscribed to it that the resource at `uri` holds something else now.
    pub fn updated(&self, uri: impl Into<Box<str>>) {
        self.hub.publish(&Change::ResourceUpdated(uri.into()));
    }

    /// The addresses of the resources, in the order of the list.
    pub fn uris(&self) -> Vec<String> {
        self.fixed.names()
    }

    /// The templates, in the order of the list.
    pub fn uri_templates(&self) -> Vec<String> {
        self.templates.names()
    }

    pub(crate) fn is_offered(&self) -> bool {
        self.fixed.is_offered() || self.templates.is_offered()
    }

    pub(crate) fn can_change(&self) -> bool {
        self.fixed.can_change() || self.templates.can_change()
    }

    pub(crate) fn open(&self) {
        self.fixed.open();
        self.templates.open();
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("uris", &self.uris())
            .field("uri_templates", &self.uri_templates())
            .finish_non_exhaustive()
    }
}
