//! Reports about tasks: who has their methods, what an end is, and what a tool says of itself.

use mcp_server::{Args, Server, Tool, task::TasksPolicy, types::tool::TaskSupport};
use serde_json::{Value, json};

use super::{LEGACY, Text, code, modern, request};
use crate::hosts::{CC, Host, Http};

const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

fn tools() -> Server {
    async fn echo(Args(Text { text }): Args<Text>) -> String {
        text
    }
    let endless = || async {
        std::future::pending::<()>().await;
        "never"
    };
    Server::new("s", "1")
        .tool(Tool::new("plain", echo))
        .tool(Tool::new("forbidden", echo).tasks(TaskSupport::Forbidden))
        .tool(Tool::new("optional", echo).tasks(TaskSupport::Optional))
        .tool(Tool::new("required", echo).tasks(TaskSupport::Required))
        .tool(Tool::new("endless", endless).tasks(TaskSupport::Optional))
}

fn call(tool: &str) -> Value {
    json!({"name": tool, "arguments": {"text": "hi"}})
}

fn as_task(tool: &str) -> Value {
    let mut params = call(tool);
    params["task"] = json!({"ttl": 60_000});
    params
}

/// A modern request of a client that knows the extension.
fn declaring(id: u64, method: &str, params: Value) -> Value {
    let mut message = modern(id, method, params);
    message["params"]["_meta"][CC] = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    message
}

type Ask = fn(u64, &str, Value) -> Value;

/// The task, once it has this status.
async fn until(host: &mut Host, ask: Ask, id: &str, status: &str) {
    let mut seen = Value::Null;
    for _ in 0..1_000 {
        let asked = ask(50, "tasks/get", json!({"taskId": id}));
        seen = host.ask(&asked).await["result"]["status"].clone();
        if seen == status {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{}: {id} never was {status}: {seen}", host.name());
}

fn id_of(task: &Value) -> String {
    let id = task["taskId"].as_str();
    id.unwrap_or_else(|| panic!("no task: {task}")).to_owned()
}

/// A server has the methods for those who know the extension, and what is no word of theirs is passed over.
#[tokio::test]
async fn report_33_the_methods_are_of_those_who_declare_and_a_task_of_2025_is_a_word_like_any() {
    let of_none = json!({"taskId": "t", "inputResponses": {}});
    for mut host in Host::each(tools().tasks(TasksPolicy::default())).await {
        for (at, method) in (0..).zip(METHODS) {
            let refused = host.ask(&modern(at, method, of_none.clone())).await;
            assert_eq!(code(&refused), -32021, "{} {method}", host.name());
            let required = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
            assert_eq!(required["io.modelcontextprotocol/tasks"], json!({}));
            let unknown = host.ask(&declaring(at, method, of_none.clone())).await;
            assert_eq!(code(&unknown), -32602, "{} {method}", host.name());
        }
        for (at, ask) in (10..).zip([modern as Ask, declaring]) {
            for tool in ["plain", "forbidden"] {
                let answer = host.ask(&ask(at, "tools/call", as_task(tool))).await;
                let result = &answer["result"];
                let seen = (&result["resultType"], &result["content"][0]["text"]);
                assert_eq!(seen, (&json!("complete"), &json!("hi")), "{answer}");
            }
        }
        let answer = host
            .ask(&modern(20, "tools/call", as_task("optional")))
            .await;
        assert_eq!(answer["result"]["content"][0]["text"], "hi", "{answer}");
        let created = host
            .ask(&declaring(21, "tools/call", call("optional")))
            .await;
        assert_eq!(created["result"]["resultType"], "task", "{}", host.name());
        until(
            &mut host,
            declaring,
            &id_of(&created["result"]),
            "completed",
        )
        .await;
    }
}

#[tokio::test]
async fn report_33_where_there_are_no_tasks_there_are_no_methods_of_theirs() {
    let of_none = json!({"taskId": "t", "inputResponses": {}});
    for mut host in Host::each(tools()).await {
        for (at, method) in (0..).zip(METHODS) {
            let unknown = host.ask(&declaring(at, method, of_none.clone())).await;
            assert_eq!(code(&unknown), -32601, "{} {method}", host.name());
        }
    }
    for version in LEGACY {
        for mut host in Host::each(tools()).await {
            host.open(version).await;
            let answer = host
                .ask(&request(1, "tools/call", as_task("required")))
                .await;
            // The oldest has another shape for what a tool gives.
            let result = &answer["result"];
            assert!(result.to_string().contains("\"hi\""), "{version} {answer}");
            assert_eq!(result.get("task"), None, "{} {version}", host.name());
        }
    }
}

#[tokio::test]
async fn report_33_over_http_a_header_names_the_task() {
    let http = Http::new(tools().tasks(TasksPolicy::default()).http()).await;
    for method in METHODS {
        let asked = declaring(1, method, json!({"taskId": "t", "inputResponses": {}}));
        let common = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        for (name, status, expected) in [
            (None, 400, -32020),
            (Some("u"), 400, -32020),
            (Some("t"), 200, -32602),
        ] {
            let mut headers = common.to_vec();
            headers.extend(name.map(|name| ("Mcp-Name", name)));
            let answer = http.post(&headers, &asked).await;
            let seen = (answer.status, code(&answer.json()));
            assert_eq!(seen, (status, expected), "{method} {name:?}");
        }
    }
}

/// Cancels a task that is over, and looks at it again: what it is stays, whatever the cancellation is answered with.
async fn stays(host: &mut Host, ask: Ask, id: &str, (status, refusal): (&str, i64)) {
    let of_task = json!({"taskId": id});
    for at in 60..63 {
        let answer = host.ask(&ask(at, "tasks/cancel", of_task.clone())).await;
        assert_eq!(code(&answer), refusal, "{}: {answer}", host.name());
        let seen = host.ask(&ask(at, "tasks/get", of_task.clone())).await;
        assert_eq!(seen["result"]["status"], status, "{}: {seen}", host.name());
    }
}

#[tokio::test]
async fn report_34_a_task_that_is_over_is_what_it_is_in_all_profiles() {
    let policy = TasksPolicy::default;
    for mut host in Host::each(tools().tasks(policy())).await {
        let made = host
            .ask(&declaring(1, "tools/call", call("optional")))
            .await;
        let id = id_of(&made["result"]);
        until(&mut host, declaring, &id, "completed").await;
        stays(&mut host, declaring, &id, ("completed", 0)).await;
        let made = host.ask(&declaring(2, "tools/call", call("endless"))).await;
        let id = id_of(&made["result"]);
        let cancel = declaring(3, "tasks/cancel", json!({"taskId": id}));
        assert_eq!(code(&host.ask(&cancel).await), 0);
        stays(&mut host, declaring, &id, ("cancelled", 0)).await;
    }
    for mut host in Host::each(tools().tasks(policy().with_inline_handles(true))).await {
        let done = host.ask(&modern(1, "tools/call", call("optional"))).await;
        assert_eq!(done["result"]["content"][0]["text"], "hi", "{done}");
        let id = id_of(&done["result"]["_meta"]["taskHandle"]);
        stays(&mut host, modern, &id, ("completed", 0)).await;
    }
    for (acknowledges, refusal) in [(false, -32602), (true, 0)] {
        let policy = policy().with_legacy_cancel_acknowledges(acknowledges);
        for mut host in Host::each(tools().tasks(policy)).await {
            host.open("2025-11-25").await;
            let made = host
                .ask(&request(1, "tools/call", as_task("optional")))
                .await;
            let id = id_of(&made["result"]["task"]);
            until(&mut host, request, &id, "completed").await;
            stays(&mut host, request, &id, ("completed", refusal)).await;
            let result = json!({"taskId": id});
            let result = host.ask(&request(2, "tasks/result", result)).await;
            assert_eq!(result["result"]["content"][0]["text"], "hi", "{result}");
        }
    }
}

#[tokio::test]
async fn report_34_the_result_of_a_cancelled_task_is_an_error_that_says_so() {
    for mut host in Host::each(tools().tasks(TasksPolicy::default())).await {
        host.open("2025-11-25").await;
        let made = host
            .ask(&request(1, "tools/call", as_task("endless")))
            .await;
        let id = id_of(&made["result"]["task"]);
        let of_task = json!({"taskId": id});
        let cancelled = host.ask(&request(2, "tasks/cancel", of_task.clone())).await;
        assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
        for at in 3..5 {
            let late = host
                .ask(&request(at, "tasks/result", of_task.clone()))
                .await;
            let error = json!({"code": -32603, "message": "Task was cancelled", "data": of_task});
            assert_eq!(late["error"], error, "{}", host.name());
        }
        stays(&mut host, request, &id, ("cancelled", -32602)).await;
    }
}

/// What each tool of a list says of tasks.
fn supports(listed: &Value) -> Vec<(String, Option<String>)> {
    let tools = listed["result"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("no list: {listed}"));
    let said = |tool: &Value| {
        let word = tool.get("execution").map(|it| it["taskSupport"].clone());
        let word = word.map(|word| word.as_str().unwrap().to_owned());
        (tool["name"].as_str().unwrap().to_owned(), word)
    };
    tools.iter().map(said).collect()
}

#[tokio::test]
async fn report_35_each_tool_says_whether_it_runs_as_a_task() {
    let said = |carries: bool| -> Vec<(String, Option<String>)> {
        let words = [
            ("plain", None),
            ("forbidden", Some("forbidden")),
            ("optional", Some("optional")),
            ("required", Some("required")),
            ("endless", Some("optional")),
        ];
        let own = |word: Option<&str>| word.filter(|_| carries).map(ToOwned::to_owned);
        words
            .map(|(tool, word)| (tool.to_owned(), own(word)))
            .to_vec()
    };
    let make = || tools().tasks(TasksPolicy::default());
    for version in LEGACY {
        for mut host in Host::each(make()).await {
            host.open(version).await;
            let listed = host.ask(&request(1, "tools/list", json!({}))).await;
            let expected = said(version == "2025-11-25");
            assert_eq!(supports(&listed), expected, "{} {version}", host.name());
        }
    }
    for ask in [modern as Ask, declaring] {
        for mut host in Host::each(make()).await {
            let listed = host.ask(&ask(1, "tools/list", json!({}))).await;
            assert_eq!(supports(&listed), said(true), "{}", host.name());
        }
    }
}

#[tokio::test]
async fn report_35_a_call_that_must_be_a_task_is_no_method_unless_the_policy_says_otherwise() {
    for (policy, expected) in [
        (TasksPolicy::default(), -32601),
        (
            TasksPolicy::default().with_task_required_is_invalid_request(true),
            -32600,
        ),
    ] {
        for mut host in Host::each(tools().tasks(policy.clone())).await {
            host.open("2025-11-25").await;
            let refused = host.ask(&request(1, "tools/call", call("required"))).await;
            assert_eq!(code(&refused), expected, "{}: {refused}", host.name());
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.to_lowercase().contains("task"), "{message}");
            for tool in ["plain", "forbidden", "optional"] {
                let answer = host.ask(&request(2, "tools/call", call(tool))).await;
                assert_eq!(answer["result"]["content"][0]["text"], "hi", "{tool}");
            }
            let made = host
                .ask(&request(3, "tools/call", as_task("required")))
                .await;
            until(
                &mut host,
                request,
                &id_of(&made["result"]["task"]),
                "completed",
            )
            .await;
        }
        for mut host in Host::each(tools().tasks(policy)).await {
            let refused = host.ask(&modern(1, "tools/call", call("required"))).await;
            assert_eq!(code(&refused), -32021, "{}: {refused}", host.name());
        }
    }
}
