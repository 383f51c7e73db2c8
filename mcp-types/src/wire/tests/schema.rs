//! What is written names only members that the revision's own schema names.

use std::fs;

use serde_json::Value;

use super::{
    golden::{called, discovered, initialize, initialized, outcome, page, progress, read},
    specification,
};
use crate::{
    encode::Encode,
    lifecycle::{DiscoverResult, InitializeParams, InitializeResult},
    notification::ProgressParams,
    revision::Revision,
    tool::{CallToolResult, ListToolsResult},
    wire::{Stamp, encode_params},
};

/// Members that are written although the schema does not name them, each for a reason.
const KNOWN: [(Revision, &str); 2] = [
    // A failure must not pass for a success; the schema is open there.
    (Revision::V2024_10_07, "CallToolResult.isError"),
    // Task support is kept wherever it can be carried; the schema is open there too.
    (Revision::V2026_07_28, "Tool.execution"),
];

pub(super) struct Schema {
    revision: Revision,
    root: Value,
    checked: usize,
}

impl Schema {
    pub(super) fn new(revision: Revision, root: Value) -> Self {
        Self {
            revision,
            root,
            checked: 0,
        }
    }

    pub(super) fn check(&mut self, definition: &str, value: &Value) {
        let schema = self.definition(definition);
        self.walk(&schema, definition, value);
    }

    fn definition(&self, name: &str) -> Value {
        let definitions = self
            .root
            .get("$defs")
            .or_else(|| self.root.get("definitions"));
        let found = definitions.and_then(|it| it.get(name)).cloned();
        found.unwrap_or_else(|| panic!("{}: no {name}", self.revision))
    }

    /// Compares names wherever the schema has a closed list of them.
    fn walk(&mut self, schema: &Value, path: &str, value: &Value) {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            let schema = self.definition(name);
            return self.walk(&schema, name, value);
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            let variant = variants.iter().find(|variant| self.is_for(variant, value));
            let variant = variant.unwrap_or_else(|| panic!("{}: {path}: {value}", self.revision));
            return self.walk(variant, path, value);
        }
        match value {
            Value::Array(items) => {
                let item = schema["items"].clone();
                items.iter().for_each(|it| self.walk(&item, path, it));
            }
            Value::Object(members) => {
                self.walk_object(schema, path, members);
            }
            _ => {}
        }
    }

    fn walk_object(
        &mut self,
        schema: &Value,
        path: &str,
        members: &serde_json::Map<String, Value>,
    ) {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        // What a definition leaves open on purpose is the sender's.
        let open = !schema["additionalProperties"].is_null() || path.ends_with("Schema");
        for (name, value) in members {
            let path = format!("{path}.{name}");
            match properties.get(name) {
                Some(schema) => self.walk(&schema.clone(), &path, value),
                None => assert!(
                    open || path.to_lowercase().contains("meta")
                        || KNOWN.contains(&(self.revision, &*path)),
                    "{}: {path} is not in the schema",
                    self.revision
                ),
            }
            self.checked += 1;
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            assert!(
                members.contains_key(name),
                "{}: {path}.{name} is required",
                self.revision
            );
        }
    }

    /// Whether a variant of a union is the one that `value` says it is.
    fn is_for(&self, variant: &Value, value: &Value) -> bool {
        let resolved = match variant["$ref"].as_str() {
            Some(reference) => self.definition(reference.rsplit('/').next().unwrap()),
            None => variant.clone(),
        };
        let tag = &resolved["properties"]["type"]["const"];
        let required = resolved["required"].as_array().into_iter().flatten();
        let mut required = required.filter_map(Value::as_str);
        (tag.is_null() || *tag == value["type"])
            && (resolved["type"] == "array") == value.is_array()
            && required.all(|name| value.get(name).is_some())
    }
}

fn params<T: Encode>(params: &T, revision: Revision) -> Value {
    encode_params(params, revision).decode().unwrap()
}

#[test]
fn what_is_written_is_in_the_schema_of_its_revision() {
    let Some(root) = specification() else {
        eprintln!("skipped 6 schemas: no ../shared/spec");
        return;
    };
    for revision in Revision::ALL {
        let file = root.join(revision.as_str()).join("schema.json");
        let mut schema = Schema {
            revision,
            root: serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap(),
            checked: 0,
        };
        let stamp = Stamp::new(revision).cacheable(true);
        schema.check(
            "ListToolsResult",
            &outcome(read::<ListToolsResult>(&page()), &stamp),
        );
        let stamp = Stamp::new(revision);
        schema.check(
            "CallToolResult",
            &outcome(read::<CallToolResult>(&called()), &stamp),
        );
        let mut failed = called();
        failed["isError"] = true.into();
        schema.check(
            "CallToolResult",
            &outcome(read::<CallToolResult>(&failed), &stamp),
        );
        let inner =
            |name: &str, schema: &Schema| schema.definition(name)["properties"]["params"].clone();
        let progress_schema = inner("ProgressNotification", &schema);
        let written = params(&read::<ProgressParams>(&progress()), revision);
        let written = without_meta_of_old(written, revision);
        schema.walk(&progress_schema, "ProgressNotificationParams", &written);
        if revision == Revision::V2026_07_28 {
            let stamp = Stamp::new(revision).cacheable(true);
            schema.check(
                "DiscoverResult",
                &outcome(read::<DiscoverResult>(&discovered()), &stamp),
            );
        } else {
            let stamp = Stamp::new(revision);
            schema.check(
                "InitializeResult",
                &outcome(read::<InitializeResult>(&initialized()), &stamp),
            );
            let initialize_schema = inner("InitializeRequest", &schema);
            let written = params(&read::<InitializeParams>(&initialize()), revision);
            schema.walk(&initialize_schema, "InitializeRequestParams", &written);
        }
        assert!(schema.checked > 20, "{revision}: {}", schema.checked);
    }
}

/// Up to 2025-06-18 the schemas name `_meta` of notifications once, on their base.
fn without_meta_of_old(mut params: Value, revision: Revision) -> Value {
    if revision < Revision::V2025_11_25 {
        params.as_object_mut().unwrap().remove("_meta");
    }
    params
}
