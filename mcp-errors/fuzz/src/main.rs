//! libFuzzer around the target that the variable `FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

#[path = "targets/table.rs"]
mod targets;

static CHOSEN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let found = targets::TARGETS.iter().find(|(known, _)| *known == name);
    found.expect("a target of this crate").1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| CHOSEN(data));
