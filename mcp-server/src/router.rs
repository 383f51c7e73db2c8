//! The innermost service of a server: finds what answers a method, and a tool by its name.

use std::{borrow::Cow, future::ready};

use mcp_errors::ProtocolError;
use mcp_types::{
    ErrorObject,
    tool::{ListToolsParams, ListToolsResult},
};

use crate::{
    answer::{Answer, WrappedOutput},
    call::Call,
    path::clipped,
    proto::envelope,
    service::{BoxFuture, Service},
    tools::Tools,
};

/// Answers `tools/list` and `tools/call` from the registry.
pub(crate) struct Router {
    tools: Tools,
    page: Option<usize>,
}

impl Router {
    /// Lists `page` tools at a time, or all at once.
    pub(crate) fn new(tools: Tools, page: Option<usize>) -> Self {
        Self { tools, page }
    }

    fn call_tool(&self, call: Call) -> Result<BoxFuture<Answer>, ErrorObject> {
        let name = call.params.decode_member::<Box<str>>("name");
        let Ok(Some(name)) = name else {
            return Err(invalid("`name` must be the name of a tool, a string"));
        };
        let is_object = |text: &str| text.starts_with('{') || text == "null";
        if !call.params.get("arguments").is_none_or(is_object) {
            return Err(invalid("`arguments` must be an object"));
        }
        let Some(entry) = self.tools.0.snapshot().find(&name).cloned() else {
            return Err(ProtocolError::unknown_tool(&name).into());
        };
        let answer = entry.service.call(call);
        if !entry.wraps_output {
            return Ok(answer);
        }
        Ok(Box::pin(async move {
            let mut answer = answer.await;
            answer.ext.insert(WrappedOutput);
            answer
        }))
    }

    fn list_tools(&self, call: &Call) -> Result<Answer, ErrorObject> {
        let params: ListToolsParams = call
            .params
            .decode()
            .map_err(|error| invalid(clipped(&error.to_string(), 400)))?;
        let snapshot = self.tools.0.snapshot();
        let entries = snapshot.entries();
        let start = params.cursor.map_or(Ok(0), |cursor| {
            self.offset(&cursor, entries.len()).ok_or_else(|| {
                let cursor = clipped(&cursor, 100);
                invalid(format!("Invalid cursor: {cursor}; list from the start"))
            })
        })?;
        let end = self.page.map_or(entries.len(), |page| {
            entries.len().min(start.saturating_add(page))
        });
        let mut result = ListToolsResult::default();
        let page = entries[start..end].iter();
        result.tools = page.map(|entry| entry.definition.clone()).collect();
        result.next_cursor = (end < entries.len()).then(|| end.to_string());
        Ok(Answer::new(result))
    }

    /// Where a cursor of ours points: the start of a page but the first.
    fn offset(&self, cursor: &str, len: usize) -> Option<usize> {
        let page = self.page?;
        let offset: usize = cursor.parse().ok()?;
        // Tools may have gone since the page before: then the list ends here.
        let ours = offset > 0 && offset.is_multiple_of(page) && offset.to_string() == cursor;
        ours.then(|| offset.min(len))
    }
}

impl Service for Router {
    fn call(&self, call: Call) -> BoxFuture<Answer> {
        let answer = match call.method.as_str() {
            "tools/call" => match self.call_tool(call) {
                Ok(answer) => return answer,
                Err(error) => Answer::error(error),
            },
            "tools/list" => self.list_tools(&call).unwrap_or_else(Answer::error),
            other => Answer::error(envelope::method_not_found(other)),
        };
        Box::pin(ready(answer))
    }
}

fn invalid(detail: impl Into<Cow<'static, str>>) -> ErrorObject {
    ProtocolError::invalid_params(detail).into()
}
