//! The form of a JSON Schema that OpenAI's strict mode accepts. Strict mode rejects a request with any other schema, so a
//! keyword that is not known to be accepted means no strict mode. The engine validates every reply in any case.
//!
//! Source: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.

use serde_json::{Map, Value, json};

use super::schema_values::{infer_types, of_types, types};

/// Keywords that constrain nothing and that strict mode rejects: they are left out. `$id` only at the root, where nothing can
/// refer to it.
const DROPPED_KEYWORDS: [&str; 7] =
    ["default", "examples", "$schema", "$comment", "deprecated", "readOnly", "writeOnly"];
/// Formats of strings that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// The maximum number of objects and lists inside of each other.
const MAX_NESTING_DEPTH: usize = 10;
/// The maximum number of properties of all objects.
const MAX_PROPERTIES: usize = 5_000;
const MAX_ENUM_VALUES: usize = 1_000;
/// The maximum characters of all names, values and constants.
const MAX_CHARS: usize = 120_000;

/// The schema as strict mode accepts it: it accepts the same values as `schema`. None if strict mode cannot express it.
pub(in crate::providers) fn strict_form(schema: &Value) -> Option<Value> {
    let root = schema.as_object()?;
    if root.get("type")? != "object" || root.contains_key("anyOf") {
        return None;
    }
    let mut narrowing = Narrowing { root, properties: 0, enum_values: 0, chars: 0 };
    let mut strict = narrowing.schema(schema, 1)?;
    for key in ["$defs", "definitions"] {
        let Some(definitions) = root.get(key) else { continue };
        strict[key] = narrowing.definitions(definitions.as_object()?)?;
    }
    let fits = narrowing.properties <= MAX_PROPERTIES
        && narrowing.enum_values <= MAX_ENUM_VALUES
        && narrowing.chars <= MAX_CHARS;
    fits.then_some(strict)
}

struct Narrowing<'a> {
    root: &'a Map<String, Value>,
    properties: usize,
    enum_values: usize,
    chars: usize,
}

impl Narrowing<'_> {
    fn definitions(&mut self, definitions: &Map<String, Value>) -> Option<Value> {
        let mut strict = Map::new();
        for (name, schema) in definitions {
            self.chars += name.chars().count();
            strict.insert(name.clone(), self.schema(schema, 1)?);
        }
        Some(Value::Object(strict))
    }

    fn schema(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let schema = schema.as_object()?;
        let is_root = std::ptr::eq(schema, self.root);
        let mut schema = schema.clone();
        schema.retain(|key, _| !DROPPED_KEYWORDS.contains(&key.as_str()));
        if is_root {
            schema.retain(|key, _| !matches!(key.as_str(), "$id" | "$defs" | "definitions"));
        }
        if let Some(reference) = schema.get("$ref") {
            let is_known = reference == "#" || self.is_definition(reference.as_str()?);
            return (is_known && schema.len() == 1).then_some(Value::Object(schema));
        }
        if let Some(any) = schema.get("anyOf") {
            let any =
                any.as_array()?.iter().map(|one| self.schema(one, depth)).collect::<Option<Vec<_>>>()?;
            let is_plain = schema.keys().all(|key| matches!(key.as_str(), "anyOf" | "title" | "description"));
            schema.insert("anyOf".to_owned(), json!(any));
            return (is_plain && !any.is_empty()).then_some(Value::Object(schema));
        }
        self.literals(&mut schema)?;
        let types: Vec<String> = types(schema.get("type")?)?;
        let is = |kind: &str| types.iter().any(|found| found == kind);
        for (key, value) in &schema {
            let fits = match key.as_str() {
                "type" | "title" | "description" | "enum" | "const" => true,
                "pattern" => is("string"),
                "format" => is("string") && FORMATS.iter().any(|format| value == format),
                "multipleOf" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                    is("number") || is("integer")
                }
                "minItems" | "maxItems" | "items" => is("array"),
                "properties" | "required" | "additionalProperties" => is("object"),
                _ => false,
            };
            if !fits {
                return None;
            }
        }
        if is("array") || is("object") {
            if depth > MAX_NESTING_DEPTH {
                return None;
            }
            self.children(&mut schema, (is("array"), is("object")), depth + 1)?;
        }
        Some(Value::Object(schema))
    }

    /// The enumeration and the constant, with the types of their values.
    fn literals(&mut self, schema: &mut Map<String, Value>) -> Option<()> {
        for key in ["enum", "const"] {
            let Some(found) = schema.get(key) else { continue };
            let values = if key == "enum" { found.as_array()?.clone() } else { vec![found.clone()] };
            let types = match schema.get("type") {
                Some(named) => types(named)?,
                None => infer_types(&values)?,
            };
            // Values of other types could never be given.
            let values = of_types(values, &types)?;
            self.enum_values += values.len();
            self.chars += values.iter().map(|value| value.to_string().chars().count()).sum::<usize>();
            if !schema.contains_key("type") {
                let named = if types.len() == 1 { json!(types[0]) } else { json!(types) };
                schema.insert("type".to_owned(), named);
            }
            if key == "enum" {
                schema.insert(key.to_owned(), json!(values));
            }
        }
        Some(())
    }

    fn children(
        &mut self,
        schema: &mut Map<String, Value>,
        (is_array, is_object): (bool, bool),
        depth: usize,
    ) -> Option<()> {
        if is_array {
            let items = self.schema(schema.get("items")?, depth)?;
            schema.insert("items".to_owned(), items);
        }
        if !is_object {
            return Some(());
        }
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required").map_or(Some([].as_slice()), |names| Some(names.as_array()?))?;
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let all_required = required.len() == properties.len()
            && properties.keys().all(|name| required.iter().any(|one| one == name));
        if !is_closed || !all_required {
            return None;
        }
        let mut strict = Map::new();
        for (name, property) in properties {
            self.properties += 1;
            self.chars += name.chars().count();
            strict.insert(name.clone(), self.schema(property, depth)?);
        }
        let required: Vec<_> = strict.keys().cloned().collect();
        schema.insert("properties".to_owned(), Value::Object(strict));
        schema.insert("required".to_owned(), json!(required));
        Some(())
    }

    /// Whether a reference leads to a definition of the schema.
    fn is_definition(&self, reference: &str) -> bool {
        ["$defs", "definitions"].iter().any(|key| {
            let name =
                reference.strip_prefix("#/").and_then(|path| path.strip_prefix(key)?.strip_prefix('/'));
            let named = name.filter(|name| !name.contains(['/', '~', '%']));
            named.is_some_and(|name| self.root.get(*key).is_some_and(|found| found.get(name).is_some()))
        })
    }
}

#[cfg(test)]
mod tests;
