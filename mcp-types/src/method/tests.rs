//! The table agrees with the official schemas, row by row.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::specification::specification;

type Side = fn(&MethodSpec) -> Span;

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<_> = TABLE.iter().map(|spec| spec.name).collect();
    assert_eq!(names.len(), TABLE.len());
    for spec in TABLE {
        assert_eq!(Method::from(spec.name).spec(), Some(spec));
    }
    assert_eq!(Method::from("x/y").spec(), None);
    assert_eq!(Method::from("x/y").as_str(), "x/y");
}

#[test]
fn every_schema_lists_the_same_methods() {
    let Some(root) = specification() else {
        eprintln!("skipped 6 schemas: no ../shared/spec");
        return;
    };
    for revision in Revision::ALL {
        let text =
            std::fs::read_to_string(root.join(revision.as_str()).join("schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        let core =
            |spec: &&MethodSpec| revision != Revision::V2026_07_28 || spec.extension.is_none();
        let ours = |side: Side, kind: Kind| -> BTreeSet<String> {
            let rows = TABLE.iter().filter(core);
            rows.filter(|spec| spec.kind == kind && side(spec).contains(revision))
                .map(|spec| spec.name.to_owned())
                .collect()
        };
        let (server, client): (Side, Side) = (|spec| spec.to_server, |spec| spec.to_client);
        assert_eq!(
            ours(server, Kind::Request),
            union(&schema, "ClientRequest"),
            "{revision}"
        );
        assert_eq!(
            ours(client, Kind::Request),
            union(&schema, "ServerRequest"),
            "{revision}"
        );
        assert_eq!(
            ours(server, Kind::Notification),
            union(&schema, "ClientNotification"),
            "{revision}"
        );
        assert_eq!(
            ours(client, Kind::Notification),
            union(&schema, "ServerNotification"),
            "{revision}"
        );
        if revision == Revision::V2026_07_28 {
            let asked = TABLE
                .iter()
                .filter(|spec| spec.asked_by_input)
                .map(|spec| spec.name.to_owned());
            assert_eq!(
                asked.collect::<BTreeSet<_>>(),
                union(&schema, "InputRequest")
            );
        }
    }
}

fn union(schema: &Value, name: &str) -> BTreeSet<String> {
    let definitions = schema
        .get("$defs")
        .or_else(|| schema.get("definitions"))
        .unwrap();
    let referred = |reference: &Value| {
        let target = reference["$ref"].as_str()?.rsplit('/').next()?.to_owned();
        Some(
            definitions[&target]["properties"]["method"]["const"]
                .as_str()?
                .to_owned(),
        )
    };
    let definition = &definitions[name];
    match definition["anyOf"].as_array() {
        Some(variants) => variants.iter().filter_map(referred).collect(),
        // A union of one stands as that one's definition.
        None => definition["properties"]["method"]["const"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect(),
    }
}
