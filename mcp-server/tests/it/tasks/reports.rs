//! The public reports about tasks that are tables, played from their data: BL-323 and BL-326. Where the cases are absent,
//! nothing is tested, and that is said.

use std::{fs, path::Path, sync::Arc, time::Duration};

use mcp_server::{
    Server, Tool,
    task::{TaskCaps, TasksPolicy},
    types::{ErrorObject, tool::TaskSupport},
};
use mcp_transport::clock::ManualClock;
use serde_json::{Value, json};

use super::fixtures::{declaring, legacy, policy};
use crate::peer::Peer;

/// The input of the report of that number; `None`, and a word about it, where the data is not there.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn report(id: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/reports.jsonl");
    let Ok(rows) = fs::read_to_string(&path) else {
        eprintln!("skipped {id}: there is no {}", path.display());
        return None;
    };
    let mut rows = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let row = rows.find(|row| row["id"] == id);
    let mut row = row.unwrap_or_else(|| panic!("{id} is not among the reports"));
    assert_eq!(row["input"]["op"], "tasks", "{id} is another table");
    Some(row["input"].take())
}

/// A tool that never ends and must be a task, and one that cannot be one.
fn server(policy: TasksPolicy) -> Server {
    let long = || async {
        std::future::pending::<()>().await;
        "never"
    };
    Server::new("s", "1")
        .clock(Arc::new(ManualClock::new()))
        .tasks(policy)
        .tool(Tool::new("long_tool", long).tasks(TaskSupport::Required))
        .tool(Tool::new("echo", || async { "hi" }))
}

fn data(error: &ErrorObject) -> Value {
    let data = error.data.as_ref();
    data.map_or(Value::Null, |data| data.decode().unwrap())
}

/// Makes as many tasks as `asked`; how many were refused, each because there is no room.
async fn refused(peer: &Peer, params: &Value, asked: u64) -> u64 {
    let mut refused = 0;
    for _ in 0..asked {
        let code = match peer.ask("tools/call", &params.to_string()).await.1 {
            // The extension has a place for it in the result of the tool.
            Ok(result) if result["isError"] == true => result["structuredContent"]["code"].clone(),
            Ok(_) => continue,
            Err(error) => data(&error)["code"].clone(),
        };
        assert_eq!(code, "at_capacity");
        refused += 1;
    }
    refused
}

/// One step on tasks of 2025-11-25, in which a client asks for a lifetime.
async fn create(peer: &Peer, step: &Value) {
    let params = json!({"name": "long_tool", "arguments": {}, "task": {"ttl": step["ttl_ms"]}});
    match peer.ask("tools/call", &params.to_string()).await.1 {
        Ok(created) => {
            let ttl = created["task"]["ttl"].as_u64();
            let ttl = ttl.unwrap_or_else(|| panic!("{step}: {created} lives for ever"));
            let most = step["ttl_at_most"].as_u64();
            assert!(
                most.is_some_and(|most| 0 < ttl && ttl <= most),
                "{step}: {created}"
            );
        }
        Err(error) => assert_eq!(json!(error.code.0), step["error"], "{step}: {error:?}"),
    }
}

#[tokio::test]
async fn bl_323_c10_lifetimes_and_numbers_of_tasks_are_bounded() {
    let Some(input) = report("BL-323") else {
        return;
    };
    let count = |name: &str| input[name].as_u64().unwrap();
    let most = count("max_tasks_per_principal");
    let caps = TaskCaps::new(usize::try_from(most).unwrap(), TaskCaps::default().total);
    let policy = policy()
        .with_max_ttl(Duration::from_millis(count("max_ttl_ms")))
        .with_caps(caps);
    // The bounds of the report are those that a server has by itself.
    assert_eq!(
        (policy.max_ttl, policy.caps),
        (TasksPolicy::default().max_ttl, TaskCaps::default())
    );
    let server = server(policy);
    let peer = legacy(&server).await.with_principal("alice");
    let (mut played, mut made) = (0, 0);
    for step in input["steps"].as_array().unwrap() {
        if let Some(asked) = step["create_many"].as_u64() {
            let at_least = step["refused_at_least"].as_u64().unwrap();
            let plain = json!({"name": "long_tool", "arguments": {}, "task": {}});
            let first = refused(&peer, &plain, asked).await;
            assert!(first >= at_least, "{first} of {asked}");
            assert_eq!(
                asked - first,
                most - made,
                "all that there is room for is there"
            );
            // Another era is another way to the same room, and somebody else has room of their own.
            let plain = json!({"name": "long_tool", "arguments": {}});
            let new = declaring(&server).with_principal("alice");
            assert_eq!(refused(&new, &plain, asked).await, asked);
            let other = declaring(&server).with_principal("bob");
            assert_eq!(refused(&other, &plain, asked).await, asked - most);
        } else {
            assert!(step["create"].is_string(), "no word for {step}");
            create(&peer, step).await;
            made += u64::from(step.get("error").is_none());
        }
        played += 1;
    }
    assert!(played >= 5, "only {played} steps");
}

#[tokio::test]
async fn bl_326_a_task_is_for_those_who_declare_the_extension() {
    let Some(input) = report("BL-326") else {
        return;
    };
    let server = server(policy());
    let steps = input["steps"].as_array().unwrap();
    assert!(steps.len() >= 3, "{steps:?}");
    for step in steps {
        assert_eq!(step["era"], "modern", "no word for {step}");
        let peer = Peer::modern_with(&server, &step["capabilities"].to_string());
        let params = json!({"name": step["call"], "arguments": {}}).to_string();
        match peer.ask("tools/call", &params).await.1 {
            Ok(result) => {
                assert_eq!(result["resultType"], step["result_type"], "{step}");
                let is_task = result.get("taskId").is_some();
                assert_eq!(is_task, step["result_type"] == "task", "{step}: {result}");
            }
            Err(error) => {
                assert_eq!(json!(error.code.0), step["error"], "{step}");
                let required = &data(&error)["requiredCapabilities"];
                let named = step["data_has"].as_str().unwrap();
                assert_eq!(
                    required["extensions"][named],
                    json!({}),
                    "{step}: {error:?}"
                );
            }
        }
    }
}
