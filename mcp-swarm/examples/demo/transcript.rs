//! What is printed: numbered steps, who said what to whom, and every check.

use std::{
    fmt::{self, Debug, Display},
    io::{self, Write},
    mem,
    time::Duration,
};

use crate::log::{Arrival, Token};

/// How much of a model's line is shown, in characters.
const WIDTH: usize = 112;

/// The transcript, on standard output.
#[derive(Default)]
pub(crate) struct Transcript {
    step: usize,
    title: String,
    checks: usize,
    /// What was checked since the last line; it stands in one.
    passed: Vec<String>,
}

/// What was not as it should be.
#[derive(Debug)]
pub(crate) struct Wrong {
    what: String,
    expected: String,
    got: String,
}

impl Transcript {
    /// A line of its own.
    pub(crate) fn line(&mut self, text: impl Display) {
        let passed = mem::take(&mut self.passed);
        if !passed.is_empty() {
            self.line(format_args!("    ✓ {}", passed.join("; ")));
        }
        // Where nobody reads any more the exit code still tells.
        let _gone = writeln!(io::stdout(), "{text}");
    }

    /// A new step.
    pub(crate) fn step(&mut self, title: impl Into<String>) {
        self.line("");
        self.step += 1;
        self.title = title.into();
        let line = format!("{:>2}. {}", self.step, self.title);
        self.line(line);
    }

    /// Someone says something to someone.
    pub(crate) fn says(&mut self, from: &str, to: &str, what: impl Display) {
        let who = format!("{from} → {to}");
        self.line(format_args!("    {who:<17} {what}"));
    }

    /// What a specialist is asked, and what the token with it says.
    pub(crate) fn arrival(&mut self, from: &str, arrival: &Arrival) {
        let Arrival {
            specialist,
            what,
            token,
            carries,
        } = arrival;
        let line = match carries.as_str() {
            "" => format!("{what}  [{token}]"),
            carries => format!("{what}  [{token}; carries {carries}]"),
        };
        self.says(from, specialist, line);
    }

    /// A tool's answer, as the model reads it; long lines are cut.
    pub(crate) fn answer(&mut self, from: &str, to: &str, text: &str) {
        let mut who = format!("{from} → {to}");
        for line in text.lines().filter(|line| !line.is_empty()) {
            let cut = line.char_indices().nth(WIDTH).map(|(at, _)| at);
            let (line, dots) = match cut {
                Some(at) => (&line[..at], "…"),
                None => (line, ""),
            };
            self.line(format_args!("    {who:<17} │ {line}{dots}"));
            who.clear();
        }
    }

    /// That `got` is as `expected`.
    pub(crate) fn check<T: PartialEq + Debug>(
        &mut self,
        what: impl Into<String>,
        got: &T,
        expected: &T,
    ) -> Result<(), Wrong> {
        let right = got == expected;
        self.judge(
            what,
            right,
            || format!("{expected:?}"),
            || format!("{got:?}"),
        )
    }

    /// That `text` has this `part`.
    pub(crate) fn check_part(
        &mut self,
        what: impl Into<String>,
        text: &str,
        part: &str,
    ) -> Result<(), Wrong> {
        let expected = || format!("a text with {part:?}");
        self.judge(what, text.contains(part), expected, || format!("{text:?}"))
    }

    fn judge(
        &mut self,
        what: impl Into<String>,
        right: bool,
        expected: impl FnOnce() -> String,
        got: impl FnOnce() -> String,
    ) -> Result<(), Wrong> {
        let what = what.into();
        if !right {
            return Err(Wrong {
                what,
                expected: expected(),
                got: got(),
            });
        }
        self.checks += 1;
        self.passed.push(what);
        Ok(())
    }

    /// All was right.
    pub(crate) fn done(&mut self) {
        let line = format!(
            "\nAll {} steps and {} checks went right, in both eras.",
            self.step, self.checks
        );
        self.line(line);
    }

    /// Something was wrong.
    pub(crate) fn wrong(&mut self, wrong: &Wrong) {
        let Wrong {
            what,
            expected,
            got,
        } = wrong;
        let line = format!(
            "    ✗ {what}\n\nStep {} failed ({}): {what}\n  expected  {expected}\n  got       {got}",
            self.step, self.title
        );
        self.line(line);
    }
}

impl Wrong {
    /// Instead of an answer there was an error.
    pub(crate) fn failed(what: impl Into<String>, error: &dyn Display) -> Self {
        Self {
            what: what.into(),
            expected: "an answer".to_owned(),
            got: error.to_string(),
        }
    }

    /// An answer lacks something.
    pub(crate) fn lacks(what: impl Into<String>, expected: &str, got: impl Display) -> Self {
        Self {
            what: what.into(),
            expected: expected.to_owned(),
            got: got.to_string(),
        }
    }

    /// It took too long.
    pub(crate) fn late(deadline: Duration) -> Self {
        Self {
            what: "it ends in time".to_owned(),
            expected: format!("an end within {deadline:?}"),
            got: "none".to_owned(),
        }
    }
}

impl Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no token"),
            Self::Refused(code) => write!(f, "bad token: {code}"),
            Self::Good {
                issuer,
                scope,
                seconds,
            } => write!(f, "token: issuer {issuer}, scope {scope}, {seconds} s"),
        }
    }
}
