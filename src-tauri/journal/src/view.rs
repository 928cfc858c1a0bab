//! The view of a run: what its journal amounts to at one moment. A pure fold over entries, never stored.
//!
//! [`RunOutline`] is the part about the run as a whole; [`RunView`] adds every node and context. Owns the rules by which events
//! become states, totals and histories, for the terminal, the run index and tests. The window folds the same events in
//! TypeScript; one set of vectors (`tests/fixtures/folds`) is asserted by both, so the two cannot drift apart. Refuses to decide
//! anything: it never looks at a flow, and knows only what events say.

mod activation;
mod fold;
mod node;
mod outline;
mod stops;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

pub use node::{
    AttemptView, DroppedSpending, EpochView, ForcedWay, ModelCallView, NodeState, NodeView, PauseView,
    ToolCallView, TurnState, TurnView,
};
pub use stops::apply_to_stops;

use crate::{
    Breakpoint, Entry, FlowRef, InputOverrides, NodeOutputs, RunFault, RunOrigin, StopCause, StopPoint,
    StopScope, skip_notice,
};
use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, Epoch, NodeId, PortName, RunId};
use plait_core::origin::Origins;
use plait_llm::context::{ContextRecord, ConversationRef};
use plait_llm::memory::WorkflowMemory;
use plait_llm::models::{Cost, TokenUsage};
use plait_llm::quota::QuotaState;
use plait_llm::tool::ToolPause;

/// What a run as a whole is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// Something is going on, or is about to.
    #[default]
    Running,
    /// Nothing can go on until a person answers.
    Waiting,
    /// A debugger holds it.
    Stopped,
    /// It ended well.
    Finished,
    /// A node failed and nothing handled it.
    Failed,
    Cancelled,
    /// Its process died; resuming goes on. No journal says so: only a store, which knows who is at work, gives this.
    Interrupted,
}

impl RunStatus {
    /// Whether no event can follow.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}

/// A run, folded from its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// What the run as a whole is doing.
    #[serde(flatten)]
    #[ts(flatten)]
    pub outline: RunOutline,
    /// The nodes that have had their turn, or know that it will not come.
    pub nodes: BTreeMap<NodeId, NodeView>,
    /// The contexts as they stand.
    pub contexts: BTreeMap<ContextId, ContextView>,
    /// The workflow's memory as it stands, if the run has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub memory: Option<MemoryState>,
    /// The quotas that hold its model calls, as the latest call left them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<QuotaState>>")]
    pub quotas: Vec<QuotaState>,
    /// Sums over the whole run.
    pub totals: RunTotals,
    /// How many nodes show each state.
    pub counts: NodeCounts,
}

/// What a run as a whole is doing: the part of a [`RunView`] that does not grow with what its nodes do. A fold of its own, for
/// whoever follows a long run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunOutline {
    /// The run; absent before its first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// The run that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<RunOrigin>,
    /// The flow it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flow: Option<FlowRef>,
    /// The node it runs to, if not the whole flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub to: Option<NodeId>,
    /// Text given to the run at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<String>,
    /// Values given to ports that no edge feeds, by node and port.
    #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
    pub set: InputOverrides,
    /// The run that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_run_id: Option<RunId>,
    /// The conversation it goes on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<ConversationRef>")]
    pub conversation: Option<Arc<ConversationRef>>,
    /// What it is doing.
    pub status: RunStatus,
    /// Whether it is being cancelled; the events that end it follow.
    pub cancelling: bool,
    /// When it began, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub started_at: Option<u64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// Since when it has been waiting for a person, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub waiting_since: Option<u64>,
    /// What it waits for: the open pauses that `run.waiting` lists, in plan order. `pauses` has all of them.
    pub waiting_on: Vec<Activation>,
    /// The pauses nobody has answered, in the order they were asked; open while other branches still work, too.
    pub pauses: Vec<OpenPause>,
    /// Where it stands still, while a debugger holds it or branches of it. The newest one comes last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<StopView>>")]
    pub stops: Vec<StopView>,
    /// The breakpoints of the run tree that were set in this run.
    #[serde(default, skip_serializing_if = "<[Breakpoint]>::is_empty")]
    #[ts(optional, as = "Option<Vec<Breakpoint>>")]
    pub breakpoints: Arc<[Breakpoint]>,
    /// The configs that persons try, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<NodeId, TrialView>>")]
    pub trials: BTreeMap<NodeId, TrialView>,
    /// The cycles that have gone round, by their entry node.
    pub loops: BTreeMap<NodeId, LoopView>,
    /// What the flow put out, by node and port.
    #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
    pub outputs: BTreeMap<NodeId, NodeOutputs>,
    /// Where the outputs of the run, or its error, come from, once it has ended.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<RunFault>,
    /// The place in the journal that comes next; entries before it have been seen and are ignored when seen again.
    #[ts(type = "number")]
    pub next_seq: u64,
}

impl RunView {
    /// How long the run worked, in milliseconds: without waits for people, stops and interruptions. `None` before its end.
    pub fn worked_ms(&self) -> Option<u64> {
        let RunTotals { waited_ms, stopped_ms, interrupted_ms, .. } = self.totals;
        let took = self.outline.ended_at?.saturating_sub(self.outline.started_at?);
        Some(took.saturating_sub(waited_ms + stopped_ms + interrupted_ms))
    }

    /// What a journal amounts to.
    pub fn of(journal: &[Entry]) -> Self {
        let mut view = Self::default();
        for entry in journal {
            view.apply(entry);
        }
        view
    }
}

/// What was done less well than asked, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct PlacedNotice {
    /// The activation.
    #[serde(flatten)]
    #[ts(flatten)]
    pub at: Activation,
    pub notice: Fault,
}

impl RunView {
    /// All notices of the run, by node and iteration.
    pub fn notices(&self) -> impl Iterator<Item = PlacedNotice> {
        self.nodes.iter().flat_map(|(node, view)| {
            view.epochs.iter().flat_map(move |epoch| {
                let skipped = epoch.skipped_after.as_deref().map(skip_notice);
                let at = Activation { node: node.clone(), epoch: epoch.epoch.clone() };
                let notices = epoch.notices.iter().cloned().chain(skipped);
                notices.map(move |notice| PlacedNotice { at: at.clone(), notice })
            })
        })
    }
}

impl RunOutline {
    /// What a journal amounts to.
    pub fn of(journal: &[Entry]) -> Self {
        let mut outline = Self::default();
        for entry in journal {
            outline.apply(entry);
        }
        outline
    }

    /// The stop that came last.
    pub fn newest_stop(&self) -> Option<&StopView> {
        self.stops.last()
    }

    /// The stop of the whole tree.
    pub fn whole_stop(&self) -> Option<&StopView> {
        self.stops.iter().find(|stop| stop.scope.is_tree())
    }
}

/// A stop of the debugger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StopView {
    /// The number of the event that says so. Whoever lets the run go on says from which stop.
    #[ts(type = "number")]
    pub number: u64,
    pub cause: StopCause,
    /// How much stands still.
    #[serde(default, skip_serializing_if = "StopScope::is_tree")]
    #[ts(optional, as = "Option<StopScope>")]
    pub scope: StopScope,
    /// What is held, if it is one activation of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub at: Option<StopPoint>,
    /// Its inputs before it starts, its outputs before they are delivered, by port.
    #[ts(as = "BTreeMap<PortName, Value>")]
    pub values: NodeOutputs,
    /// The other outputs that can be taken, after a node that takes one of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PortName>>")]
    pub ways: Vec<PortName>,
    /// Why it failed, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// Since when.
    #[ts(type = "number")]
    pub since: u64,
}

/// A config that a person tries on a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TrialView {
    /// The config that the flow has.
    #[ts(type = "Record<string, unknown>")]
    pub was: Arc<Map<String, Value>>,
    #[ts(type = "Record<string, unknown>")]
    pub config: Arc<Map<String, Value>>,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OpenPause {
    /// The node that asks.
    pub node: NodeId,
    /// The iteration.
    pub epoch: Epoch,
    /// The question, in Markdown.
    pub prompt: String,
    /// JSON Schema of the answer.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Value,
    /// The tool call it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ToolPause>,
    /// Since when.
    #[ts(type = "number")]
    pub asked_at: u64,
    /// The run and activation that ask and take the answer, where they are not this run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asker: Option<Asker>,
}

/// Who asks, in a run that this one began, or that one in turn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Asker {
    pub run: RunId,
    /// The node that asks in it.
    pub node: NodeId,
    /// The iteration.
    pub epoch: Epoch,
}

/// A context as it stands, and who is at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextView {
    pub record: ContextRecord,
    /// What its history takes, in tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// What the model calls made in it have used.
    pub usage: TokenUsage,
    /// What they cost.
    pub cost: Cost,
    /// The execution that made it.
    pub created_by: Activation,
    /// When it last changed.
    #[ts(type = "number")]
    pub changed_at: u64,
    /// The model call that has its turn here now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<Activation>,
}

/// The workflow's memory as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryState {
    /// Summary and turns.
    #[serde(flatten)]
    #[ts(flatten)]
    pub memory: WorkflowMemory,
    /// The activation that changed it last. Absent if the run has only what its conversation remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub changed_by: Option<Activation>,
    /// When it last changed.
    #[ts(type = "number")]
    pub changed_at: u64,
    /// Why the latest change could not summarize the turns that are no longer recent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
}

/// A cycle that has gone round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoopView {
    /// The epoch that opened last.
    pub epoch: Epoch,
    /// How often a further epoch opened.
    #[ts(type = "number")]
    pub iterations: u64,
    /// The bound that stopped it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exhausted: Option<u32>,
    /// Whether that bound counts only iterations in a row in which nobody was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub unattended: bool,
}

/// Sums over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunTotals {
    /// Tokens of all model calls.
    pub tokens: TokenUsage,
    /// What they cost.
    pub cost: Cost,
    /// Model calls that were answered.
    #[ts(type = "number")]
    pub model_calls: u64,
    /// Model calls that took the reply of an earlier run, and cost nothing. They are not among `model_calls`.
    #[ts(type = "number")]
    pub reused_calls: u64,
    /// Tool calls that were made.
    #[ts(type = "number")]
    pub tool_calls: u64,
    /// Tries that failed and were followed by another.
    #[ts(type = "number")]
    pub retries: u64,
    /// How long it waited for a person with nothing else to do, in milliseconds; the wait that is going on is not in it.
    #[ts(type = "number")]
    pub waited_ms: u64,
    /// How long a debugger held it, in milliseconds; the stop that is going on is not in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<f64>")]
    pub stopped_ms: u64,
    /// How long no process drove it while it could have worked, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<f64>")]
    pub interrupted_ms: u64,
}

/// How many nodes show each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeCounts {
    /// Wait for a place.
    pub ready: u32,
    /// Work.
    pub running: u32,
    /// Wait for a person.
    pub paused: u32,
    /// Wait for another try.
    pub retrying: u32,
    /// Succeeded.
    pub done: u32,
    /// Did not run.
    pub skipped: u32,
    pub failed: u32,
    /// Succeeded with what an earlier execution gave.
    pub cached: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl NodeCounts {
    fn of(&mut self, state: NodeState) -> &mut u32 {
        match state {
            NodeState::Ready => &mut self.ready,
            NodeState::Running => &mut self.running,
            NodeState::Paused => &mut self.paused,
            NodeState::Retrying => &mut self.retrying,
            NodeState::Done => &mut self.done,
            NodeState::Skipped => &mut self.skipped,
            NodeState::Failed => &mut self.failed,
            NodeState::Cached => &mut self.cached,
        }
    }
}
