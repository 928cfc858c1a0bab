//! Workflow memory: the turns of a run, of all speakers and in all contexts, shared by the nodes that ask for it.
//!
//! It belongs to the run or, in a conversation, to the conversation; sub-flows have their own. It consists of the
//! recent turns verbatim, and a rolling summary of the older ones. Nodes read it as it stands at their place in plan
//! order (the scheduler's turn queues see to that) and change it by a [`MemoryChange`], which the run journals with the
//! node's success. This module owns the state and the settings. It builds no prompts and calls no model.

use std::sync::Arc;

use imbl::Vector;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::Fault;
use plait_core::id::{MessageId, NodeId};
use plait_core::origin::Origins;

/// The names of the tool that reads the workflow's memory, which the engine answers.
pub const WORKFLOW_MEMORY_TOOLS: [&str; 2] = ["get_workflow_context", "read_external_context"];
/// The label of a turn by a speaker without a label.
pub const DEFAULT_LABEL: &str = "Partner just said:";
/// The label of a reader's own turns, if it has none.
pub const OWN_LABEL: &str = "You said:";
/// How many times the recent turns are kept at most while no summary of the older ones succeeds. Then the oldest are
/// forgotten.
const MAX_UNSUMMARIZED_WINDOWS: usize = 4;

/// Something that was said in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryTurn {
    /// Who says it, as the speaker's settings or a tool call have it. If empty, readers see a default label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    pub text: String,
    /// The node that said it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// The message that it is, if it is one of a context of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<MessageId>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// The size of its text in tokens, counted once when it was added.
    pub tokens: u32,
}

impl MemoryTurn {
    /// The label for the writer of a summary, who is none of the speakers.
    pub fn label_for_all(&self) -> &str {
        self.label.as_deref().or(self.node.as_ref().map(NodeId::as_str)).unwrap_or("Somebody")
    }

    pub fn label_for(&self, reader: &NodeId) -> &str {
        match &self.label {
            Some(label) => label,
            None if self.node.as_ref() == Some(reader) => OWN_LABEL,
            None => DEFAULT_LABEL,
        }
    }
}

/// A summary of the turns before the recent ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemorySummary {
    pub text: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// Its size in tokens, counted once when it was written.
    pub tokens: u32,
}

/// One activation's change of the memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryChange {
    /// The turns that were added, in order.
    pub turns: Vec<MemoryTurn>,
    /// The new summary, which replaces the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<MemorySummary>,
    /// How many of the oldest turns left the memory, the added ones included: they are part of the summary, or were
    /// forgotten if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub dropped: u32,
    /// Why no summary was written, although turns had left the recent ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
}

impl MemoryChange {
    /// This change and the one after it, as one.
    #[must_use]
    pub fn and(mut self, next: &Self) -> Self {
        self.turns.extend(next.turns.iter().cloned());
        self.dropped += next.dropped;
        self.summary = next.summary.clone().or(self.summary);
        self.error = next.error.clone().or(self.error);
        self
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The memory at one place in plan order. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkflowMemory {
    /// The summary of the turns before `turns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<Arc<MemorySummary>>,
    /// The turns that are not part of the summary, oldest first. More than the recent ones only while no summary succeeds.
    #[serde(skip_serializing_if = "Vector::is_empty")]
    #[ts(optional, as = "Option<Vec<MemoryTurn>>")]
    pub turns: Vector<Arc<MemoryTurn>>,
}

impl WorkflowMemory {
    /// Whether nothing was ever said.
    pub fn is_empty(&self) -> bool {
        self.summary.is_none() && self.turns.is_empty()
    }

    /// Where all of it comes from.
    pub fn origins(&self) -> Origins {
        let turns = self.turns.iter().map(|turn| &turn.origins);
        Origins::union(self.summary.iter().map(|summary| &summary.origins).chain(turns))
    }

    pub fn apply(&mut self, change: &MemoryChange) {
        self.turns.extend(change.turns.iter().cloned().map(Arc::new));
        let dropped = usize::try_from(change.dropped).unwrap_or(usize::MAX).min(self.turns.len());
        self.turns = self.turns.skip(dropped);
        if let Some(summary) = &change.summary {
            self.summary = Some(Arc::new(summary.clone()));
        }
    }

    /// The newest turns, at most `count` of them, oldest first.
    pub fn recent(
        &self,
        count: usize,
    ) -> impl DoubleEndedIterator<Item = &Arc<MemoryTurn>> + ExactSizeIterator {
        self.turns.focus().narrow(self.turns.len().saturating_sub(count)..).into_iter()
    }

    /// How many of the oldest turns have left the recent ones.
    pub fn overdue(&self, recent: usize) -> usize {
        self.turns.len().saturating_sub(recent)
    }

    /// How many of the oldest turns are forgotten although no summary has them.
    pub fn forgotten(&self, recent: usize) -> usize {
        self.turns.len().saturating_sub(recent.saturating_mul(MAX_UNSUMMARIZED_WINDOWS))
    }

    /// The turn that is this message or, if the message is not known, the newest turn with this text.
    pub fn find(&self, message: Option<&MessageId>, text: &str) -> Option<&Arc<MemoryTurn>> {
        if let Some(id) = message
            && let Some(found) = self.turns.iter().rev().find(|turn| turn.message.as_ref() == Some(id))
        {
            return Some(found);
        }
        let last = self.turns.last()?;
        let comparable = message.is_none() || last.message.is_none();
        (comparable && last.text == text).then_some(last)
    }

    /// The memory as a later run of the conversation starts with it: its messages are not messages of that run.
    #[must_use]
    pub fn for_next_run(&self) -> Self {
        let turns =
            self.turns.iter().map(|turn| Arc::new(MemoryTurn { message: None, ..MemoryTurn::clone(turn) }));
        Self { summary: self.summary.clone(), turns: turns.collect() }
    }
}

#[cfg(test)]
mod tests;
