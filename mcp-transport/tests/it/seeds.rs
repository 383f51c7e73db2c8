//! Each fuzz target over its seeds: what fuzzing once found stays found.

use std::{collections::BTreeSet, fs, path::Path};

#[path = "../../fuzz/src/targets/table.rs"]
mod targets;

#[test]
fn every_target_holds_over_its_seeds() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let folders: BTreeSet<String> = fs::read_dir(&seeds)
        .unwrap()
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    let known = targets::TARGETS.iter().map(|(name, _)| (*name).to_owned());
    assert_eq!(
        folders,
        known.collect(),
        "a folder of seeds for each target"
    );
    for (name, target) in targets::TARGETS {
        target(b"");
        let mut run = 0;
        for seed in fs::read_dir(seeds.join(name)).unwrap() {
            let seed = fs::read(seed.unwrap().path()).unwrap();
            target(&seed);
            // Cut short, a seed is what a peer that died sent.
            (0..seed.len().min(512)).for_each(|end| target(&seed[..end]));
            run += 1;
        }
        assert!(run >= 3, "{name}: {run} seeds");
    }
}
