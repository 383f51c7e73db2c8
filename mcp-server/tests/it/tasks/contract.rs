//! The store in memory keeps to the contract of stores.

use std::sync::Arc;

use mcp_server::task::{MemoryTasks, contract};

#[tokio::test]
async fn memory_keeps_the_contract() {
    contract::check(async |caps| Arc::new(MemoryTasks::new(caps)) as _).await;
}
