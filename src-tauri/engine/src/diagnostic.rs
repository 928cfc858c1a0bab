//! What `check` has to say about a flow: where, what, and what to do. Never a panic, never a bare string.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::id::{EdgeId, NodeId};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The flow cannot run.
    Error,
    /// The flow runs, perhaps not as meant.
    Warning,
}

/// One finding about a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable code, for example `edge.unknown_port`.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    /// The node it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// The edge it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edge: Option<EdgeId>,
    /// Where in the file, as a JSON pointer, for example `/nodes/ask/config/prompt`.
    pub pointer: String,
}

impl Diagnostic {
    /// An error at a place of the file.
    pub fn error(code: &str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            severity: Severity::Error,
            message: message.into(),
            hint: None,
            node: None,
            edge: None,
            pointer: pointer.into(),
        }
    }

    /// An error on a node.
    pub fn on_node(code: &str, node: &NodeId, message: impl Into<String>) -> Self {
        Self::error(code, format!("/nodes/{}", escape(node.as_str())), message).node(node)
    }

    /// An error on an edge.
    pub fn on_edge(code: &str, edge: &EdgeId, message: impl Into<String>) -> Self {
        let mut found = Self::error(code, format!("/edges/{}", escape(edge.as_str())), message);
        found.edge = Some(edge.clone());
        found
    }

    /// The same finding as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The same finding, saying what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same finding, belonging to a node.
    #[must_use]
    pub fn node(mut self, node: &NodeId) -> Self {
        self.node = Some(node.clone());
        self
    }

    /// The same finding at a place below its own, for example `/config/prompt`.
    #[must_use]
    pub fn below(mut self, pointer: &str) -> Self {
        self.pointer.push_str(pointer);
        self
    }
}

/// A key as one step of a JSON pointer (RFC 6901).
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
