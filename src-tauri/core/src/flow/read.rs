//! Reads a flow from text. Errors in syntax, version, shape and duplicate ids have a line and column where possible.
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use smallvec::SmallVec;

use super::migrate::migrate;
use super::spelling::respell;
use super::{Flow, VERSION};
use crate::codes;
use crate::diagnostic::{Diagnostic, escape};
use crate::exact_json;
use crate::exact_json::find_large_integer;

/// Why a text is not a flow. The diagnostic names the node or edge where possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", diagnostic.message)]
pub struct ReadError {
    pub diagnostic: Box<Diagnostic>,
    /// The line, from 1; 0 if the error has no place in the text.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl ReadError {
    fn new(diagnostic: Diagnostic, line: usize, column: usize) -> Self {
        Self { diagnostic: Box::new(diagnostic), line, column }
    }
}

/// Reads a flow. Executes nothing. Keeps unknown node types and unknown keys; `plait_run::plan::check` decides
/// whether the flow can run.
pub fn read(text: &str) -> Result<Flow, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<UniqueKeys>(text) {
        let (line, column) = (error.line(), error.column());
        return Err(ReadError::new(syntax_error(&error), line, column));
    }
    if let Some((position, digits)) = find_large_integer(text) {
        return Err(large_integer(text, position, digits));
    }
    let mut flow = match read_exact(text) {
        Some(flow) => flow,
        None => read_document(text)?,
    };
    for node in flow.nodes.values_mut() {
        respell(node);
    }
    Ok(flow)
}

/// Reads a flow that Plait wrote: its ids are unique and its integers exact, so only its shape is read. Gives the same as [`read`], in a
/// fraction of the time.
pub fn read_written(text: &str) -> Result<Flow, ReadError> {
    read_exact(text).map_or_else(|| read(text), Ok)
}

/// Reads a flow of this version without errors directly from its text. None for any other text: [`read_document`]
/// migrates it, or returns its problems with their places. Both read a text in the same way.
fn read_exact(text: &str) -> Option<Flow> {
    let flow: Flow = serde_json::from_str(text).ok()?;
    (flow.version == VERSION && !flow.nodes.is_empty()).then_some(flow)
}

/// Reads a flow of any version.
fn read_document(text: &str) -> Result<Flow, ReadError> {
    // `UniqueKeys` has parsed it, so this can only fail if it is too deep or too large for serde_json.
    let value: Value = serde_json::from_str(text)
        .map_err(|error| ReadError::new(syntax_error(&error), error.line(), error.column()))?;
    if is_foreign(&value) {
        return Err(ReadError::new(not_a_flow("This is not a flow, but a file of another program."), 0, 0));
    }
    let value = migrate(value).map_err(|diagnostic| ReadError::new(diagnostic, 0, 0))?;
    read_shape(value).map_err(|diagnostic| ReadError::new(diagnostic, 0, 0))
}

/// An integer that would be saved with other digits than it was read with.
fn large_integer(text: &str, position: usize, digits: &str) -> ReadError {
    let before = &text[..position];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let message = format!(
        "The integer {} at line {line}, column {column} has more than 64 bits.",
        exact_json::shorten(digits)
    );
    let found = Diagnostic::error(codes::FLOW_INTEGER_TOO_LARGE, "", message);
    ReadError::new(found.hint("Write it as text, in quotes."), line, column)
}

fn syntax_error(error: &serde_json::Error) -> Diagnostic {
    let text = error.to_string();
    let problem = text.split(" at line ").next().unwrap_or(&text);
    if let Some(key) = problem.strip_prefix(DUPLICATE_KEY) {
        return Diagnostic::error(codes::FLOW_DUPLICATE_ID, "", format!("The id {key} is used twice."))
            .hint("Ids must be unique. Rename or delete one of the two.");
    }
    let place = format!("line {}, column {}", error.line(), error.column());
    let (code, message) = if problem.starts_with("EOF") {
        (codes::FLOW_TRUNCATED, format!("The file is incomplete: its JSON breaks off at {place}."))
    } else {
        (codes::FLOW_NOT_JSON, format!("This is not valid JSON: {problem} at {place}."))
    };
    Diagnostic::error(code, "", message)
        .hint("Fix the JSON there, or restore the file from version control or a backup.")
}

/// Whether a document is that of another program: its nodes stand in a list, as in version 0, but keep what they are in `data`, or are
/// connected by something else than edges.
fn is_foreign(document: &Value) -> bool {
    let Some(nodes) = document.get("nodes").and_then(Value::as_array) else { return false };
    document.get("connections").is_some() || nodes.iter().any(|node| node.get("data").is_some())
}

fn not_a_flow(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::FLOW_WRONG_SHAPE, "", message).hint(
        "A flow is an object with `version`, `nodes` and `edges`. Run `plait schema` to print its JSON Schema.",
    )
}

/// Reads each part separately, so that an error names the one it is in.
fn read_shape(value: Value) -> Result<Flow, Diagnostic> {
    let sections = [
        ("nodes", "node"),
        ("edges", "edge"),
        ("layout", "position"),
        ("frames", "frame"),
        ("routes", "route"),
    ];
    for (section, what) in sections {
        let Some(Value::Object(items)) = value.get(section) else { continue };
        for (id, item) in items {
            let result = match section {
                "nodes" => super::Node::deserialize(item).map(|_| ()),
                "edges" => super::Edge::deserialize(item).map(|_| ()),
                "layout" => super::Position::deserialize(item).map(|_| ()),
                "frames" => super::Frame::deserialize(item).map(|_| ()),
                _ => Vec::<super::Point>::deserialize(item).map(|_| ()),
            };
            if let Err(error) = result {
                let pointer = format!("/{section}/{}", escape(id));
                let found = Diagnostic::error(
                    codes::FLOW_WRONG_SHAPE,
                    pointer,
                    format!("The {what} `{id}` is invalid: {error}."),
                )
                .hint("Run `plait schema` to print the JSON Schema of the format.");
                return Err(match section {
                    "nodes" => found.node(&id.as_str().into()),
                    "edges" => Diagnostic { edge: Some(id.as_str().into()), ..found },
                    _ => found,
                });
            }
        }
    }
    // Deserializing would take any object for a flow without nodes.
    if value.get("nodes").is_none() {
        return Err(not_a_flow("This JSON is not a flow: it has no `nodes`."));
    }
    Flow::deserialize(value).map_err(|error| not_a_flow(format!("This JSON is not a flow: {error}.")))
}

/// The start of the message by which [`UniqueKeys`] reports a duplicate key.
const DUPLICATE_KEY: &str = "duplicate id ";

/// Any JSON in which no object has a key twice.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<UniqueKeys, A::Error> {
        while items.next_element::<UniqueKeys>()?.is_some() {}
        Ok(UniqueKeys)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<UniqueKeys, A::Error> {
        let mut seen = SeenKeys::default();
        while let Some(Key(key)) = entries.next_key()? {
            if let Err(key) = seen.insert(key) {
                return Err(serde::de::Error::custom(format!("{DUPLICATE_KEY}`{key}`")));
            }
            entries.next_value::<UniqueKeys>()?;
        }
        Ok(UniqueKeys)
    }
}

/// Most objects have so few keys that comparing them is faster than hashing them.
const MAX_COMPARED_KEYS: usize = 8;

/// The keys of an object so far. Plait writes them in order: as long as each is greater than the one before it, none is compared with
/// the others.
#[derive(Default)]
struct SeenKeys<'de> {
    keys: SmallVec<[Cow<'de, str>; MAX_COMPARED_KEYS]>,
    is_unordered: bool,
    /// All keys, once they are many and one of them was out of order.
    hashed: HashSet<Cow<'de, str>>,
}

impl<'de> SeenKeys<'de> {
    /// Gives the key back if it is there already.
    fn insert(&mut self, key: Cow<'de, str>) -> Result<(), Cow<'de, str>> {
        if !self.is_unordered && self.keys.last().is_none_or(|last| *last < key) {
            self.keys.push(key);
            return Ok(());
        }
        self.is_unordered = true;
        if self.hashed.is_empty() && self.keys.len() < MAX_COMPARED_KEYS {
            if self.keys.contains(&key) {
                return Err(key);
            }
            self.keys.push(key);
            return Ok(());
        }
        self.hashed.extend(self.keys.drain(..));
        self.hashed.replace(key).map_or(Ok(()), Err)
    }
}

/// A key, not copied where it has no escapes.
#[derive(Deserialize)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

#[cfg(test)]
mod tests;
