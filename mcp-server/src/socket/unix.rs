//! A Unix domain socket: its file appears with its permissions, and goes with its server.

#[cfg(test)]
mod tests;

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    task::{Context, Poll},
};

use tokio::net::{UnixListener, UnixStream};

use super::accept::{Accepted, Listener};

#[derive(Debug)]
pub(super) struct Unix {
    listener: UnixListener,
    _file: File,
}

/// The socket's file, which is removed when this is dropped, unless it is another's by then.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// Device and number.
    inode: (u64, u64),
}

impl Unix {
    /// Listens at `path`, in the place of a socket that nobody listens on any more.
    ///
    /// # Errors
    /// As told at [`SocketHost::serve_unix`](super::SocketHost::serve_unix).
    pub(super) async fn bind(path: &Path, mode: u32) -> io::Result<Self> {
        make_way(path).await?;
        // Made under another name, so that nobody meets it before its permissions are set, and moved over what is there.
        let made = beside(path);
        // Of this name there can only be what a process left that had our id.
        let _stale = fs::remove_file(&made);
        let listener = UnixListener::bind(&made).map_err(|error| named(&error, path))?;
        let placed = place(&made, path, mode);
        if placed.is_err() {
            let _gone = fs::remove_file(&made);
        }
        let file = placed.map_err(|error| named(&error, path))?;
        Ok(Self {
            listener,
            _file: file,
        })
    }
}

fn place(made: &Path, path: &Path, mode: u32) -> io::Result<File> {
    fs::set_permissions(made, fs::Permissions::from_mode(mode))?;
    let inode = inode(made)?;
    fs::rename(made, path)?;
    let path = path.to_owned();
    Ok(File { path, inode })
}

/// Makes sure that what is at `path`, if anything, is a socket without a server.
async fn make_way(path: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(named(&error, path)),
    };
    if !kind.is_socket() {
        let error = format!(
            "{} exists and is no socket: name another path",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, error));
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Also one that has no room for another connection, or does not let us in, is alive.
        _ => {
            let error = format!("another server listens on {}", path.display());
            Err(io::Error::new(io::ErrorKind::AddrInUse, error))
        }
    }
}

/// A name in the same directory that is no longer than need be: a socket's path is at most about 100 bytes.
fn beside(path: &Path) -> PathBuf {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{}.{number}", std::process::id()))
}

fn inode(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

fn named(error: &io::Error, path: &Path) -> io::Error {
    let text = format!("cannot listen on {}: {error}", path.display());
    io::Error::new(error.kind(), text)
}

impl Drop for File {
    fn drop(&mut self) {
        if inode(&self.path).is_ok_and(|inode| inode == self.inode) {
            let _gone = fs::remove_file(&self.path);
        }
    }
}

impl Listener for Unix {
    type Stream = UnixStream;
    type Place = ();
    /// No browser reaches a file.
    const STRICT: bool = false;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<Accepted<Self>> {
        let accepted = self.listener.poll_accept(cx);
        accepted.map_ok(|(stream, _)| (stream, Some(())))
    }
}
