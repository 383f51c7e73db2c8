//! The layering holds, and each way of breaking it is noticed.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::process::target;

fn edges(name: &str, manifest: &str) -> usize {
    forbidden_edges(name, &Manifest::parse(manifest)).len()
}

#[test]
fn edges_upwards_and_sideways_are_refused() {
    assert_eq!(
        edges("mcp-errors", "[dependencies]\nmcp-types.workspace = true"),
        0
    );
    assert_eq!(
        edges("mcp-types", "[dependencies]\nmcp-errors.workspace = true"),
        1
    );
    assert_eq!(
        edges("mcp-client", "[dependencies]\nmcp-server.workspace = true"),
        1
    );
    assert_eq!(
        edges(
            "mcp-server",
            "[dev-dependencies]\nmcp-client.workspace = true"
        ),
        1
    );
    assert_eq!(
        edges("mcp-server", "[build-dependencies]\nmcp-swarm = \"1\""),
        1
    );
    assert_eq!(
        edges(
            "mcp-server",
            "[target.'cfg(unix)'.dependencies]\nx = { package = \"mcp-client\" }"
        ),
        1
    );
    assert_eq!(
        edges("mcp-server", "[dependencies.mcp-client]\nworkspace = true"),
        1
    );
    assert_eq!(
        edges(
            "mcp-swarm",
            "[dependencies]\nmcp-client.workspace = true\nmcp-server.workspace = true"
        ),
        0
    );
    assert_eq!(
        edges("xtask", "[dependencies]\nmcp-types.workspace = true"),
        1
    );
}

#[test]
fn a_driver_in_a_core_is_named() {
    let clean = "mcp-types v0.1.0\nserde v1.0.0\ntokio-util v0.7.0\n";
    assert_eq!(drivers_in("mcp-types", clean), Vec::<String>::new());
    let leaky =
        "mcp-types v0.1.0\ntokio v1.54.1\nserde v1.0.0 (*)\ntokio v1.54.1 (*)\nreqwest v0.13.5";
    let found = drivers_in("mcp-types", leaky);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("reqwest") && found[1].contains("tokio"),
        "{found:?}"
    );
}

#[test]
fn the_edges_of_this_workspace_are_allowed() {
    for (name, _) in MAY_DEPEND_ON {
        let manifest = Manifest::read(&root().join(name)).unwrap();
        assert_eq!(forbidden_edges(name, &manifest), Vec::<String>::new());
    }
}

#[test]
fn every_member_has_its_row() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = text
        .lines()
        .find(|line| line.starts_with("members"))
        .unwrap();
    let mut named: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    let mut rows: Vec<&str> = MAY_DEPEND_ON.iter().map(|(name, _)| *name).collect();
    named.sort_unstable();
    rows.sort_unstable();
    assert_eq!(named, rows);
}

/// The whole way: the workspace's manifests, with tokio added to `mcp-types`, through cargo itself.
#[test]
fn adding_tokio_to_the_types_makes_it_fail() {
    let copy = target().join("layers-test");
    copy_skeleton(&copy);
    assert_eq!(check(&copy), Vec::<String>::new());
    let manifest = copy.join("mcp-types/Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replace("[dependencies]", "[dependencies]\ntokio.workspace = true"),
    )
    .unwrap();
    let found = check(&copy);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("tokio"), "{found:?}");
    fs::remove_dir_all(&copy).unwrap();
}

fn check(at: &Path) -> Vec<String> {
    // What is in the lock file is normally on this machine already; only a machine that never built it must ask.
    let text = tree(at, "mcp-types", &["--offline"]).or_else(|_| tree(at, "mcp-types", &[]));
    drivers_in("mcp-types", &text.unwrap())
}

fn copy_skeleton(to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(root().join(file), to.join(file)).unwrap();
    }
    for (name, _) in MAY_DEPEND_ON {
        for folder in ["src", "examples", "tests", "benches"] {
            copy_sources(&root().join(name).join(folder), &to.join(name).join(folder));
        }
        fs::copy(
            root().join(name).join("Cargo.toml"),
            to.join(name).join("Cargo.toml"),
        )
        .unwrap();
    }
}

/// Copies the tree of files, empty: cargo only looks whether a target's file exists.
fn copy_sources(from: &PathBuf, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else {
        return;
    };
    fs::create_dir_all(to).unwrap();
    for entry in entries {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_sources(&path, &target);
        } else {
            fs::write(target, "").unwrap();
        }
    }
}
