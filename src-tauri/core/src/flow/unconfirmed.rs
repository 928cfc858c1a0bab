//! Marks on imported nodes whose behavior differs from the original. They keep a flow from running until a person has confirmed them
//! or removed the node. They are a part of the file, so they hold on every machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
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
    /// The original names something that not every machine has: a provider, a knowledge base or an MCP server. Where it is missing, the
    /// node is a placeholder for it.
    StandsFor { name: String },
    /// The file does not say which model the node calls. It holds until one is chosen.
    NoModel,
}

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
            Self::NoModel => {
                "The file that was imported does not say which model this conversation has.".to_owned()
            }
            Self::StandsFor { name } => format!("In the file that was imported, this node uses `{name}`."),
            Self::EdgeLost { after } => {
                format!(
                    "The import lost the edge from “{after}” to this node, so it runs at another time than in the original, or less often."
                )
            }
        }
    }

    /// What the flow is refused with. None if that depends on the machine.
    pub(super) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::NeverStarted { .. } => Some(codes::IMPORT_NEVER_STARTED),
            Self::EdgeLost { .. } => Some(codes::IMPORT_EDGE_LOST),
            Self::StandsFor { .. } => None,
            Self::NoModel => Some(codes::IMPORT_PLACEHOLDER),
        }
    }
}
