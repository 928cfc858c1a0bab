//! How a run stands, as callers that are no window see it: its outputs, or what it asks.

use plait_core::id::RunId;
use plait_journal::RunFault;
use plait_journal::view::{OpenPause, RunOutline, RunStatus};
use plait_llm::models::{Cost, TokenUsage};
use serde::Serialize;
use serde_json::Value;

use super::RunDetail;

/// How a run stands, with its outputs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    pub run: RunId,
    /// The flow's name.
    pub flow: String,
    pub status: RunStatus,
    /// By node and port.
    pub outputs: Value,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunFault>,
    /// What it asks, if it waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenPause>,
    /// Of its model calls and those of the runs below it.
    pub tokens: TokenUsage,
    pub cost: Cost,
}

impl RunState {
    /// The state that the journal of a run amounts to.
    pub fn of(detail: RunDetail) -> Self {
        let outline = RunOutline::of(&detail.entries);
        let summary = detail.summary;
        let mut outputs = serde_json::Map::new();
        for (node, ports) in &outline.outputs {
            // Context outputs are wiring, not results.
            let values = ports.iter().filter(|(_, value)| value.get("contextId").is_none());
            let values: serde_json::Map<_, _> =
                values.map(|(port, value)| (port.to_string(), Value::clone(value))).collect();
            if !values.is_empty() {
                outputs.insert(node.to_string(), Value::Object(values));
            }
        }
        Self {
            run: summary.run,
            flow: summary.flow_name,
            status: summary.status,
            outputs: Value::Object(outputs),
            error: outline.error,
            questions: outline.pauses,
            tokens: summary.tokens,
            cost: summary.cost,
        }
    }
}
