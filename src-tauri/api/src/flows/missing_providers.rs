//! Providers that a flow names and this machine does not have. A flow may come from another machine, so these are warnings.

use std::collections::BTreeSet;
use std::path::Path;

use plait_adapters::{ProviderRegistry, Store};
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use serde_json::{Map, Value};

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

/// The names of the providers of a data directory, the built-in ones included. Opens no store. Faults: the settings cannot be
/// read.
pub fn provider_names(home: &Path) -> Result<BTreeSet<String>, Fault> {
    let mut names: BTreeSet<String> = ProviderRegistry::built_in().into_keys().collect();
    let settings = Store::settings_in(home)?;
    let added = settings.get("providers").and_then(Value::as_object);
    names.extend(added.into_iter().flat_map(Map::keys).cloned());
    Ok(names)
}

/// A warning for each place of a flow that names a provider which is not among `known`.
pub fn missing_providers(flow: &Flow, known: &BTreeSet<String>) -> Vec<Diagnostic> {
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
