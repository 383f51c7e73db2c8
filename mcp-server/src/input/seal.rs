//! What a call knows, on its way through the client and back: opened where it comes in, sealed where a round ends.

use mcp_errors::ProtocolError;
use mcp_types::{ErrorObject, Method, RawObject, input::InputRequired};

use super::{Input, policy::nonce};
use crate::{
    answer::Answer,
    principal::Principal,
    proto::{
        rounds::{Book, Broken},
        sealed::{self, Binding, Invalid, TooLarge},
    },
};

impl Input {
    /// The state and the answers of the request, if it has any.
    pub(super) fn arrived(
        &self,
        principal: Option<&Principal>,
    ) -> Result<Option<(Option<Book>, RawObject)>, Broken> {
        let present = |name| self.params().get(name).filter(|text| *text != "null");
        let (state, responses) = (present("requestState"), present("inputResponses"));
        if state.is_none() && responses.is_none() {
            return Ok(None);
        }
        let responses = responses.map(serde_json::from_str::<RawObject>);
        let responses = responses.transpose().map_err(|_| Broken::Responses)?;
        let book = match state.map(serde_json::from_str::<String>) {
            None => None,
            Some(Err(_)) => return Err(Broken::State),
            Some(Ok(state)) => {
                let (keys, now) = self
                    .host()
                    .keys()
                    .zip(self.host().now())
                    .ok_or(Broken::State)?;
                let binding = self.binding(principal);
                let opened = sealed::open(&state, &binding, keys, now);
                Some(opened.map_err(|Invalid| Broken::State)?)
            }
        };
        Ok(Some((book, responses.unwrap_or_default())))
    }

    fn binding(&self, principal: Option<&Principal>) -> Binding {
        let principal = principal.map(|principal| &*principal.0);
        Binding::new(
            self.method(),
            self.params(),
            principal,
            &self.host().audience,
        )
    }

    /// Ends the round: the answer that asks, with the state sealed in it.
    pub(crate) fn end_round(&self) -> Answer {
        self.run_over();
        let (requests, book, principal) = self.close_round();
        let sealed = self.seal(&book, principal.as_ref());
        let required = sealed.map(|state| InputRequired::new(requests, Some(state)));
        match required {
            Ok(Ok(required)) => Answer::new(required),
            // There is a state.
            Ok(Err(_)) => Answer::error(ProtocolError::internal().into()),
            Err(error) => Answer::error(error),
        }
    }

    fn seal(&self, book: &Book, principal: Option<&Principal>) -> Result<String, ErrorObject> {
        // The log has heard why.
        let missing = || ErrorObject::from(ProtocolError::internal());
        let keys = self.host().keys().ok_or_else(missing)?;
        let now = self.host().now().ok_or_else(missing)?;
        let nonce = nonce().ok_or_else(missing)?;
        let expires = now.saturating_add(self.host().policy().state_time.as_secs());
        let binding = self.binding(principal);
        sealed::seal(book, &binding, keys, expires, nonce).map_err(|TooLarge(bytes)| {
            let (most, method) = (sealed::MAX_BYTES, self.method().as_str());
            tracing::error!(
                bytes,
                most,
                method,
                "what a call has asked so far is too large to travel with its client; keep less in steps"
            );
            ErrorObject::from(ProtocolError::internal())
        })
    }
}

/// What a client is told of a call that cannot go on; the log hears of mistakes of the handler.
pub(super) fn error_of(broken: &Broken, method: &Method) -> ErrorObject {
    match broken {
        Broken::State => Invalid.into(),
        Broken::Responses => {
            ProtocolError::invalid_params("`inputResponses` must be an object").into()
        }
        Broken::TooManyRounds(_) => {
            tracing::warn!(%method, "{broken}");
            ProtocolError::internal()
                .with_message(broken.to_string())
                .into()
        }
        mistake => {
            tracing::error!(%method, "a handler asks as it must not: {mistake}");
            ProtocolError::internal().into()
        }
    }
}
