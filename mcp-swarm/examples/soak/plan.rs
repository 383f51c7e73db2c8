//! What is to be done: over which transport, how often, with which faults.

use std::{fmt, time::Duration};

use mcp_transport::test_util::Faults;

pub(crate) const USAGE: &str =
    "usage: soak --transport http|stdio|memory [--requests N] [--seed S]";

/// How long one call may take.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);

/// How many calls a client has in flight at once.
pub(crate) const BATCH: usize = 8;

/// The longest delay that is injected.
const DELAY: Duration = Duration::from_millis(20);

/// What the client talks over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    Stdio,
    Memory,
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) transport: Transport,
    pub(crate) requests: usize,
    pub(crate) seed: u64,
    /// How many clients there are at a time.
    pub(crate) cells: u64,
}

impl Plan {
    /// Reads the arguments.
    pub(crate) fn parse(args: &[String]) -> Result<Self, String> {
        let (mut transport, mut requests, mut seed) = (None, 200_000, 1);
        for pair in args.chunks(2) {
            let [flag, value] = pair else {
                return Err(format!("`{}` has no value", pair[0]));
            };
            let number = || value.parse().map_err(|_| format!("`{value}` is no number"));
            match (flag.as_str(), value.as_str()) {
                ("--transport", "http") => transport = Some(Transport::Http),
                ("--transport", "stdio") => transport = Some(Transport::Stdio),
                ("--transport", "memory") => transport = Some(Transport::Memory),
                ("--transport", _) => return Err(format!("there is no transport `{value}`")),
                ("--requests", _) => requests = number()? as usize,
                ("--seed", _) => seed = number()?,
                _ => return Err(format!("unknown argument `{flag}`")),
            }
        }
        let transport = transport.ok_or("`--transport` is missing")?;
        if requests < 1_000 {
            return Err(format!(
                "{requests} requests show nothing; 1000 are the least"
            ));
        }
        Ok(Self {
            transport,
            requests,
            seed,
            cells: match transport {
                Transport::Http | Transport::Memory => 24,
                Transport::Stdio => 12,
            },
        })
    }

    /// A short run of the same kind.
    pub(crate) fn warm_up(&self) -> Self {
        Self {
            requests: 500,
            cells: 4,
            ..self.clone()
        }
    }

    /// What goes wrong. An exchange is one request; a stretch of bytes is about what one request takes both ways.
    pub(crate) fn faults(&self) -> Faults {
        let faults = Faults::seeded(self.seed);
        match self.transport {
            Transport::Memory => faults
                .cut(0.015)
                .half_close(0.002)
                .garbage(0.013)
                .delay(0.01, DELAY)
                .reorder(0.01),
            Transport::Http => faults
                .stretch(1_750)
                .cut(0.01)
                .half_close(0.005)
                .garbage(0.01)
                .delay(0.015, DELAY)
                .chop(0.01),
            // What is cut takes the process with it.
            Transport::Stdio => faults
                .stretch(1_150)
                .cut(0.002)
                .half_close(0.001)
                .garbage(0.005)
                .delay(0.022, DELAY)
                .chop(0.02),
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Stdio => "stdio",
            Self::Memory => "memory",
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn plan(transport: &str, requests: usize) -> Plan {
        let args = ["--transport", transport, "--requests"].map(str::to_owned);
        Plan::parse(&[&args[..], &[requests.to_string()]].concat()).unwrap()
    }

    #[test]
    fn arguments_are_read_or_refused_by_name() {
        let parse = |args: &str| {
            let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
            Plan::parse(&args).map(|plan| (plan.transport, plan.requests, plan.seed))
        };
        assert_eq!(parse("--transport http"), Ok((Transport::Http, 200_000, 1)));
        assert_eq!(
            parse("--seed 7 --requests 5000 --transport stdio"),
            Ok((Transport::Stdio, 5_000, 7))
        );
        for (args, why) in [
            ("", "`--transport` is missing"),
            ("--transport", "`--transport` has no value"),
            ("--transport tcp", "there is no transport `tcp`"),
            ("--transport http --requests x", "`x` is no number"),
            ("--transport http --requests 9", "9 requests show nothing"),
            ("--verbose 1", "unknown argument `--verbose`"),
        ] {
            let refused = parse(args).unwrap_err();
            assert!(refused.contains(why), "{args}: {refused}");
        }
    }

    #[test]
    fn a_twentieth_of_the_exchanges_meets_a_fault() {
        let faults = plan("memory", 1_000).faults();
        let hit = (0..20_000)
            .filter(|index| faults.at(0, *index).is_some())
            .count();
        assert!((900..=1_100).contains(&hit), "{hit} of 20,000");
    }
}
