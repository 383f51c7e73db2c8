//! BL-252: whatever a schema is made of, it is refused or done within limits, and within so many steps.
//!
//! A step is a node that is read, copied or visited, or a name that is compared; half a second is time for some
//! hundred million of them. The counts are exact, and the same on every machine.

use super::{super::node::WORK, *};

/// The most steps that any profile, or the lint, may take for any schema.
const MOST: usize = 5_000_000;

fn steps<T>(run: impl FnOnce() -> T) -> (T, usize) {
    WORK.set(0);
    let made = run();
    (made, WORK.get())
}

/// What comes of `schema` with each profile, and how many steps that takes, those of the lint last.
#[track_caller]
fn check(schema: &str, errors: [Option<SchemaError>; 3], expected: [usize; 4]) {
    let schema = raw(schema);
    let mut counts = [0; 4];
    let profiles = [STANDARD, INLINED, STRICT];
    for (at, (profile, error)) in profiles.into_iter().zip(errors).enumerate() {
        let (cleaned, count) = steps(|| clean(&schema, Place::Input, &profile));
        assert_eq!(cleaned.clone().err(), error, "{}", profile.as_str());
        counts[at] = count;
        if let Ok(cleaned) = cleaned {
            assert!(cleaned.as_str().len() <= MAX_BYTES);
        }
    }
    let (findings, count) = steps(|| lint(&schema, Place::Input, &STRICT));
    assert!(findings.len() <= 100);
    counts[3] = count;
    assert_eq!(counts, expected);
    assert!(counts.into_iter().all(|count| count <= MOST), "{counts:?}");
}

const FINE: Option<SchemaError> = None;
const TOO_MANY: Option<SchemaError> = Some(SchemaError::TooMany);
const TOO_DEEP: Option<SchemaError> = Some(SchemaError::TooDeep);
const TOO_LONG: Option<SchemaError> = Some(SchemaError::TooLong);

/// `count` definitions, and a property that refers to the first.
fn defs(count: usize, definition: impl Fn(usize) -> String) -> String {
    let defs: Vec<String> = (0..count)
        .map(|it| format!(r#""d{it}":{}"#, definition(it)))
        .collect();
    format!(
        r##"{{"type":"object","properties":{{"x":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{},"d{count}":{{}}}}}}"##,
        defs.join(",")
    )
}

fn refers(to: usize) -> String {
    format!(r##"{{"$ref":"#/$defs/d{to}"}}"##)
}

fn nested(open: &str, close: &str, times: usize) -> String {
    format!("{}{{}}{}", open.repeat(times), close.repeat(times))
}

fn listed(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

#[test]
fn a_chain_of_references() {
    let chain = defs(5000, |it| refers(it + 1));
    check(&chain, [TOO_MANY; 3], [80065, 80065, 80065, 40034]);
    let shorter = defs(1900, |it| refers(it + 1));
    check(
        &shorter,
        [None, TOO_DEEP, None],
        [38086, 1875038, 1889749, 1914479],
    );
}

#[test]
fn a_doubling_at_each_level() {
    let doubling = defs(16, |it| format!(r#"{{"anyOf":[{0},{0}]}}"#, refers(it + 1)));
    check(
        &doubling,
        [None, TOO_MANY, None],
        [1062, 204433, 2415, 3205],
    );
}

#[test]
fn a_depth_that_only_references_make() {
    let deep = defs(1500, |it| format!(r#"{{"items":{}}}"#, refers(it + 1)));
    check(
        &deep,
        [None, TOO_DEEP, None],
        [55586, 1225690, 1256449, 1298479],
    );
}

/// Each use of one long list of values would be a copy of it.
#[test]
fn a_large_definition_that_is_used_often() {
    let values = listed(30_000, |it| it.to_string());
    let uses = listed(1900, |it| format!(r##""p{it}":{{"$ref":"#/$defs/e"}}"##));
    let schema = format!(
        r#"{{"type":"object","properties":{{{uses}}},"$defs":{{"e":{{"enum":[{values}]}}}}}}"#
    );
    check(
        &schema,
        [None, TOO_LONG, None],
        [158083, 319545, 220505, 138526],
    );
}

/// One definition under many spellings, and in it many references to another one.
#[test]
fn references_that_are_spelled_in_many_ways() {
    // `#/$defs/aaaaaaaaaa` with some of its letters as `%61`.
    let spelled = |letter: u8, which: usize| {
        let name: String = (0..10)
            .map(|bit| match which >> bit & 1 {
                1 => format!("%{letter:x}"),
                _ => char::from(letter).to_string(),
            })
            .collect();
        format!(r##"{{"$ref":"#/$defs/{name}"}}"##)
    };
    let (outer, inner) = (
        listed(900, |it| spelled(b'a', it)),
        listed(900, |it| spelled(b'b', it)),
    );
    let schema = format!(
        r#"{{"type":"object","properties":{{"x":{{"anyOf":[{outer}]}}}},"$defs":{{"{}":{{"anyOf":[{inner}]}},"{}":{{"anyOf":[{{}},{{}}]}}}}}}"#,
        "a".repeat(10),
        "b".repeat(10)
    );
    check(
        &schema,
        [None, TOO_MANY, None],
        [36133, 3362592, 3317693, 103838],
    );
}

/// References into every level of one deep definition, in the innermost of which all of them stand.
#[test]
fn references_into_each_level_of_a_deep_definition() {
    let levels = 55;
    let pointer = |level: usize| format!("#/$defs/a{}", "/items".repeat(level));
    let all = listed(1000, |it| {
        format!(r#"{{"$ref":"{}"}}"#, pointer(it % levels))
    });
    let deep = format!(
        "{}{{\"anyOf\":[{all}]}}{}",
        r#"{"items":"#.repeat(levels - 1),
        "}".repeat(levels - 1)
    );
    let schema = format!(r#"{{"type":"object","properties":{{}},"$defs":{{"a":{deep}}}}}"#);
    check(&schema, [FINE; 3], [21001, 314273, 314304, 60358]);
}

/// Anchors that are looked for in all of a large document.
#[test]
fn many_anchors_that_are_not_there() {
    let uses = listed(1900, |it| format!(r##""p{it}":{{"$ref":"#nowhere{it}"}}"##));
    let fill = listed(7000, |it| format!(r#""q{it}":{{}}"#));
    let schema = format!(r#"{{"type":"object","properties":{{{uses},{fill}}}}}"#);
    check(&schema, [FINE; 3], [66043, 99074, 112408, 111615]);
}

/// As many members as fit, beside as many required names.
#[test]
fn many_members_and_many_required_names() {
    let members = listed(6_000, |it| format!(r#""a{it}":{{}}"#));
    let names = listed(9_000, |it| format!(r#""b{it}""#));
    let schema = format!(r#"{{"type":"object","properties":{{{members}}},"required":[{names}]}}"#);
    check(&schema, [FINE; 3], [60062, 90108, 99153, 15170]);
}

/// Two objects with many members and required names, which become one.
#[test]
fn large_objects_that_are_merged() {
    let object = |letter: char, rest: &str| {
        let members = listed(3_000, |it| format!(r#""{letter}{it}":{{}}"#));
        let names = listed(6_000, |it| format!(r#""{letter}{it}""#));
        format!(r#"{{"type":"object","properties":{{{members}}},"required":[{names}]{rest}}}"#)
    };
    let schema = format!(
        r#"{{"$defs":{{"b":{}}},{}"#,
        object('b', ""),
        &object('a', r##","$ref":"#/$defs/b""##)[1..]
    );
    check(&schema, [FINE; 3], [147201, 183247, 195290, 18436]);
}

#[test]
fn many_schemas() {
    let many = listed(10_001, |_| "{}".to_owned());
    check(
        &format!(r#"{{"allOf":[{many}]}}"#),
        [TOO_MANY; 3],
        [20019, 20019, 20019, 10010],
    );
}

#[test]
fn many_levels() {
    check(
        &nested(r#"{"properties":{"a":"#, "}}", 100),
        [TOO_DEEP; 3],
        [129, 129, 129, 129],
    );
    check(
        &nested(r#"{"items":"#, "}", 2000),
        [TOO_DEEP; 3],
        [129, 129, 129, 129],
    );
}

#[test]
fn many_bytes() {
    let long = format!(r#"{{"pattern":"{}"}}"#, "a".repeat(1 << 20));
    check(&long, [TOO_LONG; 3], [0; 4]);
    let values = listed(1_000_000, |it| it.to_string());
    check(&format!(r#"{{"enum":[{values}]}}"#), [TOO_LONG; 3], [0; 4]);
}

#[test]
fn a_root_that_is_itself() {
    check(r##"{"$ref":"#"}"##, [FINE; 3], [31, 70, 94, 59]);
}

#[test]
fn what_is_no_schema() {
    for no in [
        "1",
        "null",
        "[]",
        "false",
        r#""x""#,
        r#"{"type":"object","type":"array"}"#,
        r#"{"\ud800":1}"#,
    ] {
        for profile in [STANDARD, INLINED, STRICT] {
            let cleaned = clean(&raw(no), Place::Input, &profile);
            assert_eq!(cleaned, Err(SchemaError::NotSchema), "{no}");
        }
        broken(STANDARD, no, &[(Rule::Readable, "")]);
    }
}
