//! Tools and a prompt that ask in rounds: what a modern client gets to see of an ask.
//!
//! Most await an answer where they need it; the two that carry a state of their own give back what they want to
//! know, and look at what came.

use mcp_server::{
    AskError, Context, Elicited, Prompt, Server, Tool,
    input::{RequestState, Round},
    schemars::{self, JsonSchema},
    types::{
        elicitation::{BooleanSchema, ElicitFormParams, Field, FormSchema},
        input::{InputRequest, InputRequired, InputResponse, InputResponses},
    },
};
use serde::Deserialize;

use crate::asking::{question, text_of};

pub(crate) fn add(server: Server) -> Server {
    let tool = |name: &str| format!("test_input_required_result_{name}");
    server
        .tool(
            Tool::new(tool("elicitation"), elicitation)
                .description("Asks for a name, and greets it"),
        )
        .tool(
            Tool::new(tool("sampling"), sampling)
                .description("Asks the client's model for a capital"),
        )
        .tool(
            Tool::new(tool("list_roots"), roots)
                .description("Asks in which folders the client works"),
        )
        .tool(
            Tool::new(tool("multiple_inputs"), at_once)
                .description("Asks the user, the model and the client in one round"),
        )
        .tool(
            Tool::new(tool("multi_round"), in_turn)
                .description("Asks for a name, and then for a color"),
        )
        .tool(
            Tool::new(tool("capabilities"), what_is_possible)
                .description("Asks only what the client can answer"),
        )
        .tool(
            Tool::new(tool("request_state"), with_state)
                .description("Asks for a yes, and carries a state of its own"),
        )
        .tool(
            Tool::new(tool("tampered_state"), with_state)
                .description("Asks for a yes, and carries a state that nobody can change"),
        )
        .prompt(
            Prompt::new(tool("prompt"), prompt)
                .description("A prompt that asks for what it is to be used for"),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

async fn elicitation(cx: Context) -> Result<String, AskError> {
    Ok(
        match cx.elicit::<Name>("user_name", "What is your name?").await? {
            Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
            Elicited::Declined | Elicited::Cancelled => "Hello, whoever you are!".to_owned(),
        },
    )
}

async fn sampling(cx: Context) -> Result<String, AskError> {
    let capital = question("What is the capital of France?", 100);
    Ok(text_of(&cx.sample("capital_question", capital).await?))
}

async fn roots(cx: Context) -> Result<String, AskError> {
    let roots = cx.roots("client_roots").await?;
    let roots: Vec<&str> = roots.iter().map(|root| &*root.uri).collect();
    Ok(format!("The client works in {}", roots.join(", ")))
}

async fn at_once(cx: Context) -> Result<String, AskError> {
    let greeting = question("Generate a greeting", 50);
    let (name, greeting, roots) = tokio::try_join!(
        cx.elicit::<Name>("user_name", "What is your name?"),
        cx.sample("greeting", greeting),
        cx.roots("client_roots"),
    )?;
    let name = name
        .accepted()
        .map_or_else(String::new, |Name { name }| name);
    let (greeting, roots) = (text_of(&greeting), roots.len());
    Ok(format!("{greeting} {name}, you work in {roots} folders"))
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

async fn in_turn(cx: Context) -> Result<String, AskError> {
    let name = "Step 1: What is your name?";
    let Elicited::Accepted(Name { name }) = cx.elicit("step1", name).await? else {
        return Ok("No name was given".to_owned());
    };
    let color = "Step 2: What is your favorite color?";
    let Elicited::Accepted(Color { color }) = cx.elicit("step2", color).await? else {
        return Ok(format!("{name} likes no color"));
    };
    Ok(format!("{name} likes {color}"))
}

async fn what_is_possible(cx: Context) -> Result<String, AskError> {
    let client = cx.client_capabilities();
    if client.sampling.is_some() {
        let name = question("Invent a name", 20);
        return Ok(text_of(&cx.sample("invented_name", name).await?));
    }
    elicitation(cx).await
}

async fn with_state(answers: InputResponses, RequestState(state): RequestState) -> Round<String> {
    let confirm = confirm();
    let answer = answers.read("confirm", &confirm).ok().flatten();
    match (state, answer) {
        (Some(state), Some(InputResponse::Elicit(_))) => Round::Done(state),
        _ => InputRequired::ask("confirm", confirm)
            .with_state("state-ok")
            .into(),
    }
}

fn confirm() -> InputRequest {
    let ok = Field::Boolean(BooleanSchema::default());
    let form = FormSchema::new().with_required("ok", &ok);
    ElicitFormParams::new("Please confirm", form).into()
}

#[derive(Deserialize, JsonSchema)]
struct Use {
    context: String,
}

async fn prompt(cx: Context) -> Result<String, AskError> {
    let question = "What context should the prompt use?";
    let answer = cx.elicit::<Use>("user_context", question).await?;
    let context = answer
        .accepted()
        .map_or_else(String::new, |Use { context }| context);
    Ok(format!("Answer in this context: {context}"))
}
