//! Every official example of what is modelled here reads and is written back the same.

use std::fs;

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::specification;
use crate::{
    capability::{ClientCapabilities, ServerCapabilities},
    content::{
        AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
    },
    jsonrpc::{
        ErrorId, ErrorObject, Message, decode, write_error, write_notification, write_request,
        write_result,
    },
    lifecycle::{DiscoverResult, EmptyParams},
    notification::{CancelledParams, ProgressParams},
    raw::RawParams,
    tool::{CallToolParams, CallToolResult, ListToolsParams, ListToolsResult, Tool},
};

type Check = fn(&str) -> Result<Value, String>;

/// What each definition is read as. A message is read as one, and its parts as what they are.
const DEFINITIONS: [(&str, Check); 34] = [
    ("AudioContent", block::<AudioContent>),
    ("CallToolRequest", message::<CallToolParams>),
    ("CallToolRequestParams", same::<CallToolParams>),
    ("CallToolResult", same::<CallToolResult>),
    ("CallToolResultResponse", message::<CallToolResult>),
    ("CancelledNotification", message::<CancelledParams>),
    ("CancelledNotificationParams", same::<CancelledParams>),
    ("ClientCapabilities", same::<ClientCapabilities>),
    ("DiscoverRequest", message::<EmptyParams>),
    ("DiscoverResult", same::<DiscoverResult>),
    ("DiscoverResultResponse", message::<DiscoverResult>),
    ("EmbeddedResource", block::<EmbeddedResource>),
    ("HeaderMismatchError", error),
    ("ImageContent", block::<ImageContent>),
    ("InternalError", error),
    ("InvalidParamsError", error),
    ("ListPromptsRequest", message::<Value>),
    ("ListResourcesRequest", message::<Value>),
    ("ListToolsRequest", message::<ListToolsParams>),
    ("ListToolsResult", same::<ListToolsResult>),
    ("ListToolsResultResponse", message::<ListToolsResult>),
    ("LoggingMessageNotification", message::<Value>),
    ("MethodNotFoundError", error),
    ("MissingRequiredClientCapabilityError", error),
    ("PaginatedRequestParams", same::<ListToolsParams>),
    ("ParseError", error),
    ("ProgressNotification", message::<ProgressParams>),
    ("ProgressNotificationParams", same::<ProgressParams>),
    ("ResourceLink", block::<ResourceLink>),
    ("ServerCapabilities", same::<ServerCapabilities>),
    ("TextContent", block::<TextContent>),
    ("Tool", same::<Tool>),
    ("ToolListChangedNotification", message::<Value>),
    ("UnsupportedProtocolVersionError", error),
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
}

fn same<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let typed: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(&typed).map_err(|error| error.to_string())
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
