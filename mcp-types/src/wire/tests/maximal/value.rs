//! Values with all that any revision knows of them.

use serde_json::{Value, json};

use super::super::golden::called;

pub(in crate::wire::tests) fn icons() -> Value {
    json!([{"src": "https://e.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}])
}

pub(in crate::wire::tests) fn annotations() -> Value {
    json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"})
}

pub(in crate::wire::tests) fn resource() -> Value {
    json!({
        "uri": "file:///a", "name": "a", "title": "A", "description": "d", "mimeType": "text/plain", "size": 3,
        "annotations": annotations(), "icons": icons(), "_meta": {"k": 1},
    })
}

pub(in crate::wire::tests) fn template() -> Value {
    let mut template = resource();
    let members = template.as_object_mut().unwrap();
    members.remove("uri");
    members.remove("size");
    members.insert("uriTemplate".into(), "file:///{path}".into());
    template
}

pub(in crate::wire::tests) fn prompt() -> Value {
    json!({
        "name": "review", "title": "Review", "description": "d",
        "arguments": [{"name": "code", "title": "Code", "description": "d", "required": true}],
        "icons": icons(), "_meta": {"k": 1},
    })
}

pub(in crate::wire::tests) fn list(name: &str, item: &Value) -> Value {
    let mut list = json!({
        "resultType": "complete", "nextCursor": "2", "ttlMs": 60000, "cacheScope": "public", "_meta": {"k": 1},
    });
    list[name] = json!([item]);
    list
}

pub(in crate::wire::tests) fn contents() -> Value {
    let mut read = list(
        "contents",
        &json!({"uri": "file:///a", "mimeType": "text/plain", "text": "b",
        "_meta": {"k": 1}}),
    );
    let blob =
        json!({"uri": "file:///b", "mimeType": "image/png", "blob": "AA==", "_meta": {"k": 1}});
    read["contents"].as_array_mut().unwrap().push(blob);
    read.as_object_mut().unwrap().remove("nextCursor");
    read
}

pub(in crate::wire::tests) fn got_prompt() -> Value {
    let messages = called()["content"].clone();
    let messages = messages.as_array().unwrap().iter();
    let messages: Vec<Value> = messages
        .map(|block| json!({"role": "user", "content": block}))
        .collect();
    json!({"resultType": "complete", "description": "d", "messages": messages, "_meta": {"k": 1}})
}

pub(in crate::wire::tests) fn sampling() -> Value {
    json!({
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "a", "annotations": annotations(), "_meta": {"k": 1}},
                "_meta": {"k": 1}},
            {"role": "user", "content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
            {"role": "user", "content": {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}},
        ],
        "modelPreferences": {"hints": [{"name": "m"}], "costPriority": 0.1, "speedPriority": 0.2,
            "intelligencePriority": 0.3},
        "systemPrompt": "s", "includeContext": "thisServer", "temperature": 0.5, "maxTokens": 100,
        "stopSequences": ["x"], "metadata": {"p": 1},
    })
}

pub(in crate::wire::tests) fn sampling_with_tools() -> Value {
    let mut params = sampling();
    params["tools"] = json!([super::super::golden::tool()]);
    params["toolChoice"] = json!({"mode": "auto"});
    params["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": [
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "u", "name": "t", "input": {"x": 1}, "_meta": {"k": 1}},
        ]}),
        json!({"role": "user", "content": {"type": "tool_result", "toolUseId": "u",
            "content": [{"type": "text", "text": "b"}], "structuredContent": {"y": 2}, "isError": false,
            "_meta": {"k": 1}}}),
    ]);
    params
}

pub(in crate::wire::tests) fn form(names: &[&str]) -> Value {
    let shapes = crate::elicitation::tests::shapes();
    let fields = shapes.into_iter().filter(|(name, _)| names.contains(name));
    let fields: serde_json::Map<_, _> = fields.map(|(name, it)| (name.to_owned(), it)).collect();
    json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": fields,
        "required": [names[0]]}})
}

pub(in crate::wire::tests) fn task() -> Value {
    json!({
        "taskId": "t", "status": "working", "statusMessage": "m", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:01Z", "ttlMs": 60000, "pollIntervalMs": 500,
    })
}

pub(in crate::wire::tests) fn with(mut value: Value, members: &Value) -> Value {
    for (name, member) in members.as_object().unwrap() {
        value[name] = member.clone();
    }
    value
}

pub(in crate::wire::tests) fn retry() -> Value {
    json!({"inputResponses": {"k": {"action": "accept", "content": {"a": 1}}}, "requestState": "s"})
}

pub(in crate::wire::tests) fn filter() -> Value {
    json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["file:///a"]}})
}
