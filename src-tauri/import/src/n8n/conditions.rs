//! n8n's conditions, of all versions, as conditions in CEL.

use serde_json::Value;

use super::super::cel::{self, Operator};
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
        Ok(cel::combine(&written?, self.is_any))
    }
}

impl Comparison {
    fn to_cel(&self, place: &dyn Fn(&Reference) -> Option<Vec<String>>) -> Result<String, String> {
        let write = |operand: &Operand| match operand {
            Operand::Reference(reference) => place(reference)
                .map(|path| cel::path(&path))
                .ok_or_else(|| "Its condition reads a value that is not in the flow.".to_owned()),
            Operand::Literal(value) => Ok(cel::literal(value)),
        };
        let (left, right) = (write(&self.left)?, write(&self.right)?);
        let operation = self.operation.rsplit('.').next().unwrap_or(&self.operation);
        // A test for a truth value has no other side.
        let right = if matches!(operation, "true" | "false") { operation.to_owned() } else { right };
        let operator =
            operator(operation).ok_or_else(|| format!("Plait has no condition `{}`.", self.operation))?;
        Ok(cel::Comparison { left, operator, right }.write())
    }
}

/// An operator, by the names that n8n has for it.
fn operator(name: &str) -> Option<Operator> {
    Some(match name {
        "equals" | "equal" | "true" | "false" => Operator::Equal,
        "notEquals" | "notEqual" => Operator::NotEqual,
        "contains" => Operator::Contains,
        "notContains" => Operator::NotContains,
        "startsWith" => Operator::StartsWith,
        "notStartsWith" => Operator::NotStartsWith,
        "endsWith" => Operator::EndsWith,
        "notEndsWith" => Operator::NotEndsWith,
        "regex" => Operator::Matches,
        "notRegex" => Operator::NotMatches,
        "larger" | "gt" | "after" => Operator::Greater,
        "largerEqual" | "gte" | "afterOrEquals" => Operator::GreaterEqual,
        "smaller" | "lt" | "before" => Operator::Less,
        "smallerEqual" | "lte" | "beforeOrEquals" => Operator::LessEqual,
        "empty" | "isEmpty" => Operator::Empty,
        "notEmpty" | "isNotEmpty" => Operator::NotEmpty,
        "exists" | "isSet" => Operator::Exists,
        "notExists" | "isNotSet" => Operator::NotExists,
        "lengthEquals" => Operator::LengthEqual,
        "lengthGt" => Operator::LengthGreater,
        "lengthLt" => Operator::LengthLess,
        _ => return None,
    })
}
