//! Tools that ask in the middle of a call: the user by a form, and the client's model.
//!
//! The same lines serve both eras: a legacy client is asked while the call waits, a modern one makes the call again
//! with the answer.

use mcp_server::{
    Args, AskError, Context, Elicited, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    types::{
        content::Role,
        sampling::{CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage},
    },
};
use serde::{Deserialize, Serialize};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(
            Tool::new("test_sampling", sampling)
                .description("Asks the client's model, and hands its answer on"),
        )
        .tool(
            Tool::new("test_elicitation", elicitation)
                .description("Asks the user for a name and an address"),
        )
        .tool(
            Tool::new("test_elicitation_sep1034_defaults", defaults)
                .description("Asks the user with a form that is filled in already"),
        )
        .tool(
            Tool::new("test_elicitation_sep1330_enums", choices)
                .description("Asks the user to choose, in each way there is"),
        )
        .tool(
            Tool::new("test_streaming_elicitation", confirmation)
                .description("Asks the user for a yes"),
        )
        .tool(
            Tool::new("test_missing_capability", with_a_model)
                .description("Needs a client that lets its model be asked"),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    /// What the model is asked
    prompt: String,
}

async fn sampling(
    Args(Question { prompt }): Args<Question>,
    cx: Context,
) -> Result<String, AskError> {
    let answer = cx.sample("answer", question(&prompt, 100)).await?;
    Ok(format!("LLM response: {}", text_of(&answer)))
}

async fn with_a_model(cx: Context) -> Result<String, AskError> {
    let answer = cx.sample("answer", question("Are you there?", 10)).await?;
    Ok(text_of(&answer))
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// What the user is told
    message: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Contact {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

async fn elicitation(
    Args(Message { message }): Args<Message>,
    cx: Context,
) -> Result<String, ToolError> {
    let answer = cx.elicit::<Contact>("contact", message).await?;
    Ok(format!("User response: {}", shown(&answer)?))
}

async fn confirmation(cx: Context) -> Result<&'static str, AskError> {
    match cx.confirm("go_on", "Go on?").await? {
        true => Ok("The user said yes"),
        false => Ok("The user did not say yes"),
    }
}

/// A form whose fields are filled in as [`Default`] says.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Person {
    /// User name
    name: String,
    /// User age
    age: u8,
    /// User score
    score: f64,
    /// User status
    status: Status,
    /// Verification status
    verified: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Person {
    fn default() -> Self {
        Self {
            name: "John Doe".to_owned(),
            age: 30,
            score: 95.5,
            status: Status::Active,
            verified: true,
        }
    }
}

async fn defaults(cx: Context) -> Result<String, ToolError> {
    let answer = cx
        .elicit::<Person>("person", "Is all of this right?")
        .await?;
    Ok(format!("Elicitation completed: {}", shown(&answer)?))
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Choices {
    untitled_single: Plain,
    titled_single: Titled,
    legacy_enum: Legacy,
    untitled_multi: Vec<Plain>,
    titled_multi: Vec<Chosen>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Option1,
    Option2,
    Option3,
}

/// What describes a choice is its title.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Titled {
    /// First Option
    #[serde(rename = "value1")]
    First,
    /// Second Option
    #[serde(rename = "value2")]
    Second,
    /// Third Option
    #[serde(rename = "value3")]
    Third,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Chosen {
    /// First Choice
    #[serde(rename = "value1")]
    First,
    /// Second Choice
    #[serde(rename = "value2")]
    Second,
    /// Third Choice
    #[serde(rename = "value3")]
    Third,
}

/// Titles as they were before 2025-11-25.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(extend("enumNames" = ["Option One", "Option Two", "Option Three"]))]
enum Legacy {
    Opt1,
    Opt2,
    Opt3,
}

async fn choices(cx: Context) -> Result<String, ToolError> {
    let answer = cx.elicit::<Choices>("choices", "Choose.").await?;
    Ok(format!("Elicitation completed: {}", shown(&answer)?))
}

/// A question to the client's model.
pub(crate) fn question(text: &str, max_tokens: u64) -> CreateMessageParams {
    let message = SamplingMessage::new(Role::User, SamplingContent::text(text));
    CreateMessageParams::new(vec![message], max_tokens)
}

/// What the model said.
pub(crate) fn text_of(answer: &CreateMessageResult) -> String {
    let texts = answer.content.blocks().iter();
    texts.filter_map(|block| block.as_text()).collect()
}

/// What the user did, as text.
fn shown<T: Serialize>(answer: &Elicited<T>) -> serde_json::Result<String> {
    Ok(match answer {
        Elicited::Accepted(content) => {
            let content = serde_json::to_string(content)?;
            format!("action=accept, content={content}")
        }
        Elicited::Declined => "action=decline, content={}".to_owned(),
        Elicited::Cancelled => "action=cancel, content={}".to_owned(),
    })
}
