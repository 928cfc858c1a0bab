//! Diagnostics: problems of a flow, with their place and a remedy.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::ErrorCode;
use crate::id::{EdgeId, NodeId};

/// How severe a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The flow cannot run.
    Error,
    /// The flow can run, but perhaps not as intended.
    Warning,
}

/// An error or warning about a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// A stable code, for example `edge.unknown_port`.
    pub code: ErrorCode,
    pub severity: Severity,
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edge: Option<EdgeId>,
    /// The trigger whose runs meet it, in a flow with several ways in. None if it holds for the way that runs take by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub trigger: Option<NodeId>,
    /// The place in the file, as a JSON pointer, for example `/nodes/ask/config/prompt`.
    pub pointer: String,
}

impl Diagnostic {
    pub fn error(code: ErrorCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            hint: None,
            node: None,
            edge: None,
            trigger: None,
            pointer: pointer.into(),
        }
    }

    pub fn on_node(code: ErrorCode, node: &NodeId, message: impl Into<String>) -> Self {
        Self::error(code, format!("/nodes/{}", escape(node.as_str())), message).node(node)
    }

    pub fn on_edge(code: ErrorCode, edge: &EdgeId, message: impl Into<String>) -> Self {
        Self::error(code, "", message).at_edge(edge)
    }

    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the node it is about. Its place in the file stays.
    #[must_use]
    pub fn node(mut self, node: &NodeId) -> Self {
        self.node = Some(node.clone());
        self
    }

    /// Moves it to a place below its own, for example `/config/prompt`.
    #[must_use]
    pub fn below(mut self, pointer: &str) -> Self {
        self.pointer.push_str(pointer);
        self
    }

    /// Moves it to an edge.
    #[must_use]
    pub fn at_edge(self, edge: &EdgeId) -> Self {
        let pointer = format!("/edges/{}", escape(edge.as_str()));
        Self { pointer, edge: Some(edge.clone()), ..self }
    }
}

/// Escapes a key for use in a JSON pointer (RFC 6901).
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
