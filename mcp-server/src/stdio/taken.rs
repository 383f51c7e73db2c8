//! Descriptors 0 and 1, taken from the rest of the program for a while.

use std::{
    fs::File,
    io::{self, Write as _},
    os::fd::{AsFd as _, OwnedFd},
};

use rustix::stdio::{dup2_stdin, dup2_stdout};

/// The descriptors 0 and 1 as they were; they are that again when this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    stdin: OwnedFd,
    stdout: OwnedFd,
}

impl Taken {
    /// Puts stderr in the place of stdout and an empty file in that of stdin; gives the two, for nobody else.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub(super) fn new() -> io::Result<(Self, File, File)> {
        // Copies are closed on exec: no program that a tool runs has them.
        let stdin = io::stdin().as_fd().try_clone_to_owned()?;
        let stdout = io::stdout().as_fd().try_clone_to_owned()?;
        let (input, output) = (stdin.try_clone()?, stdout.try_clone()?);
        let taken = Self { stdin, stdout };
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(io::stderr())?;
        flush();
        Ok((taken, File::from(input), File::from(output)))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        flush();
        let (output, input) = (dup2_stdout(&self.stdout), dup2_stdin(&self.stdin));
        if let Err(error) = output.and(input) {
            tracing::warn!(%error, "the standard streams cannot be given back");
        }
    }
}

/// What waits in the buffer of stdout was printed by mistake: it goes to stderr.
fn flush() {
    // Where stderr is closed, nobody wants to see it.
    let _ = io::stdout().flush();
}
