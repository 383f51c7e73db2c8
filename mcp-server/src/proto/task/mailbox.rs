//! What a task asks: questions by their keys, and the answers that came.

use std::collections::BTreeSet;

use mcp_types::{
    ErrorObject, RawJson, RawObject,
    input::{InputRequest, InputRequests, InputResponse},
};
use serde::{Deserialize, Serialize};

use super::Refused;
use crate::path::clipped;

/// How many questions one task may ask in its life.
pub const MAX_KEYS: usize = 64;
/// How many bytes the answers to them may have together: as many as one message.
pub const MAX_REPLY_BYTES: usize = 4 * 1024 * 1024;
/// How many bytes of a refusal's message are kept when there is no room for all of it.
const MIN_MESSAGE: usize = 200;

/// What a client said to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TaskReply {
    /// An answer, as it came.
    Answer(RawJson),
    /// An error in place of one.
    Refused(ErrorObject),
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Mailbox {
    pending: InputRequests,
    replies: Vec<(Box<str>, TaskReply)>,
    /// Every key there ever was: a client knows a question by it.
    used: BTreeSet<Box<str>>,
}

impl Mailbox {
    /// The questions without an answer.
    pub(super) fn pending(&self) -> &InputRequests {
        &self.pending
    }

    pub(super) fn reply(&self, key: &str) -> Option<&TaskReply> {
        let mut replies = self.replies.iter();
        replies
            .find(|(known, _)| &**known == key)
            .map(|(_, reply)| reply)
    }

    pub(super) fn ask(&mut self, key: Box<str>, request: InputRequest) -> Result<(), Refused> {
        if self.used.contains(&key) {
            return Err(Refused::KeyUsed);
        }
        if self.used.len() >= MAX_KEYS {
            return Err(Refused::TooManyKeys);
        }
        self.used.insert(key.clone());
        self.pending.insert(key, request);
        Ok(())
    }

    pub(super) fn withdraw(&mut self, key: &str) -> bool {
        let was_there = self.pending.get(key).is_some();
        self.forget(key);
        was_there
    }

    pub(super) fn answer(&mut self, responses: &RawObject) -> Result<bool, Refused> {
        let fit = |&(key, answer): &(&str, &RawJson)| {
            let request = self.pending.get(key);
            request.is_some_and(|request| InputResponse::read(answer, request).is_ok())
        };
        let answers: Vec<_> = responses.iter().filter(fit).collect();
        let sizes = answers.iter().map(|(_, answer)| answer.as_str().len());
        if self.bytes() + sizes.sum::<usize>() > MAX_REPLY_BYTES {
            return Err(Refused::TooManyBytes);
        }
        for (key, answer) in &answers {
            self.settle(key, TaskReply::Answer((*answer).clone()));
        }
        Ok(!answers.is_empty())
    }

    /// A refusal always has room: if need be without its data, its message clipped.
    pub(super) fn refuse(&mut self, key: &str, mut error: ErrorObject) -> bool {
        if self.pending.get(key).is_none() {
            return false;
        }
        if self.bytes() + size_of_error(&error) > MAX_REPLY_BYTES {
            error.data = None;
            error.message = clipped(&error.message, MIN_MESSAGE).into();
        }
        self.settle(key, TaskReply::Refused(error));
        true
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn settle(&mut self, key: &str, reply: TaskReply) {
        self.forget(key);
        self.replies.push((key.into(), reply));
    }

    fn bytes(&self) -> usize {
        let replies = self.replies.iter().map(|(_, reply)| match reply {
            TaskReply::Answer(answer) => answer.as_str().len(),
            TaskReply::Refused(error) => size_of_error(error),
        });
        replies.sum()
    }

    fn forget(&mut self, key: &str) {
        let mut rest = InputRequests::new();
        for (known, request) in self.pending.iter().filter(|(known, _)| *known != key) {
            rest.insert(known, request.clone());
        }
        self.pending = rest;
    }
}

fn size_of_error(error: &ErrorObject) -> usize {
    let data = error.data.as_ref().map_or(0, |data| data.as_str().len());
    error.message.len() + data
}
