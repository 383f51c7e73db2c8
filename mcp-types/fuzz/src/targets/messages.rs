//! Params and results of every method: what decodes can be written for every revision, and reads back; and what was
//! valid by the official schema still is (`valid.rs` says the rule).

use mcp_types::{
    Era, Method, Outcome, RawJson, RawObject, RawParams, Revision,
    capability::Implementation,
    elicitation::ElicitationCompleteParams,
    encode::{At, Encode},
    input::{InputRequest, InputResponse},
    logging::LoggingMessageParams,
    method::{self, RequestType},
    notification::{CancelledParams, ProgressParams},
    outcome::{COMPLETE, result_type},
    resource::ResourceUpdatedParams,
    subscription::AcknowledgedParams,
    task::Task,
    wire::{Stamp, encode_answer, encode_ask, encode_outcome},
};
use serde::de::DeserializeOwned;

use super::valid::{Part, checked};

/// The first byte says of which method, the rest is the JSON.
fn split(data: &[u8]) -> Option<(usize, String)> {
    let (first, rest) = data.split_first()?;
    let text = String::from_utf8(rest.to_vec()).ok()?;
    Some((usize::from(first.saturating_sub(b'A')), text))
}

/// What decodes can be written for every revision, and for the newest it reads back as what it was.
fn holds<T: DeserializeOwned + Encode>(text: &str) {
    let Ok(value) = serde_json::from_str::<T>(text) else {
        return;
    };
    let write = |value: &T, at: Revision| {
        let written = RawJson::from_serialize(&At(value, at));
        written.unwrap_or_else(|error| panic!("{at}: {error}"))
    };
    for at in Revision::ALL {
        assert!(write(&value, at).is_object(), "{at}");
    }
    let once = write(&value, Revision::LATEST);
    let again: T = once
        .decode()
        .unwrap_or_else(|error| panic!("{error}: {once}"));
    assert_eq!(write(&again, Revision::LATEST).as_str(), once.as_str());
}

/// Writes a `T` for a revision.
fn plainly<T: DeserializeOwned + Encode>(text: &str) -> impl Fn(Revision) -> Option<RawJson> {
    let value = serde_json::from_str::<T>(text).ok();
    move |at| RawJson::from_serialize(&At(value.as_ref()?, at)).ok()
}

fn both<M>(marker: &str, text: &str)
where
    M: RequestType<Params: DeserializeOwned + Encode, Result: Encode>,
{
    holds::<M::Params>(text);
    holds::<M::Result>(text);
    let Ok(raw) = RawJson::parse(text) else {
        return;
    };
    for at in Revision::ALL {
        let _ = mcp_types::wire::decode_result::<M>(&raw, at);
    }
    let request = format!("{}Request", definition(marker));
    let asked = Method::from(M::METHOD)
        .spec()
        .is_some_and(|spec| spec.asked_by_input);
    if !asked {
        return checked(&request, Part::Params, text, plainly::<M::Params>(text));
    }
    if let Ok(ask) = InputRequest::from_parts(M::METHOD, Some(&raw)) {
        checked(&request, Part::Params, text, |at| {
            encode_ask(&ask, at).ok().map(|params| params.to_raw())
        });
        if let Ok(answer) = InputResponse::read(&raw, &ask) {
            answered(marker, text, &answer);
        }
    }
    if let Ok(answer) = raw.decode::<InputResponse>() {
        answered(marker, text, &answer);
    }
}

fn answered(marker: &str, text: &str, answer: &InputResponse) {
    let is_it = matches!(
        (marker, answer),
        ("Elicit", InputResponse::Elicit(_))
            | ("CreateMessage", InputResponse::Sample(_))
            | ("ListRoots", InputResponse::Roots(_))
    );
    if is_it {
        checked(&result_of(marker), Part::Whole, text, |at| {
            encode_answer(answer, at).ok()
        });
    }
}

/// What the schemas call a method.
fn definition(marker: &str) -> &str {
    match marker {
        "Listen" => "SubscriptionsListen",
        "TaskResult" => "GetTaskPayload",
        other => other,
    }
}

fn result_of(marker: &str) -> String {
    match marker {
        "Ping" | "SetLevel" | "Subscribe" | "UpdateTask" => "EmptyResult".to_owned(),
        other => format!("{}Result", definition(other)),
    }
}

/// What is tried with a name in the schema, and a text.
type Tried = fn(&str, &str);

macro_rules! methods {
    ($($Method:ident),*) => {
        /// Each method, its marker, and what is tried with a text of its.
        const METHODS: &[(&str, &str, Tried)] = &[
            $((method::$Method::METHOD, stringify!($Method), both::<method::$Method>)),*
        ];
    };
}

// The order stands in the first byte of each seed: new ones come last.
methods!(
    CallTool,
    CancelTask,
    Complete,
    CreateMessage,
    Discover,
    Elicit,
    GetPrompt,
    GetTask,
    Initialize,
    ListPrompts,
    ListResourceTemplates,
    ListResources,
    ListRoots,
    ListTasks,
    ListTools,
    Listen,
    Ping,
    ReadResource,
    SetLevel,
    Subscribe,
    TaskResult,
    UpdateTask
);

/// Params, and results by the type that a method marker names.
pub(crate) fn params(data: &[u8]) {
    let Some((which, text)) = split(data) else {
        return;
    };
    let (_, marker, tried) = METHODS[which % METHODS.len()];
    tried(marker, &text);
    if let Ok(params) = RawParams::parse(text) {
        let edited = params.with("_meta", &RawJson::null()).without("_meta");
        for (name, value) in params.iter().filter(|(name, _)| *name != "_meta") {
            assert_eq!(edited.get(name), Some(value));
        }
    }
}

/// Notifications of every kind.
pub(crate) fn notification(data: &[u8]) {
    let Some((which, text)) = split(data) else {
        return;
    };
    let kinds: &[(&str, Tried)] = &[
        ("SubscriptionsAcknowledged", news::<AcknowledgedParams>),
        ("Cancelled", news::<CancelledParams>),
        ("ElicitationComplete", news::<ElicitationCompleteParams>),
        ("LoggingMessage", news::<LoggingMessageParams>),
        ("Progress", news::<ProgressParams>),
        ("ResourceUpdated", news::<ResourceUpdatedParams>),
        ("TaskStatus", news::<Task>),
    ];
    let (name, tried) = kinds[which % kinds.len()];
    tried(&format!("{name}Notification"), &text);
}

fn news<T: DeserializeOwned + Encode>(definition: &str, text: &str) {
    holds::<T>(text);
    checked(definition, Part::Params, text, plainly::<T>(text));
}

/// Results as outcomes: stamped for every revision, and never incomplete for a legacy peer.
pub(crate) fn result(data: &[u8]) {
    let Some((which, text)) = split(data) else {
        return;
    };
    let (name, marker, _) = METHODS[which % METHODS.len()];
    let method = Method::from(name);
    let Ok(raw) = RawJson::parse(text) else {
        return;
    };
    let Ok(outcome) = Outcome::decode(&method, &raw) else {
        return;
    };
    let server = Implementation::new("fuzz", "1");
    for revision in Revision::ALL {
        for cacheable in [false, true] {
            let stamp = Stamp::new(revision).cacheable(cacheable).by(&server);
            match encode_outcome(outcome.clone(), &stamp) {
                Ok(written) => stamped(&method, &written, revision),
                Err(refused) => assert_eq!(revision.era(), Era::Legacy, "{refused}"),
            }
        }
    }
    let cacheable = method.spec().is_some_and(|spec| spec.cacheable);
    let kind = match &outcome {
        Outcome::InputRequired(_) => "InputRequiredResult".to_owned(),
        Outcome::Task(_) => "CreateTaskResult".to_owned(),
        _ => result_of(marker),
    };
    checked(&kind, Part::Whole, raw.as_str(), |at| {
        let stamp = Stamp::new(at)
            .cacheable(cacheable)
            .by(&server)
            .as_task(true);
        encode_outcome(outcome.clone(), &stamp).ok()
    });
    let stamp = Stamp::new(Revision::LATEST);
    let once = encode_outcome(outcome, &stamp).expect("the newest revision has words for all");
    let again = Outcome::decode(&method, &once).unwrap_or_else(|error| panic!("{error}: {once}"));
    let twice = encode_outcome(again, &stamp).expect("as before");
    assert_eq!(once.as_str(), twice.as_str());
}

fn stamped(method: &Method, written: &RawJson, revision: Revision) {
    let members: RawObject = written.decode().expect("a result is an object");
    let kind = result_type(written).expect("a type");
    if revision.era() == Era::Legacy {
        assert_eq!(&*kind, COMPLETE, "{revision}: {written}");
    } else if method.is_for_server(revision) {
        assert!(members.contains("resultType"), "{revision}: {written}");
    }
}
