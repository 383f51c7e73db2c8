//! The server as a process whose stdin and stdout break by a seed.

use std::{
    error::Error,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
};

use mcp_transport::{
    clock::SystemClock,
    test_util::{FaultLog, FaultyStream},
};
use tokio::io::{AsyncRead, AsyncWrite, join, split};

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
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
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
    let number = number.parse()?;
    runtime.block_on(async {
        let (stdin, stdout) = pipes()?;
        let pipes = FaultyStream::new(join(stdin, stdout), plan.faults(), Arc::new(SystemClock));
        let (reader, writer) = split(pipes.number(number).logging(log));
        Ok(server(Arc::new(Book(ran))).serve(reader, writer).await?)
    })
}

/// This process's stdin and stdout, which its parent made as pipes.
#[cfg(unix)]
fn pipes() -> io::Result<(impl AsyncRead + Unpin, impl AsyncWrite + Unpin)> {
    use std::os::fd::AsFd as _;

    use tokio::net::unix::pipe;

    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((
        pipe::Receiver::from_owned_fd(stdin)?,
        pipe::Sender::from_owned_fd(stdout)?,
    ))
}

#[cfg(not(unix))]
fn pipes() -> io::Result<(impl AsyncRead + Unpin, impl AsyncWrite + Unpin)> {
    let none = io::Error::from(io::ErrorKind::Unsupported);
    Err::<(tokio::io::Empty, tokio::io::Sink), _>(none)
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
