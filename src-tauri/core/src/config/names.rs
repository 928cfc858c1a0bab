//! Finds the names of providers, tools, servers and knowledge bases in settings. The `format` of a setting's schema says what it names,
//! so a check of names covers new settings as well.

use serde_json::Value;

use crate::diagnostic::escape;

/// What a setting names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    Provider,
    /// One of Plait's own tools, or one that a `tools` edge brings.
    Tool,
    McpServer,
    KnowledgeBase,
}

impl NameKind {
    /// All kinds, with the `format` of the schemas.
    pub const FORMATS: [(&'static str, Self); 4] = [
        ("provider", Self::Provider),
        ("tool", Self::Tool),
        ("mcpServer", Self::McpServer),
        ("knowledgeBase", Self::KnowledgeBase),
    ];

    fn of(schema: &Value) -> Option<Self> {
        let format = schema.get("format")?.as_str()?;
        Self::FORMATS.iter().find(|(name, _)| *name == format).map(|(_, kind)| *kind)
    }
}

/// A name in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingName<'v> {
    pub kind: NameKind,
    /// Its place, as a JSON pointer.
    pub pointer: String,
    /// The name without blanks around it. Only an item of a list is here without one: other settings are not set then.
    pub name: &'v str,
}

/// Whether a document of this schema can name anything: without it, [`names_in`] finds nothing.
pub fn may_name(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => NameKind::of(schema).is_some() || members.values().any(may_name),
        Value::Array(items) => items.iter().any(may_name),
        _ => false,
    }
}

/// The names in `value`, in the order of the document. `schema` is its schema without references, `place` the pointer to it.
pub fn names_in<'v>(schema: &Value, value: &'v Value, place: &str) -> Vec<SettingName<'v>> {
    let mut names = Vec::new();
    collect(schema, value, false, &mut place.to_owned(), &mut names);
    names
}

fn collect<'v>(
    schema: &Value,
    value: &'v Value,
    is_item: bool,
    place: &mut String,
    names: &mut Vec<SettingName<'v>>,
) {
    let alternatives = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    for schema in std::iter::once(schema).chain(alternatives) {
        match value {
            Value::String(name) => {
                let name = name.trim();
                let Some(kind) = NameKind::of(schema).filter(|_| is_item || !name.is_empty()) else {
                    continue;
                };
                names.push(SettingName { kind, pointer: place.clone(), name });
                // Alternatives say the same of it.
                return;
            }
            Value::Array(items) => {
                let Some(own) = schema.get("items") else { continue };
                for (index, item) in items.iter().enumerate() {
                    below(place, &index.to_string(), |place| collect(own, item, true, place, names));
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields {
                    let own = schema.get("properties").and_then(|properties| properties.get(key));
                    let Some(own) = own.or_else(|| schema.get("additionalProperties")) else { continue };
                    below(place, &escape(key), |place| collect(own, field, false, place, names));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn below(place: &mut String, part: &str, visit: impl FnOnce(&mut String)) {
    let length = place.len();
    place.push('/');
    place.push_str(part);
    visit(place);
    place.truncate(length);
}

#[cfg(test)]
mod tests;
