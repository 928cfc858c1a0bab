//! Migrates documents of older format versions to the current one, one version at a time.
//!
//! Version 0 is the shape of hand-written flows and of the first drafts of the format: nodes and edges are lists of objects
//! with an `id`, and a node's position is inside the node.
use serde_json::{Map, Value, json};

use super::VERSION;
use crate::codes;
use crate::diagnostic::Diagnostic;

/// Migrates a document to [`VERSION`]. A document of a newer version is an error.
pub(super) fn migrate(mut value: Value) -> Result<Value, Diagnostic> {
    let Some(document) = value.as_object_mut() else {
        return Err(Diagnostic::error(
            codes::FLOW_WRONG_SHAPE,
            "",
            "This JSON is not a flow: it is not an object.",
        )
        .hint("A flow is an object with `version`, `nodes` and `edges`."));
    };
    let version = match document.get("version") {
        None => 0,
        Some(version) => version.as_u64().ok_or_else(|| {
            Diagnostic::error(
                codes::FLOW_WRONG_SHAPE,
                "/version",
                "The `version` of a flow must be a whole number.",
            )
        })?,
    };
    if version > u64::from(VERSION) {
        return Err(Diagnostic::error(
            codes::FLOW_NEWER_VERSION,
            "/version",
            format!("This flow has format version {version}, but this version of Plait reads only up to {VERSION}."),
        )
        .hint("Open it with a newer version of Plait. The file is unchanged."));
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
                    codes::FLOW_WRONG_SHAPE,
                    pointer,
                    format!("Item {index} of `{section}` has no `id`."),
                )
                .hint("Every node and edge needs an `id` that is a string."));
            };
            if let ("nodes", Some(node)) = (section, item.as_object_mut())
                && let Some(position) = node.remove("position")
            {
                layout.insert(id.clone(), position);
            }
            if keyed.contains_key(&id) {
                return Err(Diagnostic::error(
                    codes::FLOW_DUPLICATE_ID,
                    pointer,
                    format!("The id `{id}` is used twice."),
                )
                .hint("Ids must be unique. Rename or delete one of the two."));
            }
            keyed.insert(id, item);
        }
        document.insert(section.to_owned(), Value::Object(keyed));
    }
    if !layout.is_empty() {
        let existing = document.entry("layout").or_insert_with(|| Value::Object(Map::new()));
        // If a node has two positions, the one in the layout wins. Reading reports a layout that is not an object.
        if let Value::Object(existing) = existing {
            layout.append(existing);
            *existing = layout;
        }
    }
    document.insert("version".to_owned(), json!(1));
    Ok(())
}

#[cfg(test)]
mod tests;
