//! Secrets in flows. `check` warns of them, and a run takes the flow without them: what a run stores, shows and sends is the
//! flow as it runs.

use std::fmt::Write as _;

use plait_adapters::Redaction;
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::flow::Flow;
use serde_json::Value;

use crate::ErrorReply;
use crate::codes;

/// Removes secrets from a flow. Returns whether it held any. `flow.holds_secret` if nothing is left that is a flow.
pub(crate) fn redact(flow: &mut Flow, redaction: &Redaction) -> Result<bool, ErrorReply> {
    let holds_secret = |why: String| {
        ErrorReply::new(
            codes::FLOW_HOLDS_SECRET,
            format!("The flow holds a secret and can't do without it: {why}."),
        )
        .hint("Remove it from the flow.")
    };
    // Almost no flow holds one, and finding that out is cheap.
    let text = serde_json::to_string(flow).map_err(|error| holds_secret(error.to_string()))?;
    if redaction.first_secret(&text).is_none() {
        return Ok(false);
    }
    let mut document = serde_json::to_value(&*flow).map_err(|error| holds_secret(error.to_string()))?;
    let holds_any = redaction.value(&mut document);
    if holds_any {
        *flow = serde_json::from_value(document).map_err(|error| holds_secret(error.to_string()))?;
    }
    Ok(holds_any)
}

/// A warning for each text of a flow that holds a key. Knows keys by their published form: checking a flow reads no keys.
pub(super) fn diagnostics(flow: &Flow) -> Vec<Diagnostic> {
    let patterns = Redaction::default();
    let text = serde_json::to_string(flow).unwrap_or_default();
    if patterns.first_secret(&text).is_none() {
        return Vec::new();
    }
    let document = serde_json::to_value(flow).unwrap_or_default();
    let mut found = Vec::new();
    collect(&document, &mut String::new(), &patterns, &mut found);
    let warning = |(pointer, name): (String, String)| {
        let node = flow.nodes.keys().find(|id| {
            let place = format!("/nodes/{}", escape(id.as_str()));
            pointer.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let message = format!("This holds a secret ({name}): everyone who gets the file gets it, too.");
        let warning = Diagnostic::error(codes::FLOW_HOLDS_SECRET, pointer.clone(), message).warning().hint(
            "Remove it and revoke it. The keys of providers belong into the settings. Runs replace it by a label.",
        );
        match node {
            Some(node) => warning.node(node),
            None => warning,
        }
    };
    found.into_iter().map(warning).collect()
}

/// Collects the places of secrets, with what they are.
fn collect(value: &Value, pointer: &mut String, patterns: &Redaction, found: &mut Vec<(String, String)>) {
    let length = pointer.len();
    match value {
        Value::String(text) => {
            found.extend(patterns.first_secret(text).map(|name| (pointer.clone(), name)));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                // Writing to a `String` never fails.
                let _ = write!(pointer, "/{index}");
                collect(item, pointer, patterns, found);
                pointer.truncate(length);
            }
        }
        Value::Object(map) => {
            for (name, inner) in map {
                found.extend(patterns.first_secret(name).map(|secret| (pointer.clone(), secret)));
                pointer.push('/');
                pointer.push_str(&escape(name));
                collect(inner, pointer, patterns, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
