//! Which values of two JSON objects differ, and where.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::renames::Renames;
use crate::words::{TextPiece, compare_words};

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ValueChange {
    /// A JSON pointer to it, from the node or the flow that has it.
    pub pointer: String,
    /// Nothing if it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub before: Option<Value>,
    /// Nothing if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub after: Option<Value>,
    /// The words of both, if both are texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<TextPiece>>")]
    pub words: Vec<TextPiece>,
}

impl ValueChange {
    /// A change at a place.
    pub fn new(pointer: String, before: Option<&Value>, after: Option<&Value>) -> Self {
        let words = match (before, after) {
            (Some(Value::String(before)), Some(Value::String(after))) => compare_words(before, after),
            _ => Vec::new(),
        };
        Self { pointer, before: before.cloned(), after: after.cloned(), words }
    }
}

/// The values of the first object that the second one has otherwise. A text that differs only by the new ids of renamed nodes is the same.
pub(super) fn between(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    renames: &Renames,
) -> Vec<ValueChange> {
    let mut changes = Vec::new();
    of_objects(before, after, renames, "", &mut changes);
    changes
}

fn of_objects(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    renames: &Renames,
    pointer: &str,
    changes: &mut Vec<ValueChange>,
) {
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        of_values(before.get(key), after.get(key), renames, pointer, changes);
    }
}

fn of_values(
    before: Option<&Value>,
    after: Option<&Value>,
    renames: &Renames,
    pointer: String,
    changes: &mut Vec<ValueChange>,
) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            of_objects(before, after, renames, &pointer, changes);
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                of_values(Some(before), Some(after), renames, format!("{pointer}/{index}"), changes);
            }
        }
        (Some(Value::String(before)), Some(Value::String(after))) if renames.in_text(before) == *after => {}
        (before, after) => changes.push(ValueChange::new(pointer, before, after)),
    }
}
