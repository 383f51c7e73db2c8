//! The story of a connect, for people: what was tried, what was answered, what was chosen.

use std::fmt;

use crate::{link::Link, proto::probe::Attempt};

/// How a connection came about. `Display` is a few lines for people.
#[derive(Debug)]
#[non_exhaustive]
pub struct Negotiation {
    /// The server's address without its query, or the program.
    pub target: String,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
    /// What was chosen.
    pub link: Link,
}

impl fmt::Display for Negotiation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.target)?;
        for (n, attempt) in (1..).zip(&self.attempts) {
            writeln!(f, "{n}. {attempt}")?;
        }
        write!(f, "chosen: {}", self.link)
    }
}
