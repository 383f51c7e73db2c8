//! What a task asks: questions by their keys, and the answers that came.

use std::collections::BTreeSet;

use mcp_types::{
    ErrorObject, RawJson, RawObject,
    input::{InputRequest, InputRequests, InputResponse},
};
use serde::{Deserialize, Serialize};

use super::Refused;

/// How many questions one task may ask in its life.
pub const MAX_KEYS: usize = 64;

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

    pub(super) fn answer(&mut self, responses: &RawObject) -> bool {
        let mut changed = false;
        for (key, answer) in responses.iter() {
            let Some(request) = self.pending.get(key) else {
                continue;
            };
            if InputResponse::read(answer, request).is_err() {
                continue;
            }
            changed |= self.settle(key, TaskReply::Answer(answer.clone()));
        }
        changed
    }

    pub(super) fn refuse(&mut self, key: &str, error: ErrorObject) -> bool {
        self.pending.get(key).is_some() && self.settle(key, TaskReply::Refused(error))
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn settle(&mut self, key: &str, reply: TaskReply) -> bool {
        self.forget(key);
        self.replies.push((key.into(), reply));
        true
    }

    fn forget(&mut self, key: &str) {
        let mut rest = InputRequests::new();
        for (known, request) in self.pending.iter().filter(|(known, _)| *known != key) {
            rest.insert(known, request.clone());
        }
        self.pending = rest;
    }
}
