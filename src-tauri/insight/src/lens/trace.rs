//! The trace of a run: what ran inside of what, with timings, tokens and costs. Iterations are grouped.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Lens;
use plait_core::error::ErrorCode;
use plait_core::id::{Epoch, NodeId, RunId};
use plait_journal::view::{EpochView, ModelCallView, NodeState, RunStatus, ToolCallView};
use plait_llm::models::{Cost, TokenUsage};

/// What a span of a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum TraceKind {
    Run,
    /// One iteration of a cycle or a loop.
    Iteration,
    /// One activation of a node.
    Node,
    ModelCall,
    ToolCall,
}

/// One span of a trace, with what lies in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TraceSpan {
    pub kind: TraceKind,
    /// The flow, the node, the model or the tool; empty for an iteration.
    pub name: String,
    pub epoch: Epoch,
    /// The state of an activation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state: Option<NodeState>,
    /// The status of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub status: Option<RunStatus>,
    /// The run, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// Absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// How many attempts an activation needed, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub attempts: Option<u32>,
    /// What the model calls in it used. A run's own does not have that of its child runs.
    pub tokens: TokenUsage,
    pub cost: Cost,
    /// Whether it took what an earlier run had bought or called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub reused: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<ErrorCode>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<TraceSpan>>")]
    pub children: Vec<TraceSpan>,
}

impl TraceSpan {
    fn new(kind: TraceKind, name: impl Into<String>, epoch: Epoch, started_at: u64) -> Self {
        Self {
            kind,
            name: name.into(),
            epoch,
            state: None,
            status: None,
            run: None,
            started_at,
            ended_at: None,
            attempts: None,
            tokens: TokenUsage::default(),
            cost: Cost::default(),
            reused: false,
            error: None,
            children: Vec::new(),
        }
    }

    /// How long it took, in milliseconds, if it has ended.
    pub fn duration_ms(&self) -> Option<u64> {
        self.ended_at.map(|ended| ended.saturating_sub(self.started_at))
    }
}

impl Lens {
    /// The trace of the run. `parents` names the loop that each node inside of one stands in; `child` gives the trace of a child run,
    /// if its journal can be read.
    pub fn trace(
        &self,
        parents: &BTreeMap<NodeId, NodeId>,
        child: &mut dyn FnMut(&RunId) -> Option<TraceSpan>,
    ) -> TraceSpan {
        let outline = &self.view.outline;
        let name = outline.flow.as_ref().map(|flow| flow.name.clone()).unwrap_or_default();
        let started_at = outline.started_at.unwrap_or_default();
        TraceSpan {
            status: Some(outline.status),
            run: outline.run.clone(),
            ended_at: outline.ended_at,
            tokens: self.view.totals.tokens,
            cost: self.view.totals.cost,
            error: outline.error.as_ref().map(|failed| failed.error.code.clone()),
            children: self.grouped_activations(parents, child),
            ..TraceSpan::new(TraceKind::Run, name, Epoch::root(), started_at)
        }
    }

    /// The activations, those of an iteration inside of it, and those of a loop inside of the loop.
    fn grouped_activations(
        &self,
        parents: &BTreeMap<NodeId, NodeId>,
        child: &mut dyn FnMut(&RunId) -> Option<TraceSpan>,
    ) -> Vec<TraceSpan> {
        let mut groups = Groups::default();
        let loops: BTreeSet<&NodeId> = parents.values().collect();
        for (node, view) in &self.view.nodes {
            // The shortest epoch of a loop is its own; longer ones are those of its condition.
            let own = view.epochs.iter().map(|epoch| epoch.epoch.depth()).min().unwrap_or_default();
            groups.loop_depths.insert(node, own);
            for epoch in &view.epochs {
                if let Some(span) = activation_span(node, epoch, child) {
                    let is_test = epoch.epoch.depth() > own && loops.contains(node);
                    let container = if is_test { Some(node) } else { parents.get(node) };
                    groups.spans.entry((epoch.epoch.clone(), container)).or_default().push(span);
                }
            }
        }
        groups.nest()
    }
}

/// Spans by where they stand: the epoch, and the innermost loop around them.
#[derive(Default)]
struct Groups<'a> {
    spans: BTreeMap<(Epoch, Option<&'a NodeId>), Vec<TraceSpan>>,
    /// How many counters the epochs of each node have at least.
    loop_depths: BTreeMap<&'a NodeId, usize>,
}

impl Groups<'_> {
    /// Puts each group into the iteration around it, deepest epochs first, so that each group is complete when it joins its own.
    fn nest(mut self) -> Vec<TraceSpan> {
        // The iterations of a loop, until its own span comes.
        let mut iterations: BTreeMap<(Epoch, NodeId), Vec<TraceSpan>> = BTreeMap::new();
        let max_depth = self.spans.keys().map(|(epoch, _)| epoch.depth()).max().unwrap_or(0);
        for depth in (0..=max_depth).rev() {
            let is_here = |(epoch, _): &&(Epoch, Option<&NodeId>)| epoch.depth() == depth;
            let keys: Vec<_> = self.spans.keys().filter(is_here).cloned().collect();
            for (epoch, container) in keys {
                let Some(mut spans) = self.spans.remove(&(epoch.clone(), container)) else { continue };
                for span in &mut spans {
                    span.add_iterations(
                        iterations.remove(&(epoch.clone(), NodeId::from(span.name.as_str()))),
                    );
                }
                sort(&mut spans);
                if depth == 0 {
                    self.spans.entry((Epoch::root(), None)).or_default().extend(spans);
                    continue;
                }
                let outer = epoch.prefix(depth - 1);
                let span = iteration_span(epoch, spans);
                // The outermost counter inside of a loop is that of the loop; others are those of cycles.
                match container.filter(|node| self.loop_depths.get(node).is_some_and(|own| own + 1 == depth))
                {
                    Some(node) => iterations.entry((outer, node.clone())).or_default().push(span),
                    None => self.spans.entry((outer, container)).or_default().push(span),
                }
            }
        }
        let mut spans: Vec<TraceSpan> = self.spans.into_values().flatten().collect();
        // Loops without a span of their own.
        spans.extend(iterations.into_values().flatten());
        sort(&mut spans);
        spans
    }
}

impl TraceSpan {
    /// Puts the iterations of a loop into it, with what they used.
    fn add_iterations(&mut self, iterations: Option<Vec<Self>>) {
        let Some(mut iterations) = iterations.filter(|_| self.kind == TraceKind::Node) else { return };
        sort(&mut iterations);
        for iteration in &iterations {
            self.tokens += iteration.tokens;
            self.cost += iteration.cost;
        }
        self.children.append(&mut iterations);
    }
}

/// By time; equal times keep the order of names.
fn sort(spans: &mut [TraceSpan]) {
    spans.sort_by(|one, other| (one.started_at, &one.epoch).cmp(&(other.started_at, &other.epoch)));
}

fn iteration_span(epoch: Epoch, children: Vec<TraceSpan>) -> TraceSpan {
    let started_at = children.iter().map(|span| span.started_at).min().unwrap_or_default();
    let ended: Option<Vec<u64>> = children.iter().map(|span| span.ended_at).collect();
    let mut tokens = TokenUsage::default();
    for span in &children {
        tokens += span.tokens;
    }
    TraceSpan {
        ended_at: ended.and_then(|ended| ended.into_iter().max()),
        tokens,
        cost: children.iter().map(|span| span.cost).sum(),
        children,
        ..TraceSpan::new(TraceKind::Iteration, "", epoch, started_at)
    }
}

/// The span of an activation; none if it did not run.
fn activation_span(
    node: &NodeId,
    view: &EpochView,
    child: &mut dyn FnMut(&RunId) -> Option<TraceSpan>,
) -> Option<TraceSpan> {
    if view.state == NodeState::Skipped {
        return None;
    }
    let started_at = view.started_at.or(view.ready_at)?;
    let mut children: Vec<TraceSpan> = view.calls.iter().map(|call| model_span(call, view)).collect();
    children.extend(view.tools.iter().map(|tool| tool_span(tool, view)));
    children.extend(view.children.iter().filter_map(&mut *child));
    sort(&mut children);
    let attempts = u32::try_from(view.attempts.len()).ok().filter(|attempts| *attempts > 1);
    Some(TraceSpan {
        state: Some(view.state),
        ended_at: view.ended_at,
        attempts,
        tokens: view.usage,
        cost: view.cost,
        reused: view.state == NodeState::Cached,
        error: view.error.as_ref().map(|fault| fault.code.clone()),
        children,
        ..TraceSpan::new(TraceKind::Node, node.as_str(), view.epoch.clone(), started_at)
    })
}

fn model_span(call: &ModelCallView, view: &EpochView) -> TraceSpan {
    let model = call.prompt.as_ref().map(|prompt| format!("{}/{}", prompt.provider, prompt.model));
    let reused = call.reused.is_some();
    let usage = call.reply.as_ref().and_then(|reply| reply.usage).filter(|_| !reused).unwrap_or_default();
    let priced = call.account.as_ref().filter(|_| !reused);
    let cost = priced.map(|account| Cost::of_call(account.cost_nano_usd)).unwrap_or_default();
    let failed = call.reply.is_none() && view.ended_at.is_some();
    TraceSpan {
        // A call without a reply ended with its attempt.
        ended_at: call.ended_at.or_else(|| attempt_end(view, call.started_at)),
        tokens: usage,
        cost,
        reused,
        error: view.error.as_ref().filter(|_| failed).map(|fault| fault.code.clone()),
        ..TraceSpan::new(TraceKind::ModelCall, model.unwrap_or_default(), view.epoch.clone(), call.started_at)
    }
}

fn tool_span(tool: &ToolCallView, view: &EpochView) -> TraceSpan {
    TraceSpan {
        ended_at: tool.ended_at.or_else(|| attempt_end(view, tool.started_at)),
        reused: tool.reused.is_some(),
        error: tool.error.as_ref().map(|fault| fault.code.clone()),
        ..TraceSpan::new(TraceKind::ToolCall, &tool.call.name, view.epoch.clone(), tool.started_at)
    }
}

/// When the attempt ended in which something began.
fn attempt_end(view: &EpochView, started_at: u64) -> Option<u64> {
    let attempt = view.attempts.iter().rev().find(|attempt| attempt.started_at <= started_at)?;
    attempt.ended_at
}
