//! What a request or notification says, by its method.

use serde::{Serializer, de::DeserializeOwned};

use crate::{
    completion::CompleteParams,
    elicitation::{ElicitParams, ElicitationCompleteParams},
    encode::Encode,
    lifecycle::{EmptyParams, InitializeParams},
    logging::{LoggingMessageParams, SetLevelParams},
    method::Method,
    notification::{CancelledParams, ProgressParams},
    page::PaginatedParams,
    prompt::GetPromptParams,
    raw::{DecodeError, RawObject, RawParams},
    resource::{ReadResourceParams, ResourceUpdatedParams, SubscribeParams},
    revision::Revision,
    roots::ListRootsParams,
    sampling::CreateMessageParams,
    subscription::{AcknowledgedParams, ListenParams},
    task::{Task, TaskParams, UpdateTaskParams},
    tool::CallToolParams,
};

macro_rules! params {
    ($($(#[$meta:meta])* $Variant:ident($Params:ty) = $($method:literal)|+;)*) => {
        /// The parameters of a request or notification, in the words of the newest revision.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Params {
            $($(#[$meta])* $Variant($Params),)*
            /// Of any other method: the members as they are.
            Raw(RawObject),
        }

        impl Params {
            /// Reads the parameters of `method`.
            ///
            /// # Errors
            /// When they do not fit the method; the path starts at the parameters.
            pub fn decode(method: &Method, params: &RawParams) -> Result<Self, DecodeError> {
                match method.as_str() {
                    $($($method)|+ => read(params).map(Self::$Variant),)*
                    _ => read(params).map(Self::Raw),
                }
            }
        }

        impl Encode for Params {
            fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$Variant(params) => params.encode(at, serializer),)*
                    Self::Raw(params) => params.encode(at, serializer),
                }
            }
        }
    };
}

params! {
    /// Of `tools/call`.
    CallTool(Box<CallToolParams>) = "tools/call";
    /// Of methods without parameters of their own.
    Empty(EmptyParams) = "server/discover" | "ping" | "notifications/initialized"
        | "notifications/tools/list_changed" | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" | "notifications/roots/list_changed";
    /// Of lists.
    Paginated(PaginatedParams) = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list"
        | "tasks/list";
    /// Of `initialize`.
    Initialize(Box<InitializeParams>) = "initialize";
    /// Of `resources/read`.
    ReadResource(ReadResourceParams) = "resources/read";
    /// Of `resources/subscribe` and `resources/unsubscribe`.
    Subscribe(SubscribeParams) = "resources/subscribe" | "resources/unsubscribe";
    /// Of `prompts/get`.
    GetPrompt(GetPromptParams) = "prompts/get";
    /// Of `completion/complete`.
    Complete(Box<CompleteParams>) = "completion/complete";
    /// Of `logging/setLevel`.
    SetLevel(SetLevelParams) = "logging/setLevel";
    /// Of `subscriptions/listen`.
    Listen(ListenParams) = "subscriptions/listen";
    /// Of `tasks/get`, `tasks/cancel` and `tasks/result`.
    Task(TaskParams) = "tasks/get" | "tasks/cancel" | "tasks/result";
    /// Of `tasks/update`.
    UpdateTask(UpdateTaskParams) = "tasks/update";
    /// Of `sampling/createMessage`.
    CreateMessage(Box<CreateMessageParams>) = "sampling/createMessage";
    /// Of `elicitation/create`.
    Elicit(Box<ElicitParams>) = "elicitation/create";
    /// Of `roots/list`.
    ListRoots(ListRootsParams) = "roots/list";
    /// Of `notifications/progress`.
    Progress(ProgressParams) = "notifications/progress";
    /// Of `notifications/cancelled`.
    Cancelled(CancelledParams) = "notifications/cancelled";
    /// Of `notifications/message`.
    Message(LoggingMessageParams) = "notifications/message";
    /// Of `notifications/resources/updated`.
    ResourceUpdated(ResourceUpdatedParams) = "notifications/resources/updated";
    /// Of `notifications/elicitation/complete`.
    ElicitationComplete(ElicitationCompleteParams) = "notifications/elicitation/complete";
    /// Of `notifications/subscriptions/acknowledged`.
    Acknowledged(AcknowledgedParams) = "notifications/subscriptions/acknowledged";
    /// Of `notifications/tasks/status` and `notifications/tasks`.
    TaskStatus(Box<Task>) = "notifications/tasks/status" | "notifications/tasks";
}

fn read<T: DeserializeOwned>(params: &RawParams) -> Result<T, DecodeError> {
    params.decode().map_err(|error| {
        let text = params.to_raw();
        // Read once more as one text, in which the place can be told.
        let placed = text.read::<T>().err();
        placed.unwrap_or_else(|| DecodeError::new(text.as_str(), &error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::TABLE;

    #[test]
    fn every_method_of_the_table_has_parameters_of_its_own() {
        for spec in TABLE {
            let empty = Params::decode(&Method::from(spec.name), &RawParams::empty());
            assert!(!matches!(empty, Ok(Params::Raw(_))), "{}", spec.name);
        }
        let other = RawParams::parse(r#"{"a":1}"#).unwrap();
        let read = Params::decode(&Method::from("x/y"), &other).unwrap();
        assert!(matches!(read, Params::Raw(members) if members.contains("a")));
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        let params = RawParams::parse(r#"{"_meta":{},"name":7}"#).unwrap();
        let error = Params::decode(&Method::from("tools/call"), &params).unwrap_err();
        assert_eq!(error.path.as_str(), "$.name");
        assert!(error.reason.contains("expected a string"), "{error}");
    }
}
