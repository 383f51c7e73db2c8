//! What 1,000 idle event streams and 100 clients that do not read cost a fast client of the same server.
//!
//! The fast client's calls are timed without them and with them, in turn; printed are the medians and the 99th
//! percentiles, and their ratios. The bar is 2; it is said where it is missed, and nothing more, since a busy machine
//! misses it alone. `--smoke` takes a tenth of everything.

mod wire;

use std::{
    error::Error,
    io,
    net::SocketAddr,
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use mcp_server::{
    Args, Context, Limits, Server, Tool,
    http::SessionLimits,
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use tokio::{net::TcpListener, runtime::Runtime, task::JoinSet};

use crate::wire::{Fast, idle, slow};

/// How much slower the fast client may become.
const BAR: f64 = 2.0;

/// So many calls are judged together; of all such slices the lower quartile counts, so that what else a busy machine does
/// in most of them does not.
const SLICE: usize = 200;

/// How often both are measured, in turn.
const ROUNDS: usize = 3;

struct Size {
    idle: usize,
    slow: usize,
    calls: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

/// How often all floods have spoken.
static SAID: AtomicU64 = AtomicU64::new(0);

/// Talks for as long as somebody listens.
async fn flood(cx: Context) -> String {
    let text = "x".repeat(1024);
    for step in 0..u32::MAX {
        SAID.fetch_add(1, Ordering::Relaxed);
        cx.progress(step, u32::MAX, text.clone()).await;
    }
    String::new()
}

fn main() -> ExitCode {
    let smoke = std::env::args().any(|arg| arg == "--smoke");
    let size = if smoke {
        Size {
            idle: 100,
            slow: 10,
            calls: 1_000,
        }
    } else {
        Size {
            idle: 1_000,
            slow: 100,
            calls: 5_000,
        }
    };
    match run(&size) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("streams: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(size: &Size) -> Result<(), Box<dyn Error>> {
    // Both ends of each connection are in this process.
    allow_files(2 * (size.idle + size.slow) as u64 + 200)?;
    let serving = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let address = serve(&serving)?;
    let calling = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.extend(calling.block_on(latencies(address, size.calls))?);
        beside.extend(calling.block_on(crowded(address, size))?);
    }
    println!(
        "{:<58} {:>9} {:>9}",
        "latency of a fast client, in microseconds", "p50", "p99"
    );
    let (a, b) = (percentiles(&alone), percentiles(&beside));
    println!("{:<58} {:>9.0} {:>9.0}", "alone", a.0, a.1);
    let with = format!(
        "beside {} idle streams and {} clients that do not read",
        size.idle, size.slow
    );
    println!("{with:<58} {:>9.0} {:>9.0}", b.0, b.1);
    let (p50, p99) = (b.0 / a.0, b.1 / a.1);
    let verdict = if p50 > BAR || p99 > BAR {
        "  MISSED"
    } else {
        ""
    };
    println!(
        "{:<58} {p50:>8.2}x {p99:>8.2}x   bar {BAR:.0}x{verdict}",
        "ratio"
    );
    serving.shutdown_background();
    Ok(())
}

fn serve(runtime: &Runtime) -> Result<SocketAddr, Box<dyn Error>> {
    let server = Server::new("streams", "1.0")
        .limits(Limits::default().with_connections(4_096))
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("flood", flood));
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    let sessions = SessionLimits::default().with_per_principal(10_000);
    runtime.spawn(async move {
        let host = server.http().sessions(sessions);
        host.serve_on(listener, std::future::pending()).await
    });
    Ok(address)
}

/// The calls of a fast client, one after the other, in microseconds each.
async fn latencies(address: SocketAddr, calls: usize) -> io::Result<Vec<f64>> {
    let mut client = Fast::connect(address).await?;
    // What is lazy is done by then.
    for _ in 0..50 {
        client.call().await?;
    }
    let mut took = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        client.call().await?;
        took.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(took)
}

/// The same beside the crowd, which has to be there to the end.
async fn crowded(address: SocketAddr, size: &Size) -> Result<Vec<f64>, Box<dyn Error>> {
    let (mut quiet, mut deaf) = (Vec::new(), Vec::new());
    let mut opening = JoinSet::new();
    for number in 0..size.idle {
        opening.spawn(idle(address));
        if number % 50 == 49 || number + 1 == size.idle {
            while let Some(opened) = opening.join_next().await {
                quiet.push(opened??);
            }
        }
    }
    for _ in 0..size.slow {
        deaf.push(slow(address).await?);
    }
    stand_still().await?;
    let took = latencies(address, size.calls).await?;
    let open = quiet.iter().filter(|stream| wire::is_open(stream)).count();
    if open < size.idle {
        return Err(format!("of {} idle streams {open} are left", size.idle).into());
    }
    drop((quiet, deaf));
    // The server notices, and lets them go, before it is measured alone again.
    tokio::time::sleep(Duration::from_millis(500)).await;
    Ok(took)
}

/// Waits until the floods have filled all buffers on their way. Who does not wait for its reader never stands still.
async fn stand_still() -> Result<(), &'static str> {
    let mut before = u64::MAX;
    for _ in 0..60 {
        let said = SAID.load(Ordering::Relaxed);
        if said == before {
            return Ok(());
        }
        before = said;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err("the server goes on writing to clients that do not read")
}

/// The median and the 99th percentile, each as the lower quartile of those of all slices.
fn percentiles(took: &[f64]) -> (f64, f64) {
    let slices = took.chunks_exact(SLICE).map(|slice| {
        let slice = sorted(slice.to_vec());
        (slice[SLICE / 2], slice[SLICE * 99 / 100])
    });
    let (p50, p99): (Vec<_>, Vec<_>) = slices.unzip();
    let quartile = |values: Vec<f64>| sorted(values)[took.len() / SLICE / 4];
    (quartile(p50), quartile(p99))
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(unix)]
fn allow_files(wanted: u64) -> Result<(), String> {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        setrlimit(Resource::Nofile, limit).map_err(|error| {
            format!("{wanted} open files are needed, and cannot be had: {error}; raise `ulimit -n`, or take --smoke")
        })?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn allow_files(_: u64) -> Result<(), String> {
    Ok(())
}
