//! How much work schemas make, and which are refused.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn refused(schema: &Value, expected: &Refused) {
    assert_eq!(Effort::of(schema).as_ref(), Err(expected), "{schema}");
}

/// How often a part is looked at, by its depth, as long as that changes.
#[track_caller]
fn looks(schema: &Value, expected: &[u64]) {
    let mut looks = Effort::of(schema).unwrap().looks;
    looks.dedup();
    assert_eq!(looks, expected, "{schema}");
}

#[test]
fn a_part_is_looked_at_once_by_each_schema_that_is_applied_to_it() {
    looks(&json!({}), &[1, 0]);
    looks(&json!({"properties": {"a": {}, "b": {}}}), &[1, 0]);
    looks(&json!({"allOf": [{}, {"anyOf": [{}, {}]}]}), &[5, 0]);
    looks(
        &json!({"$ref": "#/$defs/a", "$defs": {"a": {}, "b": {}}}),
        &[2, 0],
    );
    looks(
        &json!({"properties": {"a": {}}, "additionalProperties": {"not": {}}}),
        &[1, 2, 0],
    );
    looks(
        &json!({"properties": {"a": {}}, "patternProperties": {"a": {}}}),
        &[1, 2, 0],
    );
    looks(
        &json!({"prefixItems": [{}, {"not": {}}], "items": {}, "contains": {}}),
        &[1, 3, 0],
    );
    looks(
        &json!({"allOf": [{}], "unevaluatedProperties": false}),
        &[6, 0],
    );
}

#[test]
fn branches_with_other_members_do_not_add_up() {
    let variant = |name: &str| json!({"properties": {name: {}}, "additionalProperties": false});
    let variants: Vec<_> = (0..200).map(|at| variant(&format!("m{at}"))).collect();
    looks(&json!({"anyOf": variants}), &[201, 1, 0]);
}

#[test]
fn a_tree_costs_the_same_at_each_depth_and_two_ways_to_a_part_double_it() {
    let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}, "r": {"$ref": "#/$defs/t"}}}}});
    looks(&tree, &[2]);
    let twice = json!({"$defs": {"t": {"anyOf": [
        {"properties": {"l": {"$ref": "#/$defs/t"}}},
        {"properties": {"l": {"$ref": "#/$defs/t"}}}]}}, "$ref": "#/$defs/t"});
    let effort = Effort::of(&twice).unwrap();
    assert_eq!(effort.looks[..4], [4, 8, 16, 32]);
    let nest = |depth| (0..depth).fold(json!(0), |inner, _| json!({"l": inner}));
    assert!(effort.spend(&nest(18)).is_ok());
    assert_eq!(effort.spend(&nest(21)), Err(TooMuch { deepest: 21 }));
    assert!(Effort::of(&tree).unwrap().spend(&nest(120)).is_ok());
}

#[test]
fn the_parts_of_a_value_are_weighed_where_they_lie() {
    let effort = Effort::of(&json!({"items": {"type": "integer"}})).unwrap();
    assert_eq!(effort.spend(&json!([1, 2, 3])), Ok(4));
    assert_eq!(
        effort.spend(&json!([[1, 2], 3])),
        Ok(3),
        "nothing looks into an item"
    );
    let many = json!({"items": {"allOf": vec![json!({}); 999]}});
    let effort = Effort::of(&many).unwrap();
    assert_eq!(effort.spend(&json!(vec![0; 3_999])), Ok(3_999_001));
    assert_eq!(
        effort.spend(&json!(vec![0; 4_000])),
        Err(TooMuch { deepest: 1 })
    );
}

#[test]
fn f2_references_stay_within_the_schema() {
    let elsewhere = |uri: &str| Refused::Elsewhere(uri.to_owned());
    for uri in [
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "//evil.example/s.json",
        "other.json",
    ] {
        refused(
            &json!({"properties": {"x": {"$ref": uri}}}),
            &elsewhere(uri),
        );
        refused(
            &json!({"properties": {"x": {"$dynamicRef": uri}}}),
            &elsewhere(uri),
        );
    }
    refused(
        &json!({"$ref": "#/$defs/none"}),
        &Refused::Nowhere("#/$defs/none".to_owned()),
    );
    refused(
        &json!({"$ref": "#none"}),
        &Refused::Nowhere("#none".to_owned()),
    );
    refused(
        &json!({"properties": {"x": {"$id": "http://a/"}}}),
        &Refused::Nested("http://a/".to_owned()),
    );
    looks(
        &json!({"$id": "http://evil.example/root.json", "$ref": "#/a%20b/c~1d", "a b": {"c/d": {}}}),
        &[2, 0],
    );
    looks(
        &json!({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}}}),
        &[2, 0],
    );
}

#[test]
fn f6_two_dialects_are_known() {
    for known in [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
    ] {
        looks(&json!({"$schema": known}), &[1, 0]);
    }
    for other in [
        "http://evil.example/meta.json",
        "http://json-schema.org/draft-04/schema#",
        "",
    ] {
        refused(
            &json!({"$schema": other}),
            &Refused::Dialect(other.to_owned()),
        );
    }
    refused(&json!({"$schema": 7}), &Refused::Dialect(String::new()));
}

#[test]
fn f3_what_refers_to_itself_for_the_same_value_is_refused() {
    refused(&json!({"$ref": "#"}), &Refused::Circle("#".to_owned()));
    let two = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}});
    assert!(matches!(Effort::of(&two), Err(Refused::Circle(_))));
    looks(&json!({"items": {"$ref": "#"}}), &[1, 2]);
}

#[test]
fn f3_bombs_are_refused_and_what_is_just_within_is_not() {
    let chain = |length: usize| {
        let defs: serde_json::Map<_, _> = (0..length)
            .map(|at| {
                (
                    format!("d{at}"),
                    json!({"properties": {"x": {"$ref": format!("#/$defs/d{}", at + 1)}}}),
                )
            })
            .chain([(format!("d{length}"), json!({}))])
            .collect();
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    };
    refused(&chain(2_001), &Refused::TooMany);
    refused(&chain(250), &Refused::TooDeep);
    assert!(Effort::of(&chain(199)).is_ok());
    refused(
        &json!({"allOf": vec![json!({}); MAX_SCHEMAS]}),
        &Refused::TooMany,
    );
    looks(
        &json!({"allOf": vec![json!({}); MAX_SCHEMAS - 1]}),
        &[10_000, 0],
    );
    // Each twice the one before: two to the power of 40.
    let doubling: serde_json::Map<_, _> = (0..40)
        .map(|at| {
            let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
            (format!("d{at}"), json!({"allOf": [next, next]}))
        })
        .chain([("d40".to_owned(), json!({}))])
        .collect();
    let effort = Effort::of(&json!({"$ref": "#/$defs/d0", "$defs": doubling})).unwrap();
    assert!(effort.looks[0] > 1 << 40);
    assert!(effort.spend(&json!({})).is_err());
    refused(
        &json!({"pattern": "a".repeat(MAX_PATTERN + 1)}),
        &Refused::Pattern,
    );
    assert_eq!(
        Effort::of(&json!({"pattern": "a".repeat(MAX_PATTERN)}))
            .unwrap()
            .patterns
            .len(),
        1
    );
}

#[test]
fn refusals_name_the_value_and_the_remedy() {
    let check = |refused: Refused, expected: &str| assert_eq!(refused.to_string(), expected);
    check(
        Refused::Elsewhere("http://a/".to_owned()),
        "its reference `http://a/` leads elsewhere, and nothing is fetched: copy it to `$defs` and write `#/$defs/…`",
    );
    check(
        Refused::Circle("#/$defs/a".to_owned()),
        "its schema at `#/$defs/a` refers to itself for the same value, which has no end",
    );
}
