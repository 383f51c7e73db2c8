//! Tools that may run as tasks: a client that can follow tasks gets a handle at once, and comes back for the answer.
//!
//! A handler is written as any other; whether it runs as a task is a matter of its tool and its caller.

use std::time::Duration;

use mcp_server::{
    Answer, Args, AskError, Context, Elicited, Server, Tool, ToolError,
    schemars::{self, JsonSchema},
    task::TasksPolicy,
    types::{ErrorCode, ErrorObject, tool::TaskSupport},
};
use serde::Deserialize;

use crate::running::wait;

pub(crate) fn add(server: Server) -> Server {
    server
        .tasks(TasksPolicy::default())
        .tool(
            Tool::new("slow_compute", compute)
                .description("Takes as many seconds as it is told")
                .tasks(TaskSupport::Optional),
        )
        .tool(
            Tool::new("failing_job", fail)
                .description("Works for a second, and fails")
                .tasks(TaskSupport::Required),
        )
        .tool(
            Tool::new("protocol_error_job", break_down)
                .description("Breaks down with an error of the protocol")
                .tasks(TaskSupport::Optional),
        )
        .tool(
            Tool::new("confirm_delete", delete)
                .description("Deletes a file, once the user has agreed; no file comes to harm")
                .destructive(false)
                .tasks(TaskSupport::Optional),
        )
        .tool(
            Tool::new("multi_input", two_answers)
                .description("Asks the user two things at once")
                .tasks(TaskSupport::Optional),
        )
        .tool(
            Tool::new("test_tool_with_task", ask_and_work)
                .description("Asks for a name, and then works for a while as a task")
                .tasks(TaskSupport::Required)
                .task_begins_in_handler(),
        )
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    /// How long it takes, at most a minute
    seconds: f64,
    /// What to call the result
    label: String,
}

async fn compute(Args(Compute { seconds, label }): Args<Compute>) -> String {
    wait(Duration::from_secs_f64(seconds.clamp(0.0, 60.0))).await;
    format!("{label} is computed")
}

async fn fail() -> Result<String, ToolError> {
    wait(Duration::from_secs(1)).await;
    Err(ToolError::new(
        "job_failed",
        "The job failed, as it always does",
    ))
}

async fn break_down() -> Answer {
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "The job broke down");
    Answer::error(error)
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// The file to delete
    filename: String,
}

async fn delete(Args(Delete { filename }): Args<Delete>, cx: Context) -> Result<String, AskError> {
    let question = format!("Delete {filename}?");
    Ok(match cx.confirm("confirm", question).await? {
        true => format!("{filename} is deleted"),
        false => format!("{filename} is kept"),
    })
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

async fn two_answers(cx: Context) -> Result<String, AskError> {
    let (name, color) = tokio::try_join!(
        cx.elicit::<Name>("name", "What is your name?"),
        cx.elicit::<Name>("color", "What is your favorite color?"),
    )?;
    let said = |answer: Elicited<Name>| {
        answer
            .accepted()
            .map_or_else(String::new, |Name { name }| name)
    };
    Ok(format!("{} likes {}", said(name), said(color)))
}

async fn ask_and_work(cx: Context) -> Result<String, AskError> {
    let name = match cx.elicit::<Name>("user_name", "What is your name?").await? {
        Elicited::Accepted(Name { name }) => name,
        Elicited::Declined | Elicited::Cancelled => "stranger".to_owned(),
    };
    // What was asked until here needed no task. From here on the client is free to go.
    if let Some(task) = cx.begin_task().await {
        task.say("writing a greeting");
    }
    wait(Duration::from_millis(100)).await;
    Ok(format!("Hello, {name}!"))
}
