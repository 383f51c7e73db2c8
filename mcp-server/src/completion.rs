//! Completion: what may fill a blank, while someone fills it in.

use std::{collections::BTreeMap, fmt, marker::PhantomData, sync::Arc};

use mcp_types::{
    RawObject,
    completion::{CompleteParams, CompleteResult, Completion},
};

use crate::{
    answer::{Answer, IntoAnswer},
    call::Call,
    failed::invalid,
    handler::{FromCall, Handler},
    input::drive,
    kind::{ForCompletion, Kind},
    path::clipped,
    service::{BoxFuture, Service},
};

/// What is being filled in, for the handler of a completion.
///
/// ```
/// # use mcp_server::{Completing, Prompt};
/// let prompt = Prompt::new("review", async || "Review this.")
///     .argument("language", "Of the code", true)
///     .complete("language", async |typed: Completing| {
///         ["python", "rust"].into_iter().filter(|known| known.starts_with(&typed.value)).collect::<Vec<_>>()
///     });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completing {
    /// The name of the blank.
    pub name: String,
    /// What is there so far.
    pub value: String,
    /// What other blanks hold already, by their names; clients before 2025-06-18 do not tell.
    pub arguments: BTreeMap<String, String>,
}

impl FromCall for Completing {
    fn from_call(call: &Call) -> Result<Self, Box<Answer>> {
        let params: CompleteParams = call.params.decode().map_err(|error| {
            let error = clipped(&error.to_string(), 400);
            Box::new(Answer::error(invalid(error)))
        })?;
        let told = params.context.and_then(|context| context.arguments);
        Ok(Self {
            name: params.argument.name,
            value: params.argument.value,
            arguments: told.as_ref().map(texts).unwrap_or_default(),
        })
    }
}

fn texts(arguments: &RawObject) -> BTreeMap<String, String> {
    let texts = arguments
        .iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value.decode().ok()?)));
    texts.collect()
}

/// The completions of a prompt or template, by the name of the blank.
#[derive(Clone, Default)]
pub(crate) struct Completers(Vec<(Box<str>, Arc<dyn Service>)>);

impl Completers {
    pub(crate) fn set<A: 'static, H: Handler<A, ForCompletion>>(&mut self, name: &str, handler: H) {
        let service = Arc::new(Plain::new(handler));
        self.0.retain(|(known, _)| **known != *name);
        self.0.push((name.into(), service));
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Service>> {
        let found = self.0.iter().find(|(known, _)| **known == *name);
        found.map(|(_, service)| service)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Completers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Completes from values that are known beforehand: those that start as what is typed, whatever the case.
pub(crate) fn among(
    values: Vec<String>,
) -> impl Fn(Completing) -> std::future::Ready<Vec<String>> + Send + Sync + 'static {
    move |typed| {
        let start = typed.value.to_lowercase();
        let fitting = values
            .iter()
            .filter(|value| value.to_lowercase().starts_with(&start));
        std::future::ready(fitting.cloned().collect())
    }
}

/// A handler as a service, with nothing between.
pub(crate) struct Plain<H, A, K> {
    handler: Arc<H>,
    of: PhantomData<fn() -> (A, K)>,
}

impl<H, A, K> Plain<H, A, K> {
    pub(crate) fn new(handler: H) -> Self {
        Self {
            handler: Arc::new(handler),
            of: PhantomData,
        }
    }
}

impl<A: 'static, K: Kind, H: Handler<A, K>> Service for Plain<H, A, K> {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        let handler = Arc::clone(&self.handler);
        Box::pin(
            async move { drive(call, H::may_require_input(), |call| handler.call(call)).await },
        )
    }
}

impl IntoAnswer<ForCompletion> for Completion {
    fn into_answer(self) -> Answer {
        Answer::new(CompleteResult {
            completion: self,
            ..CompleteResult::default()
        })
    }
}

/// All values that fit, best first; the client gets the first hundred, and is told how many there are.
impl<T: Into<String>> IntoAnswer<ForCompletion> for Vec<T> {
    fn into_answer(self) -> Answer {
        let values: Vec<String> = self.into_iter().map(Into::into).collect();
        let completion = Completion {
            total: Some(values.len() as u64),
            has_more: Some(values.len() > mcp_types::completion::MAX_VALUES),
            values,
            ..Completion::default()
        };
        completion.into_answer()
    }
}
