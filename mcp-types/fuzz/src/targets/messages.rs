//! Params and results of every method: what decodes can be written for every revision, and reads back.

use mcp_types::{
    Era, Method, Outcome, RawJson, RawObject, RawParams, Revision,
    capability::Implementation,
    elicitation::ElicitationCompleteParams,
    encode::{At, Encode},
    logging::LoggingMessageParams,
    method::{self, RequestType},
    notification::{CancelledParams, ProgressParams},
    outcome::{COMPLETE, result_type},
    resource::ResourceUpdatedParams,
    subscription::AcknowledgedParams,
    task::Task,
    wire::{Stamp, encode_outcome},
};
use serde::de::DeserializeOwned;

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

fn both<M>(text: &str)
where
    M: RequestType<Params: DeserializeOwned + Encode, Result: Encode>,
{
    holds::<M::Params>(text);
    holds::<M::Result>(text);
    for at in Revision::ALL {
        if let Ok(raw) = RawJson::parse(text) {
            let _ = mcp_types::wire::decode_result::<M>(&raw, at);
        }
    }
}

macro_rules! methods {
    ($($Method:ident),*) => {
        /// Each method, and what is tried with a text of its.
        const METHODS: &[(&str, fn(&str))] =
            &[$((method::$Method::METHOD, both::<method::$Method>)),*];
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
    (METHODS[which % METHODS.len()].1)(&text);
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
    let kinds: &[fn(&str)] = &[
        holds::<AcknowledgedParams>,
        holds::<CancelledParams>,
        holds::<ElicitationCompleteParams>,
        holds::<LoggingMessageParams>,
        holds::<ProgressParams>,
        holds::<ResourceUpdatedParams>,
        holds::<Task>,
    ];
    kinds[which % kinds.len()](&text);
}

/// Results as outcomes: stamped for every revision, and never incomplete for a legacy peer.
pub(crate) fn result(data: &[u8]) {
    let Some((which, text)) = split(data) else {
        return;
    };
    let method = Method::from(METHODS[which % METHODS.len()].0);
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
