//! Schemas of tools: cleaned for any profile, and judged.

use mcp_types::{
    RawJson,
    schema::{MAX_BYTES, Place, Profile, Rule, clean, lint},
};

/// The first byte says the profile and the place, the rest is the schema: cleaning settles, and breaks no rule that it
/// mends.
pub(crate) fn schema(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let Ok(schema) = String::from_utf8(rest.to_vec())
        .map_err(drop)
        .and_then(|text| RawJson::parse(text).map_err(drop))
    else {
        return;
    };
    let profiles = [
        Profile::standard(),
        Profile::strict(),
        Profile::inlined(),
        Profile::plain(),
    ];
    let mut profile = profiles[usize::from(first % 4)];
    if first & 4 == 4 {
        profile = profile.with_dialect();
    }
    let place = if first & 8 == 8 {
        Place::Output
    } else {
        Place::Input
    };
    for finding in judged(&schema, place, &profile) {
        assert!(
            finding.path.is_empty() || finding.path.starts_with('/'),
            "{finding}"
        );
    }
    let Ok(once) = clean(&schema, place, &profile) else {
        return;
    };
    assert!(once.is_object() && once.as_str().len() <= MAX_BYTES);
    let twice = clean(&once, place, &profile);
    assert_eq!(
        twice.as_ref().map(RawJson::as_str),
        Ok(once.as_str()),
        "{schema}"
    );
    for finding in judged(&once, place, &profile) {
        let mended = matches!(finding.rule, Rule::NoOpenApi | Rule::NoRustFormat);
        assert!(!mended, "{once}: {finding}");
    }
}

fn judged(schema: &RawJson, place: Place, profile: &Profile) -> Vec<mcp_types::schema::Finding> {
    let findings = lint(schema, place, profile);
    assert!(findings.len() <= 100);
    findings
}
