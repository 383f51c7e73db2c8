//! Every official example of what is modelled here reads and is written back the same.

use std::fs;

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::specification;
use crate::{
    capability::{ClientCapabilities, ServerCapabilities},
    completion::{CompleteParams, CompleteResult},
    content::{
        AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
    },
    elicitation::{
        BooleanSchema, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, EnumSchema,
        Field,
    },
    input::{InputRequest, InputRequests, InputRequired, InputResponse, InputResponses, Question},
    jsonrpc::{
        ErrorId, ErrorObject, Message, decode, write_error, write_notification, write_request,
        write_result,
    },
    lifecycle::{DiscoverResult, EmptyParams},
    logging::LoggingMessageParams,
    notification::{CancelledParams, ProgressParams},
    page::PaginatedParams,
    prompt::{GetPromptParams, GetPromptResult, ListPromptsResult},
    raw::RawParams,
    resource::{
        BlobResourceContents, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
        ReadResourceResult, Resource, ResourceContents, ResourceUpdatedParams,
        TextResourceContents,
    },
    roots::{ListRootsResult, Root},
    sampling::{
        CreateMessageResult, ModelPreferences, SamplingBlock, SamplingMessage, ToolResultContent,
        ToolUseContent,
    },
    subscription::{AcknowledgedParams, ListenParams, ListenResult},
    tool::{CallToolParams, CallToolResult, ListToolsResult, Tool},
};

type Check = fn(&str) -> Result<Value, String>;

/// What each definition is read as. A message is read as one, and its parts as what they are.
#[rustfmt::skip]
const DEFINITIONS: [(&str, Check); 88] = [
    ("AudioContent", block::<AudioContent>),
    ("BlobResourceContents", contents::<BlobResourceContents>),
    ("BooleanSchema", field::<BooleanSchema>),
    ("CallToolRequest", message::<CallToolParams>),
    ("CallToolRequestParams", same::<CallToolParams>),
    ("CallToolResult", same::<CallToolResult>),
    ("CallToolResultResponse", message::<CallToolResult>),
    ("CancelledNotification", message::<CancelledParams>),
    ("CancelledNotificationParams", same::<CancelledParams>),
    ("ClientCapabilities", same::<ClientCapabilities>),
    ("CompleteRequest", message::<CompleteParams>),
    ("CompleteRequestParams", same::<CompleteParams>),
    ("CompleteResult", same::<CompleteResult>),
    ("CompleteResultResponse", message::<CompleteResult>),
    ("CreateMessageRequest", ask),
    ("CreateMessageRequestParams", same::<crate::sampling::CreateMessageParams>),
    ("CreateMessageResult", answer::<CreateMessageResult>),
    ("DiscoverRequest", message::<EmptyParams>),
    ("DiscoverResult", same::<DiscoverResult>),
    ("DiscoverResultResponse", message::<DiscoverResult>),
    ("ElicitRequest", ask),
    ("ElicitRequestFormParams", elicit::<ElicitFormParams>),
    ("ElicitRequestURLParams", elicit::<ElicitUrlParams>),
    ("ElicitResult", answer::<ElicitResult>),
    ("EmbeddedResource", block::<EmbeddedResource>),
    ("GetPromptRequest", message::<GetPromptParams>),
    ("GetPromptRequestParams", same::<GetPromptParams>),
    ("GetPromptResult", same::<GetPromptResult>),
    ("GetPromptResultResponse", message::<GetPromptResult>),
    ("HeaderMismatchError", error),
    ("ImageContent", block::<ImageContent>),
    ("InputRequests", same::<InputRequests>),
    ("InputRequiredResult", same::<InputRequired>),
    ("InputResponses", answers),
    ("InternalError", error),
    ("InvalidParamsError", error),
    ("ListPromptsRequest", message::<PaginatedParams>),
    ("ListPromptsResult", same::<ListPromptsResult>),
    ("ListPromptsResultResponse", message::<ListPromptsResult>),
    ("ListResourceTemplatesRequest", message::<PaginatedParams>),
    ("ListResourceTemplatesResult", same::<ListResourceTemplatesResult>),
    ("ListResourceTemplatesResultResponse", message::<ListResourceTemplatesResult>),
    ("ListResourcesRequest", message::<PaginatedParams>),
    ("ListResourcesResult", same::<ListResourcesResult>),
    ("ListResourcesResultResponse", message::<ListResourcesResult>),
    ("ListRootsRequest", ask),
    ("ListRootsResult", answer::<ListRootsResult>),
    ("ListToolsRequest", message::<PaginatedParams>),
    ("ListToolsResult", same::<ListToolsResult>),
    ("ListToolsResultResponse", message::<ListToolsResult>),
    ("LoggingMessageNotification", message::<LoggingMessageParams>),
    ("LoggingMessageNotificationParams", same::<LoggingMessageParams>),
    ("MethodNotFoundError", error),
    ("MissingRequiredClientCapabilityError", error),
    ("ModelPreferences", same::<ModelPreferences>),
    ("NumberSchema", field::<crate::elicitation::NumberSchema>),
    ("PaginatedRequestParams", same::<PaginatedParams>),
    ("ParseError", error),
    ("ProgressNotification", message::<ProgressParams>),
    ("ProgressNotificationParams", same::<ProgressParams>),
    ("PromptListChangedNotification", message::<EmptyParams>),
    ("ReadResourceRequest", message::<ReadResourceParams>),
    ("ReadResourceResult", same::<ReadResourceResult>),
    ("ReadResourceResultResponse", message::<ReadResourceResult>),
    ("Resource", same::<Resource>),
    ("ResourceLink", block::<ResourceLink>),
    ("ResourceListChangedNotification", message::<EmptyParams>),
    ("ResourceUpdatedNotification", message::<ResourceUpdatedParams>),
    ("ResourceUpdatedNotificationParams", same::<ResourceUpdatedParams>),
    ("Root", same::<Root>),
    ("SamplingMessage", same::<SamplingMessage>),
    ("ServerCapabilities", same::<ServerCapabilities>),
    ("StringSchema", field::<crate::elicitation::StringSchema>),
    ("SubscriptionsAcknowledgedNotification", message::<AcknowledgedParams>),
    ("SubscriptionsListenRequest", message::<ListenParams>),
    ("SubscriptionsListenResult", same::<ListenResult>),
    ("SubscriptionsListenResultResponse", message::<ListenResult>),
    ("TextContent", block::<TextContent>),
    ("TextResourceContents", contents::<TextResourceContents>),
    ("TitledMultiSelectEnumSchema", titled_multi),
    ("TitledSingleSelectEnumSchema", titled_single),
    ("Tool", same::<Tool>),
    ("ToolListChangedNotification", message::<EmptyParams>),
    ("ToolResultContent", sampled::<ToolResultContent>),
    ("ToolUseContent", sampled::<ToolUseContent>),
    ("UnsupportedProtocolVersionError", error),
    ("UntitledMultiSelectEnumSchema", multi),
    ("UntitledSingleSelectEnumSchema", single),
];

#[test]
fn official_examples_read_and_are_written_back_the_same() {
    let Some(root) = specification() else {
        eprintln!(
            "skipped {} definitions: no ../shared/spec",
            DEFINITIONS.len()
        );
        return;
    };
    let mut seen = 0;
    for (definition, check) in DEFINITIONS {
        for file in fs::read_dir(root.join("2026-07-28/examples").join(definition)).unwrap() {
            let file = file.unwrap().path();
            let text = fs::read_to_string(&file).unwrap();
            let expected: Value = serde_json::from_str(&text).unwrap();
            match check(&text) {
                Ok(written) => assert_eq!(written, expected, "{}", file.display()),
                Err(error) => panic!("{}: {error}", file.display()),
            }
            seen += 1;
        }
    }
    assert!(seen >= DEFINITIONS.len() + 20, "only {seen} examples");
    for folder in fs::read_dir(root.join("2026-07-28/examples")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        let known = DEFINITIONS
            .iter()
            .any(|(definition, _)| *definition == name);
        assert!(known, "no row for {name}");
    }
}

fn same<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let typed: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(&typed).map_err(|error| error.to_string())
}

/// Contents read as the kind they are, and as contents.
fn contents<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let contents: ResourceContents =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    if matches!(contents, ResourceContents::Other(_)) {
        return Err(format!("unknown contents: {contents:?}"));
    }
    assert_eq!(same::<T>(text)?, serde_json::to_value(&contents).unwrap());
    same::<T>(text)
}

fn field_of(text: &str) -> Field {
    serde_json::from_str(text).unwrap()
}

/// A field reads as the shape it is, and as a field.
fn field<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    if matches!(field_of(text), Field::Other(_) | Field::Enum(_)) {
        return Err(format!("not a plain field: {text}"));
    }
    assert_eq!(same::<T>(text)?, same::<Field>(text)?);
    same::<T>(text)
}

macro_rules! choices {
    ($($name:ident = $Shape:ident;)*) => { $(
        fn $name(text: &str) -> Result<Value, String> {
            match field_of(text) {
                Field::Enum(EnumSchema::$Shape(_)) => same::<Field>(text),
                other => Err(format!("another field: {other:?}")),
            }
        }
    )* };
}

choices! {
    single = Single;
    titled_single = TitledSingle;
    multi = Multi;
    titled_multi = TitledMulti;
}

/// A block of a conversation reads as the type it says, and as a block.
fn sampled<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let block: SamplingBlock = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if matches!(block, SamplingBlock::Other(_)) {
        return Err(format!("an unknown block: {block:?}"));
    }
    assert_eq!(same::<T>(text)?, serde_json::to_value(&block).unwrap());
    same::<T>(text)
}

fn elicit<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    assert_eq!(same::<T>(text)?, same::<ElicitParams>(text)?);
    same::<T>(text)
}

fn ask(text: &str) -> Result<Value, String> {
    let request: InputRequest = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if matches!(request.question, Question::Other { .. }) {
        return Err(format!("an unknown question: {request:?}"));
    }
    same::<InputRequest>(text)
}

fn answer<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let response: InputResponse = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if matches!(response, InputResponse::Other(_)) {
        return Err(format!("an unknown answer: {response:?}"));
    }
    assert_eq!(same::<T>(text)?, same::<InputResponse>(text)?);
    same::<T>(text)
}

fn answers(text: &str) -> Result<Value, String> {
    let responses: InputResponses =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (_, raw) in responses.as_object().iter() {
        answer::<Value>(raw.as_str())?;
    }
    same::<InputResponses>(text)
}

/// A block reads as the type it says, and as a block.
fn block<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let block: ContentBlock = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if matches!(block, ContentBlock::Other(_)) {
        return Err(format!("an unknown block: {block:?}"));
    }
    let as_block = serde_json::to_value(&block).map_err(|error| error.to_string())?;
    assert_eq!(same::<T>(text)?, as_block);
    Ok(as_block)
}

fn error(text: &str) -> Result<Value, String> {
    if text.contains("jsonrpc") {
        message::<Value>(text)
    } else {
        same::<ErrorObject>(text)
    }
}

/// A message whose params or result is a `T`; both the message and the `T` must come back.
fn message<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let mut out = Vec::new();
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    match decode(&bytes).map_err(|malformed| malformed.to_string())? {
        Message::Request(request) => {
            part::<T>(&request.params)?;
            let method = request.method.as_str();
            write_request(&request.id, method, &request.params, None, &mut out);
        }
        Message::Notification(notification) => {
            part::<T>(&notification.params)?;
            write_notification(notification.method.as_str(), &notification.params, &mut out);
        }
        Message::Response(response) => {
            let id = response.id.ok_or("no id")?;
            match response.body {
                Ok(result) => {
                    let whole = same::<T>(result.as_str())?;
                    assert_eq!(whole, same::<Value>(result.as_str())?);
                    write_result(&id, &result, &mut out);
                }
                Err(error) => write_error(&ErrorId::Known(id), &error, &mut out),
            }
        }
    }
    serde_json::from_slice(&out).map_err(|error| error.to_string())
}

fn part<T: DeserializeOwned + Serialize>(params: &RawParams) -> Result<(), String> {
    let typed: T = params.decode().map_err(|error| error.to_string())?;
    let before: Value = params.decode().map_err(|error| error.to_string())?;
    assert_eq!(
        serde_json::to_value(&typed).unwrap_or_else(|_| json!(0)),
        before
    );
    Ok(())
}
