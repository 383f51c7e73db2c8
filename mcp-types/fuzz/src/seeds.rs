//! Runs targets over their seeds: what fuzzing once found stays found. The tests of each fuzzed crate include this.

use std::{collections::BTreeSet, fs, path::Path};

type Target = fn(&[u8]);

/// Runs every one of `targets` over its folder of seeds in the crate at `root`.
pub(crate) fn run(root: &str, targets: &[(&str, Target)]) {
    let seeds = Path::new(root).join("fuzz/seeds");
    let folders = fs::read_dir(&seeds).expect("a folder of seeds");
    let folders: BTreeSet<_> = folders.flatten().map(|it| it.file_name()).collect();
    let known = targets.iter().map(|(name, _)| (*name).into());
    assert_eq!(
        folders,
        known.collect(),
        "a folder of seeds for each target"
    );
    for (name, target) in targets {
        target(b"");
        let mut run = 0;
        for seed in fs::read_dir(seeds.join(name)).expect("a folder").flatten() {
            let seed = fs::read(seed.path()).expect("a seed");
            target(&seed);
            // Cut short, a seed is what a peer that died sent.
            (0..seed.len().min(512)).for_each(|end| target(&seed[..end]));
            run += 1;
        }
        assert!(run >= 3, "{name}: {run} seeds");
    }
}
