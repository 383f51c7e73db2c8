//! What hosts complained of, each by the number of its row, and what holds for any schema.

mod bomb;

use proptest::prelude::*;

use super::*;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[track_caller]
fn cleaned(profile: Profile, before: &str, after: &str) {
    let once = clean(&raw(before), Place::Input, &profile).unwrap();
    assert_eq!(once.as_str(), after);
    assert_eq!(clean(&once, Place::Input, &profile).unwrap(), once, "again");
}

#[track_caller]
fn broken(profile: Profile, schema: &str, expected: &[(Rule, &str)]) {
    let findings = lint(&raw(schema), Place::Input, &profile);
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it.rule, it.path.as_str()))
        .collect();
    assert_eq!(found, expected, "{schema}");
}

/// A property within an object, which is fine itself.
fn property(schema: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"p":{schema}}}}}"#)
}

#[track_caller]
fn cleaned_property(profile: Profile, before: &str, after: &str) {
    cleaned(profile, &property(before), &property(after));
}

const STANDARD: Profile = Profile::standard();
const STRICT: Profile = Profile::strict();
const INLINED: Profile = Profile::inlined();
const PLAIN: Profile = Profile::plain();

#[test]
fn row_42_no_dialect_unless_asked() {
    let bare = r#"{"type":"object","properties":{}}"#;
    for dialect in [DIALECT, "https://spec.openapis.org/oas/3.1/dialect/base"] {
        let said = format!(r#"{{"$schema":"{dialect}","type":"object","properties":{{}}}}"#);
        cleaned(STANDARD, &said, bare);
        let expected = [(Rule::Dialect, "/$schema")];
        broken(
            STANDARD,
            &said,
            if dialect == DIALECT { &[] } else { &expected },
        );
    }
    broken(
        STANDARD,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#,
        &[],
    );
    let asked = format!(r#"{{"$schema":"{DIALECT}","type":"object","properties":{{}}}}"#);
    cleaned(STANDARD.with_dialect(), bare, &asked);
}

#[test]
fn row_43_a_profile_for_strict_hosts() {
    cleaned(
        STRICT,
        r#"{"type":"object","properties":{"a":{"type":"string","minLength":1,"format":"uri"},"b":{"type":["string","null"],"default":null}},"required":["a"]}"#,
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]}},"required":["a","b"],"additionalProperties":false}"#,
    );
    cleaned(
        STRICT,
        r##"{"type":"object","properties":{"a":{"description":"d","$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{}}}}"##,
        r##"{"type":"object","properties":{"a":{"description":"d","type":"object","properties":{},"additionalProperties":false},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false,"required":["a","b"]}"##,
    );
    // A type that contains itself keeps its reference, alone.
    cleaned(
        STRICT,
        r##"{"type":"object","properties":{"kid":{"description":"d","$ref":"#"}}}"##,
        r##"{"type":"object","properties":{"kid":{"$ref":"#"}},"additionalProperties":false,"required":["kid"]}"##,
    );
    cleaned(
        STRICT,
        r#"{"type":"object","properties":{"p":{"oneOf":[{"const":1},{"const":2}]}},"required":["p"]}"#,
        r#"{"type":"object","properties":{"p":{"anyOf":[{"const":1},{"const":2}]}},"required":["p"],"additionalProperties":false}"#,
    );
}

#[test]
fn row_43_what_strict_mode_refuses_is_named() {
    broken(
        STRICT,
        r#"{"type":"object","properties":{},"additionalProperties":false}"#,
        &[],
    );
    broken(
        STRICT,
        r#"{"type":"object","properties":{"a":{"not":{"type":"null"}},"b":{"type":"object","additionalProperties":{"type":"string"}}},"required":["b"]}"#,
        &[
            (Rule::ClosedObjects, ""),
            (Rule::RequiredMembers, "/properties/a"),
            (Rule::StrictKeywords, "/properties/a"),
            (Rule::Typed, "/properties/a"),
            (Rule::ClosedObjects, "/properties/b"),
        ],
    );
    let closed = |property: &str| {
        format!(
            r#"{{"type":"object","properties":{{"p":{property}}},"required":["p"],"additionalProperties":false}}"#
        )
    };
    broken(
        STRICT,
        &closed(r#"{"type":"string","format":"uri"}"#),
        &[(Rule::StrictKeywords, "/properties/p")],
    );
    broken(STRICT, &closed(r#"{"type":"string","format":"uuid"}"#), &[]);
    broken(
        STRICT,
        &closed(r##"{"title":"t","$ref":"#"}"##),
        &[(Rule::LoneReference, "/properties/p")],
    );
    let values: Vec<String> = (0..1001).map(|it| it.to_string()).collect();
    broken(
        STRICT,
        &closed(&format!(r#"{{"enum":[{}]}}"#, values.join(","))),
        &[(Rule::StrictSize, "")],
    );
    let deep = format!(
        "{}{{\"type\":\"null\"}}{}",
        r#"{"type":"array","items":"#.repeat(10),
        "}".repeat(10)
    );
    broken(STRICT, &closed(&deep), &[(Rule::StrictSize, "")]);
}

#[test]
fn row_44_no_list_of_types() {
    cleaned_property(
        PLAIN,
        r#"{"type":["string","null"],"default":null}"#,
        r#"{"type":"string"}"#,
    );
    cleaned_property(
        PLAIN,
        r#"{"type":["string","null"],"enum":["a",null]}"#,
        r#"{"type":"string","enum":["a"]}"#,
    );
    cleaned_property(
        PLAIN,
        r#"{"description":"d","anyOf":[{"description":"e","type":"integer"},{"type":"null"}]}"#,
        r#"{"description":"d","type":"integer"}"#,
    );
    // Where it must be there, `null` is a value of its own.
    let required =
        r#"{"type":"object","properties":{"p":{"type":["string","null"]}},"required":["p"]}"#;
    cleaned(PLAIN, required, required);
    broken(PLAIN, required, &[(Rule::OneType, "/properties/p")]);
    broken(STANDARD, required, &[]);
}

#[test]
fn row_45_no_openapi_keywords() {
    cleaned_property(
        STANDARD,
        r#"{"type":"string","nullable":true}"#,
        r#"{"type":["string","null"]}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"type":"string","nullable":false}"#,
        r#"{"type":"string"}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"type":["string","null"],"nullable":true}"#,
        r#"{"type":["string","null"]}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"type":"string","enum":["a"],"nullable":true}"#,
        r#"{"type":["string","null"],"enum":["a",null]}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"description":"d","$ref":"x","nullable":true}"#,
        r#"{"description":"d","anyOf":[{"$ref":"x"},{"type":"null"}]}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"enum":[1],"nullable":true}"#,
        r#"{"anyOf":[{"enum":[1]},{"type":"null"}]}"#,
    );
    cleaned_property(STANDARD, r#"{"nullable":true}"#, "{}");
    cleaned_property(
        STANDARD,
        r#"{"type":"number","minimum":1.50,"exclusiveMinimum":true}"#,
        r#"{"type":"number","exclusiveMinimum":1.50}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"type":"number","maximum":2,"exclusiveMaximum":false}"#,
        r#"{"type":"number","maximum":2}"#,
    );
    cleaned_property(
        STANDARD,
        r#"{"type":"string","example":"a","xml":{},"externalDocs":{},"discriminator":{}}"#,
        r#"{"type":"string","examples":["a"]}"#,
    );
    for keyword in keyword::OPENAPI {
        let schema = property(&format!(r#"{{"{keyword}":1}}"#));
        broken(STANDARD, &schema, &[(Rule::NoOpenApi, "/properties/p")]);
    }
    broken(
        STANDARD,
        &property(r#"{"minimum":1,"exclusiveMinimum":true}"#),
        &[(Rule::NoOpenApi, "/properties/p")],
    );
    // A member of that name is the author's.
    let named = r#"{"type":"object","properties":{"nullable":{"type":"boolean"},"format":{"type":"string"},"$ref":{"const":{"nullable":true}}}}"#;
    cleaned(STANDARD, named, named);
    broken(STANDARD, named, &[]);
}

#[test]
fn row_46_the_root_is_no_reference() {
    let defs = r##""$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}"##;
    let a = r#""type":"object","properties":{"a":{"type":"string"}}"#;
    let before = format!(r##"{{"$ref":"#/$defs/A",{defs}}}"##);
    cleaned(STANDARD, &before, &format!("{{{a}}}"));
    broken(STANDARD, &before, &[(Rule::NoRootReference, "")]);
    cleaned(
        STANDARD,
        &format!(r##"{{"description":"d","$ref":"#/$defs/A",{defs}}}"##),
        &format!(r#"{{"description":"d",{a}}}"#),
    );
    cleaned(
        STANDARD,
        &before.replace("$defs", "definitions"),
        &format!("{{{a}}}"),
    );
    // Through several, and into one that contains itself.
    cleaned(
        STANDARD,
        r##"{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B%20c"},"B c":{"type":"object","properties":{"next":{"$ref":"#/$defs/B%20c"}}}}}"##,
        r##"{"$defs":{"B c":{"type":"object","properties":{"next":{"$ref":"#/$defs/B%20c"}}}},"type":"object","properties":{"next":{"$ref":"#/$defs/B%20c"}}}"##,
    );
    // What the root asks besides is not lost.
    cleaned(
        STANDARD,
        &format!(r##"{{"$ref":"#/$defs/A","minProperties":1,{defs}}}"##),
        &format!(r#"{{"type":"object","minProperties":1,"allOf":[{{{a}}}]}}"#),
    );
    // Nowhere, or only to itself, it stays and is told.
    for lost in ["#", "#/$defs/Z", "#/$defs/A"] {
        let schema = format!(r##"{{"$ref":"{lost}","$defs":{{"A":{{"$ref":"#/$defs/A"}}}}}}"##);
        let schema = clean(&raw(&schema), Place::Input, &STANDARD).unwrap();
        assert!(
            lint(&schema, Place::Input, &STANDARD)
                .iter()
                .any(|it| it.rule == Rule::NoRootReference),
            "{schema}"
        );
    }
}

#[test]
fn row_47_references_are_inlined() {
    let defs = r##""$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"string","maxLength":9}}"##;
    cleaned(
        INLINED,
        &format!(
            r##"{{"type":"object","properties":{{"x":{{"description":"d","$ref":"#/$defs/A"}},"y":{{"$ref":"#/$defs/B"}}}},{defs}}}"##
        ),
        r#"{"type":"object","properties":{"x":{"description":"d","type":"object","properties":{"b":{"type":"string","maxLength":9}}},"y":{"type":"string","maxLength":9}}}"#,
    );
    // Two objects that only name members become one; what cannot be one is both.
    cleaned(
        INLINED,
        &format!(
            r##"{{"type":"object","properties":{{"x":{{"type":"object","properties":{{"k":{{"const":1}}}},"required":["k"],"$ref":"#/$defs/A"}}}},{defs}}}"##
        ),
        r#"{"type":"object","properties":{"x":{"type":"object","properties":{"k":{"const":1},"b":{"type":"string","maxLength":9}},"required":["k"]}}}"#,
    );
    cleaned(
        INLINED,
        r##"{"type":"object","properties":{"x":{"minLength":1,"$ref":"#/$defs/B"}},"$defs":{"B":{"type":"string","maxLength":9}}}"##,
        r#"{"type":"object","properties":{"x":{"minLength":1,"allOf":[{"type":"string","maxLength":9}]}}}"#,
    );
    // What contains itself stays a reference, with its definition.
    let tree = r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"},"kids":{"items":{"$ref":"#"}}},"$defs":{"T":{"properties":{"t":{"$ref":"#/$defs/T"}}}}}"##;
    cleaned(INLINED, tree, tree);
    broken(
        INLINED,
        tree,
        &[
            (Rule::NoReference, "/properties/t"),
            (Rule::NoReference, "/properties/kids/items"),
            (Rule::NoReference, "/$defs/T/properties/t"),
        ],
    );
    // Definitions that nobody used were there for a reason of their own.
    let unused = r#"{"type":"object","properties":{},"$defs":{"U":{}}}"#;
    cleaned(INLINED, unused, unused);
}

#[test]
fn row_48_no_formats_of_rust() {
    for format in keyword::RUST_FORMATS {
        let before =
            format!(r#"{{"type":"integer","format":"{format}","minimum":0,"maximum":4294967295}}"#);
        cleaned_property(
            STANDARD,
            &before,
            r#"{"type":"integer","minimum":0,"maximum":4294967295}"#,
        );
        broken(
            STANDARD,
            &property(&before),
            &[(Rule::NoRustFormat, "/properties/p")],
        );
    }
    for format in ["date-time", "uri", "ipv4", "x-own"] {
        let kept = format!(r#"{{"type":"string","format":"{format}"}}"#);
        cleaned_property(STANDARD, &kept, &kept);
    }
}

#[test]
fn row_49_no_boolean_schemas() {
    for place in [
        "properties",
        "patternProperties",
        "$defs",
        "dependentSchemas",
    ] {
        let schema = |inner: &str| {
            format!(
                r#"{{"type":"object","properties":{{}},"additionalProperties":true,"{place}":{{"a":{inner}}}}}"#
            )
        };
        let (before, after) = (schema("true"), schema("{}"));
        if place != "properties" {
            cleaned(STANDARD, &before, &after);
            broken(
                STANDARD,
                &before,
                &[(Rule::NoBooleanSchema, &format!("/{place}/a"))],
            );
        }
    }
    cleaned_property(STANDARD, "true", "{}");
    for keyword in [
        "items",
        "contains",
        "not",
        "if",
        "then",
        "else",
        "propertyNames",
    ] {
        cleaned_property(
            STANDARD,
            &format!(r#"{{"{keyword}":true}}"#),
            &format!(r#"{{"{keyword}":{{}}}}"#),
        );
    }
    cleaned_property(
        STANDARD,
        r#"{"anyOf":[true,{"items":[true]}]}"#,
        r#"{"anyOf":[{},{"items":[{}]}]}"#,
    );
    // Hosts know these as booleans, and values are no schemas.
    let kept = r#"{"items":false,"additionalProperties":true,"unevaluatedProperties":false,"default":true,"const":true,"enum":[true],"examples":[true]}"#;
    cleaned_property(STANDARD, kept, kept);
    broken(STANDARD, &property(kept), &[]);
    broken(
        STANDARD,
        &property("false"),
        &[(Rule::NoBooleanSchema, "/properties/p")],
    );
    cleaned(STANDARD, "true", r#"{"type":"object","properties":{}}"#);
    broken(STANDARD, "true", &[(Rule::NoBooleanSchema, "")]);
}

#[test]
fn row_50_no_choice_at_the_root() {
    let choice = r#"{"oneOf":[{"type":"object"},{"type":"object"}]}"#;
    broken(
        STANDARD,
        choice,
        &[(Rule::ObjectRoot, ""), (Rule::NoRootChoice, "")],
    );
    let output = |schema: &str| {
        let schema = clean(&raw(schema), Place::Output, &STANDARD).unwrap();
        let findings = lint(&schema, Place::Output, &STANDARD);
        (
            schema.to_string(),
            findings.iter().map(|it| it.rule).collect::<Vec<_>>(),
        )
    };
    // An output that is an object whatever the choice says so, and is taken.
    let (schema, found) = output(choice);
    assert_eq!(
        schema,
        r#"{"type":"object","oneOf":[{"type":"object"},{"type":"object"}]}"#
    );
    assert_eq!(found, []);
    let (schema, found) = output(r#"{"anyOf":[{"type":"object"},{"type":"null"}]}"#);
    assert_eq!(
        (schema.contains(r#"{"type":"object","#), found),
        (false, vec![Rule::NoRootChoice])
    );
}

#[test]
fn row_51_the_root_is_an_object() {
    broken(STANDARD, r#"{"type":"object"}"#, &[]);
    for other in [r#"{"type":"array"}"#, r#"{"type":["object","null"]}"#, "{}"] {
        broken(STANDARD, other, &[(Rule::ObjectRoot, "")]);
        let output = lint(&raw(other), Place::Output, &STANDARD);
        assert_eq!(output.len(), 1, "{other}");
    }
    cleaned(STANDARD, "{}", r#"{"type":"object","properties":{}}"#);
    cleaned(
        STANDARD,
        r#"{"type":["object","null"],"properties":{}}"#,
        r#"{"type":"object","properties":{}}"#,
    );
    cleaned(STANDARD, r#"{"type":"array"}"#, r#"{"type":"array"}"#);
    let output = clean(&raw("{}"), Place::Output, &STANDARD).unwrap();
    assert_eq!(output.as_str(), "{}");
}

#[test]
fn what_need_not_change_stays_byte_for_byte() {
    let authored = r##"{ "type": "object", "x-mcp-header": {"a": true}, "properties": {
        "z": {"type": "number", "maximum": 1.0e2, "default": 12345678901234567890, "multipleOf": 0.10},
        "a": {"$anchor": "here", "$ref": "#there", "description": "\u00e9"} },
        "$defs": {"T": {"$anchor": "there", "novel": [ 1 ]}}, "required": ["z"] }"##;
    for profile in [STANDARD, INLINED] {
        let after = clean(&raw(authored), Place::Input, &profile).unwrap();
        assert_eq!(after.as_str(), authored);
    }
    broken(STANDARD, authored, &[]);
}

/// BL-249: nothing is fetched, and what would have to be is told.
#[test]
fn references_out_of_the_document_are_told_and_kept() {
    for remote in [
        r#"{"type":"object","properties":{"x":{"$ref":"http://169.254.169.254/latest/meta-data/"}}}"#,
        r#"{"type":"object","properties":{"x":{"$ref":"//evil.example/s.json"}}}"#,
        r#"{"$id":"http://evil.example/root.json","type":"object","properties":{"x":{"$ref":"other.json"}}}"#,
    ] {
        broken(
            STANDARD,
            remote,
            &[(Rule::NoRemoteReference, "/properties/x")],
        );
        cleaned(INLINED, remote, remote);
    }
    broken(
        STANDARD,
        r#"{"$ref":"file:///etc/passwd"}"#,
        &[(Rule::NoRootReference, ""), (Rule::NoRemoteReference, "")],
    );
    broken(
        STANDARD,
        r#"{"$schema":"http://evil.example/meta.json","type":"object"}"#,
        &[(Rule::Dialect, "/$schema")],
    );
    // An embedded schema is not remote.
    broken(
        STANDARD,
        r#"{"type":"object","properties":{"x":{"$ref":"e.json"}},"$defs":{"e":{"$id":"e.json"}}}"#,
        &[],
    );
    for lost in ["#/$defs/Z", "#nowhere", "#/properties/x/type", "#/%zz"] {
        let schema = format!(
            r#"{{"type":"object","properties":{{"x":{{"type":"null","$ref":"{lost}"}}}}}}"#
        );
        broken(
            STANDARD,
            &schema,
            &[(Rule::NoDanglingReference, "/properties/x")],
        );
        cleaned(INLINED, &schema, &schema);
    }
}

#[test]
fn each_rule_has_a_name_and_says_what_to_do() {
    let mut names: Vec<_> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Rule::ALL.len());
    for rule in Rule::ALL {
        assert!(rule.advice().contains(": "), "{rule}");
    }
    let finding = &lint(&raw(&property("true")), Place::Input, &STANDARD)[0];
    assert_eq!(
        finding.to_string(),
        r#"`/properties/p` is true: some hosts drop every tool of a list that has one: write `{}` for `true`, `{"not":{}}` for `false`"#
    );
}

fn any_schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("{}".to_owned()),
        Just(r#"{"type":"integer","format":"uint8","minimum":0}"#.to_owned()),
        Just(r#"{"type":["string","null"],"default":null}"#.to_owned()),
        Just(r#"{"type":"string","nullable":true}"#.to_owned()),
        Just(r##"{"$ref":"#/$defs/A"}"##.to_owned()),
        Just(r##"{"description":"d","$ref":"#/$defs/B"}"##.to_owned()),
        Just(r##"{"type":"object","properties":{"k":{"const":"x"}},"required":["k"],"$ref":"#/$defs/A"}"##.to_owned()),
        Just(r##"{"$ref":"#"}"##.to_owned()),
        Just(r#"{"enum":["a",1.50,null]}"#.to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(
                r#"{{"type":"object","properties":{{"a":{a},"b":{b}}},"required":["b"]}}"#
            )),
            inner
                .clone()
                .prop_map(|a| format!(r#"{{"type":"array","items":{a}}}"#)),
            inner
                .clone()
                .prop_map(|a| format!(r#"{{"type":"object","additionalProperties":{a}}}"#)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(r#"{{"oneOf":[{a},{b}]}}"#)),
            (inner.clone(), inner)
                .prop_map(|(a, b)| format!(r#"{{"anyOf":[{a},{b}],"title":"t"}}"#)),
        ]
    })
}

proptest! {
    #[test]
    fn cleaning_settles_and_mends_what_it_can(root in any_schema(), a in any_schema(), b in any_schema(), asks in any::<bool>()) {
        prop_assume!(root.starts_with('{'));
        let comma = if root == "{}" { "" } else { "," };
        let schema = format!(r#"{}{comma}"$defs":{{"A":{a},"B":{b}}}}}"#, &root[..root.len() - 1]);
        let place = if asks { Place::Input } else { Place::Output };
        for profile in [STANDARD, STRICT, INLINED, PLAIN, STANDARD.with_dialect()] {
            let Ok(once) = clean(&raw(&schema), place, &profile) else {
                prop_assert!(profile.is_inlined() || profile.is_strict());
                continue;
            };
            let twice = clean(&once, place, &profile);
            prop_assert_eq!(twice.as_ref(), Ok(&once), "{:?}", profile);
            for finding in lint(&once, place, &profile) {
                let mended = matches!(
                    finding.rule,
                    Rule::Dialect | Rule::NoOpenApi | Rule::NoRustFormat | Rule::Readable | Rule::RequiredMembers
                );
                prop_assert!(!mended, "{} {:?} {}", once, profile, finding);
            }
            prop_assert_eq!(once.as_str().contains("$schema"), profile.dialect);
        }
    }

    #[test]
    fn any_text_is_judged(text in ".*") {
        if let Ok(schema) = RawJson::parse(text) {
            for profile in [STANDARD, STRICT, INLINED, PLAIN] {
                let _ = clean(&schema, Place::Input, &profile);
                lint(&schema, Place::Output, &profile);
            }
        }
    }
}
