//! Ends what this process leaves of its servers when it ends without doing so: by a signal, an exit or an abort.
//!
//! Nothing that runs inside a process can promise that: a signal's default action runs no destructor, a handler for
//! it is the program's own to set, and SIGKILL asks nobody. So the promise is kept from outside. One shell beside
//! this process holds a pipe from it and knows the groups of its servers; when the pipe ends, this process is gone,
//! and the shell does to each group what [`Child::close`](crate::stdio::child::Child::close) does.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{self, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Reads `+ GROUP EOF TERM` and `- GROUP`, times in ticks, until the process that writes is gone. By then the stdin
/// of each server has ended. A leader that has ended leaves nothing that is waited for.
const SCRIPT: &str = r#"# Ends the servers that process $1 leaves behind.
trap '' HUP INT QUIT TERM
all=' '
while read -r sign group eof term; do
  case $sign in
    +) all="$all$group:$eof:$term " ;;
    -) case $all in
        *" $group:"*)
          rest=${all#*" $group:"}
          all="${all%%" $group:"*} ${rest#* }" ;;
      esac ;;
  esac
done
tick=0
while :; do
  rest=
  for one in $all; do
    group=${one%%:*}
    times=${one#*:}
    eof=${times%:*}
    over=$((eof + ${times#*:}))
    if [ "$tick" -ge "$over" ] || ! kill -s 0 "$group"; then
      kill -s KILL -- "-$group"
    else
      [ "$tick" -ne "$eof" ] || kill -s TERM -- "-$group"
      rest="$rest $one"
    fi
  done 2>/dev/null
  all=$rest
  [ -n "$all" ] || exit 0
  sleep 0.1 2>/dev/null || sleep 1
  tick=$((tick + 1))
done
"#;

const TICK: Duration = Duration::from_millis(100);

static GUARD: Mutex<Guard> = Mutex::new(Guard {
    shell: Shell::None,
    wards: BTreeMap::new(),
});

/// A process group that the guard knows of, until this is dropped.
#[derive(Debug)]
pub(super) struct Ward(u32);

impl Ward {
    /// Starts the guard, if it does not run yet: before the group, so that there is no moment without.
    pub(super) fn prepare() {
        lock().run();
    }

    /// Puts a group under guard: after the end of this process it has `eof` to end by itself, and `term` more after
    /// SIGTERM.
    pub(super) fn new(group: u32, eof: Duration, term: Duration) -> Self {
        let mut guard = lock();
        let grace = [ticks(eof), ticks(term)];
        guard.wards.insert(group, grace);
        guard.tell(&entry(group, grace));
        Self(group)
    }
}

impl Drop for Ward {
    fn drop(&mut self) {
        let mut guard = lock();
        guard.wards.remove(&self.0);
        guard.tell(&format!("- {}\n", self.0));
    }
}

struct Guard {
    shell: Shell,
    /// What the shell knows, for the next one should it be killed.
    wards: BTreeMap<u32, [u64; 2]>,
}

enum Shell {
    None,
    Running(UnixStream, process::Child),
    /// There is no shell here; that was said once.
    Missing,
}

impl Guard {
    fn run(&mut self) {
        if !matches!(self.shell, Shell::None) {
            return;
        }
        self.shell = match start() {
            Ok((stream, shell)) => Shell::Running(stream, shell),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "no /bin/sh: servers that ignore the end of their input outlive this process if it is killed"
                );
                Shell::Missing
            }
        };
    }

    fn tell(&mut self, line: &str) {
        let Shell::Running(stream, shell) = &mut self.shell else {
            return;
        };
        if stream.write_all(line.as_bytes()).is_ok() {
            return;
        }
        // Somebody has killed it, or it was stopped for so long that its pipe is full: the next one knows all there is.
        // This one sees the end of the pipe only where it cannot act on it.
        let _gone = shell.kill();
        let _status = shell.wait();
        self.shell = Shell::None;
        self.run();
        if let Shell::Running(stream, _) = &mut self.shell {
            let all: String = self
                .wards
                .iter()
                .map(|(id, grace)| entry(*id, *grace))
                .collect();
            if let Err(error) = stream.write_all(all.as_bytes()) {
                tracing::warn!(%error, "the guard of the server processes cannot be told of them");
            }
        }
    }
}

fn start() -> io::Result<(UnixStream, process::Child)> {
    // A socket, since writing to one that is closed is an error and never a signal.
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", SCRIPT, "mcp-guard"])
        .arg(process::id().to_string())
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    Ok((ours, command.spawn()?))
}

fn entry(group: u32, [eof, term]: [u64; 2]) -> String {
    format!("+ {group} {eof} {term}\n")
}

/// At most an hour: nobody waits longer for a process that nobody listens to.
fn ticks(time: Duration) -> u64 {
    let most = Duration::from_secs(3600);
    let ticks = time.min(most).as_millis().div_ceil(TICK.as_millis());
    u64::try_from(ticks).unwrap_or(u64::MAX)
}

fn lock() -> MutexGuard<'static, Guard> {
    // No code panics while it holds the lock, so a poisoned one is whole.
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_ticks_and_bounded() {
        let check = |millis, expected| assert_eq!(ticks(Duration::from_millis(millis)), expected);
        check(0, 0);
        check(1, 1);
        check(100, 1);
        check(101, 2);
        check(2_000, 20);
        check(u64::MAX, 36_000);
    }
}
