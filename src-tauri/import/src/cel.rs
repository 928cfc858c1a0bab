//! Conditions of other tools, as conditions in CEL.

use std::fmt::Write as _;

use serde_json::Value;

/// What a comparison asks for, as all of the tools have it under names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Contains,
    NotContains,
    StartsWith,
    NotStartsWith,
    EndsWith,
    NotEndsWith,
    Matches,
    NotMatches,
    In,
    NotIn,
    Empty,
    NotEmpty,
    Null,
    NotNull,
    /// The object has the field.
    Exists,
    NotExists,
    LengthEqual,
    LengthGreater,
    LengthLess,
}

/// A comparison of two values, both written in CEL.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub(super) left: String,
    pub(super) operator: Operator,
    pub(super) right: String,
}

impl Comparison {
    pub(super) fn write(&self) -> String {
        let Self { left, right, .. } = self;
        match self.operator {
            Operator::Equal => format!("{left} == {right}"),
            Operator::NotEqual => format!("{left} != {right}"),
            Operator::Greater => format!("{left} > {right}"),
            Operator::GreaterEqual => format!("{left} >= {right}"),
            Operator::Less => format!("{left} < {right}"),
            Operator::LessEqual => format!("{left} <= {right}"),
            Operator::Contains => format!("{left}.contains({right})"),
            Operator::NotContains => format!("!{left}.contains({right})"),
            Operator::StartsWith => format!("{left}.startsWith({right})"),
            Operator::NotStartsWith => format!("!{left}.startsWith({right})"),
            Operator::EndsWith => format!("{left}.endsWith({right})"),
            Operator::NotEndsWith => format!("!{left}.endsWith({right})"),
            Operator::Matches => format!("{left}.matches({right})"),
            Operator::NotMatches => format!("!{left}.matches({right})"),
            Operator::In => format!("{left} in {right}"),
            Operator::NotIn => format!("!({left} in {right})"),
            Operator::Empty => format!("size({left}) == 0"),
            Operator::NotEmpty => format!("size({left}) > 0"),
            // `has` takes a field only.
            Operator::Exists if left.contains('.') => format!("has({left})"),
            Operator::NotExists if left.contains('.') => format!("!has({left})"),
            Operator::NotNull | Operator::Exists => format!("{left} != null"),
            Operator::Null | Operator::NotExists => format!("{left} == null"),
            Operator::LengthEqual => format!("size({left}) == {right}"),
            Operator::LengthGreater => format!("size({left}) > {right}"),
            Operator::LengthLess => format!("size({left}) < {right}"),
        }
    }
}

/// Conditions that must all hold, or one of them.
pub(super) fn combine(conditions: &[String], is_any: bool) -> String {
    match conditions {
        [only] => only.clone(),
        several => {
            let parts: Vec<String> = several.iter().map(|part| format!("({part})")).collect();
            parts.join(if is_any { " || " } else { " && " })
        }
    }
}

/// A path from the value that a switch tests.
pub(super) fn path(path: &[String]) -> String {
    let mut text = "value".to_owned();
    for step in path {
        let is_name = !step.is_empty()
            && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
            && !step.starts_with(|first: char| first.is_ascii_digit());
        let is_index = !step.is_empty() && step.len() < 10 && step.bytes().all(|one| one.is_ascii_digit());
        if is_name {
            text.push('.');
            text.push_str(step);
        } else if is_index {
            let _ = write!(text, "[{step}]");
        } else {
            let _ = write!(text, "[{}]", Value::from(step.as_str()));
        }
    }
    text
}

/// A constant.
pub(super) fn literal(value: &Value) -> String {
    match value {
        // Whole numbers without a point, so that they compare with whole numbers.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
