//! This process's standard streams, each on a thread of its own.
//!
//! A read of stdin cannot be interrupted. On a thread of the runtime it would keep the runtime from
//! ending; on one of its own it keeps nobody, and goes with the process.

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

const PIPE: usize = 64 * 1024;

/// Stdin. The thread ends at its end, or when the stream is dropped and one more read has come back.
pub(crate) fn stdin() -> io::Result<DuplexStream> {
    let (mut ours, theirs) = duplex(PIPE);
    on_thread("mcp-stdin", move |runtime| {
        let mut chunk = vec![0; PIPE];
        loop {
            let read = match io::stdin().read(&mut chunk) {
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

/// Stdout, and a signal that all of it is written. The thread ends when the stream is shut down or
/// dropped, or stdout is closed.
pub(crate) fn stdout() -> io::Result<(DuplexStream, oneshot::Receiver<()>)> {
    let (mut ours, theirs) = duplex(PIPE);
    let (written, all_written) = oneshot::channel();
    let mut stdout = unbuffered_stdout()?;
    on_thread("mcp-stdout", move |runtime| {
        let mut chunk = vec![0; PIPE];
        while let Ok(read @ 1..) = runtime.block_on(ours.read(&mut chunk)) {
            if stdout.write_all(&chunk[..read]).is_err() {
                break;
            }
        }
        // Whoever waits for it may have given up.
        let _gone = written.send(());
    })?;
    Ok((theirs, all_written))
}

/// Stdout beside its buffer and its lock: what a handler prints by mistake must neither stand in front of a
/// message on its line nor wait for one.
fn unbuffered_stdout() -> io::Result<File> {
    #[cfg(unix)]
    let stdout = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let stdout = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    stdout.map(File::from)
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
