//! Runs other programs, and holds the few things xtask may do that the crates may not: print, and read the clock.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

/// What a finished program said.
#[derive(Debug)]
pub(crate) struct Finished {
    /// It exited with 0.
    pub(crate) ok: bool,
    /// Its stdout and stderr, line by line as they came.
    pub(crate) output: String,
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "a command line tool answers on stdout")]
pub(crate) fn say(line: impl AsRef<str>) {
    println!("{}", line.as_ref());
}

/// Prints a line that nobody should miss.
pub(crate) fn loudly(line: impl AsRef<str>) {
    say(format!("\n!!! {}\n", line.as_ref()));
}

/// Reads the clock, to report wall times and to bound waits.
#[expect(
    clippy::disallowed_methods,
    reason = "wall times of steps are what xtask reports"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask
        .parent()
        .map_or_else(|| xtask.to_path_buf(), Path::to_path_buf)
}

/// Where cargo and xtask put what they make.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Whether a machine is watching: then nothing may be skipped for lack of a tool.
pub(crate) fn on_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// A cargo command at the repository's root.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(args);
    // What cargo told xtask about xtask: some build scripts watch these and would run again for nothing.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Whether `program --version` can be run.
pub(crate) fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or(program.as_os_str())
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(
        command
            .get_args()
            .map(|arg| arg.to_string_lossy().into_owned()),
    );
    words.join(" ")
}

/// Runs a program without stdin; its output is shown as it comes, and returned.
pub(crate) fn stream(command: &mut Command) -> Finished {
    stream_some(command, |_| true)
}

/// The same, showing only the lines that `show` wants.
pub(crate) fn stream_some(command: &mut Command, show: impl Fn(&str) -> bool + Sync) -> Finished {
    say(format!("$ {}", shown(command)));
    run(command, &show)
}

/// Runs a program without stdin; its output is only returned.
pub(crate) fn capture(command: &mut Command) -> Finished {
    run(command, &|_: &str| false)
}

/// Runs a program and returns its stdout alone; the error is what it said on stderr.
pub(crate) fn stdout(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", shown(command)))?;
    if !output.status.success() {
        return Err(format!(
            "{}: {}\n{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(command: &mut Command, show: &(impl Fn(&str) -> bool + Sync)) -> Finished {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return Finished {
                ok: false,
                output: format!("{}: {error}", shown(command)),
            };
        }
    };
    let output = Mutex::new(String::new());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        if let Some(out) = out {
            scope.spawn(|| copy(out, show, &output));
        }
        if let Some(err) = err {
            scope.spawn(|| copy(err, show, &output));
        }
    });
    let ok = child.wait().is_ok_and(|status| status.success());
    Finished {
        ok,
        output: output.into_inner().unwrap_or_default(),
    }
}

fn copy(from: impl Read, show: impl Fn(&str) -> bool, into: &Mutex<String>) {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line).into_owned();
        if show(&text) {
            // A reader that went away (`| head`) must not end the checks.
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
        }
        if let Ok(mut all) = into.lock() {
            all.push_str(&text);
        }
        line.clear();
    }
}

/// A program that runs beside the checks until it is stopped; dropping it stops it as well.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    answer: String,
}

impl Service {
    /// Starts a program and waits for its line that begins with `prefix`.
    pub(crate) fn start(command: &mut Command, prefix: &str) -> Result<Self, String> {
        say(format!("$ {}", shown(command)));
        command
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|e| format!("{}: {e}", shown(command)))?;
        let lines = follow(child.stdout.take());
        let mut service = Self {
            child,
            answer: String::new(),
        };
        let until = now() + Duration::from_secs(60);
        while let Ok(line) = lines.recv_timeout(until.saturating_duration_since(now())) {
            if let Some(answer) = line.trim().strip_prefix(prefix) {
                answer.trim().clone_into(&mut service.answer);
                return Ok(service);
            }
        }
        Err(format!(
            "{} printed no line `{prefix}…` within 60 s",
            shown(command)
        ))
    }

    /// What followed the prefix.
    pub(crate) fn answer(&self) -> &str {
        &self.answer
    }

    /// Ends the program.
    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The lines a program prints, read to the end even when nobody listens any more, so that it never blocks.
#[expect(
    clippy::disallowed_methods,
    reason = "the thread ends with the program whose output it reads"
)]
fn follow(from: Option<ChildStdout>) -> Receiver<String> {
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || {
        let lines = from
            .into_iter()
            .flat_map(|from| BufReader::new(from).lines())
            .map_while(Result::ok);
        for line in lines {
            let _ = sender.try_send(line);
        }
    });
    receiver
}
