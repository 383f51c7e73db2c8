//! Plans by their tables, and what streams, endpoints and proxies make of them.

use std::{collections::BTreeMap, time::Duration};

use super::{Fault, FaultKind, Faults, Loss};

mod endpoint;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
mod stream;

const LONGEST: Duration = Duration::from_secs(1);

fn everything(seed: u64) -> Faults {
    Faults::seeded(seed)
        .chop(0.1)
        .delay(0.1, LONGEST)
        .reorder(0.1)
        .cut(0.1)
        .half_close(0.1)
        .garbage(0.1)
}

fn kinds(faults: &Faults, lane: u64, stretches: u64) -> BTreeMap<&'static str, u64> {
    let mut kinds = BTreeMap::new();
    for fault in (0..stretches).filter_map(|index| faults.at(lane, index)) {
        *kinds.entry(fault.kind().as_str()).or_default() += 1;
    }
    kinds
}

#[test]
fn the_same_seed_gives_the_same_faults() {
    let plan = |faults: Faults, lane| {
        (0..500)
            .map(move |index| faults.at(lane, index))
            .collect::<Vec<_>>()
    };
    assert_eq!(plan(everything(7), 3), plan(everything(7), 3));
    assert_ne!(plan(everything(7), 3), plan(everything(8), 3));
    assert_ne!(plan(everything(7), 3), plan(everything(7), 4));
}

/// What a seed means must not change from one version to the next.
#[test]
fn the_faults_of_a_seed_are_these() {
    let faults = Faults::seeded(7).chop(0.4).cut(0.3).half_close(0.3);
    let plan: Vec<Fault> = (0..10).filter_map(|index| faults.at(1, index)).collect();
    let expected = [
        Fault::Chop(13),
        Fault::Chop(10),
        Fault::HalfClose,
        Fault::Chop(16),
        Fault::HalfClose,
        Fault::HalfClose,
        Fault::Cut(Loss::Request),
        Fault::HalfClose,
        Fault::Chop(4),
        Fault::Cut(Loss::Answer),
    ];
    assert_eq!(plan, expected);
    assert_eq!(
        faults.at(1, 0),
        Faults::seeded(7)
            .garbage(0.0)
            .chop(0.4)
            .cut(0.3)
            .half_close(0.3)
            .at(1, 0),
        "the order in which rates are set does not count"
    );
}

#[test]
fn a_rate_is_the_share_of_stretches_it_hits() {
    let check = |faults: Faults, expected: &[(&str, u64)]| {
        let found = kinds(&faults, 0, 10_000);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (kind, about) in expected {
            let came = found.get(kind).copied().unwrap_or_default();
            assert!(
                came.abs_diff(*about) * 10 <= *about,
                "{kind}: {came}, not {about}"
            );
        }
    };
    check(Faults::seeded(1), &[]);
    check(Faults::seeded(1).chop(0.0), &[]);
    check(Faults::seeded(1).chop(0.3), &[("chop", 3_000)]);
    check(Faults::seeded(1).cut(1.0), &[("cut", 10_000)]);
    let each =
        ["chop", "delay", "reorder", "cut", "half-close", "garbage"].map(|kind| (kind, 1_000));
    check(everything(1), &each);
    // More than all of them cannot be hit: what is named last goes first.
    check(
        Faults::seeded(1).cut(0.5).garbage(0.5).chop(0.5),
        &[("cut", 5_000), ("garbage", 5_000)],
    );
    check(Faults::seeded(1).chop(7.0), &[("chop", 10_000)]);
}

#[test]
fn every_fault_is_within_its_bounds() {
    let mut seen = [false; 2];
    for index in 0..2_000 {
        match everything(3).at(0, index) {
            None | Some(Fault::HalfClose) => {}
            Some(Fault::Chop(bytes)) => assert!((1..=16).contains(&bytes)),
            Some(Fault::Delay(wait)) => assert!(wait < LONGEST),
            Some(Fault::Reorder(most)) => assert_eq!(most, LONGEST),
            Some(Fault::Cut(loss)) => seen[usize::from(loss == Loss::Answer)] = true,
            Some(Fault::Garbage(bytes)) => {
                assert!((1..=32).contains(&bytes.len()) && std::str::from_utf8(&bytes).is_err());
            }
        }
    }
    assert_eq!(seen, [true; 2], "both sides of a loss");
}

#[test]
fn what_breaks_is_told_from_what_takes_time() {
    let breaking: Vec<_> = FaultKind::ALL
        .into_iter()
        .filter(|kind| kind.breaks())
        .collect();
    assert_eq!(
        breaking,
        [FaultKind::Cut, FaultKind::HalfClose, FaultKind::Garbage]
    );
    // They are counted by their place in the list.
    for (at, kind) in FaultKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, at);
    }
}
