//! `completion/complete`.

use std::future::ready;

use mcp_types::{
    ErrorObject,
    completion::{CompleteParams, CompleteResult, CompletionReference},
};

use super::{Router, decode, unknown_prompt};
use crate::{
    answer::Answer,
    call::Call,
    completion::Completers,
    failed::{self, invalid},
    path::clipped,
    service::BoxFuture,
};

impl Router {
    /// What may fill a blank; nothing where nobody helps with it.
    pub(super) fn complete(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let params: CompleteParams = decode(&call)?;
        let argument = params.argument.name;
        match params.reference {
            CompletionReference::Prompt(reference) => {
                let snapshot = self.features.prompts.set.snapshot();
                let entry = snapshot.find(&reference.name, &call);
                let entry = entry.ok_or_else(|| unknown_prompt(&reference.name))?;
                let known = entry.definition.arguments.iter().flatten();
                let has = known.into_iter().any(|known| known.name == argument);
                run(&entry.completers, &argument, has, call)
            }
            CompletionReference::Resource(reference) => {
                let resources = &self.features.resources;
                if let Some(entry) = resources.templates.snapshot().find(&reference.uri, &call) {
                    let has = entry
                        .template
                        .names()
                        .iter()
                        .any(|name| **name == *argument);
                    return run(&entry.completers, &argument, has, call);
                }
                // A resource without blanks: there is nothing to fill in.
                match resources.fixed.snapshot().find(&reference.uri, &call) {
                    Some(_) => Ok(nothing()),
                    None => {
                        let uri = clipped(&reference.uri, 256);
                        Err(invalid(format!("Unknown resource template: {uri}")))
                    }
                }
            }
            _ => Err(invalid(
                "`ref` must have the type `ref/prompt` or `ref/resource`",
            )),
        }
    }
}

fn run(
    completers: &Completers,
    argument: &str,
    has: bool,
    call: Call,
) -> Result<BoxFuture<Answer>, ErrorObject> {
    if !has {
        let argument = clipped(argument, 100);
        return Err(invalid(format!(
            "there is no argument `{argument}` to complete"
        )));
    }
    let Some(completer) = completers.find(argument) else {
        return Ok(nothing());
    };
    let (running, label) = (completer.call(call), argument.to_owned());
    Ok(Box::pin(async move {
        let mut answer = running.await;
        failed::label(&mut answer, &label);
        answer
    }))
}

fn nothing() -> BoxFuture<Answer> {
    Box::pin(ready(Answer::new(CompleteResult::default())))
}
