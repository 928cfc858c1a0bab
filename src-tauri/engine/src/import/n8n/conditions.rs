//! n8n's conditions, of all versions, as conditions in CEL.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::settings::Settings;
use super::expressions::{self, Part, Reference};

/// A condition: comparisons that all or any of have to hold.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    comparisons: Vec<Comparison>,
    is_any: bool,
}

#[derive(Clone, Debug)]
struct Comparison {
    left: Operand,
    operation: String,
    right: Operand,
}

#[derive(Clone, Debug)]
enum Operand {
    Reference(Reference),
    Literal(Value),
}

/// Reads the conditions of an `if` or a `filter`.
pub(super) fn read(parameters: &Value) -> Result<Condition, String> {
    let conditions = parameters.get("conditions").unwrap_or(&Value::Null);
    if let Some(list) = conditions.get("conditions").and_then(Value::as_array) {
        return read_list(list, conditions.get("combinator"));
    }
    // Version 1: lists by type of value.
    let mut comparisons = Vec::new();
    for (kind, list) in conditions.as_object().into_iter().flatten() {
        for entry in list.as_array().into_iter().flatten() {
            let default = if kind == "number" { "smaller" } else { "equal" };
            let operation = entry.get("operation").and_then(Value::as_str).unwrap_or(default);
            comparisons.push(Comparison {
                left: operand(entry.get("value1"))?,
                operation: operation.to_owned(),
                right: operand(entry.get("value2"))?,
            });
        }
    }
    if comparisons.is_empty() {
        return Err("It has no condition.".to_owned());
    }
    let is_any = parameters.get("combineOperation").is_some_and(|how| how == "any");
    Ok(Condition { comparisons, is_any })
}

/// Reads the rules of a `switch`.
pub(super) fn read_rules(settings: &Settings<'_>) -> Result<Vec<(String, Condition)>, String> {
    settings.ignore_all(&["/rules", "/options", "/fallbackOutput", "/looseTypeValidation", "/dataType"]);
    if settings.text("/mode") == Some("expression") {
        return Err("It chooses its output by an expression.".to_owned());
    }
    let mut names: Vec<String> = Vec::new();
    let mut name = |wanted: Option<&str>, index: usize| {
        let base =
            wanted.map(str::trim).filter(|name| !name.is_empty() && !["default", "error"].contains(name));
        let mut name = base.map_or_else(|| format!("case {}", index + 1), str::to_owned);
        while names.contains(&name) {
            name = format!("{name} {}", index + 1);
        }
        names.push(name.clone());
        name
    };
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut rules = Vec::new();
    let new = settings.items("/rules/values").iter().chain(settings.items("/rules/rules"));
    let value1 = settings.get("/value1");
    for (index, entry) in new.enumerate() {
        let condition = if let Some(conditions) = entry.get("conditions") {
            let list = conditions.get("conditions").and_then(Value::as_array);
            read_list(list.map_or(&[], Vec::as_slice), conditions.get("combinator"))?
        } else {
            let operation = text(entry, "operation").unwrap_or_else(|| "equal".to_owned());
            let comparison =
                Comparison { left: operand(value1)?, operation, right: operand(entry.get("value2"))? };
            Condition { comparisons: vec![comparison], is_any: false }
        };
        rules.push((name(text(entry, "outputKey").as_deref(), index), condition));
    }
    if rules.is_empty() { Err("It has no rules.".to_owned()) } else { Ok(rules) }
}

fn read_list(list: &[Value], combinator: Option<&Value>) -> Result<Condition, String> {
    let mut comparisons = Vec::new();
    for entry in list {
        let operation = entry.pointer("/operator/operation").and_then(Value::as_str).unwrap_or("equals");
        let kind = entry.pointer("/operator/type").and_then(Value::as_str).unwrap_or("string");
        let mut right = operand(entry.get("rightValue"))?;
        if kind == "number"
            && let Operand::Literal(Value::String(text)) = &right
            && let Ok(number) = text.trim().parse::<f64>()
        {
            right = Operand::Literal(number.into());
        }
        comparisons.push(Comparison {
            left: operand(entry.get("leftValue"))?,
            operation: operation.to_owned(),
            right,
        });
    }
    if comparisons.is_empty() {
        return Err("It has no condition.".to_owned());
    }
    Ok(Condition { comparisons, is_any: combinator.is_some_and(|how| how == "or") })
}

fn operand(value: Option<&Value>) -> Result<Operand, String> {
    let value = value.cloned().unwrap_or(Value::Null);
    let Value::String(text) = &value else { return Ok(Operand::Literal(value)) };
    match expressions::parse(text).as_slice() {
        [] => Ok(Operand::Literal("".into())),
        [Part::Text(text)] => Ok(Operand::Literal(text.as_str().into())),
        [Part::Reference(reference)] if reference.helper.is_none() => {
            Ok(Operand::Reference(reference.clone()))
        }
        _ => {
            let text: String = text.chars().take(120).collect();
            Err(format!("Its condition reads `{text}`, which is more than a field."))
        }
    }
}

impl Condition {
    /// The values that it reads.
    pub(super) fn references(&self) -> impl Iterator<Item = &Reference> {
        let operands = self.comparisons.iter().flat_map(|comparison| [&comparison.left, &comparison.right]);
        operands.filter_map(|operand| match operand {
            Operand::Reference(reference) => Some(reference),
            Operand::Literal(_) => None,
        })
    }

    /// The condition in CEL. `place` is where a value stands in `value`.
    pub(super) fn to_cel(&self, place: &dyn Fn(&Reference) -> Option<Vec<String>>) -> Result<String, String> {
        let written: Result<Vec<String>, String> =
            self.comparisons.iter().map(|comparison| comparison.to_cel(place)).collect();
        let written = written?;
        let operator = if self.is_any { " || " } else { " && " };
        Ok(match written.as_slice() {
            [only] => only.clone(),
            several => {
                let parts: Vec<String> = several.iter().map(|part| format!("({part})")).collect();
                parts.join(operator)
            }
        })
    }
}

impl Comparison {
    fn to_cel(&self, place: &dyn Fn(&Reference) -> Option<Vec<String>>) -> Result<String, String> {
        let write = |operand: &Operand| match operand {
            Operand::Reference(reference) => place(reference)
                .map(|path| cel_path(&path))
                .ok_or_else(|| "Its condition reads a value that is not in the flow.".to_owned()),
            Operand::Literal(value) => Ok(cel_literal(value)),
        };
        let (left, right) = (write(&self.left)?, write(&self.right)?);
        compare(&left, &self.operation, &right)
            .ok_or_else(|| format!("Plait has no condition `{}`.", self.operation))
    }
}

/// A comparison in CEL, by the names that n8n has for it.
fn compare(left: &str, operation: &str, right: &str) -> Option<String> {
    let operation = operation.rsplit('.').next().unwrap_or(operation);
    Some(match operation {
        "equals" | "equal" => format!("{left} == {right}"),
        "notEquals" | "notEqual" => format!("{left} != {right}"),
        "contains" => format!("{left}.contains({right})"),
        "notContains" => format!("!{left}.contains({right})"),
        "startsWith" => format!("{left}.startsWith({right})"),
        "notStartsWith" => format!("!{left}.startsWith({right})"),
        "endsWith" => format!("{left}.endsWith({right})"),
        "notEndsWith" => format!("!{left}.endsWith({right})"),
        "regex" => format!("{left}.matches({right})"),
        "notRegex" => format!("!{left}.matches({right})"),
        "larger" | "gt" | "after" => format!("{left} > {right}"),
        "largerEqual" | "gte" | "afterOrEquals" => format!("{left} >= {right}"),
        "smaller" | "lt" | "before" => format!("{left} < {right}"),
        "smallerEqual" | "lte" | "beforeOrEquals" => format!("{left} <= {right}"),
        "true" => format!("{left} == true"),
        "false" => format!("{left} == false"),
        "empty" | "isEmpty" => format!("size({left}) == 0"),
        "notEmpty" | "isNotEmpty" => format!("size({left}) > 0"),
        // `has` takes a field only.
        "exists" | "isSet" if left.contains('.') => format!("has({left})"),
        "notExists" | "isNotSet" if left.contains('.') => format!("!has({left})"),
        "exists" => format!("{left} != null"),
        "notExists" => format!("{left} == null"),
        "lengthEquals" => format!("size({left}) == {right}"),
        "lengthGt" => format!("size({left}) > {right}"),
        "lengthLt" => format!("size({left}) < {right}"),
        _ => return None,
    })
}

/// A path from `value` on.
pub(super) fn cel_path(path: &[String]) -> String {
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

fn cel_literal(value: &Value) -> String {
    match value {
        // Whole numbers without a point, so that they compare with whole numbers.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
