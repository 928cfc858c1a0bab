//! The confirmation of what an import made run differently: a flow with a difference that nobody has confirmed does not run.

use serde_json::{Map, Value};

use super::{Flow, Unconfirmed};
use crate::diagnostic::Diagnostic;

const HINT: &str =
    "If that is right, confirm it in the list of problems. Otherwise connect, disable or delete the node.";

const CHOOSE_HINT: &str = "Choose a provider and a model at the node.";

impl Flow {
    /// An error for each difference of a node that is not disabled.
    pub fn unconfirmed_problems(&self) -> Vec<Diagnostic> {
        if self.nodes.values().all(|node| node.unconfirmed.is_empty()) {
            return Vec::new();
        }
        let marked = self.enabled_nodes().flat_map(|(id, node)| {
            node.unconfirmed.iter().enumerate().filter_map(move |(index, difference)| {
                let found = Diagnostic::on_node(difference.code()?, id, difference.message());
                if *difference != Unconfirmed::NoModel {
                    return Some(found.below(&format!("/unconfirmed/{index}")).hint(HINT));
                }
                let is_chosen =
                    node.config.get("provider").and_then(Value::as_str).is_some_and(|name| !name.is_empty());
                (!is_chosen).then(|| found.below("/config/provider").hint(CHOOSE_HINT))
            })
        });
        marked.collect()
    }

    /// Confirms all differences, also in the flows that its `subflow` nodes hold.
    pub fn confirm_import(&mut self) {
        for node in self.nodes.values_mut() {
            node.unconfirmed.clear();
            confirm_inner(&mut node.config);
        }
    }
}

/// Confirms the differences in the flow that a config holds. The depth of the recursion is limited by that of JSON.
fn confirm_inner(config: &mut Map<String, Value>) {
    let nodes = config.get_mut("flow").and_then(|flow| flow.get_mut("nodes")).and_then(Value::as_object_mut);
    for node in nodes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        node.remove("unconfirmed");
        if let Some(config) = node.get_mut("config").and_then(Value::as_object_mut) {
            confirm_inner(config);
        }
    }
}

#[cfg(test)]
mod tests;
