//! The server as a process whose stdin and stdout break by a seed.

use std::{
    error::Error,
    fs::{File, OpenOptions},
    io::Write as _,
    process::ExitCode,
    sync::Arc,
};

use mcp_transport::{
    clock::SystemClock,
    test_util::{FaultLog, FaultyStream},
};
use tokio::io::{join, split, stdin, stdout};

use crate::{
    plan::{Plan, Transport},
    tools::{Ran, server},
};

/// The argument that makes this program such a server.
pub(crate) const FLAG: &str = "--child";

/// Serves until its stdin ends or breaks. Arguments: the file for its faults, that for its calls, the number of its
/// stream, the seed.
pub(crate) fn main(args: &[String]) -> ExitCode {
    match serve(args) {
        // A read of stdin cannot be interrupted: the runtime would wait for it.
        Ok(()) => std::process::exit(0),
        Err(_) => std::process::exit(1),
    }
}

fn serve(args: &[String]) -> Result<(), Box<dyn Error>> {
    let [faults, ran, number, seed] = args else {
        return Err("four arguments".into());
    };
    let append = |path: &str| OpenOptions::new().create(true).append(true).open(path);
    let (faults, ran) = (append(faults)?, append(ran)?);
    let plan = Plan {
        transport: Transport::Stdio,
        requests: 0,
        seed: seed.parse()?,
        cells: 0,
    };
    let log = FaultLog::telling(move |fault| {
        // It stands in the file before it takes effect.
        let _full = (&faults).write_all(&[fault.kind() as u8]);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let pipes = FaultyStream::new(
        join(stdin(), stdout()),
        plan.faults(),
        Arc::new(SystemClock),
    )
    .number(number.parse()?)
    .logging(log);
    let (reader, writer) = split(pipes);
    let served = runtime.block_on(server(Arc::new(Book(ran))).serve(reader, writer));
    std::mem::forget(runtime);
    Ok(served?)
}

/// Appends the number of each call to a file.
struct Book(File);

impl Ran for Book {
    fn ran(&self, call: u64) {
        // What is not written is found missing.
        let _full = (&self.0).write_all(&call.to_le_bytes());
    }

    fn waits(&self, _: i64) {}
}
