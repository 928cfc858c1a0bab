//! Narrows a JSON Schema to what the protocol's own format accepts. A schema with a keyword that is not known to be accepted is
//! not narrowed.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>, and what the
//! vendor's own package sends for a schema.

use serde_json::{Map, Value, json};

use crate::providers::protocol::schema_values::{infer_types, of_types, types};

/// Keywords that only say something to the reader.
const NOTES: [&str; 2] = ["title", "description"];
/// Keywords that say nothing about a value.
const DROPPED_KEYWORDS: [&str; 6] = ["$schema", "$id", "$comment", "deprecated", "readOnly", "writeOnly"];
/// Keywords that only bound a value: moved into the description.
const BOUND_KEYWORDS: [&str; 16] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "format",
    "examples",
    "default",
];
/// Formats of strings that the protocol knows.
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
/// The maximum number of properties that are not required, in all objects.
const MAX_OPTIONAL_PROPERTIES: usize = 24;
/// The maximum number of values that may be of several types.
const MAX_UNIONS: usize = 16;

/// The schema narrowed to what the protocol's format accepts; None if that would change its meaning.
pub(super) fn narrow(schema: &Value) -> Option<Value> {
    let mut narrowing = Narrowing::default();
    let narrowed = narrowing.schema(schema)?;
    let fits = narrowing.optional_properties <= MAX_OPTIONAL_PROPERTIES && narrowing.unions <= MAX_UNIONS;
    fits.then_some(narrowed)
}

#[derive(Default)]
struct Narrowing {
    optional_properties: usize,
    unions: usize,
}

impl Narrowing {
    fn schema(&mut self, schema: &Value) -> Option<Value> {
        let mut rest = schema.as_object()?.clone();
        rest.retain(|key, _| !DROPPED_KEYWORDS.contains(&key.as_str()));
        let mut out: Map<String, Value> = NOTES.iter().filter_map(|key| rest.remove_entry(*key)).collect();
        if let Some(any) = rest.remove("anyOf") {
            self.unions += 1;
            let any = any.as_array()?.iter().map(|one| self.schema(one)).collect::<Option<Vec<_>>>()?;
            out.insert("anyOf".to_owned(), json!(any));
            return (rest.is_empty() && !any.is_empty()).then_some(Value::Object(out));
        }
        if rest.contains_key("enum") || rest.contains_key("const") {
            literals(&mut rest, &mut out)?;
        } else {
            match types(rest.get("type")?)?.as_slice() {
                [kind] => self.typed(kind, &mut rest, &mut out)?,
                several => {
                    self.unions += 1;
                    return self.union(several, &rest, out);
                }
            }
        }
        describe_bounds(&rest, &mut out)?;
        Some(Value::Object(out))
    }

    /// A value of one type: what the protocol accepts moves from `rest` to `out`.
    fn typed(
        &mut self,
        kind: &str,
        rest: &mut Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Option<()> {
        out.extend(rest.remove_entry("type").map(|(key, _)| (key, json!(kind))));
        match kind {
            "object" => {
                let properties = rest.remove("properties")?;
                let properties = properties.as_object()?;
                let required = rest.remove("required").unwrap_or_else(|| json!([]));
                let required = required.as_array()?;
                let known = |name: &Value| name.as_str().is_some_and(|name| properties.contains_key(name));
                let is_open = rest.remove("additionalProperties").is_some_and(|value| value != json!(false));
                if is_open || !required.iter().all(known) {
                    return None;
                }
                self.optional_properties += properties.len().saturating_sub(required.len());
                let narrowed = properties
                    .iter()
                    .map(|(name, schema)| Some((name.clone(), self.schema(schema)?)))
                    .collect::<Option<Map<_, _>>>()?;
                out.insert("properties".to_owned(), Value::Object(narrowed));
                if !required.is_empty() {
                    out.insert("required".to_owned(), json!(required));
                }
                out.insert("additionalProperties".to_owned(), json!(false));
            }
            "array" => {
                let items = self.schema(&rest.remove("items")?)?;
                out.insert("items".to_owned(), items);
                let min_items = rest.get("minItems").and_then(Value::as_u64);
                if min_items.is_some_and(|min_items| min_items <= 1) {
                    out.extend(rest.remove_entry("minItems"));
                }
            }
            "string"
                if rest.get("format").is_some_and(|format| FORMATS.iter().any(|known| format == known)) =>
            {
                out.extend(rest.remove_entry("format"));
            }
            _ => {}
        }
        Some(())
    }

    /// A value of several types: one schema for each.
    fn union(
        &mut self,
        several: &[String],
        rest: &Map<String, Value>,
        mut out: Map<String, Value>,
    ) -> Option<Value> {
        let mut variants = Vec::new();
        for kind in several {
            let mut one = rest.clone();
            one.retain(|key, _| applies_to(key, kind));
            one.insert("type".to_owned(), json!(kind));
            variants.push(self.schema(&Value::Object(one))?);
        }
        out.insert("anyOf".to_owned(), json!(variants));
        Some(Value::Object(out))
    }
}

/// Whether a keyword says something about values of this type. Unknown keywords may.
fn applies_to(keyword: &str, kind: &str) -> bool {
    match keyword {
        "properties" | "required" | "additionalProperties" | "minProperties" | "maxProperties" => {
            kind == "object"
        }
        "items" | "minItems" | "maxItems" | "uniqueItems" => kind == "array",
        "minLength" | "maxLength" | "pattern" | "format" => kind == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "integer" | "number")
        }
        _ => true,
    }
}

/// An enumeration or a constant, which needs no type: values of another one could never be given.
fn literals(rest: &mut Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
    let listed = rest
        .remove("enum")
        .map(|values| values.as_array().cloned())
        .map_or(Some(None), |values| values.map(Some))?;
    let constant = rest.remove("const");
    let values = match (&listed, &constant) {
        (Some(listed), Some(constant)) if !listed.contains(constant) => return None,
        (_, Some(constant)) => vec![constant.clone()],
        (Some(listed), None) => listed.clone(),
        (None, None) => return None,
    };
    let types = match rest.remove("type") {
        Some(named) => types(&named)?,
        None => infer_types(&values)?,
    };
    let mut values = of_types(values, &types)?;
    match (constant, values.pop()) {
        (Some(_), Some(constant)) => drop(out.insert("const".to_owned(), constant)),
        (_, last) => {
            values.extend(last);
            out.insert("enum".to_owned(), json!(values));
        }
    }
    Some(())
}

/// Says the bounds that are left in the description. None if something else is left.
fn describe_bounds(rest: &Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
    if !rest.keys().all(|key| BOUND_KEYWORDS.contains(&key.as_str())) {
        return None;
    }
    if !rest.is_empty() {
        let bounds: Vec<_> = rest.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        let description = out.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("{description} ({})", bounds.join(", "));
        out.insert("description".to_owned(), json!(description.trim_start()));
    }
    Some(())
}

#[cfg(test)]
mod tests;
