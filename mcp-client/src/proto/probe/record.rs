//! What was tried, what was answered, what was concluded.

use std::{fmt, time::Duration};

use mcp_errors::Failure;
use mcp_types::Revision;

use super::{Confidence, Step, Verdict};
use crate::text::clip;

/// Most characters of an answer in the line of an attempt.
const WORDS: usize = 300;
/// How many versions of an answer are kept, and how many characters of each.
const VERSIONS: usize = 16;
const VERSION_CHARS: usize = 32;

/// One step of a connect. `Display` is a line for people.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// What was sent.
    pub step: Step,
    /// In which revision.
    pub revision: Revision,
    /// What came.
    pub answer: Answer,
    /// What that was taken for.
    pub verdict: Verdict,
    /// From sending to the answer.
    pub took: Duration,
}

impl Attempt {
    /// Whether the server said that it is legacy, which is an answer and no failure.
    pub(crate) fn says_legacy(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Initialize {
                confidence: Confidence::Firm,
                ..
            }
        )
    }
}

/// What came of a step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A result that names these versions (at most 16 are kept).
    Versions(Vec<Box<str>>),
    /// No result.
    Failed(Failure),
}

impl Answer {
    pub(super) fn versions(versions: &[String]) -> Self {
        let clip = |text: &String| text.chars().take(VERSION_CHARS).collect();
        Self::Versions(versions.iter().take(VERSIONS).map(clip).collect())
    }

    /// Why there was no result.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Versions(_) => None,
        }
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}): {} → {} [{:.1?}]",
            self.step,
            self.revision,
            clip(&self.answer.to_string(), WORDS),
            self.verdict,
            self.took
        )
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method())?;
        f.write_str(match self {
            Self::Discover | Self::Initialize => "",
            Self::Sse => " over HTTP+SSE",
        })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Versions(versions) if versions.is_empty() => f.write_str("names no version"),
            Self::Versions(versions) => {
                write!(f, "speaks {}", versions.join(", ").escape_debug())
            }
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let because = |confidence: &Confidence| match confidence {
            Confidence::Firm => "the server said so",
            Confidence::Assumed => "assumed",
        };
        match self {
            Self::Modern(revision) => write!(f, "modern, {revision}"),
            Self::Legacy(revision) => write!(f, "legacy, {revision}"),
            Self::Reprobe(revision) => write!(f, "probe again in {revision}"),
            Self::Initialize {
                revision,
                confidence,
            } => write!(
                f,
                "try initialize in {revision} (legacy: {})",
                because(confidence)
            ),
            Self::Fresh => f.write_str("start anew and initialize at once"),
            Self::Sse(confidence) => write!(f, "try HTTP+SSE ({})", because(confidence)),
            Self::Again { after: Some(after) } => write!(f, "again after {after:.1?}"),
            Self::Again { after: None } => f.write_str("again"),
            Self::Fail(reason) => write!(f, "give up: {reason}"),
        }
    }
}
