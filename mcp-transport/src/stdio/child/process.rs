//! A process that takes with it what it started: as a group on Unix, as a job on Windows.

#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::Process;
#[cfg(windows)]
pub(super) use windows::Process;
