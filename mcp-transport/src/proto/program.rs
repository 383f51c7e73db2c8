//! Where Windows keeps a program: the files that a name may stand for, in the order in which they count.

/// What counts where `PATHEXT` says nothing.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// The files that `program` may be: with each extension of `extensions` (as in `PATHEXT`) unless it has one of them, in
/// each directory of `path` (as in `PATH`) unless it names its own.
pub(crate) fn candidates(program: &str, path: &str, extensions: &str) -> Vec<String> {
    let parts = |list: &str| -> Vec<String> {
        let parts = list
            .split(';')
            .map(|part| part.trim_matches('"').to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    let mut extensions = parts(extensions);
    if extensions.is_empty() {
        extensions = parts(EXTENSIONS);
    }
    let lower = program.to_ascii_lowercase();
    let has_one = |extension: &String| lower.ends_with(&extension.to_ascii_lowercase());
    let names = match extensions.iter().any(has_one) {
        true => vec![program.to_owned()],
        false => extensions
            .iter()
            .map(|extension| format!("{program}{extension}"))
            .collect(),
    };
    if program.contains(['\\', '/', ':']) {
        return names;
    }
    let inside = |directory: String| {
        let directory = directory.trim_end_matches('\\').to_owned();
        names.iter().map(move |name| format!("{directory}\\{name}"))
    };
    parts(path).into_iter().flat_map(inside).collect()
}

#[cfg(test)]
mod tests;
