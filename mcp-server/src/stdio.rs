//! This process's standard streams, each on a thread of its own, and nobody else's while they are served.
//!
//! A read of stdin cannot be interrupted. On a thread of the runtime it would keep the runtime from
//! ending; on one of its own it keeps nobody, and goes with the process.
//!
//! Stdout carries messages and nothing else. On Unix the descriptors 0 and 1 are taken away for the time of serving:
//! what the program, a C library or a program that a tool runs prints to stdout lands on stderr, and a program that
//! reads stdin reads nothing instead of the client's next message. Elsewhere messages pass by the buffer and the lock
//! of [`std::io::Stdout`], so that a print stands between messages at worst.

#[cfg(unix)]
mod taken;

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    thread,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    runtime::Handle,
    sync::oneshot,
};

#[cfg(unix)]
use self::taken::Taken;

const PIPE: usize = 64 * 1024;

/// The standard streams, to be served.
pub(crate) struct Streams {
    pub(crate) stdin: DuplexStream,
    pub(crate) stdout: DuplexStream,
    /// Says that all of stdout is written.
    pub(crate) all_written: oneshot::Receiver<()>,
    /// Gives them back when it is dropped.
    pub(crate) taken: Taken,
}

impl Streams {
    /// Takes them.
    ///
    /// # Errors
    /// When they cannot be taken, or there are no threads for them.
    pub(crate) fn take() -> io::Result<Self> {
        let (taken, input, output) = Taken::new()?;
        let (stdout, all_written) = writing(output)?;
        Ok(Self {
            stdin: reading(input)?,
            stdout,
            all_written,
            taken,
        })
    }
}

/// The thread ends at the end of `input`, or when the stream is dropped and one more read has come back.
fn reading(mut input: File) -> io::Result<DuplexStream> {
    let (mut ours, theirs) = duplex(PIPE);
    on_thread("mcp-stdin", move |runtime| {
        let mut chunk = vec![0; PIPE];
        loop {
            let read = match input.read(&mut chunk) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return tracing::warn!(%error, "stdin cannot be read"),
            };
            if runtime.block_on(ours.write_all(&chunk[..read])).is_err() {
                return;
            }
        }
    })?;
    Ok(theirs)
}

/// The thread ends when the stream is shut down or dropped, or `output` is closed.
fn writing(mut output: File) -> io::Result<(DuplexStream, oneshot::Receiver<()>)> {
    let (mut ours, theirs) = duplex(PIPE);
    let (written, all_written) = oneshot::channel();
    on_thread("mcp-stdout", move |runtime| {
        let mut chunk = vec![0; PIPE];
        while let Ok(read @ 1..) = runtime.block_on(ours.read(&mut chunk)) {
            if output.write_all(&chunk[..read]).is_err() {
                break;
            }
        }
        // Whoever waits for it may have given up.
        let _gone = written.send(());
    })?;
    Ok((theirs, all_written))
}

/// Nothing is taken: messages only pass by the buffers of the standard streams.
#[cfg(windows)]
pub(crate) struct Taken;

#[cfg(windows)]
impl Taken {
    fn new() -> io::Result<(Self, File, File)> {
        use std::os::windows::io::AsHandle as _;
        let input = io::stdin().as_handle().try_clone_to_owned()?;
        let output = io::stdout().as_handle().try_clone_to_owned()?;
        Ok((Self, File::from(input), File::from(output)))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the streams own these threads: each ends with its stream, or with the process"
)]
fn on_thread(name: &str, work: impl FnOnce(Handle) + Send + 'static) -> io::Result<()> {
    let runtime = Handle::current();
    thread::Builder::new()
        .name(name.into())
        .spawn(move || work(runtime))
        .map(drop)
}
