//! The four lists: which page, what of it the caller sees, and how it is written.
//!
//! Items are written once per revision and a page is put together from them. Where a layer looks into lists a page is a
//! value instead, which it can read and change.

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorObject, Payload,
    page::PaginatedParams,
    prompt::ListPromptsResult,
    resource::{ListResourceTemplatesResult, ListResourcesResult},
    tool::ListToolsResult,
    wire::{Item, PageFrame, Stamp, encode_page},
};

use super::{Router, decode};
use crate::{
    answer::Answer,
    cache::{CacheHint, List},
    call::Call,
    failed::invalid,
    path::clipped,
    prompts,
    registry::{Named, Placed, Set},
    resources, tools,
};

/// Can be listed.
trait Listed: Named {
    const LIST: List;
    /// The member of a result that the list stands in.
    const MEMBER: &'static str;
    type Definition: Item + Clone;

    fn definition(&self) -> &Self::Definition;

    /// A page as a value.
    fn page(items: Vec<Self::Definition>, next_cursor: Option<String>, hint: CacheHint) -> Payload;
}

macro_rules! listed {
    ($($Entry:ty: $List:ident $member:literal $field:ident $Definition:ty => $Result:ident;)*) => { $(
        impl Listed for $Entry {
            const LIST: List = List::$List;
            const MEMBER: &'static str = $member;
            type Definition = $Definition;

            fn definition(&self) -> &$Definition {
                &self.definition
            }

            fn page(
                items: Vec<$Definition>,
                next_cursor: Option<String>,
                hint: CacheHint,
            ) -> Payload {
                $Result {
                    $field: items,
                    next_cursor,
                    ttl_ms: Some(hint.ttl_ms()),
                    cache_scope: Some(hint.scope),
                    ..$Result::default()
                }
                .into()
            }
        }
    )* };
}

listed! {
    tools::Entry: Tools "tools" tools mcp_types::tool::Tool => ListToolsResult;
    prompts::Entry: Prompts "prompts" prompts mcp_types::prompt::Prompt => ListPromptsResult;
    resources::Entry: Resources "resources" resources mcp_types::resource::Resource => ListResourcesResult;
    resources::TemplateEntry: ResourceTemplates "resourceTemplates" resource_templates mcp_types::resource::ResourceTemplate => ListResourceTemplatesResult;
}

impl Router {
    pub(super) fn list_tools(&self, call: &Call) -> Result<Answer, ErrorObject> {
        self.list(&self.features.tools.0, call)
    }

    pub(super) fn list_prompts(&self, call: &Call) -> Result<Answer, ErrorObject> {
        self.list(&self.features.prompts.set, call)
    }

    pub(super) fn list_resources(&self, call: &Call) -> Result<Answer, ErrorObject> {
        self.list(&self.features.resources.fixed, call)
    }

    pub(super) fn list_templates(&self, call: &Call) -> Result<Answer, ErrorObject> {
        self.list(&self.features.resources.templates, call)
    }

    fn list<T: Listed>(&self, set: &Set<T>, call: &Call) -> Result<Answer, ErrorObject> {
        let params: PaginatedParams = decode(call)?;
        let snapshot = set.snapshot();
        let rest = match &params.cursor {
            None => snapshot.entries(),
            Some(cursor) => {
                let place = self.features.cursors.open(T::MEMBER, cursor);
                let place = place.ok_or_else(|| {
                    let cursor = clipped(cursor, 100);
                    invalid(format!("Invalid cursor: {cursor}; list from the start"))
                })?;
                snapshot.after(place.number, &place.name)
            }
        };
        let mut hint = self.features.caching.of(T::LIST);
        if snapshot.is_filtered() {
            hint.scope = CacheHint::default().scope;
            let seen = rest.iter().filter(|entry| entry.filter().shows(call));
            let seen: Vec<_> = seen.collect();
            return self.page(seen.iter().copied(), seen.len(), hint, call);
        }
        self.page(rest.iter(), rest.len(), hint, call)
    }

    fn page<'e, T, I>(
        &self,
        rest: I,
        len: usize,
        hint: CacheHint,
        call: &Call,
    ) -> Result<Answer, ErrorObject>
    where
        T: Listed,
        I: Iterator<Item = &'e std::sync::Arc<Placed<T>>> + Clone,
    {
        let size = self.features.page.unwrap_or(len);
        let page = rest.take(size);
        let last = (size < len).then(|| page.clone().last()).flatten();
        let seal = |last: &Placed<T>| {
            let sealed = self
                .features
                .cursors
                .seal(T::MEMBER, last.number(), last.key());
            sealed.ok_or_else(ProtocolError::internal)
        };
        let next_cursor = last.map(|last| seal(last)).transpose()?;
        if self.are_read {
            let items = page.map(|entry| entry.definition().clone()).collect();
            return Ok(Answer::new(mcp_types::Outcome::Complete(T::page(
                items,
                next_cursor,
                hint,
            ))));
        }
        let frame = PageFrame {
            list: T::MEMBER,
            next_cursor: next_cursor.as_deref(),
            ttl_ms: hint.ttl_ms(),
            cache_scope: hint.scope,
        };
        let revision = call.revision();
        let items = page.map(|entry| entry.written(entry.definition(), revision));
        let stamp = Stamp::new(revision).by(&self.server);
        let written = encode_page(&frame, items, &stamp);
        Ok(Answer::new(mcp_types::Outcome::Complete(Payload::Written(
            written,
        ))))
    }
}
