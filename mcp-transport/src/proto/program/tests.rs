//! Names, directories and extensions.

use super::candidates;

fn check(program: &str, path: &str, extensions: &str, expected: &[&str]) {
    assert_eq!(
        candidates(program, path, extensions),
        expected,
        "{program} in {path}"
    );
}

#[test]
fn peers_5_a_shim_is_found_by_its_extension_in_the_order_of_path() {
    let path = r#"C:\node\;"C:\Program Files\x";;D:\bin"#;
    check(
        "npx",
        path,
        ".EXE;.CMD",
        &[
            r"C:\node\npx.EXE",
            r"C:\node\npx.CMD",
            r"C:\Program Files\x\npx.EXE",
            r"C:\Program Files\x\npx.CMD",
            r"D:\bin\npx.EXE",
            r"D:\bin\npx.CMD",
        ],
    );
    check("npx.cmd", r"C:\node", ".EXE;.CMD", &[r"C:\node\npx.cmd"]);
    check("server.v2", r"C:\b", ".EXE", &[r"C:\b\server.v2.EXE"]);
    check(
        "x",
        r"C:\b",
        "",
        &[r"C:\b\x.COM", r"C:\b\x.EXE", r"C:\b\x.BAT", r"C:\b\x.CMD"],
    );
    check("x", "", ".EXE", &[]);
}

#[test]
fn a_path_of_its_own_is_not_sought() {
    check(
        r"C:\a\x",
        r"C:\b",
        ".EXE;.CMD",
        &[r"C:\a\x.EXE", r"C:\a\x.CMD"],
    );
    check(r".\x.cmd", r"C:\b", ".EXE;.CMD", &[r".\x.cmd"]);
    check("a/x", r"C:\b", ".EXE", &["a/x.EXE"]);
}
