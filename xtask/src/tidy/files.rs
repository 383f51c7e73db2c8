//! Rules about files of any kind: their names, their size, and what must not leak into them.

use super::{Finding, sources};

/// The most a file may weigh, in bytes.
const MAX_BYTES: usize = 200 * 1024;

/// Names that say nothing about what is inside.
const BANNED: [&str; 8] = [
    "utils.rs",
    "util.rs",
    "common.rs",
    "helpers.rs",
    "types.rs",
    "impl.rs",
    "misc.rs",
    "mod.rs",
];

/// Folders that exist on one machine only.
const MACHINE: [&str; 3] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
];

/// Hosts that a reader of this repository may not be able to reach.
const REGISTRIES: [&str; 5] = [
    concat!("registry.", "npmjs.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("files.", "pythonhosted.org"),
    concat!("pypi.", "org"),
];

/// Files are text, and small enough to review.
pub(super) fn size_and_kind(path: &str, bytes: &[u8]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if bytes.len() > MAX_BYTES {
        findings.push(Finding::new(
            path,
            0,
            format!("{} bytes, at most {MAX_BYTES}", bytes.len()),
        ));
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
        findings.push(Finding::new(
            path,
            0,
            "a binary file: keep what makes it instead",
        ));
    }
    findings
}

/// A file is named for what it holds.
pub(super) fn name(path: &str) -> Vec<Finding> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if BANNED.contains(&name) {
        vec![Finding::new(
            path,
            0,
            format!("`{name}` says nothing: name the file for what it holds (`x.rs` + `x/`)"),
        )]
    } else {
        Vec::new()
    }
}

/// Nothing names one machine's folders or a registry's hosts. `Cargo.lock` is cargo's.
pub(super) fn machine_paths(path: &str, text: &str) -> Vec<Finding> {
    if path == "Cargo.lock" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let folders = MACHINE
            .into_iter()
            .filter(|folder| starts_a_path(line, folder));
        let hosts = REGISTRIES.into_iter().filter(|host| line.contains(host));
        for found in folders.chain(hosts) {
            findings.push(Finding::new(
                path,
                index + 1,
                format!("`{found}` holds on one machine only"),
            ));
        }
    }
    findings
}

/// A loose end in a file that is not Rust; prose may speak of the marks.
pub(super) fn open_marks(path: &str, text: &str) -> Vec<Finding> {
    let is_code = [".toml", ".mjs", ".js", ".py", ".sh", ".yml", ".yaml"]
        .iter()
        .any(|end| path.ends_with(end));
    if is_code || path.starts_with(".ci/") {
        sources::open_marks_in(path, text)
    } else {
        Vec::new()
    }
}

fn starts_a_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~/$}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_binary_files() {
        assert!(size_and_kind("a.txt", "grün".as_bytes()).is_empty());
        assert!(size_and_kind("a.txt", &vec![b'x'; MAX_BYTES]).is_empty());
        assert_eq!(size_and_kind("a.txt", &vec![b'x'; MAX_BYTES + 1]).len(), 1);
        assert_eq!(size_and_kind("a.png", &[0x89, b'P', 0, 0xff]).len(), 1);
        assert_eq!(size_and_kind("a.txt", &[b'a', 0]).len(), 1);
    }

    #[test]
    fn names_that_say_nothing() {
        for bad in [
            "mcp-client/src/utils.rs",
            "x/mod.rs",
            "types.rs",
            "a/impl.rs",
            "a/common.rs",
            "helpers.rs",
        ] {
            assert_eq!(name(bad).len(), 1, "{bad}");
        }
        for good in [
            "mcp-types/src/lib.rs",
            "mcp-client/src/probe/tests.rs",
            "utils.md",
            "a/mytypes.rs",
        ] {
            assert!(name(good).is_empty(), "{good}");
        }
    }

    #[test]
    fn one_machines_paths() {
        let [work, root, tmp] = MACHINE;
        for bad in [
            format!("see {work}x"),
            format!("\"{root}.cargo\""),
            format!("{tmp}a"),
            format!("({tmp}a)"),
        ] {
            assert_eq!(machine_paths("a.md", &bad).len(), 1, "{bad}");
            assert!(machine_paths("Cargo.lock", &bad).is_empty());
        }
        for good in [
            format!("https://example.com{work}x"),
            format!("$X{tmp}y"),
            format!("target{tmp}y"),
            "/w/".into(),
        ] {
            assert!(machine_paths("a.md", &good).is_empty(), "{good}");
        }
        assert_eq!(
            machine_paths(
                "a/package-lock.json",
                &format!("https://{}/x", REGISTRIES[0])
            )
            .len(),
            1
        );
    }

    #[test]
    fn loose_ends_outside_rust() {
        let mark = concat!("# TO", "DO later");
        assert_eq!(open_marks("Cargo.toml", mark).len(), 1);
        assert_eq!(open_marks(".ci/run", mark).len(), 1);
        assert!(open_marks("CONTRIBUTING.md", mark).is_empty());
    }
}
