//! `resources/read`, `resources/subscribe` and `resources/unsubscribe`.

use std::sync::Arc;

use mcp_errors::ProtocolError;
use mcp_types::{ErrorObject, lifecycle::EmptyResult, resource::SubscribeParams};

use super::{Router, decode};
use crate::{
    answer::Answer,
    call::Call,
    failed::invalid,
    registry::Placed,
    resources::{Entry, TemplateEntry},
    service::BoxFuture,
    vars::Texts,
    wishes::TooMany,
};

/// What an address leads to.
pub(super) enum Found {
    Fixed(Arc<Placed<Entry>>),
    Template(Arc<Placed<TemplateEntry>>, Texts),
}

impl Router {
    pub(super) fn read(&self, mut call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let Ok(Some(uri)) = call.params.decode_member::<String>("uri") else {
            return Err(invalid("`uri` must be the address of a resource, a string"));
        };
        match self.resource(&uri, &call) {
            None => Err(not_found(&uri, &call)),
            Some(Found::Fixed(entry)) => Ok(entry.read.call(uri, call)),
            Some(Found::Template(entry, texts)) => {
                call.ext.insert(texts);
                Ok(entry.read.call(uri, call))
            }
        }
    }

    pub(super) fn subscribe(&self, call: &Call, wanted: bool) -> Result<Answer, ErrorObject> {
        let SubscribeParams { uri, .. } = decode(call)?;
        let most = self.features.subscriptions;
        if let Some(session) = call.session() {
            if !wanted {
                session.wishes().unsubscribe(&uri);
            } else if self.resource(&uri, call).is_none() {
                return Err(not_found(&uri, call));
            } else if session.wishes().subscribe(&uri, most) == Err(TooMany) {
                return Err(invalid(format!(
                    "a session may subscribe to {most} resources; unsubscribe from some"
                )));
            }
        }
        Ok(Answer::new(EmptyResult::default()))
    }

    /// The resource at `uri` that who made `call` sees: the one with this very address, or else that of the most
    /// particular template, the first one of those alike.
    pub(super) fn resource(&self, uri: &str, call: &Call) -> Option<Found> {
        let resources = &self.features.resources;
        if let Some(entry) = resources.fixed.snapshot().find(uri, call) {
            return Some(Found::Fixed(Arc::clone(entry)));
        }
        let snapshot = resources.templates.snapshot();
        let mut best = None;
        for entry in snapshot.entries() {
            let known = best
                .as_ref()
                .map(|(known, _): &(&Arc<Placed<TemplateEntry>>, _)| known.template.specificity());
            if known.is_some_and(|known| known >= entry.template.specificity()) {
                continue;
            }
            let Some(filled) = entry.template.matches(uri) else {
                continue;
            };
            if entry.filter.shows(call) {
                best = Some((entry, filled));
            }
        }
        let (entry, filled) = best?;
        let names = entry.template.names();
        let texts = filled
            .into_iter()
            .map(|(blank, value)| (names[blank].clone(), value.into_boxed_str()));
        Some(Found::Template(Arc::clone(entry), Texts(texts.collect())))
    }
}

fn not_found(uri: &str, call: &Call) -> ErrorObject {
    ProtocolError::resource_not_found(uri).into_object(call.revision())
}
