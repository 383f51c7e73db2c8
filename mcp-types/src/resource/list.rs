//! `resources/list` and `resources/templates/list`.

use crate::{content::Annotations, icon::Icon, page::PaginatedParams, raw::RawObject};

/// Which page of resources.
pub type ListResourcesParams = PaginatedParams;
/// Which page of resource templates.
pub type ListResourceTemplatesParams = PaginatedParams;

page! {
    /// One page of resources.
    pub struct ListResourcesResult {
        /// The resources.
        resources: Resource = "resources";
    }
}

object! {
    /// A resource, by its address.
    pub struct Resource {
        /// Its address.
        uri: String = "uri", required;
        /// Its name.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What it is, for the model.
        description: Option<String> = "description", hint;
        /// Its media type.
        mime_type: Option<String> = "mimeType", hint;
        /// Its size in bytes, before any base64.
        size: Option<u64> = "size", hint, since V2024_11_05;
        /// Whom it is for and how much it matters.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Pictures that stand for it.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
        /// Free members about the resource.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl Resource {
    /// The resource at `uri`.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

page! {
    /// One page of resource templates.
    pub struct ListResourceTemplatesResult {
        /// The templates.
        resource_templates: ResourceTemplate = "resourceTemplates";
    }
}

object! {
    /// Resources whose addresses differ in a few blanks.
    pub struct ResourceTemplate {
        /// The address with its blanks, as in RFC 6570.
        uri_template: String = "uriTemplate", required;
        /// Its name.
        name: String = "name", required;
        /// A name for people.
        title: Option<String> = "title", hint, since V2025_06_18;
        /// What the resources are, for the model.
        description: Option<String> = "description", hint;
        /// Their media type, if it is the same for all.
        mime_type: Option<String> = "mimeType", hint;
        /// Whom they are for and how much they matter.
        annotations: Option<Annotations> = "annotations", hint, since V2024_11_05;
        /// Pictures that stand for them.
        icons: Option<Vec<Icon>> = "icons", hint, since V2025_11_25;
        /// Free members about the template.
        meta: Option<RawObject> = "_meta", hint, since V2025_06_18;
    }
}

impl ResourceTemplate {
    /// The resources at `uri_template`.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
