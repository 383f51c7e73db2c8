//! A client's side of the conversation, told as it goes.

use std::time::Duration;

use mcp_client::{CallTool, Client, ListTools, Listener};
use mcp_errors::ToolErrorEnvelope;
use mcp_types::{
    content::ContentBlock,
    tool::{CallToolResult, ListToolsResult},
};
use serde_json::{Value, json};

use crate::{
    log::{Log, Token},
    transcript::{Transcript, Wrong},
    triage::TRIAGE,
};

/// How long a legacy client waits for `list_changed`.
const NEWS: Duration = Duration::from_secs(5);

/// One client, connected to the gateway.
pub(crate) struct Talk<'a> {
    /// Its name in the transcript.
    pub(crate) who: &'static str,
    pub(crate) client: Client,
    pub(crate) log: &'a Log,
    pub(crate) out: &'a mut Transcript,
    /// What the gateway sends a legacy client unasked.
    listener: Option<Listener>,
    /// The handoff that a modern client is in, or was in last.
    pub(crate) handle: Option<String>,
    /// Every answer as it came, to be searched.
    pub(crate) answers: Vec<String>,
}

/// A list of tools.
pub(crate) struct Listed {
    /// The result as it came.
    pub(crate) bytes: String,
    pub(crate) names: Vec<String>,
}

impl<'a> Talk<'a> {
    pub(crate) fn new(
        who: &'static str,
        client: Client,
        log: &'a Log,
        out: &'a mut Transcript,
    ) -> Result<Self, Wrong> {
        let listener = match client.is_modern() {
            true => None,
            false => Some(
                client
                    .listen()
                    .map_err(|error| Wrong::failed("a stream for notifications", &error))?,
            ),
        };
        Ok(Self {
            who,
            client,
            log,
            out,
            listener,
            handle: None,
            answers: Vec::new(),
        })
    }

    /// Lists the tools.
    pub(crate) async fn list(&mut self) -> Result<Listed, Wrong> {
        self.out.says(self.who, TRIAGE, "tools/list");
        let reply = self.client.request(ListTools::new()).send_raw().await;
        self.arrivals()?;
        let reply = reply.map_err(|error| Wrong::failed("tools/list is answered", &error))?;
        let bytes = reply.result.as_str().to_owned();
        let list: ListToolsResult = reply
            .result
            .decode()
            .map_err(|error| Wrong::failed("the list can be read", &error))?;
        let names: Vec<_> = list.tools.into_iter().map(|tool| tool.name).collect();
        self.out.says(TRIAGE, self.who, names.join(", "));
        self.answers.push(bytes.clone());
        Ok(Listed { bytes, names })
    }

    /// Calls a tool, with the handle if there is one and the tool is not the gateway's own.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        mut arguments: Value,
    ) -> Result<CallToolResult, Wrong> {
        let handle = self.handle.clone().filter(|_| tool.contains("__"));
        if let Some(handle) = &handle {
            arguments["handoff"] = json!(handle);
        }
        let said = self.short(&format!("tools/call {tool} {arguments}"));
        self.out.says(self.who, TRIAGE, said);
        let request = self.client.request(CallTool::new(tool, arguments));
        let reply = request.send_raw().await;
        self.arrivals()?;
        let reply = reply.map_err(|error| Wrong::failed(format!("{tool} is answered"), &error))?;
        self.answers.push(reply.result.as_str().to_owned());
        let result: CallToolResult = reply
            .result
            .decode()
            .map_err(|error| Wrong::failed(format!("{tool}'s result can be read"), &error))?;
        // A fresh handle is in the answer before it is anywhere else.
        if let Some(fresh) = handle_of(&result) {
            self.handle = Some(fresh);
        }
        let text = self.short(&text(&result));
        self.out.answer(TRIAGE, self.who, &text);
        Ok(result)
    }

    /// A legacy client is told that its list has changed; a modern one is not, since nothing of it has.
    pub(crate) async fn hears_of_change(&mut self) -> Result<(), Wrong> {
        let Some(listener) = &mut self.listener else {
            return Ok(());
        };
        let heard = listener.next(NEWS).await;
        let heard = heard.map_err(|error| Wrong::failed("a notification comes", &error))?;
        let method = heard
            .map(|heard| heard.method.to_string())
            .unwrap_or_default();
        self.out.says(TRIAGE, self.who, &method);
        let expected = "notifications/tools/list_changed".to_owned();
        self.out.check(
            "the client is told that its list has changed",
            &method,
            &expected,
        )
    }

    /// What the gateway has said to specialists meanwhile. Each time with a token for that one.
    fn arrivals(&mut self) -> Result<(), Wrong> {
        for arrival in self.log.arrivals() {
            self.out.arrival(TRIAGE, &arrival);
            let expected = Token::Good {
                issuer: TRIAGE.to_owned(),
                scope: arrival.specialist.to_owned(),
                seconds: 60,
            };
            if arrival.token != expected {
                let what = format!("the token for {} is good", arrival.specialist);
                return Err(Wrong::lacks(what, &expected.to_string(), arrival.token));
            }
        }
        Ok(())
    }

    /// Without the end of the handle: who has it is in the conversation.
    fn short(&self, text: &str) -> String {
        match &self.handle {
            Some(handle) => text.replace(handle.as_str(), &format!("{}…", &handle[..8])),
            None => text.to_owned(),
        }
    }
}

/// What the model reads of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

/// The code of a tool's failure.
pub(crate) fn code(result: &CallToolResult) -> Option<String> {
    Some(ToolErrorEnvelope::from_result(result)?.code.to_string())
}

/// What the structured content says, at this JSON pointer.
pub(crate) fn structured(result: &CallToolResult, pointer: &str) -> Option<String> {
    let content: Value = result.structured_content.as_ref()?.decode().ok()?;
    Some(content.pointer(pointer)?.as_str()?.to_owned())
}

fn handle_of(result: &CallToolResult) -> Option<String> {
    structured(result, "/handoff/handle")
}
