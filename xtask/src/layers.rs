//! `cargo xtask layers`: who may depend on whom, no driver in any core, and each crate building alone.
//!
//! The judgements are pure functions over manifests and over the text of `cargo tree`; this file runs cargo for them.

use std::path::Path;

use crate::manifest::{CRATES, Manifest};
use crate::process::{capture, cargo, root, say, stdout};
use crate::tally::Tally;

#[cfg(test)]
mod tests;

/// For each crate, the crates of the workspace that it may depend on, in any table of its manifest.
///
/// Client and server never see each other, not even in tests: what needs both lives in `mcp-swarm/tests`.
const MAY_DEPEND_ON: [(&str, &[&str]); 7] = [
    ("mcp-types", &[]),
    ("mcp-errors", &["mcp-types"]),
    ("mcp-transport", &["mcp-types", "mcp-errors"]),
    ("mcp-client", &["mcp-types", "mcp-errors", "mcp-transport"]),
    ("mcp-server", &["mcp-types", "mcp-errors", "mcp-transport"]),
    (
        "mcp-swarm",
        &[
            "mcp-types",
            "mcp-errors",
            "mcp-transport",
            "mcp-client",
            "mcp-server",
        ],
    ),
    ("xtask", &[]),
];

/// What only a driver may bring; a crate without features has none of it in its tree.
const DRIVERS: [&str; 6] = ["tokio", "hyper", "hyper-util", "axum", "reqwest", "redis"];

/// Checks the edges, the trees and the builds.
pub(crate) fn step() -> Tally {
    let mut tally = Tally::default();
    for (name, _) in MAY_DEPEND_ON {
        match Manifest::read(&root().join(name)) {
            Ok(manifest) => {
                let problems = forbidden_edges(name, &manifest);
                tally.add(verdict(
                    &format!("{name} depends on lower layers only"),
                    &problems,
                ));
            }
            Err(error) => tally.add(verdict(name, &[error])),
        }
    }
    for name in CRATES {
        let problems = match tree(&root(), name, &[]) {
            Ok(tree) => drivers_in(name, &tree),
            Err(error) => vec![error],
        };
        tally.add(verdict(
            &format!("{name} without features holds no driver"),
            &problems,
        ));
    }
    for name in CRATES {
        let features = Manifest::read(&root().join(name)).map(|manifest| manifest.features());
        tally.add(builds(name, None));
        for feature in features.unwrap_or_default() {
            tally.add(builds(name, Some(&feature)));
        }
    }
    tally
}

/// The edges of a crate to crates of the workspace that the table does not allow.
fn forbidden_edges(name: &str, manifest: &Manifest) -> Vec<String> {
    let allowed = MAY_DEPEND_ON
        .iter()
        .find(|(of, _)| *of == name)
        .map_or(&[][..], |(_, allowed)| allowed);
    let ours = |dependency: &&String| MAY_DEPEND_ON.iter().any(|(of, _)| of == dependency);
    manifest
        .dependencies()
        .iter()
        .filter(ours)
        .filter(|dependency| !allowed.contains(&dependency.as_str()))
        .map(|dependency| {
            format!(
                "{name} must not depend on {dependency}; it may on: {}",
                allowed.join(", ")
            )
        })
        .collect()
}

/// The drivers in the output of `cargo tree --prefix none`.
fn drivers_in(name: &str, tree: &str) -> Vec<String> {
    let mut found: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|package| DRIVERS.contains(package))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .map(|driver| format!("{name} without features brings {driver}: make the dependency optional, behind a feature"))
        .collect()
}

/// The normal dependencies of a crate without features, as cargo resolves them in the workspace at `at`.
fn tree(at: &Path, name: &str, extra: &[&str]) -> Result<String, String> {
    let args = [
        "tree",
        "-p",
        name,
        "--no-default-features",
        "-e",
        "normal",
        "--prefix",
        "none",
    ];
    stdout(cargo(args).args(extra).current_dir(at))
}

fn builds(name: &str, feature: Option<&str>) -> Tally {
    let mut command = cargo(["check", "--quiet", "-p", name, "--no-default-features"]);
    let what = match feature {
        None => format!("{name} builds without features"),
        Some(feature) => {
            command.args(["--features", feature]);
            format!("{name} builds with {feature} alone")
        }
    };
    let finished = capture(&mut command);
    let problems = if finished.ok {
        Vec::new()
    } else {
        vec![finished.output]
    };
    verdict(&what, &problems)
}

fn verdict(what: &str, problems: &[String]) -> Tally {
    say(format!(
        "{} {what}",
        if problems.is_empty() {
            "holds "
        } else {
            "BROKEN"
        }
    ));
    for problem in problems {
        say(format!("       {problem}"));
    }
    Tally::of(problems.is_empty())
}
