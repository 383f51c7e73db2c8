//! What one call asks, round by round: which answers are there, and which are still to be asked for.
//!
//! The machine is the same in both eras. At 2026-07-28 a round ends with the request, and what must be known in the
//! next one is in the [`Book`], which travels with the client, sealed; on a legacy connection a round is an ask
//! and its answer, and the book stays where it is. Source: *Multi round-trip requests* (2026-07-28).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use mcp_types::{
    RawJson, RawObject,
    input::{InputRequest, InputRequests},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The digest of a question: an answer is one to this question, and to no other.
pub(crate) type Print = Box<str>;

/// The digest of `request`.
pub(crate) fn print_of(request: &InputRequest) -> Print {
    // Vocabulary always becomes JSON.
    let text = serde_json::to_vec(request).unwrap_or_default();
    URL_SAFE_NO_PAD.encode(&Sha256::digest(text)[..16]).into()
}

/// How much one call may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caps {
    /// Rounds.
    pub(crate) rounds: u32,
    /// Questions and steps, by their keys.
    pub(crate) keys: usize,
}

/// What is known from one round to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Book {
    /// How many rounds there were.
    round: u32,
    /// What the last round asked.
    asked: BTreeMap<Box<str>, Print>,
    answers: BTreeMap<Box<str>, Answered>,
    steps: BTreeMap<Box<str>, RawJson>,
    /// What the handler itself wants to know again.
    own: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answered {
    print: Print,
    answer: RawJson,
}

/// One call at work: one run of its handler, or several.
#[derive(Debug, Clone)]
pub(crate) struct Rounds {
    caps: Caps,
    book: Book,
    /// The answers of this round, as they came.
    responses: RawObject,
    /// The questions of this run.
    seen: BTreeMap<Box<str>, Print>,
    /// The questions of this run that have no answer.
    open: InputRequests,
    /// The questions that are asked live.
    live: BTreeSet<Box<str>>,
    /// Live answers that were none.
    misfits: BTreeMap<Box<str>, u32>,
    /// The steps that run.
    running: BTreeSet<Box<str>>,
    broken: Option<Broken>,
}

/// Why a call cannot go on: a mistake of its handler, or a state that is not ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    /// One key for two questions.
    #[error(
        "the key `{0}` stands for two questions in one call; give each question a key of its own"
    )]
    TwoQuestions(Box<str>),
    /// A question within a step.
    #[error("`{0}` is asked within a step; ask before it, and hand the answer in")]
    WithinStep(Box<str>),
    /// Too many rounds.
    #[error("the call has asked in {0} rounds, the most it may, and still wants to know something")]
    TooManyRounds(u32),
    /// Too many keys.
    #[error("the call has {0} questions and steps, the most it may")]
    TooManyKeys(usize),
    /// The state is not one of ours, for this request, for this principal, in time.
    #[error("the request's state is not valid")]
    State,
    /// The answers are no object.
    #[error("`inputResponses` must be an object")]
    Responses,
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// The answer.
    Answer(RawJson),
    /// It is to be asked.
    Missing,
    /// It is being asked.
    Live,
    /// Nothing is asked any more.
    Broken,
}

/// What is known about a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// What came of it.
    Done(RawJson),
    /// It is to be run, and [`Rounds::end_step`] must follow.
    Run,
    /// It runs.
    Running,
    /// Nothing is run any more.
    Broken,
}

impl Rounds {
    /// A call that was never made before.
    pub(crate) fn new(caps: Caps) -> Self {
        Self {
            caps,
            book: Book::default(),
            responses: RawObject::new(),
            seen: BTreeMap::new(),
            open: InputRequests::new(),
            live: BTreeSet::new(),
            misfits: BTreeMap::new(),
            running: BTreeSet::new(),
            broken: None,
        }
    }

    /// A retry comes with a state and answers; either may be absent.
    pub(crate) fn resume(&mut self, book: Option<Book>, responses: RawObject) {
        self.book = book.unwrap_or_default();
        self.responses = responses;
    }

    /// The handler asks. `fits` says whether an answer of this round is one to the question.
    pub(crate) fn ask(
        &mut self,
        key: &str,
        print: &Print,
        fits: impl FnOnce(&RawJson) -> bool,
    ) -> Found {
        if self.broken.is_some() {
            return Found::Broken;
        }
        match self.seen.get(key) {
            Some(seen) if seen == print => {}
            Some(_) => return self.broken(Broken::TwoQuestions(key.into())),
            None if self.is_full(key) => return self.broken(Broken::TooManyKeys(self.caps.keys)),
            None => drop(self.seen.insert(key.into(), print.clone())),
        }
        if self.live.contains(key) {
            return Found::Live;
        }
        if let Some(known) = self.book.answers.get(key) {
            if known.print == *print {
                return Found::Answer(known.answer.clone());
            }
            // It was the answer to another question.
            self.book.answers.remove(key);
        }
        let Some(response) = self.responses.remove(key) else {
            return Found::Missing;
        };
        let asked = self.book.asked.get(key);
        if asked.is_some_and(|asked| asked != print) || !fits(&response) {
            return Found::Missing;
        }
        self.record(key, print, response.clone());
        Found::Answer(response)
    }

    /// The question goes out with the others of this run when the run pauses.
    pub(crate) fn register(&mut self, key: &str, request: InputRequest) {
        if self.book.round >= self.caps.rounds {
            self.broken(Broken::TooManyRounds(self.caps.rounds));
            return;
        }
        self.open.insert(key, request);
    }

    /// The question is asked live; [`Self::end_live`] must follow.
    pub(crate) fn begin_live(&mut self, key: &str) {
        self.live.insert(key.into());
    }

    /// It is asked no more.
    pub(crate) fn end_live(&mut self, key: &str) {
        self.live.remove(key);
    }

    /// An answer is there for the rest of the call.
    pub(crate) fn record(&mut self, key: &str, print: &Print, answer: RawJson) {
        let print = print.clone();
        self.book
            .answers
            .insert(key.into(), Answered { print, answer });
    }

    /// A live answer was none to its question. Says whether it may be asked again.
    pub(crate) fn misfit(&mut self, key: &str) -> bool {
        let count = self.misfits.entry(key.into()).or_default();
        *count += 1;
        *count < self.caps.rounds
    }

    /// The handler wants the outcome of a step.
    pub(crate) fn begin_step(&mut self, key: &str) -> Step {
        if self.broken.is_some() {
            return Step::Broken;
        }
        if let Some(done) = self.book.steps.get(key) {
            return Step::Done(done.clone());
        }
        if self.running.contains(key) {
            return Step::Running;
        }
        if self.book.steps.len() + self.running.len() >= self.caps.keys {
            self.broken(Broken::TooManyKeys(self.caps.keys));
            return Step::Broken;
        }
        self.running.insert(key.into());
        Step::Run
    }

    /// A step has ended; with nothing, if it failed or was dropped.
    pub(crate) fn end_step(&mut self, key: &str, outcome: Option<RawJson>) {
        self.running.remove(key);
        if let Some(outcome) = outcome {
            self.book.steps.insert(key.into(), outcome);
        }
    }

    /// The call cannot go on. The first reason stands.
    pub(crate) fn broken(&mut self, why: Broken) -> Found {
        self.broken.get_or_insert(why);
        Found::Broken
    }

    /// Why it cannot go on.
    pub(crate) fn is_broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// Whether the run has to pause: it asked something, and no step would be run twice for it.
    pub(crate) fn is_due(&self) -> bool {
        !self.open.is_empty() && self.running.is_empty()
    }

    /// Ends the round: what is asked, and what is to be known in the next one.
    pub(crate) fn end(&mut self) -> (InputRequests, Book) {
        let open = std::mem::take(&mut self.open);
        self.book.round += 1;
        self.book.asked = open
            .iter()
            .map(|(key, request)| (key.into(), print_of(request)))
            .collect();
        (open, self.book.clone())
    }

    /// A handler gave back what it asks, and `own` to be known again. Answers to what the round before asked stay.
    ///
    /// # Errors
    /// When there were too many rounds or are too many keys.
    pub(crate) fn require(
        &mut self,
        requests: InputRequests,
        own: Option<String>,
    ) -> Result<(), Broken> {
        for (key, print) in &self.book.asked {
            let Some(answer) = self.responses.remove(key) else {
                continue;
            };
            let print = print.clone();
            self.book
                .answers
                .entry(key.clone())
                .or_insert(Answered { print, answer });
        }
        for (key, _) in requests.iter() {
            self.book.answers.remove(key);
        }
        let why = if self.book.round >= self.caps.rounds {
            Broken::TooManyRounds(self.caps.rounds)
        } else if self.book.answers.len() + requests.len() > self.caps.keys {
            Broken::TooManyKeys(self.caps.keys)
        } else {
            self.book.own = own;
            self.open = requests;
            return Ok(());
        };
        self.broken(why.clone());
        Err(why)
    }

    /// What the handler itself wanted to know again.
    pub(crate) fn own(&self) -> Option<&str> {
        self.book.own.as_deref()
    }

    /// All answers there are, those of this round in front.
    pub(crate) fn answers(&self) -> RawObject {
        let mut all = self.responses.clone();
        for (key, answered) in &self.book.answers {
            if !all.contains(key) {
                all.set(key.clone(), answered.answer.clone());
            }
        }
        all
    }

    /// The handler runs once more from its beginning, with what is known: a new round in the same process, or a
    /// replay of this one.
    pub(crate) fn run_again(&mut self) {
        self.seen.clear();
        self.open = InputRequests::new();
        self.live.clear();
    }

    /// The answers of a round within the process.
    pub(crate) fn respond(&mut self, responses: RawObject) {
        self.responses = responses;
    }

    /// The digests of what was asked in this run and has no answer, by their keys.
    pub(crate) fn open_prints(&self) -> BTreeMap<Box<str>, Print> {
        let open = self.open.iter();
        open.map(|(key, request)| (key.into(), print_of(request)))
            .collect()
    }

    fn is_full(&self, key: &str) -> bool {
        let known = self.book.answers.keys();
        let others = known.filter(|known| !self.seen.contains_key(*known) && &***known != key);
        self.seen.len() + others.count() >= self.caps.keys
    }
}
