//! The rows of the table of both dialects, by their names (server.md 4.1).

use mcp_server::{Server, Tool, types::tool::TaskSupport};
use mcp_transport::{Event, clock::ManualClock};
use serde_json::{Value, json};

use super::fixtures::{
    accept, advance, answer, as_task, begin, begin_legacy, declaring, get, id_of, legacy, now, of,
    pass, policy, server, settle, slow, suite, tools, until,
};
use crate::{
    asker::Asker,
    peer::{Peer, finish},
};

#[tokio::test]
async fn r4_1_server_capability() {
    let (_, server) = suite();
    let modern = Peer::modern(&server).result("server/discover", "{}").await;
    assert_eq!(
        modern["capabilities"]["extensions"],
        json!({"io.modelcontextprotocol/tasks": {}})
    );
    assert_eq!(modern["capabilities"].get("tasks"), None);
    for revision in &mcp_types::Revision::ALL[..5] {
        let params = json!({"protocolVersion": revision.as_str(), "capabilities": {}, "clientInfo": {"name": "p", "version": "1"}});
        let opened = Peer::modern(&server);
        let opened = opened.connection();
        let request = mcp_transport::Request::new(
            "initialize",
            mcp_types::RawParams::parse(params.to_string()).unwrap(),
        );
        let (_, initialized) = finish(mcp_transport::Endpoint::open(opened, request)).await;
        let capabilities = &initialized.unwrap()["capabilities"];
        let expected = (revision.as_str() == "2025-11-25")
            .then(|| json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}));
        assert_eq!(capabilities.get("tasks"), expected.as_ref(), "{revision}");
        assert_eq!(capabilities.get("extensions"), None, "{revision}");
    }
    let without = Peer::modern(&tools(&ManualClock::new()));
    let capabilities = without.result("server/discover", "{}").await["capabilities"].clone();
    assert_eq!(capabilities.get("extensions"), None);
}

#[tokio::test]
async fn r4_1_client_opt_in_is_per_call_then_and_per_request_since() {
    let (clock, server) = suite();
    let peer = legacy(&server).await;
    assert!(
        peer.result("tools/call", &as_task("slow_compute", &slow()))
            .await["task"]
            .is_object()
    );
    let call = async { peer.call("slow_compute", &slow().to_string()).await };
    let (plain, ()) = tokio::join!(call, advance(&clock, 1));
    assert_eq!(plain["content"][0]["text"], "it is computed");
    // A modern client declares it, and a `task` in its parameters says nothing.
    let modern = Peer::modern(&server);
    let call = async {
        modern
            .result("tools/call", &as_task("slow_compute", &slow()))
            .await
    };
    let (plain, ()) = tokio::join!(call, advance(&clock, 1));
    assert_eq!(plain["resultType"], "complete");
}

#[tokio::test]
async fn r4_1_tool_declaration_survives_in_tools_list_where_a_revision_can_carry_it() {
    for server in [suite().1, tools(&ManualClock::new())] {
        for (revision, peer) in Peer::of_each_revision(&server).await {
            let listed = peer.result("tools/list", "{}").await;
            let support = |name: &str| {
                let tools = listed["tools"].as_array().unwrap();
                let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
                tool.get("execution").cloned()
            };
            let carries = revision >= mcp_types::Revision::V2025_11_25;
            for (tool, word) in [
                ("greet", "forbidden"),
                ("slow_compute", "optional"),
                ("failing_job", "required"),
            ] {
                let expected = carries.then(|| json!({"taskSupport": word}));
                assert_eq!(support(tool), expected, "{tool} at {revision}");
            }
            // What was not said is not made up.
            assert_eq!(support("plain"), None);
        }
    }
}

#[tokio::test]
async fn r4_1_creation_result() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let created = peer
        .result("tools/call", &as_task("slow_compute", &slow()))
        .await;
    let id = id_of(&created["task"]);
    let at = "2026-07-28T00:00:00.000Z";
    let expected = json!({"task": {
        "taskId": id, "status": "working", "createdAt": at, "lastUpdatedAt": at, "ttl": 60_000, "pollInterval": 1_000,
    }});
    assert_eq!(created, expected);
    let peer = declaring(&server);
    let mut created = peer.call("slow_compute", &slow().to_string()).await;
    let id = id_of(&created);
    assert_eq!(
        created["_meta"].as_object().unwrap().len(),
        1,
        "the server's name alone"
    );
    created.as_object_mut().unwrap().remove("_meta");
    let expected = json!({
        "resultType": "task", "taskId": id, "status": "working", "createdAt": at, "lastUpdatedAt": at,
        "ttlMs": 300_000, "pollIntervalMs": 1_000,
    });
    assert_eq!(created, expected);
}

#[tokio::test]
async fn r4_1_durable_create() {
    let (_, server) = suite();
    let (old, new) = (legacy(&server).await, declaring(&server));
    // Nothing else runs between the answer and the question.
    let id = begin_legacy(&old, "slow_compute", &slow()).await;
    assert_eq!(get(&old, &id).await["status"], "working");
    let id = begin(&new, "slow_compute", &slow()).await;
    assert_eq!(get(&new, &id).await["status"], "working");
    // From another connection, too: who knows the id may ask.
    assert_eq!(get(&declaring(&server), &id).await["taskId"], id.as_str());
}

#[tokio::test]
async fn r4_1_duration_names_and_clamps() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let call = |ttl: Value| {
        json!({"name": "slow_compute", "arguments": slow(), "task": {"ttl": ttl}}).to_string()
    };
    // BL-323: a time beyond the most there may be is cut, and what is no time is refused.
    for (asked, given) in [
        (json!(1), 1),
        (json!(3_600_000), 3_600_000),
        (json!(86_400_000_000_u64), 3_600_000),
        (json!(null), 3_600_000),
    ] {
        let created = peer.result("tools/call", &call(asked)).await;
        assert_eq!(created["task"]["ttl"], given);
    }
    let params = json!({"name": "slow_compute", "arguments": slow(), "task": {}}).to_string();
    assert_eq!(
        peer.result("tools/call", &params).await["task"]["ttl"],
        300_000
    );
    for bad in [json!(-1), json!("x"), json!(1.5), json!([])] {
        assert_eq!(
            peer.error("tools/call", &call(bad.clone())).await.code.0,
            -32602,
            "{bad}"
        );
    }
    let params = json!({"name": "slow_compute", "arguments": slow(), "task": 5}).to_string();
    assert_eq!(peer.error("tools/call", &params).await.code.0, -32602);
}

#[tokio::test]
async fn r4_1_tasks_get_says_what_came_of_it_in_the_extension_alone() {
    let (clock, server) = suite();
    let (old, new) = (legacy(&server).await, declaring(&server));
    let id = begin_legacy(&old, "slow_compute", &slow()).await;
    advance(&clock, 1).await;
    let seen = until(&old, &id, "completed").await;
    assert_eq!(seen.get("result"), None);
    assert_eq!(seen["statusMessage"], "computing it");
    let seen = get(&new, &id).await;
    assert_eq!(seen["result"]["content"][0]["text"], "it is computed");
}

#[tokio::test]
async fn r4_1_payload_delivery_by_tasks_result_blocks_until_it_is_over() {
    let (clock, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "slow_compute", &slow()).await;
    let mut waits = peer.open("tasks/result", &of(&id));
    assert!(now(&mut waits).await.is_none(), "it works");
    advance(&clock, 1).await;
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
    let text = json!([{"type": "text", "text": "it is computed"}]);
    let expected = json!({"content": text, "_meta": related});
    assert_eq!(finish(waits).await.1.unwrap(), expected);
    // And at once from then on, as often as one likes.
    assert_eq!(peer.result("tasks/result", &of(&id)).await, expected);
}

#[tokio::test]
async fn r4_1_payload_delivery_relays_the_error() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "protocol_error_job", &json!({})).await;
    let error = peer.error("tasks/result", &of(&id)).await;
    assert_eq!((error.code.0, &*error.message), (-32603, "out of order"));
    assert_eq!(get(&peer, &id).await["status"], "failed");
}

#[tokio::test]
async fn r4_1_input_needed_is_asked_on_tasks_result_then() {
    let (_, server) = suite();
    let answers = |asked: &str| match asked {
        "Delete a?" => accept(&json!({"confirm": true})),
        other => panic!("{other}"),
    };
    let asker = Asker::legacy(&server, r#"{"elicitation":{}}"#, answers).await;
    let id = begin_legacy(&asker.peer, "confirm_delete", &json!({"filename": "a"})).await;
    let seen = until(&asker.peer, &id, "input_required").await;
    assert_eq!(seen.get("inputRequests"), None);
    let mut exchange = asker.peer.open("tasks/result", &of(&id));
    let Some(Event::Ask(ask, reply)) = now(&mut exchange).await else {
        panic!("it asks");
    };
    let params: Value = ask.params.decode().unwrap();
    assert_eq!(
        (ask.method.as_str(), &params["message"]),
        ("elicitation/create", &json!("Delete a?"))
    );
    assert_eq!(
        params["_meta"]["io.modelcontextprotocol/related-task"],
        json!({"taskId": id})
    );
    reply.answer(Ok(mcp_types::RawJson::from_serialize(&answers(
        "Delete a?",
    ))
    .unwrap()));
    let result = finish(exchange).await.1.unwrap();
    assert_eq!(result["content"][0]["text"], "a: true");
}

#[tokio::test]
async fn r4_1_input_needed_two_at_once_then() {
    let (_, server) = suite();
    let answers = |asked: &str| accept(&json!({"name": asked.split(' ').next().unwrap()}));
    let asker = Asker::legacy(&server, r#"{"elicitation":{}}"#, answers).await;
    let id = begin_legacy(&asker.peer, "multi_input", &json!({})).await;
    let result = asker
        .request("tasks/result", json!({"taskId": id}))
        .await
        .unwrap();
    assert_eq!(result["content"][0]["text"], "First Last");
    let mut asked = asker.asked();
    asked.sort();
    assert_eq!(asked, ["First name?", "Last name?"]);
}

#[tokio::test]
async fn r4_1_input_needed_waits_in_the_task_since() {
    let (_, server) = suite();
    let peer = declaring(&server);
    let id = begin(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    until(&peer, &id, "input_required").await;
    // What is no answer leaves the question open.
    answer(&peer, &id, &json!({"confirm": 12345})).await;
    let asks = get(&peer, &id).await;
    assert!(asks["inputRequests"]["confirm"].is_object());
    answer(&peer, &id, &json!({"confirm": {"action": "decline"}})).await;
    let done = until(&peer, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "a: false");
    // An answer that comes when it is over is acknowledged, and changes nothing.
    answer(
        &peer,
        &id,
        &json!({"confirm": accept(&json!({"confirm": true}))}),
    )
    .await;
    assert_eq!(get(&peer, &id).await, done);
}

#[tokio::test]
async fn r4_1_tasks_list_is_legacy_and_of_ones_own() {
    let clock = ManualClock::new();
    let server = server(&clock, policy()).page_size(2);
    let (one, other) = (legacy(&server).await, legacy(&server).await);
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(begin_legacy(&one, "slow_compute", &slow()).await);
        advance(&clock, 0).await;
        clock.advance(std::time::Duration::from_millis(1));
    }
    let foreign = begin_legacy(&other, "slow_compute", &slow()).await;
    let mut seen = Vec::new();
    let mut params = json!({});
    loop {
        let page = one.result("tasks/list", &params.to_string()).await;
        let tasks = page["tasks"].as_array().unwrap();
        assert!(tasks.len() <= 2);
        assert!(tasks.iter().all(|task| task.get("result").is_none()));
        seen.extend(tasks.iter().map(id_of));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(seen, made);
    let listed = other.result("tasks/list", "{}").await;
    assert_eq!(
        listed["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(id_of)
            .collect::<Vec<_>>(),
        [foreign]
    );
    let error = one.error("tasks/list", r#"{"cursor":"made up"}"#).await;
    assert_eq!(error.code.0, -32602);
    assert_eq!(
        declaring(&server).error("tasks/list", "{}").await.code.0,
        -32601
    );
}

#[tokio::test]
async fn r4_1_cancel_of_a_live_task() {
    let (clock, server) = suite();
    let (old, new) = (legacy(&server).await, declaring(&server));
    let id = begin_legacy(&old, "slow_compute", &slow()).await;
    settle().await;
    let cancelled = old.result("tasks/cancel", &of(&id)).await;
    assert_eq!(
        (&cancelled["taskId"], &cancelled["status"]),
        (&json!(id), &json!("cancelled"))
    );
    let other = begin(&new, "slow_compute", &slow()).await;
    let ack = new.result("tasks/cancel", &of(&other)).await;
    assert_eq!(
        (&ack["resultType"], ack.get("status")),
        (&json!("complete"), None)
    );
    // What the handlers would have come to is nobody's any more.
    advance(&clock, 1).await;
    for id in [id, other] {
        assert_eq!(get(&old, &id).await["status"], "cancelled");
        assert_eq!(get(&new, &id).await.get("result"), None);
    }
    assert_eq!(clock.next_deadline(), None, "the handlers are dropped");
}

#[tokio::test]
async fn r4_1_cancel_on_terminal_report_34() {
    for acknowledges in [false, true] {
        let clock = ManualClock::new();
        let policy = policy().with_legacy_cancel_acknowledges(acknowledges);
        let server = server(&clock, policy);
        let (old, new) = (legacy(&server).await, declaring(&server));
        let id = begin_legacy(&old, "slow_compute", &slow()).await;
        advance(&clock, 1).await;
        until(&old, &id, "completed").await;
        let (_, legacy) = old.ask("tasks/cancel", &of(&id)).await;
        match legacy {
            Ok(task) => assert_eq!((acknowledges, &task["status"]), (true, &json!("completed"))),
            Err(error) => {
                let said = "Cannot cancel task: already in terminal status 'completed'";
                assert_eq!(
                    (acknowledges, error.code.0, &*error.message),
                    (false, -32602, said)
                );
            }
        }
        assert_eq!(
            new.result("tasks/cancel", &of(&id)).await["resultType"],
            "complete"
        );
        assert_eq!(get(&new, &id).await["status"], "completed");
    }
}

#[tokio::test]
async fn r4_1_result_after_cancel() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "slow_compute", &slow()).await;
    let mut waits = peer.open("tasks/result", &of(&id));
    assert!(now(&mut waits).await.is_none());
    peer.result("tasks/cancel", &of(&id)).await;
    let late = peer.error("tasks/result", &of(&id)).await;
    for error in [finish(waits).await.1.unwrap_err(), late] {
        assert_eq!(
            (error.code.0, &*error.message),
            (-32603, "Task was cancelled")
        );
        assert_eq!(
            error.data.unwrap().decode::<Value>().unwrap(),
            json!({"taskId": id})
        );
    }
}

#[tokio::test]
async fn r4_1_unknown_task_id() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
        let error = peer.error(method, &of("unknown")).await;
        assert_eq!(error.code.0, -32602, "{method}");
        assert!(
            error.message.starts_with("Task not found"),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn r4_1_a_tool_that_returned_is_error() {
    let (clock, server) = suite();
    let (old, new) = (legacy(&server).await, declaring(&server));
    let id = begin_legacy(&old, "failing_job", &json!({})).await;
    advance(&clock, 1).await;
    until(&old, &id, "failed").await;
    let result = old.result("tasks/result", &of(&id)).await;
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["service"]),
        (&json!(true), &json!("failing_job"))
    );
    let seen = get(&new, &id).await;
    assert_eq!(
        (&seen["status"], &seen["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
}

#[tokio::test]
async fn r4_1_status_notifications_reach_the_session_that_asked() {
    let (_, server) = suite();
    let mut answers: Vec<Value> = Vec::new();
    let peer = legacy(&server).await;
    let mut unasked = peer.open("subscriptions/listen", "{}");
    let id = begin_legacy(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    until(&peer, &id, "input_required").await;
    // A modern client of the same task answers.
    answer(
        &declaring(&server),
        &id,
        &json!({"confirm": {"action": "decline"}}),
    )
    .await;
    until(&peer, &id, "completed").await;
    while let Some(Event::Notification(told)) = now(&mut unasked).await {
        assert_eq!(told.method.as_str(), "notifications/tasks/status");
        answers.push(told.params.decode().unwrap());
    }
    let statuses: Vec<_> = answers
        .iter()
        .map(|task| task["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["input_required", "working", "completed"]);
    assert!(
        answers
            .iter()
            .all(|task| task["taskId"] == id.as_str() && task.get("result").is_none())
    );
}

#[tokio::test]
async fn r4_1_progress_goes_on_then_and_ends_with_the_answer_since() {
    let clock = ManualClock::new();
    let of_tool = clock.clone();
    let work = move |cx: mcp_server::Context| {
        let clock = of_tool.clone();
        async move {
            cx.progress(1, 2, "half").await;
            pass(&clock, 1).await;
            cx.progress(2, 2, "all").await;
            "done"
        }
    };
    let server = Server::new("s", "1")
        .clock(std::sync::Arc::new(clock.clone()))
        .tasks(policy())
        .tool(Tool::new("work", work).tasks(TaskSupport::Optional));
    let peer = legacy(&server).await.with_progress("p");
    let mut unasked = peer.open("subscriptions/listen", "{}");
    let id = begin_legacy(&peer, "work", &json!({})).await;
    advance(&clock, 1).await;
    until(&peer, &id, "completed").await;
    let mut progress = Vec::new();
    while let Some(Event::Notification(told)) = now(&mut unasked).await {
        if told.method.as_str() == "notifications/progress" {
            let told: Value = told.params.decode().unwrap();
            let related = &told["_meta"]["io.modelcontextprotocol/related-task"]["taskId"];
            assert_eq!((&told["progressToken"], related), (&json!("p"), &json!(id)));
            progress.push(told["progress"].clone());
        }
    }
    assert_eq!(progress, [json!(1), json!(2)]);
    // Of an extension's task nothing is said on the way, and a handler that says it is not held up.
    let peer = declaring(&server).with_progress("p");
    let (told, created) = peer.ask("tools/call", r#"{"name":"work"}"#).await;
    assert_eq!(told, Vec::<Value>::new());
    advance(&clock, 1).await;
    until(&peer, &id_of(&created.unwrap()), "completed").await;
}

#[tokio::test]
async fn r4_1_task_ids_are_random_and_bound_to_their_principal() {
    let (_, server) = suite();
    let alice = declaring(&server).with_principal("alice");
    let id = begin(&alice, "slow_compute", &slow()).await;
    let other = begin(&alice, "slow_compute", &slow()).await;
    assert_ne!(id, other);
    assert!(id.len() >= 22, "128 bits: {id}");
    for stranger in [declaring(&server).with_principal("bob"), declaring(&server)] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": id, "inputResponses": {}}).to_string();
            assert_eq!(
                stranger.error(method, &params).await.code.0,
                -32602,
                "{method}"
            );
        }
    }
    let again = declaring(&server).with_principal("alice");
    assert_eq!(get(&again, &id).await["status"], "working");
    // Who has a name finds nothing of those who have none.
    let nobodys = begin(&declaring(&server), "slow_compute", &slow()).await;
    assert_eq!(alice.error("tasks/get", &of(&nobodys)).await.code.0, -32602);
}

#[tokio::test]
async fn r4_1_the_state_of_rounds_does_not_reach_the_task() {
    // The rounds come first, on legacy as live questions.
    let (clock, server) = suite();
    let asker = Asker::legacy(&server, r#"{"elicitation":{}}"#, |_| {
        accept(&json!({"name": "Alice"}))
    })
    .await;
    let params = json!({"name": "test_tool_with_task", "task": {}});
    let created = asker.request("tools/call", params).await.unwrap();
    assert_eq!(asker.asked(), ["What is your name?"]);
    let id = id_of(&created["task"]);
    let waits = asker.peer.open("tasks/result", &of(&id));
    advance(&clock, 1).await;
    let result = finish(waits).await.1.unwrap();
    assert_eq!(result["content"][0]["text"], "Hello, Alice!");
    assert!(asker.asked().is_empty());
}

#[tokio::test]
async fn report_32_tasks_update_is_unknown_to_2025_11_25() {
    let (_, server) = suite();
    let peer = legacy(&server).await;
    let id = begin_legacy(&peer, "confirm_delete", &json!({"filename": "a"})).await;
    let params = json!({"taskId": id, "inputResponses": {}}).to_string();
    assert_eq!(peer.error("tasks/update", &params).await.code.0, -32601);
}

#[tokio::test]
async fn r4_1_notifications_come_by_subscriptions_listen_to_who_may_see_the_task() {
    let (clock, server) = suite();
    let alice = declaring(&server).with_principal("alice");
    let id = begin(&alice, "slow_compute", &slow()).await;
    let listen = json!({"notifications": {"taskIds": [id, id, "unknown"]}}).to_string();
    let listening = |peer: &Peer| peer.open("subscriptions/listen", &listen);
    let strangers = [
        declaring(&server).with_principal("bob"),
        declaring(&server),
        // It has not declared the extension.
        Peer::modern(&server).with_principal("alice"),
    ];
    for stranger in strangers {
        let (told, ended) = finish(listening(&stranger)).await;
        let acknowledged = json!([{"notifications": {}}]);
        assert_eq!(told[0]["notifications"], acknowledged[0]["notifications"]);
        assert_eq!(
            (told.len(), &ended.unwrap()["resultType"]),
            (1, &json!("complete"))
        );
    }
    let mut hears = listening(&alice);
    let Some(Event::Notification(first)) = now(&mut hears).await else {
        panic!("it is acknowledged");
    };
    let first: Value = first.params.decode().unwrap();
    assert_eq!(first["notifications"], json!({"taskIds": [id]}));
    let other = begin(&alice, "slow_compute", &slow()).await;
    advance(&clock, 1).await;
    until(&alice, &other, "completed").await;
    let Some(Event::Notification(news)) = now(&mut hears).await else {
        panic!("it has ended");
    };
    let news_of: Value = news.params.decode().unwrap();
    assert_eq!(news.method.as_str(), "notifications/tasks");
    assert_eq!(
        (&news_of["taskId"], &news_of["status"]),
        (&json!(id), &json!("completed"))
    );
    assert_eq!(news_of["result"]["content"][0]["text"], "it is computed");
    assert!(
        news_of["_meta"]["io.modelcontextprotocol/subscriptionId"]
            == first["_meta"]["io.modelcontextprotocol/subscriptionId"]
    );
    assert!(
        now(&mut hears).await.is_none(),
        "of the other task nothing is told"
    );
}
