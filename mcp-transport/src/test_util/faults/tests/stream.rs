//! Lanes step by step, and the streams that follow them.

use std::{io, sync::Arc, time::Duration};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

use super::{
    super::{
        Fault, FaultKind, Faults, FaultyStream,
        lane::{Lane, Step},
    },
    LONGEST, everything,
};
use crate::clock::{Clock as _, ManualClock};

/// The steps of a lane through which `bytes` pass, with each piece that passes.
fn steps(faults: Faults, mut bytes: usize) -> Vec<Step> {
    let mut lane = Lane::new(faults, 0);
    let mut steps = Vec::new();
    while bytes > 0 {
        let (step, _) = lane.poll_step();
        match &step {
            Step::Pass(most) => {
                let passed = bytes.min(*most);
                lane.handle_passed(passed);
                bytes -= passed;
            }
            Step::End | Step::Cut => bytes = 0,
            Step::Wait(_) | Step::Insert(_) => {}
        }
        steps.push(step);
    }
    steps
}

#[test]
fn without_faults_everything_passes() {
    let steps = steps(Faults::seeded(1), 10_000);
    assert!(
        steps
            .iter()
            .all(|step| matches!(step, Step::Pass(256..=768))),
        "{steps:?}"
    );
}

#[test]
fn a_chopped_stretch_passes_in_pieces_of_one_size() {
    let steps = steps(Faults::seeded(1).chop(1.0), 2_000);
    assert!(steps.len() > 125 && steps.iter().all(|step| matches!(step, Step::Pass(1..=16))));
}

#[test]
fn a_stretch_that_waits_or_follows_garbage_passes_then() {
    for faults in [
        Faults::seeded(1).delay(1.0, LONGEST),
        Faults::seeded(1).garbage(1.0),
    ] {
        let steps = steps(faults, 5_000);
        for pair in steps.chunks(2) {
            assert!(
                matches!(pair, [Step::Wait(_) | Step::Insert(_), Step::Pass(_)]),
                "{pair:?}"
            );
        }
    }
}

#[test]
fn an_end_is_for_good() {
    for (faults, end) in [
        (Faults::seeded(1).cut(1.0), Step::Cut),
        (Faults::seeded(1).half_close(1.0), Step::End),
    ] {
        let mut lane = Lane::new(faults, 0);
        let (first, fault) = lane.poll_step();
        assert!(first == end && fault.is_some());
        assert_eq!(lane.poll_step(), (end, None));
    }
}

#[test]
fn faults_stand_at_places_of_the_stream_however_it_is_read() {
    let passed = |at_once: usize| {
        let mut lane = Lane::new(everything(5), 0);
        let (mut passed, mut seen) = (0, Vec::new());
        while passed < 20_000 {
            let (step, fault) = lane.poll_step();
            seen.extend(fault.map(|fault| (passed, fault)));
            match step {
                Step::Pass(most) => {
                    lane.handle_passed(most.min(at_once));
                    passed += most.min(at_once);
                }
                Step::End | Step::Cut => break,
                Step::Wait(_) | Step::Insert(_) => {}
            }
        }
        seen
    };
    assert!(!passed(1).is_empty());
    assert_eq!(passed(1), passed(1_000));
}

fn faulty(faults: Faults) -> (FaultyStream<DuplexStream>, DuplexStream, ManualClock) {
    let (near, far) = duplex(1 << 16);
    let clock = ManualClock::new();
    let near = FaultyStream::new(near, faults, Arc::new(clock.clone()));
    (near, far, clock)
}

fn text() -> Vec<u8> {
    (0..4_000_u32)
        .flat_map(|number| [b'a' + (number % 26) as u8])
        .collect()
}

#[tokio::test]
async fn what_is_chopped_arrives_whole_both_ways() {
    let (mut near, mut far, _) = faulty(Faults::seeded(1).chop(0.5));
    near.write_all(&text()).await.unwrap();
    far.write_all(&text()).await.unwrap();
    let (mut here, mut there) = (vec![0; 4_000], vec![0; 4_000]);
    near.read_exact(&mut here).await.unwrap();
    far.read_exact(&mut there).await.unwrap();
    assert_eq!((here, there), (text(), text()));
    assert!(near.log().count(FaultKind::Chop) > 0);
}

#[tokio::test]
async fn garbage_stands_where_the_plan_says() {
    let faults = Faults::seeded(2).garbage(1.0).stretch(1_000);
    let mut expected = Vec::new();
    let (mut rest, mut index) = (&text()[..], 0);
    while !rest.is_empty() {
        let Some(Fault::Garbage(bytes)) = faults.at(1, index) else {
            panic!("every stretch has garbage");
        };
        expected.extend(bytes);
        let (stretch, after) = rest.split_at(faults.length(1, index).min(rest.len()));
        expected.extend_from_slice(stretch);
        (rest, index) = (after, index + 1);
    }
    let (mut near, mut far, _) = faulty(faults);
    near.write_all(&text()).await.unwrap();
    drop(near);
    let mut came = Vec::new();
    far.read_to_end(&mut came).await.unwrap();
    assert_eq!(came, expected);
}

#[tokio::test]
async fn a_cut_ends_both_directions_for_both_sides() {
    for reads in [true, false] {
        let (mut near, mut far, _) = faulty(Faults::seeded(1).cut(1.0));
        let failed = if reads {
            near.read_u8().await.unwrap_err()
        } else {
            near.write_all(b"x").await.unwrap_err()
        };
        assert_eq!(failed.kind(), io::ErrorKind::ConnectionReset);
        assert!(near.read_u8().await.is_err() && near.write_all(b"x").await.is_err());
        assert_eq!(
            far.read_u8().await.unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert_eq!(near.log().total(), 1, "what is cut is cut once");
    }
}

#[tokio::test]
async fn who_waits_to_read_is_told_of_a_cut() {
    // The writing lane of some stream is cut at once, its reading lane is not.
    let faults = Faults::seeded(1).cut(0.5);
    let number = (0..99).find(|number| {
        faults.at(2 * number, 0).is_none() && faults.at(2 * number + 1, 0).is_some()
    });
    let (near, _far, _) = faulty(faults);
    let (mut reader, mut writer) = tokio::io::split(near.number(number.unwrap()));
    let (read, written) = tokio::join!(reader.read_u8(), writer.write_all(b"x"));
    assert!(read.is_err() && written.is_err());
}

#[tokio::test]
async fn a_half_close_ends_one_direction() {
    let faults = Faults::seeded(1).half_close(0.5);
    let open = |lane| faults.at(lane, 0).is_none();
    let reading = (0..99)
        .find(|number| !open(2 * number) && open(2 * number + 1))
        .unwrap();
    let (near, mut far, _) = faulty(faults.clone());
    let mut near = near.number(reading);
    far.write_all(b"x").await.unwrap();
    assert_eq!(near.read(&mut [0; 8]).await.unwrap(), 0);
    near.write_all(b"y").await.unwrap();
    assert_eq!(far.read_u8().await.unwrap(), b'y');

    let writing = (0..99)
        .find(|number| open(2 * number) && !open(2 * number + 1))
        .unwrap();
    let (near, mut far, _) = faulty(faults);
    let mut near = near.number(writing);
    near.write_all(b"is lost").await.unwrap();
    assert_eq!(far.read(&mut [0; 8]).await.unwrap(), 0);
    far.write_all(b"z").await.unwrap();
    assert_eq!(near.read_u8().await.unwrap(), b'z');
}

#[tokio::test]
async fn a_delay_is_over_when_the_clock_says() {
    let (mut near, mut far, clock) = faulty(Faults::seeded(1).delay(1.0, LONGEST));
    far.write_all(b"x").await.unwrap();
    let waited = async {
        while clock.next_deadline().is_none() {
            tokio::task::yield_now().await;
        }
        let wait = clock.next_deadline().unwrap() - clock.now();
        assert!(wait > Duration::ZERO && wait < LONGEST);
        clock.advance(wait);
    };
    let (read, ()) = tokio::join!(near.read_u8(), waited);
    assert_eq!(read.unwrap(), b'x');
    assert_eq!(near.log().count(FaultKind::Delay), 1);
}

#[cfg(any(feature = "client-http", feature = "server-http"))]
#[tokio::test]
async fn a_proxy_gives_each_connection_the_faults_of_its_number() {
    use tokio::net::{TcpListener, TcpStream};

    use super::super::FaultyProxy;

    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // What the client sends is cut on some connections, at once.
    let faults = Faults::seeded(4).cut(0.5).stretch(1 << 20);
    let expected: Vec<bool> = (0..8)
        .map(|number| faults.at(2 * number, 0).is_none())
        .collect();
    assert!(expected.contains(&true) && expected.contains(&false));
    let target = server.local_addr().unwrap();
    let proxy = FaultyProxy::bind(target, faults, Arc::new(ManualClock::new()))
        .await
        .unwrap();
    let (address, log) = (proxy.address(), proxy.log().clone());
    assert_eq!(proxy.url("/mcp"), format!("http://{address}/mcp"));
    let clients = async {
        let mut arrived = Vec::new();
        for _ in 0..8 {
            let mut client = TcpStream::connect(address).await.unwrap();
            let (mut served, _) = server.accept().await.unwrap();
            client.write_all(b"x").await.unwrap();
            arrived.push(served.read_u8().await.is_ok());
        }
        arrived
    };
    let arrived = tokio::select! {
        ended = proxy.run() => panic!("{ended:?}"),
        arrived = clients => arrived,
    };
    assert_eq!(arrived, expected);
    let cut = expected.iter().filter(|open| !**open).count() as u64;
    assert_eq!(log.count(FaultKind::Cut), cut);
}
