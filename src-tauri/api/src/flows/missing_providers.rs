//! Providers that a flow names anywhere and this machine does not have, as warnings. Where a model node would call one, it is an error:
//! [`never_runs`](super::never_runs).

use std::collections::BTreeSet;

use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::flow::Flow;
use serde_json::Value;

use crate::codes;

const PROVIDER_FIELDS: [&str; 2] = ["provider", "overrideProvider"];
/// The fields with objects that may name one. Other fields hold data of the flow's author.
const PARENT_FIELDS: [&str; 13] = [
    "agent",
    "config",
    "conversation",
    "fallback",
    "flow",
    "loop",
    "memory",
    "nodes",
    "quota",
    "quotas",
    "run",
    "settings",
    "summarizer",
];

/// A warning for each place of a flow that names a provider which is not among `known`.
pub(super) fn missing_providers(flow: &Flow, known: &BTreeSet<String>) -> Vec<Diagnostic> {
    let document = serde_json::to_value(flow).unwrap_or_default();
    let mut named = Vec::new();
    collect(&document, &mut String::new(), &mut named);
    named.retain(|(_, name)| !known.contains(*name));
    let warning = |(pointer, name): (String, &str)| {
        let message = format!("There is no provider `{name}` on this machine.");
        let all: Vec<&str> = known.iter().map(String::as_str).collect();
        let found =
            Diagnostic::error(codes::PROVIDER_UNKNOWN, pointer.clone(), message).warning().hint(format!(
                "Add it with `plait providers add {name}` or in the settings, or name one of: {}.",
                all.join(", ")
            ));
        let node = flow.nodes.keys().find(|id| {
            let place = format!("/nodes/{}/", escape(id.as_str()));
            pointer.starts_with(&place)
        });
        match node {
            Some(node) => found.node(node),
            None => found,
        }
    };
    named.into_iter().map(warning).collect()
}

fn collect<'a>(value: &'a Value, pointer: &mut String, named: &mut Vec<(String, &'a str)>) {
    let Value::Object(fields) = value else { return };
    // The ids of nodes are names of the author.
    let is_table = pointer.ends_with("/nodes");
    for (key, value) in fields {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&escape(key));
        match value {
            Value::String(name) if !is_table && PROVIDER_FIELDS.contains(&key.as_str()) => {
                let name = name.trim();
                if !name.is_empty() {
                    named.push((pointer.clone(), name));
                }
            }
            Value::Object(_) if is_table || PARENT_FIELDS.contains(&key.as_str()) => {
                collect(value, pointer, named);
            }
            _ => {}
        }
        pointer.truncate(length);
    }
}

#[cfg(test)]
mod tests;
