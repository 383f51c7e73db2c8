//! The innermost service of a server: finds what answers a method, and a tool, resource or prompt by its name.

mod complete;
mod list;
mod listen;
mod read;

use std::{future::ready, sync::Arc};

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorObject,
    capability::Implementation,
    lifecycle::EmptyResult,
    logging::{LogLevel, SetLevelParams},
};

use crate::{
    answer::{Answer, WrappedOutput},
    call::Call,
    failed::invalid,
    features::Features,
    path::clipped,
    proto::envelope,
    registry::Placed,
    service::{BoxFuture, Service},
    tools::Entry,
    validate::Checks,
};

/// Answers every method that is not the host's from what is registered.
pub(crate) struct Router {
    features: Features,
    server: Arc<Implementation>,
    /// Whether a layer looks into lists.
    are_read: bool,
}

impl Router {
    pub(crate) fn new(features: Features, server: Arc<Implementation>, are_read: bool) -> Self {
        Self {
            features,
            server,
            are_read,
        }
    }

    fn call_tool(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let name = call.params.decode_member::<Box<str>>("name");
        let Ok(Some(name)) = name else {
            return Err(invalid("`name` must be the name of a tool, a string"));
        };
        let arguments = call.params.get("arguments");
        let is_object = |text: &str| text.starts_with('{') || text == "null";
        if !arguments.is_none_or(is_object) {
            return Err(invalid("`arguments` must be an object"));
        }
        let snapshot = self.features.tools.0.snapshot();
        let Some(entry) = snapshot.find(&name, &call) else {
            return Err(ProtocolError::unknown_tool(&name).into());
        };
        // Only modern HTTP has such headers. They repeat what came, whatever layers have made of it.
        if let (false, None, Some(headers)) =
            (entry.mirrors.is_empty(), call.session(), call.headers())
        {
            let came = call.input().params().get("arguments");
            entry.mirrors.check(headers, came)?;
        }
        let checks = entry.checks.get();
        if let Some(refused) = checks.and_then(|checks| checks.refuse(arguments, &entry.label)) {
            return Ok(Box::pin(ready(refused)));
        }
        match &self.features.tasks {
            None => Ok(run(entry, call)),
            Some(tasks) => tasks.call(entry, call, run),
        }
    }

    fn get_prompt(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let Ok(Some(name)) = call.params.decode_member::<Box<str>>("name") else {
            return Err(invalid("`name` must be the name of a prompt, a string"));
        };
        let snapshot = self.features.prompts.set.snapshot();
        match snapshot.find(&name, &call) {
            Some(entry) => entry.get(call),
            None => Err(unknown_prompt(&name)),
        }
    }

    fn tasks(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let tasks = self.features.tasks.as_ref();
        let tasks = tasks.ok_or_else(|| envelope::method_not_found(call.method.as_str()))?;
        Ok(tasks.serve(call))
    }

    fn set_level(&self, call: &Call) -> Result<Answer, ErrorObject> {
        let params: SetLevelParams = decode(call)?;
        if let LogLevel::Other(word) = &params.level {
            return Err(envelope::unknown_level(word));
        }
        if let Some(session) = call.session() {
            session.wishes().set_log_level(&params.level);
        }
        Ok(Answer::new(EmptyResult::default()))
    }
}

impl Service for Router {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        let answered = match call.method.as_str() {
            "tools/call" => self.call_tool(call),
            "tools/list" => now(self.list_tools(&call)),
            "resources/read" => self.read(call),
            "resources/list" => now(self.list_resources(&call)),
            "resources/templates/list" => now(self.list_templates(&call)),
            "resources/subscribe" => now(self.subscribe(&call, true)),
            "resources/unsubscribe" => now(self.subscribe(&call, false)),
            "prompts/get" => self.get_prompt(call),
            "prompts/list" => now(self.list_prompts(&call)),
            "completion/complete" => self.complete(call),
            "logging/setLevel" => now(self.set_level(&call)),
            "subscriptions/listen" => self.listen(call),
            "tasks/get" | "tasks/update" | "tasks/cancel" | "tasks/list" | "tasks/result" => {
                self.tasks(call)
            }
            other => match self.features.methods.get(other) {
                Some(method) => Ok(method.call(call)),
                None => Err(envelope::method_not_found(other)),
            },
        };
        answered.unwrap_or_else(|error| Box::pin(ready(Answer::error(error))))
    }
}

/// Runs a tool, and holds it to what it says of its results.
fn run(entry: &Arc<Placed<Entry>>, call: Call) -> BoxFuture<Answer> {
    let answer = entry.service.call(call);
    let is_held = entry.checks.get().is_some_and(Checks::has_output);
    if !entry.wraps_output && !is_held {
        return answer;
    }
    let entry = Arc::clone(entry);
    Box::pin(async move {
        let mut answer = answer.await;
        if let Some(checks) = entry.checks.get() {
            answer = checks.hold(answer, &entry.definition.name, &entry.label);
        }
        if entry.wraps_output {
            answer.ext.insert(WrappedOutput);
        }
        answer
    })
}

fn now(answer: Result<Answer, ErrorObject>) -> Result<BoxFuture<Answer>, ErrorObject> {
    answer.map(|answer| -> BoxFuture<Answer> { Box::pin(ready(answer)) })
}

fn decode<T: serde::de::DeserializeOwned>(call: &Call) -> Result<T, ErrorObject> {
    let decoded = call.params.decode();
    decoded.map_err(|error| invalid(clipped(&error.to_string(), 400)))
}

fn unknown_prompt(name: &str) -> ErrorObject {
    invalid(format!("Unknown prompt: {}", clipped(name, 256)))
}
