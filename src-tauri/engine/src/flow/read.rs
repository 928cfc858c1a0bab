//! From text to a flow: syntax, version, shape and duplicate ids, each with its line and column.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Flow;
use super::migrate::migrate;
use crate::diagnostic::{Diagnostic, escape};

/// Why a text is not a flow. The diagnostic says what and, where it can, at which node or edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", diagnostic.message)]
pub struct ReadError {
    /// What is wrong.
    pub diagnostic: Box<Diagnostic>,
    /// The line, from 1; 0 where it is not about one place of the text.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl ReadError {
    fn new(diagnostic: Diagnostic, line: usize, column: usize) -> Self {
        Self { diagnostic: Box::new(diagnostic), line, column }
    }
}

/// Reads a flow. Executes nothing. Unknown node types and unknown keys are kept; whether the flow can run is for
/// [`check`](crate::plan::check) to say.
pub fn read(text: &str) -> Result<Flow, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<Unique>(text) {
        let (line, column) = (error.line(), error.column());
        let said = error.to_string();
        return Err(ReadError::new(syntax(&said, line, column), line, column));
    }
    // `Unique` has parsed it, so this can only fail on what serde_json finds too deep or too large to hold.
    let value: Value = serde_json::from_str(text).map_err(|error| {
        ReadError::new(syntax(&error.to_string(), error.line(), error.column()), error.line(), error.column())
    })?;
    let value = migrate(value).map_err(|diagnostic| ReadError::new(diagnostic, 0, 0))?;
    shape(value).map_err(|diagnostic| ReadError::new(diagnostic, 0, 0))
}

fn syntax(said: &str, line: usize, column: usize) -> Diagnostic {
    let what = said.split(" at line ").next().unwrap_or(said);
    if let Some(key) = what.strip_prefix(DUPLICATE) {
        return Diagnostic::error("flow.duplicate_id", "", format!("{key} stands here a second time."))
            .hint("Ids are unique: rename one of the two, or delete it.");
    }
    let code = if what.starts_with("EOF") { "flow.truncated" } else { "flow.not_json" };
    let message = match code {
        "flow.truncated" => {
            format!("The file ends at line {line}, column {column}, in the middle of its JSON.")
        }
        _ => format!("This is not JSON: {what} at line {line}, column {column}."),
    };
    Diagnostic::error(code, "", message).hint(
        "A flow is a JSON document; restore the file from version control or a backup, or mend this place.",
    )
}

/// Reads each node and edge by itself, so that a wrong one is named.
fn shape(value: Value) -> Result<Flow, Diagnostic> {
    for (section, what) in [("nodes", "node"), ("edges", "edge"), ("layout", "position")] {
        let Some(Value::Object(items)) = value.get(section) else { continue };
        for (id, item) in items {
            let wrong = match section {
                "nodes" => super::Node::deserialize(item).err(),
                "edges" => super::Edge::deserialize(item).err(),
                _ => super::Position::deserialize(item).err(),
            };
            if let Some(error) = wrong {
                let pointer = format!("/{section}/{}", escape(id));
                let found = Diagnostic::error(
                    "flow.wrong_shape",
                    pointer,
                    format!("The {what} `{id}` is not well formed: {error}."),
                )
                .hint("`plait schema` prints the JSON Schema of the format.");
                return Err(match section {
                    "nodes" => found.node(&id.as_str().into()),
                    "edges" => Diagnostic { edge: Some(id.as_str().into()), ..found },
                    _ => found,
                });
            }
        }
    }
    Flow::deserialize(value).map_err(|error| {
        Diagnostic::error("flow.wrong_shape", "", format!("This JSON is not a flow: {error}.")).hint(
            "A flow is an object with `version`, `nodes` and `edges`; `plait schema` prints its JSON Schema.",
        )
    })
}

const DUPLICATE: &str = "duplicate id ";

/// Any JSON in which no object has a key twice.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        while items.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Unique, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(serde::de::Error::custom(format!("{DUPLICATE}`{key}`")));
            }
            seen.insert(key);
            entries.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}

#[cfg(test)]
mod tests;
