//! One member more or less never costs the rest.

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::maximal::{Kind, Maximal, all};
use crate::{encode::At, method::Method, outcome::Outcome, raw::RawJson, revision::Revision};

/// Reads and writes a message in the newest words, without a stamp.
fn again(maximal: &Maximal, value: &Value) -> Result<Value, String> {
    if maximal.kind != Kind::Result || maximal.is_answer() {
        return (maximal.again)(value);
    }
    let raw = RawJson::from_serialize(value).unwrap();
    let outcome = Outcome::decode(&Method::from(maximal.method), &raw);
    let outcome = outcome.map_err(|error| error.to_string())?;
    let written = RawJson::from_serialize(&At(&outcome, Revision::LATEST));
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

/// The pointers of every member of every object in `value`.
fn members(value: &Value) -> Vec<String> {
    let mut places = Vec::new();
    objects(value, "", &mut places);
    let named = |place: &String| {
        let names = value.pointer(place).unwrap().as_object().unwrap().keys();
        let names: Vec<_> = names
            .map(|name| name.replace('~', "~0").replace('/', "~1"))
            .map(|name| format!("{place}/{name}"))
            .collect();
        names
    };
    places.iter().flat_map(named).collect()
}

/// Text that is well-formed and no more costs no more than a value of another shape: a hint itself, and nothing else.
#[test]
fn a_bad_member_is_no_worse_than_any_other() {
    let mut survived = 0;
    for maximal in messages() {
        let value = newest(&maximal.value);
        for pointer in members(&value) {
            let reads = |bad: &str| {
                let mut value = value.clone();
                *value.pointer_mut(&pointer).unwrap() = json!("\u{1}");
                let text = value.to_string().replacen(r#""\u0001""#, bad, 1);
                if maximal.kind != Kind::Result || maximal.is_answer() {
                    return (maximal.reads)(&text);
                }
                let raw = RawJson::parse(text).unwrap();
                Outcome::decode(&Method::from(maximal.method), &raw).is_ok()
            };
            if reads("[[7]]") {
                survived += 1;
                for bad in [
                    r#""\ud800""#,
                    r#""a\udc00""#,
                    "1e999",
                    r#"["\ud800",-1e999]"#,
                ] {
                    assert!(reads(bad), "{}: {pointer}: {bad}", maximal.definition);
                }
            }
        }
    }
    assert!(survived > 400, "{survived}");
}

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
