//! How a server process is started.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
    process::Stdio,
    sync::Arc,
};

use mcp_errors::{Failure, FailureKind};
use tokio::{process::Command, sync::watch};

use super::{Child, Duplex, process::Process, run, stderr::Tail};
#[cfg(windows)]
use crate::proto::program;
use crate::{
    clock::{Clock, SystemClock},
    proto::limits::Limits,
    stdio::closing::Closing,
};

/// A server to be started as a child process.
///
/// It sees of this process's environment only what a program needs to find its way ([`INHERITED`]), and what
/// [`Self::env`] and [`Self::inherit`] add: keys and tokens are not handed on by accident.
#[derive(Clone)]
pub struct ChildCommand {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    inherited: Vec<OsString>,
    directory: Option<PathBuf>,
    limits: Limits,
    clock: Arc<dyn Clock>,
    guarded: bool,
}

/// The variables that every child inherits.
#[cfg(not(windows))]
pub const INHERITED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
];

/// The variables that every child inherits.
#[cfg(windows)]
pub const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

impl ChildCommand {
    /// A server that is the program `program`, found in `PATH` or by its path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            inherited: INHERITED.iter().map(OsString::from).collect(),
            directory: None,
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            guarded: true,
        }
    }

    /// The program.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<I: IntoIterator<Item: Into<OsString>>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Hands on one more variable of this process.
    #[must_use]
    pub fn inherit(mut self, name: impl Into<OsString>) -> Self {
        self.inherited.push(name.into());
        self
    }

    /// Starts it in this directory.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Asks another clock how long its end takes.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Does without the guard, which only Unix has: on Windows the system ends a job with its owner.
    ///
    /// By default one shell (`/bin/sh`, a single one for all servers) runs beside this process from its first server
    /// on. When this process ends without ending its servers, by SIGTERM, `exit`, an abort or even SIGKILL, the shell
    /// sees it and ends their groups as [`Child::close`] would; no signal handler is set for that. Without it such
    /// servers only see the end of their input, and what ignores that, or was started by them, stays. So it is where
    /// there is no `/bin/sh`, which is logged.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// Starts the process, in a group of its own. Needs a tokio runtime with IO and time.
    ///
    /// # Errors
    /// [`FailureKind::Unreachable`], with the `io::Error` as its source, if it cannot be started, and
    /// [`FailureKind::Invalid`] outside a runtime.
    pub fn spawn(self) -> Result<Child, Failure> {
        let program = self.program.to_string_lossy().into_owned();
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = format!("{program:?} can only be started inside a tokio runtime");
            return Err(Failure::new(FailureKind::Invalid, detail));
        }
        let grace = [self.limits.child_eof_time, self.limits.child_term_time];
        let grace = self.guarded.then_some(grace);
        let mut process = Process::spawn(&mut self.command(), grace).map_err(|error| {
            let detail = format!(
                "cannot start {program:?}: {error}; check that it is installed and can be run"
            );
            Failure::new(FailureKind::Unreachable, detail).with_source(error)
        })?;
        let id = process.id();
        let Some((stdin, stdout, stderr)) = process.take_streams() else {
            return Err(Failure::new(
                FailureKind::Unreachable,
                format!("{program:?} has no standard streams"),
            ));
        };
        let (duplex, driver) = Duplex::new(stdout, stdin, &self.limits);
        let tail = Tail::new(self.limits.stderr);
        let closing = Arc::new(Closing::default());
        let (ended, exit) = watch::channel(None);
        let run = run::Run {
            program,
            process,
            duplex: duplex.clone(),
            tail: tail.clone(),
            closing: closing.watch(),
            closed: false,
            limits: self.limits,
            clock: self.clock,
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with the process, which ends with the last handle"
        )]
        tokio::spawn(run.run(driver, stderr, ended));
        Ok(Child {
            duplex,
            closing,
            ended: exit,
            tail,
            id,
        })
    }

    /// The file of the program, which on Windows may be a script such as `npx.cmd`.
    #[cfg(windows)]
    fn resolved(&self) -> OsString {
        let seen = |name: &str| {
            let own = self.env.iter().rev();
            let mut own = own.filter(|(of, _)| of.eq_ignore_ascii_case(name));
            let inherited = || {
                self.inherited
                    .iter()
                    .any(|of| of.eq_ignore_ascii_case(name))
            };
            let value = own.next().map(|(_, value)| value.clone());
            let value = value.or_else(|| std::env::var_os(name).filter(|_| inherited()));
            value.unwrap_or_default().to_string_lossy().into_owned()
        };
        let program = self.program.to_string_lossy();
        let candidates = program::candidates(&program, &seen("PATH"), &seen("PATHEXT"));
        let found = candidates
            .into_iter()
            .find(|file| std::path::Path::new(file).is_file());
        found.map_or_else(|| self.program.clone(), OsString::from)
    }

    fn command(&self) -> Command {
        #[cfg(not(windows))]
        let mut command = Command::new(&self.program);
        #[cfg(windows)]
        let mut command = Command::new(self.resolved());
        command.args(&self.args).env_clear();
        for name in &self.inherited {
            // A shell function in a variable is code, not a setting.
            if let Some(value) = std::env::var_os(name).filter(|value| !is_function(value)) {
                command.env(name, value);
            }
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Values of the environment and arguments may be secrets, so they are not shown.
impl fmt::Debug for ChildCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildCommand")
            .field("program", &self.program)
            .field("env", &names)
            .finish_non_exhaustive()
    }
}

fn is_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}
