//! Handlers that give back what they ask: sent on to a modern client, asked live of a legacy one.

use std::{future::poll_fn, pin::Pin, sync::Arc, task::Poll};

use mcp_errors::{ProtocolError, ToolErrorEnvelope};
use mcp_types::{
    ErrorObject, Outcome, RawJson, RawObject,
    capability::ClientCapabilities,
    elicitation::ElicitParams,
    input::{InputRequest, InputRequests, InputRequired, Question},
};

use super::{AskError, Facts, Input, error::MissingCapability};
use crate::{answer::Answer, failed, proto::rounds::Rounds};

/// The capability that `request` needs and `has` lacks.
///
/// # Errors
/// When it is nothing that a client can be asked.
pub(super) fn missing(
    request: &InputRequest,
    has: &ClientCapabilities,
) -> Result<Option<MissingCapability>, AskError> {
    let mut required = ClientCapabilities::default();
    let within = |mode: Option<&str>| {
        let mut modes = RawObject::new();
        if let (Some(mode), Ok(empty)) = (mode, RawJson::parse("{}")) {
            modes.set(mode, empty);
        }
        Some(modes)
    };
    let has_it = match &request.question {
        Question::Elicit(params) => match &**params {
            ElicitParams::Url(_) => {
                required.elicitation = within(Some("url"));
                has.elicits_urls()
            }
            _ => {
                required.elicitation = within(None);
                has.elicits_forms()
            }
        },
        Question::Sample(params) => {
            let uses_tools = params.tools.as_ref().is_some_and(|tools| !tools.is_empty());
            required.sampling = within(uses_tools.then_some("tools"));
            has.sampling.is_some() && (!uses_tools || has.samples_with_tools())
        }
        Question::Roots(_) => {
            required.roots = within(None);
            has.roots.is_some()
        }
        _ => {
            let method = request.method();
            return Err(AskError::Question(format!(
                "`{method}` is nothing that a client can be asked"
            )));
        }
    };
    Ok((!has_it).then(|| MissingCapability::new(required)))
}

/// Those of `requests` that the client can be asked.
///
/// # Errors
/// When it is none of them, or one that no client can be asked.
fn possible(requests: &InputRequests, has: &ClientCapabilities) -> Result<InputRequests, AskError> {
    let mut possible = InputRequests::new();
    let mut lacks = ClientCapabilities::default();
    for (key, request) in requests.iter() {
        match missing(request, has)? {
            None => possible.insert(key, request.clone()),
            Some(missing) => add(&mut lacks, *missing.required),
        }
    }
    match possible.is_empty() && !requests.is_empty() {
        true => Err(MissingCapability::new(lacks).into()),
        false => Ok(possible),
    }
}

fn add(all: &mut ClientCapabilities, more: ClientCapabilities) {
    let join = |all: &mut Option<RawObject>, more: Option<RawObject>| {
        let Some(more) = more else {
            return;
        };
        let all = all.get_or_insert_default();
        for (mode, settings) in more.iter() {
            all.set(mode, settings.clone());
        }
    };
    join(&mut all.elicitation, more.elicitation);
    join(&mut all.sampling, more.sampling);
    join(&mut all.roots, more.roots);
}

impl Input {
    /// What a modern client is told when a handler gives back `required`.
    pub(super) fn require(&self, required: &InputRequired, facts: Facts<'_>) -> Answer {
        let mut asks = match self.take(required, facts) {
            Ok(_) => self.end_round(),
            Err(answer) => return *answer,
        };
        if let Ok(Outcome::InputRequired(asks)) = &mut asks.outcome {
            asks.meta_mut().clone_from(&required.meta().cloned());
        }
        asks
    }

    /// Asks a legacy client what a handler gave back, so that the handler can run again.
    ///
    /// # Errors
    /// The answer, if that cannot be.
    pub(super) async fn require_live(
        self: &Arc<Self>,
        required: &InputRequired,
        facts: Facts<'_>,
    ) -> Result<(), Box<Answer>> {
        let requests = self.take(required, facts)?;
        // The round ends here, not with what is asked live.
        let _asked = self.with_rounds(Rounds::end);
        let asked = self.ask_all(&requests, facts).await;
        let responses = asked.map_err(|error| Box::new(self.failed(error)))?;
        self.with_rounds(|rounds| {
            rounds.respond(responses);
            rounds.run_again();
        });
        self.run_over();
        Ok(())
    }

    /// Puts what a handler gave back into the book.
    fn take(
        &self,
        required: &InputRequired,
        facts: Facts<'_>,
    ) -> Result<InputRequests, Box<Answer>> {
        let has = facts.meta.client_capabilities();
        let possible =
            possible(required.requests(), &has).map_err(|error| Box::new(self.failed(error)))?;
        let own = required.state().map(ToOwned::to_owned);
        let taken = self.with_rounds(|rounds| rounds.require(possible.clone(), own));
        match (taken, self.poll_pause()) {
            (Err(_), Poll::Ready(Err(error))) => Err(Box::new(Answer::error(error))),
            _ => Ok(possible),
        }
    }

    async fn ask_all(
        self: &Arc<Self>,
        requests: &InputRequests,
        facts: Facts<'_>,
    ) -> Result<RawObject, AskError> {
        let mut responses = RawObject::new();
        if requests.is_empty() {
            return Ok(responses);
        }
        let channel = self.channel(facts)?.ok_or(AskError::NoBackChannel)?;
        let mut open: Vec<_> = requests
            .iter()
            .map(|(key, request)| (key, channel.ask(key, request.clone())))
            .collect();
        // Who fails first ends the round; the others are taken back.
        poll_fn(|cx| {
            let mut at = 0;
            while at < open.len() {
                match Pin::new(&mut open[at].1).poll(cx) {
                    Poll::Pending => at += 1,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Ready(Ok(answer)) => {
                        let (key, _) = open.swap_remove(at);
                        let answer = RawJson::from_serialize(&answer);
                        responses.set(key, answer.map_err(|_| AskError::Misfit)?);
                    }
                }
            }
            match open.is_empty() {
                true => Poll::Ready(Ok(())),
                false => Poll::Pending,
            }
        })
        .await?;
        Ok(responses)
    }

    /// The answer of a call whose question could not be asked.
    pub(super) fn failed(&self, error: AskError) -> Answer {
        self.finish(failed::of_tool(error.into()))
    }

    /// The answer of a handler, with a question that could not be asked said as its era has it.
    pub(super) fn finish(&self, mut answer: Answer) -> Answer {
        let Some(error) = answer.ext.remove::<AskError>() else {
            return answer;
        };
        let is_tool = *self.method() == "tools/call";
        answer.outcome = Err(match error {
            AskError::MissingCapability(missing) if !self.is_legacy() => missing.into(),
            AskError::Question(what) => {
                let method = self.method().as_str();
                tracing::error!(method, what, "a handler's question cannot be put");
                ProtocolError::internal().into()
            }
            error if !is_tool => {
                let detail = error.to_string();
                ErrorObject::from(ProtocolError::invalid_params(detail))
            }
            _ => return answer,
        });
        // No label makes a tool's failure of it again.
        answer.ext.remove::<ToolErrorEnvelope>();
        answer
    }
}
