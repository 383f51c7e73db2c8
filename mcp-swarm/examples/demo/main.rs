//! A conversation goes from a triage gateway to a specialist and back, over HTTP, in both eras.
//!
//! ```text
//! cargo run -p mcp-swarm --features http --example demo              both clients' trips, checked step by step
//! cargo run -p mcp-swarm --features http --example demo -- --serve   leaves the gateway running
//! ```
//!
//! Everything is in this process and on 127.0.0.1: a finance and a support specialist, the gateway in front of them,
//! a modern (2026-07-28) and a legacy (`initialize`) client. It ends with 0 if every step gave the right answer.

mod house;
mod log;
mod serve;
mod specialists;
mod talk;
mod tap;
mod transcript;
mod triage;
mod trip;

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use mcp_transport::clock::{Clock, SystemClock};
use tokio::sync::watch;

use self::{
    house::{House, Urls},
    log::Log,
    transcript::{Transcript, Wrong},
};

/// Both trips together take less than a second; whatever hangs ends here.
const DEADLINE: Duration = Duration::from_secs(60);

const USAGE: &str = "usage: demo [--serve]\n\n  \
    without arguments: a modern and a legacy client each go triage → specialist → back, with every step checked\n  \
    --serve            leave the gateway running, and say how to connect; Ctrl-C ends it\n";

/// Why it ended, if not well.
enum Ended {
    Well,
    Wrong,
    Interrupted,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let serves = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--serve"] => true,
        ["--help" | "-h"] => {
            let _gone = io::stdout().write_all(USAGE.as_bytes());
            return ExitCode::SUCCESS;
        }
        _ => {
            let _gone = io::stderr().write_all(USAGE.as_bytes());
            return ExitCode::from(2);
        }
    };
    match run(serves).await {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::Wrong) => ExitCode::FAILURE,
        Ok(Ended::Interrupted) => ExitCode::from(130),
        Err(error) => {
            let _gone = writeln!(io::stderr(), "demo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until the trips, or whoever waits, are done.
async fn run(serves: bool) -> Result<Ended, Box<dyn Error>> {
    let log = Log::default();
    let house = House::open(&log).await?;
    let urls = house.urls.clone();
    let (stop, stopped) = watch::channel(false);
    let work = async {
        let ended = if serves {
            serve::until_stopped(&urls).await.map(|()| Ended::Well)
        } else {
            trips(&urls, &log).await
        };
        stop.send_replace(true);
        ended
    };
    let (served, ended) = tokio::join!(house.serve(&stopped), work);
    served?;
    Ok(ended?)
}

/// Both clients' trips, until the deadline or an interruption.
async fn trips(urls: &Urls, log: &Log) -> io::Result<Ended> {
    let mut out = Transcript::default();
    let interrupted = serve::stop_signal()?;
    let late = SystemClock.sleep_until(SystemClock.now() + DEADLINE);
    let went = tokio::select! {
        went = trip::both(urls, log, &mut out) => went,
        () = late => Err(Wrong::late(DEADLINE)),
        () = interrupted => return Ok(Ended::Interrupted),
    };
    match went {
        Ok(()) => {
            out.done();
            Ok(Ended::Well)
        }
        Err(wrong) => {
            out.wrong(&wrong);
            Ok(Ended::Wrong)
        }
    }
}
