//! n8n's conditions, of all versions: what programs with `runtime/filter.js` and `runtime/compare.js` are called with, and the
//! defaults that exports leave out.

use serde_json::{Value, json};

use super::programs::{COMPARE, CONVERT, FILTER, javascript, literal};

/// Whether an item passes, as an expression in JavaScript, and the parts of the runtime that it calls.
pub(super) struct Condition {
    pub(super) source: String,
    pub(super) parts: &'static [&'static str],
}

/// Operations without a second value.
const UNARY: [&str; 6] = ["exists", "notExists", "empty", "notEmpty", "true", "false"];

/// Reads the conditions of an `if` or a `filter`. `since` is the version of the node whose conditions have version 2.
pub(super) fn read(parameters: &Value, version: f64, since: f64) -> Result<Condition, String> {
    let conditions = parameters.get("conditions").unwrap_or(&Value::Null);
    if conditions.get("conditions").is_some_and(Value::is_array) {
        return typed(conditions, parameters, version, since);
    }
    let mut written = Vec::new();
    for kind in ["boolean", "dateTime", "number", "string"] {
        for entry in conditions.get(kind).and_then(Value::as_array).into_iter().flatten() {
            written.push(comparison(kind, entry.get("value1"), entry, "")?);
        }
    }
    let is_any = parameters.get("combineOperation").is_some_and(|how| how == "any")
        || parameters.get("combineConditions").is_some_and(|how| how == "OR");
    let source = match (written.is_empty(), is_any) {
        (true, is_any) => (!is_any).to_string(),
        (false, true) => written.join(" || "),
        (false, false) => written.join(" && "),
    };
    Ok(Condition { source, parts: &[COMPARE] })
}

/// A comparison of the first versions. `one` is the value on its left, `date` the date that an export leaves out on its right.
pub(super) fn comparison(
    kind: &str,
    one: Option<&Value>,
    entry: &Value,
    date: impl Into<Value>,
) -> Result<String, String> {
    let (operation, missing) = match kind {
        "boolean" => ("equal", json!(false)),
        "dateTime" => ("after", json!("")),
        "number" => ("smaller", json!(0)),
        _ => ("equal", json!("")),
    };
    let text = entry.get("operation").and_then(Value::as_str).unwrap_or(operation);
    let one = javascript(one.unwrap_or(&missing))?;
    let missing = if kind == "dateTime" { date.into() } else { missing };
    let other = javascript(entry.get("value2").unwrap_or(&missing))?;
    Ok(format!("compare({}, {}, {one}, {other})", literal(&kind.into()), literal(&text.into())))
}

/// Conditions whose operators have a type.
pub(super) fn typed(
    conditions: &Value,
    parameters: &Value,
    version: f64,
    since: f64,
) -> Result<Condition, String> {
    let stored =
        |name: &str| conditions.pointer(&format!("/options/{name}")).filter(|value| !value.is_null());
    let flag = |pointer: &str| parameters.pointer(pointer).and_then(Value::as_bool);
    let is_loose =
        flag("/looseTypeValidation").or_else(|| flag("/options/looseTypeValidation")).unwrap_or(false);
    let ignores_case = flag("/options/ignoreCase").unwrap_or(false);
    let options = json!({
        "caseSensitive": stored("caseSensitive").cloned().unwrap_or_else(|| json!(!ignores_case)),
        "typeValidation": stored("typeValidation").cloned().unwrap_or_else(|| json!(if is_loose { "loose" } else { "strict" })),
        "version": stored("version").cloned().unwrap_or_else(|| json!(if version >= since { 2 } else { 1 })),
    });
    let mut written = Vec::new();
    for entry in conditions.get("conditions").and_then(Value::as_array).into_iter().flatten() {
        written.push(condition(entry)?);
    }
    let combinator = conditions.get("combinator").and_then(Value::as_str).unwrap_or("and");
    let source = format!("filter({options}, {}, [{}])", json!(combinator), written.join(", "));
    Ok(Condition { source, parts: &[CONVERT, FILTER] })
}

fn condition(entry: &Value) -> Result<String, String> {
    let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
    let kind = text("/operator/type").unwrap_or("string");
    let operation = text("/operator/operation").unwrap_or("equals");
    let operation = operation.rsplit([':', '.']).next().unwrap_or(operation);
    let is_unary = entry.pointer("/operator/singleValue").and_then(Value::as_bool).unwrap_or(false)
        || UNARY.contains(&operation);
    // A list is compared with an item of any type, or its length with a number.
    let of_list = if operation.starts_with("length") { "number" } else { "any" };
    let right_type = text("/operator/rightType").or((kind == "array").then_some(of_list));
    let left = javascript(entry.get("leftValue").unwrap_or(&json!("")))?;
    let right = javascript(entry.get("rightValue").unwrap_or(&json!("")))?;
    let right_type = right_type.map(|kind| format!(", rightType: {}", json!(kind))).unwrap_or_default();
    Ok(format!(
        "() => ({{ left: {left}, right: {right}, type: {}{right_type}, operation: {}, hasRight: {} }})",
        json!(kind),
        json!(operation),
        !is_unary
    ))
}
