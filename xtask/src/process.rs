//! Runs other programs, and holds the few things xtask may do that the crates may not: print, and read the clock.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

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
    say(format!("$ {}", shown(command)));
    run(command, true)
}

/// Runs a program without stdin; its output is only returned.
pub(crate) fn capture(command: &mut Command) -> Finished {
    run(command, false)
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

fn run(command: &mut Command, show: bool) -> Finished {
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

fn copy(from: impl Read, show: bool, into: &Mutex<String>) {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line).into_owned();
        if show {
            // A reader that went away (`| head`) must not end the checks.
            let _ = std::io::stdout().lock().write_all(text.as_bytes());
        }
        if let Ok(mut all) = into.lock() {
            all.push_str(&text);
        }
        line.clear();
    }
}
