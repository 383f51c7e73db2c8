//! `subscriptions/listen`: what of it is honoured.

use std::collections::HashSet;

use mcp_types::{
    ErrorObject,
    subscription::{ListenParams, ListenResult, SubscriptionFilter},
};

use super::{Router, decode};
use crate::{
    answer::Answer, call::Call, failed::invalid, listen::Opening, path::clipped, proto::envelope,
    service::BoxFuture,
};

/// How long the addresses of the resources in one subscription may be together.
const MOST_BYTES: usize = 64 * 1024;

impl Router {
    /// Opens a subscription. The answer is its end, which the host keeps back until then.
    pub(super) fn listen(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        // The host puts it there.
        let Some(opening) = call.ext.get::<Opening>().cloned() else {
            return Err(envelope::method_not_found(call.method.as_str()));
        };
        opening.claim(call.ext.get())?;
        let ListenParams { notifications, .. } = decode(&call)?;
        let wanted = notifications.task_ids.clone().unwrap_or_default();
        let mut honoured = self.honoured(notifications, &call)?;
        let wanted = self.once(wanted, "tasks")?;
        let tasks = self.features.tasks.clone();
        Ok(Box::pin(async move {
            if let (Some(tasks), false) = (tasks, wanted.is_empty()) {
                let seen = tasks.seen(&call, wanted).await;
                honoured.task_ids = Some(seen).filter(|seen| !seen.is_empty());
            }
            opening.begin(honoured);
            Answer::new(ListenResult::new(opening.id()))
        }))
    }

    /// What of `wanted` can come: what the server says it tells, of resources that the caller sees.
    ///
    /// A change of a list is told to everyone who wants it, though not everyone may see what changed in it: whom a
    /// closure shows something to can be another matter when they list again.
    fn honoured(
        &self,
        wanted: SubscriptionFilter,
        call: &Call,
    ) -> Result<SubscriptionFilter, ErrorObject> {
        let told = self.features.capabilities(true);
        let both = |wanted: Option<bool>, told: Option<bool>| {
            (wanted == Some(true) && told == Some(true)).then_some(true)
        };
        let resources = told.resources.unwrap_or_default();
        let mut honoured = SubscriptionFilter {
            tools_list_changed: both(
                wanted.tools_list_changed,
                told.tools.and_then(|tools| tools.list_changed),
            ),
            prompts_list_changed: both(
                wanted.prompts_list_changed,
                told.prompts.and_then(|prompts| prompts.list_changed),
            ),
            resources_list_changed: both(wanted.resources_list_changed, resources.list_changed),
            ..SubscriptionFilter::default()
        };
        let uris = wanted.resource_subscriptions.unwrap_or_default();
        let uris = self.once(uris, "resources")?;
        // Each is held against every template.
        let long: usize = uris.iter().map(String::len).sum();
        if long > MOST_BYTES {
            return Err(invalid(format!(
                "the addresses of one subscription may be {MOST_BYTES} bytes long together, and these are {long}: open \
                 another subscription for some of them"
            )));
        }
        if resources.subscribe == Some(true) {
            let seen = uris
                .into_iter()
                .filter(|uri| self.resource(uri, call).is_some());
            honoured.resource_subscriptions =
                Some(seen.collect()).filter(|seen: &Vec<_>| !seen.is_empty());
        }
        Ok(honoured)
    }

    /// Each name of `what` once.
    fn once(&self, names: Vec<String>, what: &str) -> Result<Vec<String>, ErrorObject> {
        let most = self.features.subscriptions;
        let mut seen = HashSet::new();
        let mut once = Vec::new();
        for name in names {
            if !seen.insert(name.clone()) {
                continue;
            }
            if once.len() == most {
                return Err(invalid(format!(
                    "a subscription may name {most} {what}; {} is one more: open another subscription",
                    clipped(&name, 256)
                )));
            }
            once.push(name);
        }
        Ok(once)
    }
}
