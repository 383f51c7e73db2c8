//! What a handler asks its client, in either era.

use mcp_errors::ToolError;
use mcp_types::{
    RawJson, RawObject,
    elicitation::{
        BooleanSchema, ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams,
        Field, FormSchema,
    },
    input::{InputRequest, InputResponse, Question},
    roots::{ListRootsResult, Root},
    sampling::{CreateMessageParams, CreateMessageResult},
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Context;
use crate::{
    input::{AskError, Elicited, Facts, form_of},
    proto::form,
};

/// Asking. The rules are those of [`input`](crate::input): each question has a key of its own, and at 2026-07-28 the
/// handler runs again from its beginning when the answer is there.
impl Context {
    /// Asks the user to fill in a form, whose fields are those of `T`: a struct of texts, numbers, truth values and
    /// choices. What comes back fits the form, with the defaults of what was left out; what does not is asked again.
    ///
    /// ```
    /// # use mcp_server::{Context, Elicited, ToolError, schemars::{self, JsonSchema}};
    /// # use serde::Deserialize;
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Guest { name: String, nights: Option<u8> }
    ///
    /// async fn book(cx: Context) -> Result<String, ToolError> {
    ///     Ok(match cx.elicit::<Guest>("guest", "Who comes?").await? {
    ///         Elicited::Accepted(guest) => format!("{} comes", guest.name),
    ///         Elicited::Declined | Elicited::Cancelled => "nobody comes".to_owned(),
    ///     })
    /// }
    /// ```
    ///
    /// Secrets do not belong into a form; [`Self::elicit_url`] is for them.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer.
    pub async fn elicit<T: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
        message: impl Into<String>,
    ) -> Result<Elicited<T>, AskError> {
        let form = form_of::<T>()?;
        let request = ElicitFormParams::new(message, form.clone()).into();
        let fits = |answer: &RawJson| read_form::<T>(&form, answer).is_some();
        let answer = self.answer(key, request, &fits).await?;
        read_form(&form, &answer).ok_or(AskError::Misfit)
    }

    /// Asks the user to go to `url`, where what is secret is told to the server and not to the client.
    /// `Accepted` says that the user goes there, not that what is to be done there is done.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer.
    pub async fn elicit_url(
        &self,
        key: &str,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Elicited<()>, AskError> {
        let request = ElicitUrlParams::new(message, url).into();
        let read = |answer: &RawJson| elicited(&answer.decode().ok()?, |_| Some(()));
        let answer = self
            .answer(key, request, &|answer| read(answer).is_some())
            .await?;
        read(&answer).ok_or(AskError::Misfit)
    }

    /// Asks the user to say yes: `true` only if they agreed and said so.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer.
    pub async fn confirm(&self, key: &str, message: impl Into<String>) -> Result<bool, AskError> {
        let yes = Field::Boolean(BooleanSchema {
            title: Some("Confirm".to_owned()),
            ..BooleanSchema::default()
        });
        let form = FormSchema::new().with_required("confirm", &yes);
        let request = ElicitFormParams::new(message, form).into();
        // Who agrees without saying yes has not said it.
        let read = |answer: &RawJson| {
            let said = |content: Option<&RawObject>| content?.decode::<bool>("confirm");
            elicited(&answer.decode().ok()?, |content| {
                Some(said(content).unwrap_or(false))
            })
        };
        let answer = self
            .answer(key, request, &|answer| read(answer).is_some())
            .await?;
        Ok(read(&answer).and_then(Elicited::accepted) == Some(true))
    }

    /// Asks the client's model to go on with a conversation.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer, or its user refuses.
    pub async fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, AskError> {
        let fits = |answer: &RawJson| answer.decode::<CreateMessageResult>().is_ok();
        let answer = self.answer(key, params.into(), &fits).await?;
        answer.decode().map_err(|_| AskError::Misfit)
    }

    /// Asks the client for the directories and files it works in.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer.
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, AskError> {
        let fits = |answer: &RawJson| answer.decode::<ListRootsResult>().is_ok();
        let request = Question::Roots(Some(mcp_types::roots::ListRootsParams::default())).into();
        let answer = self.answer(key, request, &fits).await?;
        let answer: ListRootsResult = answer.decode().map_err(|_| AskError::Misfit)?;
        Ok(answer.roots)
    }

    /// Asks anything a client can be asked. A form that was filled in fits its schema; what was left out is not
    /// filled in here.
    ///
    /// # Errors
    /// When the client cannot be asked, or does not answer.
    pub async fn ask(
        &self,
        key: &str,
        request: impl Into<InputRequest>,
    ) -> Result<InputResponse, AskError> {
        let request = request.into();
        let asked = request.clone();
        let fits = |answer: &RawJson| fits(&asked, answer);
        let answer = self.answer(key, request, &fits).await?;
        InputResponse::read(&answer, &asked).map_err(|_| AskError::Misfit)
    }

    /// Runs `effect` once a call: where the handler runs again, because it has asked something since, this gives what
    /// came of it then. A failure is not kept.
    ///
    /// What came of it travels with the client, sealed, so it should be small. A step asks nothing.
    ///
    /// # Errors
    /// That of `effect`; and when what came of it is no JSON, or is no `T` the next time.
    pub async fn step<T, E, Fut>(
        &self,
        key: &str,
        effect: impl FnOnce() -> Fut,
    ) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
        Fut: Future<Output = Result<T, E>>,
    {
        self.0.input.step(self.facts(), key, effect).await
    }

    async fn answer(
        &self,
        key: &str,
        request: InputRequest,
        fits: &(dyn Fn(&RawJson) -> bool + Sync),
    ) -> Result<RawJson, AskError> {
        self.0.input.ask(self.facts(), key, request, fits).await
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            ext: &self.0.ext,
            meta: &self.0.meta,
            session: self.0.session.as_ref(),
        }
    }
}

/// Whether `answer` is one to `request`.
fn fits(request: &InputRequest, answer: &RawJson) -> bool {
    let Ok(InputResponse::Elicit(result)) = InputResponse::read(answer, request) else {
        return InputResponse::read(answer, request).is_ok();
    };
    let form = match &request.question {
        Question::Elicit(params) => match &**params {
            ElicitParams::Form(params) => Some(&params.requested_schema),
            _ => None,
        },
        _ => None,
    };
    elicited(&result, |content| match form {
        Some(form) => form::read(form, content).ok().map(|_| ()),
        None => Some(()),
    })
    .is_some()
}

fn read_form<T: DeserializeOwned>(form: &FormSchema, answer: &RawJson) -> Option<Elicited<T>> {
    elicited(&answer.decode().ok()?, |content| {
        let filled = form::read(form, content).ok()?;
        serde_json::from_value(Value::Object(filled)).ok()
    })
}

/// What the user did, with what `read` makes of the content; `None` where it is no answer.
fn elicited<T>(
    result: &ElicitResult,
    read: impl FnOnce(Option<&RawObject>) -> Option<T>,
) -> Option<Elicited<T>> {
    match result.action {
        ElicitAction::Accept => read(result.content.as_ref()).map(Elicited::Accepted),
        ElicitAction::Decline => Some(Elicited::Declined),
        ElicitAction::Cancel => Some(Elicited::Cancelled),
        _ => None,
    }
}
