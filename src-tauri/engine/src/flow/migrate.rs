//! From any older version of the format to the current one, a step a version.
//!
//! Version 0 is the shape of hand-written flows and of the format's first drafts: nodes and edges as lists of objects
//! that carry their own `id`, and a node's position inside it.

use serde_json::{Map, Value, json};

use super::VERSION;
use crate::diagnostic::Diagnostic;

/// Brings a document to [`VERSION`]. A document of a newer version is refused rather than misread.
pub(super) fn migrate(mut value: Value) -> Result<Value, Diagnostic> {
    let Some(document) = value.as_object_mut() else {
        return Err(Diagnostic::error(
            "flow.wrong_shape",
            "",
            "This JSON is not a flow: it is not an object.",
        )
        .hint("A flow is an object with `version`, `nodes` and `edges`."));
    };
    let version = match document.get("version") {
        None => 0,
        Some(version) => version.as_u64().ok_or_else(|| {
            Diagnostic::error("flow.wrong_shape", "/version", "The `version` of a flow is a whole number.")
        })?,
    };
    if version > u64::from(VERSION) {
        return Err(Diagnostic::error(
            "flow.newer_version",
            "/version",
            format!("This flow is of version {version}; this Plait reads up to version {VERSION}."),
        )
        .hint("Open it with a newer Plait. Nothing was changed."));
    }
    if version < 1 {
        to_version_1(document)?;
    }
    Ok(value)
}

fn to_version_1(document: &mut Map<String, Value>) -> Result<(), Diagnostic> {
    let mut layout = Map::new();
    for section in ["nodes", "edges"] {
        let Some(Value::Array(items)) = document.get_mut(section) else { continue };
        let mut keyed = Map::new();
        for (index, mut item) in std::mem::take(items).into_iter().enumerate() {
            let pointer = format!("/{section}/{index}");
            let Some(Value::String(id)) = item.as_object_mut().and_then(|item| item.remove("id")) else {
                return Err(Diagnostic::error(
                    "flow.wrong_shape",
                    pointer,
                    format!("Number {index} of `{section}` has no `id`."),
                )
                .hint("Every node and edge has an `id` of text."));
            };
            if let ("nodes", Some(node)) = (section, item.as_object_mut())
                && let Some(position) = node.remove("position")
            {
                layout.insert(id.clone(), position);
            }
            if keyed.contains_key(&id) {
                return Err(Diagnostic::error(
                    "flow.duplicate_id",
                    pointer,
                    format!("`{id}` stands here a second time."),
                )
                .hint("Ids are unique: rename one of the two, or delete it."));
            }
            keyed.insert(id, item);
        }
        document.insert(section.to_owned(), Value::Object(keyed));
    }
    if !layout.is_empty() {
        let kept = document.entry("layout").or_insert_with(|| Value::Object(Map::new()));
        // Where a node stands twice, the layout says where it stands; one that is no layout is told of by its reader.
        if let Value::Object(kept) = kept {
            layout.append(kept);
            *kept = layout;
        }
    }
    document.insert("version".to_owned(), json!(1));
    Ok(())
}

#[cfg(test)]
mod tests;
