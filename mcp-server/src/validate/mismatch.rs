//! What a schema expected, in words that a model can mend its call by.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::Mismatch;

/// How deep the choices of a schema are looked into.
const CHOICES: usize = 4;

/// The place of `error`, and what was expected there. Where a value fits none of several schemas, that is told of the
/// one that it comes closest to.
pub(super) fn of(error: &ValidationError<'_>) -> Mismatch {
    let mut error = error;
    for _ in 0..CHOICES {
        let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }) = error.kind() else {
            break;
        };
        let Some(closer) = closest(error, context) else {
            break;
        };
        error = closer;
    }
    Mismatch::new(error.instance_path().as_str(), expected(error))
}

/// The first error of the branch that goes deepest, if one goes deeper than the choice and no other as deep.
fn closest<'e, 'i>(
    choice: &ValidationError<'_>,
    branches: &'e [Vec<ValidationError<'i>>],
) -> Option<&'e ValidationError<'i>> {
    let shallowest =
        |branch: &'e Vec<ValidationError<'i>>| branch.iter().min_by_key(|it| depth(it));
    let firsts = || branches.iter().filter_map(shallowest);
    let deepest = firsts().max_by_key(|error| depth(error))?;
    let as_deep = firsts().filter(|error| depth(error) == depth(deepest));
    (depth(deepest) > depth(choice) && as_deep.count() == 1).then_some(deepest)
}

fn depth(error: &ValidationError<'_>) -> usize {
    error.instance_path().as_str().matches('/').count()
}

fn expected(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Type { kind } => {
            let got = type_of(error.instance());
            format!("expected {}, got {got}", types(kind))
        }
        Kind::Required { property } => format!("member {property} is missing"),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("no member {} is expected", quoted(unexpected))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => choices(context),
        _ => error.masked_with("the value").to_string(),
    }
}

/// What each of the choices expects, once each.
fn choices(branches: &[Vec<ValidationError<'_>>]) -> String {
    let mut all: Vec<String> = Vec::new();
    for error in branches.iter().filter_map(|branch| branch.first()).take(8) {
        let text = match error.kind() {
            Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "one of several schemas".to_owned(),
            _ => expected(error),
        };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    format!("fits none of the choices: {}", all.join("; or "))
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => {
            let kinds: Vec<_> = kinds.iter().map(|kind| kind.to_string()).collect();
            kinds.join(" or ")
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}
