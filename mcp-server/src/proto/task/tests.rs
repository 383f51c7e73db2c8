//! One task's life, enumerated; what each profile shows of it, as tables.

mod life;
mod plans;
mod tables;
mod views;

use mcp_types::{
    ErrorCode, ErrorObject, RawJson, RawObject,
    elicitation::{ElicitFormParams, ElicitParams, FormSchema},
    input::{InputRequest, Question},
    tool::CallToolResult,
};

use super::{TaskId, TaskOutcome, TaskOwner, TaskProfile, TaskRecord, Transition};

fn record() -> TaskRecord {
    let owner = TaskOwner::Nobody;
    TaskRecord::new(TaskId::new("t"), owner, TaskProfile::Extension, "tool", 0)
}

fn roots() -> Box<InputRequest> {
    Box::new(InputRequest::new(Question::Roots(None)))
}

fn form() -> InputRequest {
    let params = ElicitFormParams::new("Sure?", FormSchema::new());
    InputRequest::new(Question::Elicit(Box::new(ElicitParams::Form(params))))
}

fn ask(key: &str) -> Transition {
    let (key, request) = (key.into(), roots());
    Transition::Ask { key, request }
}

fn answers(text: &str) -> Transition {
    Transition::Answer(RawJson::parse(text).unwrap().decode::<RawObject>().unwrap())
}

fn withdraw(key: &str) -> Transition {
    Transition::Withdraw { key: key.into() }
}

fn refuse(key: &str) -> Transition {
    let (key, error) = (key.into(), ErrorObject::new(ErrorCode(-1), "no"));
    Transition::Refuse { key, error }
}

fn finish(result: CallToolResult) -> Transition {
    Transition::Finish(TaskOutcome::Result(Box::new(result)))
}

fn text() -> CallToolResult {
    CallToolResult::text("done")
}

fn failure() -> CallToolResult {
    CallToolResult {
        is_error: Some(true),
        ..CallToolResult::text("broken")
    }
}

fn fail() -> Transition {
    let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error");
    Transition::Finish(TaskOutcome::Error(error))
}

/// A record after these transitions, each of which must happen.
fn after(transitions: impl IntoIterator<Item = Transition>) -> TaskRecord {
    let mut record = record();
    for transition in transitions {
        record.apply(transition, 0).unwrap();
    }
    record
}
