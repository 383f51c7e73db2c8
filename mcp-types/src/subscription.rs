//! Subscriptions: what a client wants to hear of, in one stream (2026-07-28).
//!
//! Source: the specification's page *Subscriptions*. `subscriptions/listen` is answered by
//! `notifications/subscriptions/acknowledged` with what will really come, then by notifications, and ends
//! with a result. Each carries the id of the request as
//! [`SUBSCRIPTION_ID`](crate::meta::SUBSCRIPTION_ID) in its `_meta`.

use crate::{jsonrpc::RequestId, meta, raw::RawObject};

object! {
    /// The parameters of `subscriptions/listen`.
    pub struct ListenParams {
        /// What the client wants to hear of.
        notifications: SubscriptionFilter = "notifications", required;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ListenParams {
    /// Wants what `filter` names.
    pub const fn new(filter: SubscriptionFilter) -> Self {
        Self {
            notifications: filter,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// What will come: `notifications/subscriptions/acknowledged`.
    pub struct AcknowledgedParams {
        /// The part of what was wanted that the server honours.
        notifications: SubscriptionFilter = "notifications", required;
        /// Free members about the notification; the subscription's id stands here.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl AcknowledgedParams {
    /// `filter` is honoured for the request `id`.
    pub fn new(id: &RequestId, filter: SubscriptionFilter) -> Self {
        Self {
            notifications: filter,
            meta: Some(meta::of_subscription(id)),
            extra: RawObject::new(),
        }
    }
}

object! {
    /// The end of a subscription.
    pub struct ListenResult {
        @ "resultType" = "complete", since V2026_07_28;
        /// Free members about the result; the subscription's id stands here.
        meta: Option<RawObject> = "_meta", hint;
    }
}

impl ListenResult {
    /// The subscription of the request `id` is over.
    pub fn new(id: &RequestId) -> Self {
        Self {
            meta: Some(meta::of_subscription(id)),
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Which notifications someone wants, or gets. What is absent is not wanted.
    #[derive(Default)]
    pub struct SubscriptionFilter {
        /// Changes of the list of tools.
        tools_list_changed: Option<bool> = "toolsListChanged", hint;
        /// Changes of the list of prompts.
        prompts_list_changed: Option<bool> = "promptsListChanged", hint;
        /// Changes of the list of resources.
        resources_list_changed: Option<bool> = "resourcesListChanged", hint;
        /// Changes of these resources, by their addresses.
        resource_subscriptions: Option<Vec<String>> = "resourceSubscriptions", hint;
        /// News of these tasks, by their ids (extension `io.modelcontextprotocol/tasks`).
        task_ids: Option<Vec<String>> = "taskIds", hint;
    }
}

impl SubscriptionFilter {
    /// Whether nothing is wanted that this library knows of.
    pub fn is_empty(&self) -> bool {
        let none = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
        let wanted = [
            self.tools_list_changed,
            self.prompts_list_changed,
            self.resources_list_changed,
        ];
        !wanted.contains(&Some(true)) && none(&self.resource_subscriptions) && none(&self.task_ids)
    }

    /// Whether a notification of `method` is wanted; `subject` is the address of its resource or the id of its task.
    pub fn wants(&self, method: &str, subject: Option<&str>) -> bool {
        let among = |list: &Option<Vec<String>>| {
            let list = list.as_deref().unwrap_or_default();
            subject.is_some_and(|subject| list.iter().any(|it| it == subject))
        };
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed == Some(true),
            "notifications/prompts/list_changed" => self.prompts_list_changed == Some(true),
            "notifications/resources/list_changed" => self.resources_list_changed == Some(true),
            "notifications/resources/updated" => among(&self.resource_subscriptions),
            "notifications/tasks" => among(&self.task_ids),
            _ => false,
        }
    }
}
