//! Prompts: a text, one with blanks, and some that show a resource or a picture.

use mcp_server::{
    Args, Completing, Messages, Prompt, Server,
    schemars::{self, JsonSchema},
    types::content::{ContentBlock, ImageContent, Role},
};
use serde::Deserialize;

use crate::{content::embedded, media::PNG};

pub(crate) fn add(server: Server) -> Server {
    server
        .prompt(Prompt::new("test_simple_prompt", simple).description("A line of text"))
        .prompt(
            Prompt::new("test_prompt_with_arguments", two)
                .description("Repeats its two arguments")
                .complete("arg1", values)
                .choices("arg2", ["one", "two", "three"]),
        )
        .prompt(
            Prompt::new("test_prompt_with_embedded_resource", resource)
                .description("Shows a resource"),
        )
        .prompt(Prompt::new("test_prompt_with_image", image).description("Shows a picture"))
}

async fn simple() -> &'static str {
    "This is a simple prompt for testing."
}

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first of two.
    arg1: String,
    /// The second of two.
    arg2: String,
}

async fn two(Args(Two { arg1, arg2 }): Args<Two>) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// What is typed, and what may come behind it.
async fn values(typed: Completing) -> Vec<String> {
    ["", "1", "2"]
        .map(|end| format!("{}{end}", typed.value))
        .into()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// The address of the resource to show.
    resource_uri: String,
}

async fn resource(Args(Shown { resource_uri }): Args<Shown>) -> Messages {
    let text = "Embedded resource content for testing.";
    let resource = embedded(&resource_uri, "text/plain", text);
    Messages::new()
        .message(Role::User, resource)
        .user("Please process the embedded resource above.")
}

async fn image() -> Messages {
    let image = ContentBlock::Image(ImageContent::new(PNG, "image/png"));
    Messages::new()
        .message(Role::User, image)
        .user("Please analyze the image above.")
}
