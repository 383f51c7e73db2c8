//! What a tool can show: text, a picture, a sound, a resource, all of it; or that it failed.

use mcp_server::{
    Args, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    types::{
        content::{AudioContent, ContentBlock, EmbeddedResource, ImageContent},
        resource::ResourceContents,
    },
};
use serde::Deserialize;

use crate::media::{PNG, WAV};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(
            Tool::new("test_simple_text", simple_text)
                .description("Answers with a line of text")
                .read_only(),
        )
        .tool(
            Tool::new("greet", greet)
                .description("Greets someone")
                .read_only(),
        )
        .tool(
            Tool::new("test_image_content", image)
                .description("Answers with a picture")
                .read_only(),
        )
        .tool(
            Tool::new("test_audio_content", audio)
                .description("Answers with a sound")
                .read_only(),
        )
        .tool(
            Tool::new("test_embedded_resource", resource)
                .description("Answers with a resource and what it holds")
                .read_only(),
        )
        .tool(
            Tool::new("test_multiple_content_types", mixed)
                .description("Answers with a text, a picture and a resource")
                .read_only(),
        )
        .tool(
            Tool::new("test_error_handling", failure)
                .description("Fails, in words that a model can read")
                .read_only(),
        )
}

async fn simple_text() -> &'static str {
    "This is a simple text response for testing."
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet.
    name: String,
}

async fn greet(Args(Greet { name }): Args<Greet>) -> String {
    format!("Hello, {name}!")
}

async fn image() -> ContentBlock {
    ContentBlock::Image(ImageContent::new(PNG, "image/png"))
}

async fn audio() -> ContentBlock {
    ContentBlock::Audio(AudioContent::new(WAV, "audio/wav"))
}

async fn resource() -> ContentBlock {
    let text = "This is an embedded resource content.";
    embedded("test://embedded-resource", "text/plain", text)
}

async fn mixed() -> Vec<ContentBlock> {
    let json = r#"{"test":"data","value":123}"#;
    vec![
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::Image(ImageContent::new(PNG, "image/png")),
        embedded("test://mixed-content-resource", "application/json", json),
    ]
}

async fn failure() -> Result<String, ToolError> {
    let why = "This tool intentionally returns an error for testing";
    Err(ToolError::new("intended", why))
}

/// A text with its address and media type.
pub(crate) fn embedded(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    let mut contents = ResourceContents::text(uri, text);
    if let ResourceContents::Text(text) = &mut contents {
        text.mime_type = Some(mime_type.to_owned());
    }
    ContentBlock::Resource(EmbeddedResource::new(contents))
}
