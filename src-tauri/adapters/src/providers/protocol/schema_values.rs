//! The types of a JSON Schema and the values that its enumerations list.

use serde_json::Value;

/// All types of JSON Schema.
const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// The types that `type` names, which is one or a list. None if it is neither.
pub fn types(keyword: &Value) -> Option<Vec<String>> {
    let listed: Vec<&Value> = match keyword {
        Value::Array(several) => several.iter().collect(),
        one => vec![one],
    };
    let known = |name: &Value| TYPES.iter().find(|kind| name == **kind).map(|kind| (*kind).to_owned());
    let types = listed.into_iter().map(known).collect::<Option<Vec<_>>>()?;
    (!types.is_empty()).then_some(types)
}

/// The types of these values, each once. None if one of them is an object or a list, or if there are none.
pub(in crate::providers) fn infer_types(values: &[Value]) -> Option<Vec<String>> {
    let mut types: Vec<String> = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::String(_) => "string",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Array(_) | Value::Object(_) => return None,
        };
        if !types.iter().any(|found| found == kind) {
            types.push(kind.to_owned());
        }
    }
    (!types.is_empty()).then_some(types)
}

/// The values of one of these types. None if there are none, or if one of them is an object or a list.
pub(in crate::providers) fn of_types(values: Vec<Value>, types: &[String]) -> Option<Vec<Value>> {
    let is_of = |value: &Value, kind: &str| match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::String(_) => kind == "string",
        Value::Number(number) => {
            let is_whole = !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0);
            kind == "number" || (kind == "integer" && is_whole)
        }
        Value::Array(_) | Value::Object(_) => false,
    };
    let mut kept = Vec::new();
    for value in values {
        if value.is_array() || value.is_object() {
            return None;
        }
        if types.iter().any(|kind| is_of(&value, kind)) {
            kept.push(value);
        }
    }
    (!kept.is_empty()).then_some(kept)
}
