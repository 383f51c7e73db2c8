//! What becomes of exchanges.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use mcp_errors::{Executed, FailureKind};
use mcp_types::RawParams;
use serde_json::json;

use super::{
    super::{Fault, FaultKind, FaultLog, Faults, FaultyEndpoint, Loss},
    LONGEST, everything,
};
use crate::{
    Endpoint, Event, Exchange, Request,
    clock::ManualClock,
    test_util::{Script, ScriptedServer},
};

struct Bench {
    faulty: FaultyEndpoint,
    server: ScriptedServer,
    clock: ManualClock,
}

/// A server that answers each of `requests` with its number.
fn bench(faults: Faults, requests: usize) -> Bench {
    let script = (0..requests).fold(Script::new(), |script, number| {
        script.expects("ping").replies(json!({ "number": number }))
    });
    let (server, clock) = (script.into_endpoint(), ManualClock::new());
    let inner = Arc::new(server.clone());
    let faulty = FaultyEndpoint::new(inner, faults, Arc::new(clock.clone()));
    Bench {
        faulty,
        server,
        clock,
    }
}

impl Bench {
    fn open(&self) -> Pin<Box<dyn Exchange>> {
        self.faulty.open(Request::new("ping", RawParams::empty()))
    }
}

/// What an exchange has to say now.
fn said(exchange: &mut Pin<Box<dyn Exchange>>) -> Option<Result<String, FailureKind>> {
    match exchange
        .as_mut()
        .poll_event(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(Event::Outcome(outcome)) => Some(
            outcome
                .map(|reply| reply.result.as_str().to_owned())
                .map_err(|failure| {
                    assert_eq!(failure.executed(), Executed::Unknown);
                    failure.kind()
                }),
        ),
        Poll::Ready(other) => panic!("{other:?}"),
        Poll::Pending => None,
    }
}

fn answer(number: usize) -> Option<Result<String, FailureKind>> {
    Some(Ok(format!("{{\"number\":{number}}}")))
}

#[test]
fn without_faults_and_with_bytes_to_chop_the_answer_comes() {
    for faults in [Faults::seeded(1), Faults::seeded(1).chop(1.0)] {
        let bench = bench(faults, 1);
        assert_eq!(said(&mut bench.open()), answer(0));
        bench.server.finish().unwrap();
    }
}

#[test]
fn a_cut_exchange_is_lost_before_its_work_or_after() {
    let faults = Faults::seeded(1).cut(1.0);
    let sides: Vec<bool> = (0..16)
        .map(|index| faults.at(0, index) == Some(Fault::Cut(Loss::Answer)))
        .collect();
    let ran = sides.iter().filter(|ran| **ran).count();
    assert!(ran > 0 && ran < 16);
    let bench = bench(faults, ran);
    for _ in sides {
        assert_eq!(said(&mut bench.open()), Some(Err(FailureKind::Lost)));
    }
    bench.server.finish().unwrap();
    assert_eq!(bench.faulty.log().count(FaultKind::Cut), 16);
}

#[test]
fn garbage_comes_instead_of_the_answer() {
    let bench = bench(Faults::seeded(1).garbage(1.0), 1);
    assert_eq!(said(&mut bench.open()), Some(Err(FailureKind::Malformed)));
    bench.server.finish().unwrap();
}

#[test]
fn half_of_a_connection_is_silence() {
    let bench = bench(Faults::seeded(1).half_close(1.0), 1);
    let mut exchange = bench.open();
    assert_eq!(said(&mut exchange), None);
    bench.clock.advance(LONGEST * 1_000);
    assert_eq!(said(&mut exchange), None);
    bench.server.finish().unwrap();
}

#[test]
fn a_delay_is_over_when_the_clock_says() {
    let bench = bench(Faults::seeded(1).delay(1.0, LONGEST), 1);
    let mut exchange = bench.open();
    assert_eq!(said(&mut exchange), None);
    bench.clock.advance(LONGEST);
    assert_eq!(said(&mut exchange), answer(0));
}

#[test]
fn a_reordered_answer_comes_after_a_later_one() {
    // The first is reordered, the second is not.
    let seed = (0..99).find(|seed| {
        let faults = Faults::seeded(*seed).reorder(0.5);
        faults.at(0, 0).is_some() && faults.at(0, 1).is_none()
    });
    let bench = bench(Faults::seeded(seed.unwrap()).reorder(0.5), 2);
    let (mut first, mut second) = (bench.open(), bench.open());
    assert_eq!(said(&mut first), None);
    assert_eq!(said(&mut second), answer(1));
    assert_eq!(said(&mut first), answer(0));
}

#[test]
fn a_reordered_answer_that_none_follows_comes_in_the_end() {
    let bench = bench(Faults::seeded(1).delay(0.0, LONGEST).reorder(1.0), 1);
    let mut exchange = bench.open();
    assert_eq!(said(&mut exchange), None);
    bench.clock.advance(LONGEST);
    assert_eq!(said(&mut exchange), answer(0));
}

#[test]
fn what_happens_to_an_exchange_follows_from_its_number() {
    let run = |seed| {
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&told);
        let log = FaultLog::telling(move |fault| tell.lock().unwrap().push(fault.clone()));
        let Bench {
            faulty,
            server,
            clock,
        } = bench(everything(seed), 200);
        let bench = Bench {
            faulty: faulty.logging(log),
            server,
            clock,
        };
        let mut exchanges: Vec<_> = (0..200).map(|_| bench.open()).collect();
        bench.clock.advance(LONGEST);
        let ends: Vec<_> = exchanges.iter_mut().map(said).collect();
        let told = told.lock().unwrap().clone();
        (ends, told)
    };
    assert_eq!(run(11), run(11));
    assert_ne!(run(11).1, run(12).1);
}
