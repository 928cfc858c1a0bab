//! What an import made run differently than in the original: marks on nodes, which keep a flow from running until a person has
//! confirmed them or removed the node. They are a part of the file, so they hold wherever it is run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::Flow;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::error::ErrorCode;

/// A difference between a node and its original that nobody has confirmed yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Unconfirmed {
    /// Nothing starts the node in the original, or only another trigger. Here it runs in every run.
    NeverStarted {
        /// The trigger that starts it in the original.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        trigger: Option<String>,
    },
    /// An edge of the original, which made it run after this node, is not in the flow.
    EdgeLost {
        /// The name of the node in the original.
        after: String,
    },
}

const HINT: &str = "If that is right, confirm it in the list of problems, or with `plait run --confirm-import`. Else connect, disable or \
    delete the node.";

impl Unconfirmed {
    /// The difference as a problem, but for its node.
    pub fn message(&self) -> String {
        match self {
            Self::NeverStarted { trigger: None } => {
                "In the workflow that was imported, nothing starts this node. Here it runs.".to_owned()
            }
            Self::NeverStarted { trigger: Some(trigger) } => {
                format!(
                    "In the workflow that was imported, only the trigger “{trigger}” starts this node. Here it runs in every run."
                )
            }
            Self::EdgeLost { after } => {
                format!(
                    "The import lost the edge from “{after}” to this node, so it runs at another time than in the original, or less often."
                )
            }
        }
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::NeverStarted { .. } => codes::IMPORT_NEVER_STARTED,
            Self::EdgeLost { .. } => codes::IMPORT_EDGE_LOST,
        }
    }
}

impl Flow {
    /// An error for each difference of a node that is not disabled.
    pub fn unconfirmed_problems(&self) -> Vec<Diagnostic> {
        if self.nodes.values().all(|node| node.unconfirmed.is_empty()) {
            return Vec::new();
        }
        let marked = self.enabled_nodes().flat_map(|(id, node)| {
            node.unconfirmed.iter().enumerate().map(move |(index, difference)| {
                let found = Diagnostic::on_node(difference.code(), id, difference.message());
                found.below(&format!("/unconfirmed/{index}")).hint(HINT)
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
