//! One member more or less never costs the rest.

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::maximal::{Kind, Maximal, all};
use crate::{method::Method, outcome::Outcome, raw::RawJson};

/// Reads and writes a message in the newest words, without a stamp.
fn again(maximal: &Maximal, value: &Value) -> Result<Value, String> {
    use crate::outcome::Payload;
    if maximal.kind != Kind::Result || maximal.is_answer() {
        return (maximal.again)(value);
    }
    let raw = RawJson::from_serialize(value).unwrap();
    let outcome = Outcome::decode(&Method::from(maximal.method), &raw);
    let written = match outcome.map_err(|error| error.to_string())? {
        Outcome::Complete(payload) => match payload {
            Payload::CallTool(it) => RawJson::from_serialize(&it),
            Payload::ListTools(it) => RawJson::from_serialize(&it),
            Payload::Discover(it) => RawJson::from_serialize(&it),
            Payload::Initialize(it) => RawJson::from_serialize(&it),
            Payload::ReadResource(it) => RawJson::from_serialize(&it),
            Payload::ListResources(it) => RawJson::from_serialize(&it),
            Payload::ListResourceTemplates(it) => RawJson::from_serialize(&it),
            Payload::GetPrompt(it) => RawJson::from_serialize(&it),
            Payload::ListPrompts(it) => RawJson::from_serialize(&it),
            Payload::Complete(it) => RawJson::from_serialize(&it),
            Payload::Listen(it) => RawJson::from_serialize(&it),
            Payload::GetTask(it) => RawJson::from_serialize(&it),
            Payload::ListTasks(it) => RawJson::from_serialize(&it),
            Payload::CancelTask(it) => RawJson::from_serialize(&it),
            Payload::Empty(it) => RawJson::from_serialize(&it),
            Payload::Raw(it) => RawJson::from_serialize(&it),
        },
        Outcome::InputRequired(it) => RawJson::from_serialize(&it),
        Outcome::Task(it) => RawJson::from_serialize(&it),
        Outcome::Other { body, .. } => RawJson::from_serialize(&body),
    };
    Ok(written.unwrap().decode().unwrap())
}

/// The pointers of every object in `value`.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(at.to_owned());
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                objects(member, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Whether all of `part` is in `whole`, which may hold what a reader fills in.
fn within(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|it| within(value, it))),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(a, b)| within(a, b))
        }
        _ => part == whole,
    }
}

/// All but what a newest peer is not told at all.
fn messages() -> Vec<Maximal> {
    let mut all = all();
    all.retain(|maximal| {
        let members = maximal.value.as_object().map(serde_json::Map::len);
        maximal.definition != "CancelTaskResult" && members != Some(0)
    });
    all
}

/// Words of some other revision are read and not written again in the newest one.
fn newest(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.remove("task");
        if members.contains_key("mode") {
            members.remove("elicitationId");
        }
    }
    for pointer in ["/capabilities", "/serverInfo"] {
        if let Some(Value::Object(members)) = value.pointer_mut(pointer) {
            members.remove("tasks");
        }
    }
    value
}

#[test]
fn every_maximal_message_is_written_as_it_was_read() {
    for maximal in messages() {
        let value = newest(&maximal.value);
        assert_eq!(again(&maximal, &value), Ok(value), "{}", maximal.definition);
    }
}

/// Members whose absence makes a message another, or none.
const TELLING: [&str; 41] = [
    "name",
    "uri",
    "uriTemplate",
    "inputSchema",
    "type",
    "text",
    "data",
    "mimeType",
    "blob",
    "resource",
    "role",
    "content",
    "method",
    "params",
    "message",
    "requestedSchema",
    "url",
    "action",
    "model",
    "messages",
    "maxTokens",
    "id",
    "input",
    "toolUseId",
    "taskId",
    "status",
    "level",
    "progressToken",
    "progress",
    "notifications",
    "ref",
    "argument",
    "value",
    "protocolVersion",
    "clientInfo",
    "serverInfo",
    "capabilities",
    "src",
    "elicitationId",
    "roots",
    "mode",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn one_more_member_is_kept(
        message: Index, place: Index, name in "zz[a-zA-Z/ é]{0,6}", number in any::<i32>(), odd: bool,
    ) {
        let messages = messages();
        let maximal = message.get(&messages);
        let mut value = newest(&maximal.value);
        let mut places = Vec::new();
        objects(&value, "", &mut places);
        // What an entry here is, only the method in it can say.
        places.retain(|place| !place.ends_with("inputRequests"));
        let place = place.get(&places);
        let added = if odd { json!({"k": [number, null, {"n": 1.5}]}) } else { json!(number) };
        value.pointer_mut(place).unwrap()[&name] = added;
        prop_assert_eq!(again(maximal, &value), Ok(value), "{} at {}", maximal.definition, place);
    }

    #[test]
    fn one_member_less_costs_no_other(message: Index, place: Index, member: Index) {
        let messages = messages();
        let maximal = message.get(&messages);
        let mut value = newest(&maximal.value);
        let mut places = Vec::new();
        objects(&value, "", &mut places);
        places.retain(|place| !value.pointer(place).unwrap().as_object().unwrap().is_empty());
        prop_assume!(!places.is_empty());
        let place = place.get(&places);
        let members = value.pointer_mut(place).unwrap().as_object_mut().unwrap();
        let names: Vec<String> = members.keys().cloned().collect();
        let name = member.get(&names);
        members.remove(name);
        match again(maximal, &value) {
            Ok(written) => prop_assert!(within(&value, &written), "{value:#}\n{written:#}"),
            Err(error) => prop_assert!(TELLING.contains(&&**name), "{name}: {error}"),
        }
    }

    /// A bad value of a member that nothing hangs on costs that member alone.
    #[test]
    fn one_bad_hint_costs_no_other(message: Index, member: Index, odd: bool) {
        let messages = messages();
        let maximal = message.get(&messages);
        let mut value = newest(&maximal.value);
        let members = value.as_object_mut().unwrap();
        let names: Vec<String> = members.keys().cloned().collect();
        prop_assume!(!names.is_empty());
        let name = member.get(&names);
        members[name] = if odd { json!([[7]]) } else { json!(-1.5) };
        let rest = {
            let mut rest = value.clone();
            rest.as_object_mut().unwrap().remove(name);
            rest
        };
        if let Ok(written) = again(maximal, &value) {
            prop_assert!(within(&rest, &written), "{name}: {value:#}\n{written:#}");
        }
    }
}
