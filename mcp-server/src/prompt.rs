//! Prompts: texts that a server prepared for a model, with blanks to fill in.

mod answer;

use std::{fmt, sync::Arc};

use mcp_types::{
    Outcome, Payload, RawObject,
    name::PromptName,
    prompt::{Prompt as Definition, PromptArgument},
};
use schemars::Schema;
use serde_json::{Map, Value};

pub use self::answer::Messages;
use crate::{
    answer::Answer,
    call::Call,
    completion::{self, Completers, Plain},
    described::{Filter, described},
    failed::{self, invalid},
    handler::Handler,
    kind::{ForCompletion, ForPrompt},
    path::clipped,
    prompts::Entry,
    service::{BoxFuture, Service},
    vars::Texts,
};

/// A prompt, until it is given to a server.
///
/// Its blanks are read off its handler's types, or named by hand. What fills them is texts.
///
/// ```
/// use mcp_server::{Args, Messages, Prompt, Server, schemars::{self, JsonSchema}};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The code to look at
///     code: String,
///     /// How strict to be, from 1 to 5
///     strictness: Option<u8>,
/// }
///
/// async fn review(Args(Review { code, strictness }): Args<Review>) -> Messages {
///     Messages::new()
///         .user(format!("Review this with strictness {}:\n{code}", strictness.unwrap_or(3)))
///         .assistant("I begin with the worst finding.")
/// }
/// let prompt = Prompt::new("review", review).description("Reviews code").choices("strictness", ["1", "3", "5"]);
/// let server = Server::new("review", "1.0").prompt(prompt);
/// ```
pub struct Prompt {
    definition: Definition,
    filter: Filter,
    completers: Completers,
    service: Arc<dyn Service>,
    /// The argument of the handler's types that no text can fill.
    unfit: Option<String>,
}

impl Prompt {
    /// A prompt that `handler` fills in. The name is checked when a server takes the prompt.
    pub fn new<A: 'static, H: Handler<A, ForPrompt>>(name: impl Into<String>, handler: H) -> Self {
        let schema = H::input_schema();
        let mut definition = Definition::new(name);
        definition.arguments = schema.as_ref().map(arguments);
        Self {
            definition,
            filter: Filter::default(),
            completers: Completers::default(),
            service: Arc::new(Plain::new(handler)),
            unfit: schema.as_ref().and_then(unfit),
        }
    }

    /// A blank, and whether it must be filled in; one that the handler's types name already is described anew.
    #[must_use]
    pub fn argument(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        required: bool,
    ) -> Self {
        let mut argument = PromptArgument::new(name);
        argument.description = Some(description.into());
        argument.required = Some(required);
        self.with_argument(argument)
    }

    /// A blank, with all that can be said of it.
    #[must_use]
    pub fn with_argument(mut self, argument: PromptArgument) -> Self {
        let arguments = self.definition.arguments.get_or_insert_default();
        match arguments
            .iter_mut()
            .find(|known| known.name == argument.name)
        {
            Some(known) => *known = argument,
            None => arguments.push(argument),
        }
        self
    }

    /// Helps to fill in a blank: `handler` takes a [`Completing`](crate::Completing), and whatever other handlers take.
    #[must_use]
    pub fn complete<A: 'static, H: Handler<A, ForCompletion>>(
        mut self,
        argument: &str,
        handler: H,
    ) -> Self {
        self.completers.set(argument, handler);
        self
    }

    /// Helps to fill in a blank from values that are known beforehand.
    #[must_use]
    pub fn choices<T: Into<String>>(
        self,
        argument: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.complete(argument, completion::among(values))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    pub(crate) fn into_entry(self) -> Result<Entry, InvalidPrompt> {
        let Self {
            definition,
            filter,
            completers,
            service,
            unfit,
        } = self;
        let name = &definition.name;
        PromptName::try_from(&**name).map_err(|error| InvalidPrompt(error.to_string()))?;
        if let Some(argument) = unfit {
            return Err(InvalidPrompt(format!(
                "argument `{argument}` of prompt `{name}` is an object or a list; what fills a prompt is text"
            )));
        }
        let known = definition.arguments.as_deref().unwrap_or_default();
        let has = |name: &str| known.iter().any(|argument| argument.name == name);
        if let Some(argument) = completers.names().find(|name| !has(name)) {
            return Err(InvalidPrompt(format!(
                "prompt `{name}` has no argument `{argument}` to complete"
            )));
        }
        Ok(Entry {
            definition,
            filter,
            completers,
            service,
        })
    }
}

described!(Prompt);

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("definition", &self.definition)
            .field("visible", &self.filter)
            .field("completes", &self.completers)
            .finish_non_exhaustive()
    }
}

/// A prompt that a server cannot offer: its name is not valid, or it is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct InvalidPrompt(String);

impl InvalidPrompt {
    pub(crate) fn taken(name: &str) -> Self {
        Self(format!(
            "a prompt named `{name}` is registered already; give one of the two another name"
        ))
    }
}

/// The properties of a schema as blanks.
fn arguments(schema: &Schema) -> Vec<PromptArgument> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let text = |property: &Value, member: &str| property.get(member)?.as_str().map(str::to_owned);
    let properties = properties.unwrap_or(&empty).iter();
    let arguments = properties.map(|(name, property)| {
        let mut argument = PromptArgument::new(name);
        argument.title = text(property, "title");
        argument.description = text(property, "description");
        argument.required = Some(is_required(name));
        argument
    });
    arguments.collect()
}

/// The first property that is an object or a list, and nothing else.
fn unfit(schema: &Schema) -> Option<String> {
    let text_fits = |property: &Value| {
        let place = property.get("$ref").and_then(Value::as_str);
        let place = place.and_then(|place| place.strip_prefix('#'));
        let property = place
            .and_then(|place| schema.pointer(place))
            .unwrap_or(property);
        let kind = property.get("type").and_then(Value::as_str);
        !matches!(kind, Some("object" | "array"))
    };
    let properties = schema.get("properties")?.as_object()?;
    let unfit = properties.iter().find(|(_, property)| !text_fits(property));
    unfit.map(|(name, _)| name.clone())
}

impl Entry {
    /// Fills in the prompt.
    ///
    /// # Errors
    /// -32602 when a blank that must be filled in is not, or is filled by what is no text.
    pub(crate) fn get(&self, mut call: Call) -> Result<BoxFuture<Answer>, mcp_types::ErrorObject> {
        let name = &self.definition.name;
        let given = call.params.decode_member::<Option<RawObject>>("arguments");
        let given = given.map_err(|error| {
            let error = clipped(&error.to_string(), 200);
            invalid(format!(
                "`arguments` of prompt `{name}` must be an object of strings: {error}"
            ))
        })?;
        let mut texts = Vec::new();
        for (argument, value) in given.iter().flatten().flat_map(RawObject::iter) {
            let text: Option<Box<str>> = value.decode().map_err(|_| {
                let argument = clipped(argument, 100);
                invalid(format!(
                    "argument `{argument}` of prompt `{name}` must be a string"
                ))
            })?;
            texts.extend(text.map(|text| (Box::from(argument), text)));
        }
        let known = self.definition.arguments.iter().flatten();
        let mut required = known.filter(|argument| argument.required == Some(true));
        let missing =
            required.find(|argument| !texts.iter().any(|(name, _)| **name == *argument.name));
        if let Some(missing) = missing {
            let argument = &missing.name;
            return Err(invalid(format!(
                "Missing required argument: prompt `{name}` needs `{argument}`"
            )));
        }
        call.ext.insert(Texts(texts.into()));
        let (label, description) = (name.clone(), self.definition.description.clone());
        let running = self.service.call(call);
        Ok(Box::pin(async move {
            let mut answer = running.await;
            failed::label(&mut answer, &label);
            if let Ok(Outcome::Complete(Payload::GetPrompt(result))) = &mut answer.outcome {
                result.description = result.description.take().or(description);
            }
            answer
        }))
    }
}
