//! What the compiler says to the usual mistakes: it names the mistake, and the checklist of what would do.
//!
//! Each file under `tests/ui` is compiled against this crate; its `//~` lines are what the compiler must say, wherever.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The newest library of this crate that was built beside this test.
fn library(deps: &Path) -> PathBuf {
    let entries = fs::read_dir(deps)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libmcp_server-") && name.ends_with(".rlib")
    };
    let modified = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    entries.filter(is_ours).max_by_key(modified).unwrap()
}

/// What the compiler says of `file`; nothing, if it takes it.
fn compile(file: &Path) -> String {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let out = env::temp_dir().join(format!("mcp-server-hints-{}", std::process::id()));
    fs::create_dir_all(&out).unwrap();
    let library = library(&deps);
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--emit=metadata",
            "--color=never",
        ])
        .arg(format!("-Ldependency={}", deps.display()))
        .arg(format!("--extern=mcp_server={}", library.display()))
        .arg("--out-dir")
        .arg(&out)
        .arg(file)
        .output()
        .unwrap();
    fs::remove_dir_all(&out).ok();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), !said.contains("error"), "{said}");
    said
}

#[test]
fn the_usual_mistakes_get_the_checklist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let expected: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("//~ "))
            .collect();
        let said = compile(file);
        let missing: Vec<_> = expected.iter().filter(|it| !said.contains(**it)).collect();
        let is_fine = file.ends_with("fine.rs");
        if !missing.is_empty() || said.is_empty() != is_fine || expected.is_empty() != is_fine {
            wrong.push(format!(
                "{}: {missing:#?} is not in:\n{said}",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() >= 7, "each usual mistake has a file");
}
