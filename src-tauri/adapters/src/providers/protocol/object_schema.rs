//! Schemas whose root is an object: vendors accept no other as the format of a reply or as the input of a tool.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Keywords that vendors reject at the root.
const REJECTED_AT_ROOT: [&str; 8] = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"];

/// The schema with `object` as the type of its root. None if its root may be something else or has a keyword that vendors reject
/// there.
pub(in crate::providers) fn object_schema(schema: &Value) -> Option<Cow<'_, Value>> {
    let root = schema.as_object()?;
    if REJECTED_AT_ROOT.iter().any(|key| root.contains_key(*key)) {
        return None;
    }
    match root.get("type") {
        Some(kind) => (kind == "object").then_some(Cow::Borrowed(schema)),
        // What such a schema says of other values than objects is nothing that anybody wants.
        None if ["properties", "required"].iter().any(|key| root.contains_key(*key)) => {
            let mut typed = schema.clone();
            typed["type"] = json!("object");
            Some(Cow::Owned(typed))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests;
