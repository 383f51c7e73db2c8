//! Each fuzz target over its seeds.

#[path = "../../../mcp-types/fuzz/src/seeds.rs"]
mod runner;
#[path = "../../fuzz/src/targets/table.rs"]
mod targets;

#[test]
fn every_target_holds_over_its_seeds() {
    runner::run(env!("CARGO_MANIFEST_DIR"), targets::TARGETS);
}
