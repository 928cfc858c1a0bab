//! Where a breakpoint would have stopped a run, found in the run's journal.
//!
//! The scheduler takes the events again, so an activation has the inputs that it had. What a journal does not tell:
//!
//! - a call that was refused before it was sent leaves no event, so it is no place;
//! - the tools that a reply requests are one place, named by the number of the round;
//! - outputs that the engine refused after the node had ended are seen as the error.
//!
//! Values that a person changed at a stop are seen as they were before.

mod calls;
mod changes;
mod question;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{
    ActivationFacts, Armed, Key, Place, Reached, Sources, Values, ended_loop, input_values, loops_that_begin,
};
use crate::codes;
use crate::plan::{NodeIx, Plan};
use crate::scheduler::{RunPhase, Scheduler};
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::id::Activation;
use plait_journal::divergence::{diverged, impossible, recorded_revision};
use plait_journal::{
    CallEvent, ENGINE_REVISION, Entry, Event, NodeEvent, NodeOutputs, RunEvent, Side, StopPoint,
};
use plait_llm::models::TreeSpending;

use super::check::has_place;
use calls::OpenCalls;
use changes::ChangedValues;
pub use question::BreakpointQuestion;

/// A place at which a breakpoint would have stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ReachedPlace {
    pub point: StopPoint,
    /// Why the condition could not be evaluated there. Such a place stops a run as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
}

/// The state of one run while its journal is read.
pub struct BreakpointReplay {
    armed: Armed,
    plan: Arc<Plan>,
    /// The node that is asked about. None: every node.
    node: Option<NodeIx>,
    scheduler: Scheduler,
    facts: ActivationFacts,
    /// Where the inputs of ready activations come from, if the question is about an edge.
    sources: FxHashMap<Key, Sources>,
    calls: OpenCalls,
    changes: ChangedValues,
    /// Places that would have been left: each stops once.
    left: FxHashSet<StopPoint>,
    /// Events that must come next, since they follow from those before.
    expected: VecDeque<Event>,
    derived: Vec<Event>,
    revision: u32,
}

impl BreakpointReplay {
    /// A replay of a run of `plan`. None if its flow does not have the node, the port or the edge. All runs of a tree are asked with the
    /// same `spending`.
    pub fn new(question: &BreakpointQuestion, plan: Arc<Plan>, spending: TreeSpending) -> Option<Self> {
        let node = match &question.breakpoint.node {
            Some(node) => Some(plan.find(node).filter(|node| has_place(&plan, *node, &question.breakpoint))?),
            None => None,
        };
        Some(Self {
            armed: Armed::new(&[question.breakpoint.clone()].into(), 0, &plan, node),
            node,
            scheduler: Scheduler::new(Arc::clone(&plan)),
            plan,
            facts: ActivationFacts::new(spending),
            sources: FxHashMap::default(),
            calls: OpenCalls::default(),
            changes: ChangedValues::default(),
            left: FxHashSet::default(),
            expected: VecDeque::new(),
            derived: Vec::new(),
            revision: ENGINE_REVISION,
        })
    }

    /// Takes the next entry of the journal. Entries that [`BreakpointQuestion::needs`] refuses may be left out. Gives the places that the
    /// run reached with it, in order.
    ///
    /// An entry that does not follow from those before it is a fault `journal.diverged`, `journal.other_revision` or
    /// `journal.impossible`: nothing can be said of the run from there on.
    pub async fn apply(
        &mut self,
        entry: &Entry,
        evaluator: &dyn Evaluator,
    ) -> Result<Vec<ReachedPlace>, Fault> {
        let mut places = Vec::new();
        if let Event::Debug(event) = &entry.event {
            self.changes.note(&self.plan, event);
            return Ok(places);
        }
        if !question::concerns_starts_and_ends(&entry.event) {
            self.facts.note(&self.plan, &entry.event);
            return Ok(places);
        }
        if let Some(follows) = self.expected.pop_front() {
            if follows != entry.event {
                return Err(diverged(entry, &follows, self.revision));
            }
            return Ok(places);
        }
        match &entry.event {
            Event::Run(RunEvent::Started { .. }) => self.revision = recorded_revision(Some(entry)),
            Event::Node(at, event) => {
                if let Some(key) = self.key(at) {
                    self.reach_node_places(&key, event, evaluator, &mut places).await;
                }
            }
            Event::Call(at, call) => {
                if let Some(key) = self.key(at)
                    && let Some(name) = self.reach_call(&key, call)
                    && self.asks(&key, Side::Call)
                {
                    let attempt = self.scheduler.attempt(key.0, &key.1).unwrap_or(1);
                    let point = StopPoint { call: Some(name), ..self.point(&key, attempt, Side::Call) };
                    places.extend(self.judge(&key, point, Values::None, evaluator).await);
                }
                self.facts.note(&self.plan, &entry.event);
                return Ok(places);
            }
            _ => {}
        }
        self.follow(entry, evaluator, &mut places).await?;
        Ok(places)
    }

    /// The name of a call that begins with an event. What is known of a round of tools grows with each of them.
    fn reach_call(&mut self, key: &Key, call: &CallEvent) -> Option<String> {
        let begun = self.calls.begin(key, call);
        let CallEvent::ToolCalled { untrusted, granted, .. } = call else { return begun };
        self.facts.note_tools(key, !untrusted.is_empty(), granted);
        if self.armed.waits_for_event() { self.calls.open(key) } else { begun }
    }

    /// The places before and after an activation.
    async fn reach_node_places(
        &mut self,
        key: &Key,
        event: &NodeEvent,
        evaluator: &dyn Evaluator,
        places: &mut Vec<ReachedPlace>,
    ) {
        match event {
            // It would have started there.
            NodeEvent::Skipped { .. } if self.armed.is_on(Side::Before) => {
                let attempt = self.scheduler.attempt(key.0, &key.1).unwrap_or(1);
                self.reach_start(key, attempt, evaluator, places).await;
            }
            // A person dropped what came of it. A failure gave no outputs.
            NodeEvent::Retrying { dropped: Some(outputs), error, .. } => {
                let outputs = self.changes.outputs_before(key, outputs);
                let values = if outputs.is_empty() && error.code != codes::DEBUG_RETRIED {
                    Values::Error(error)
                } else {
                    Values::Outputs(&outputs)
                };
                self.reach_end(key, values, evaluator, places).await;
            }
            NodeEvent::Started { attempt } => {
                self.calls.close(key);
                if self.armed.is_on(Side::Before) {
                    self.reach_loops_that_begin(key, evaluator, places).await;
                    self.reach_start(key, *attempt, evaluator, places).await;
                }
            }
            NodeEvent::Finished { outputs, .. } => {
                let outputs = self.changes.outputs_before(key, outputs);
                self.reach_end(key, Values::Outputs(&outputs), evaluator, places).await;
            }
            NodeEvent::Failed { error, .. } => {
                self.reach_end(key, Values::Error(error), evaluator, places).await;
            }
            _ => {}
        }
    }

    async fn reach_loops_that_begin(
        &mut self,
        key: &Key,
        evaluator: &dyn Evaluator,
        places: &mut Vec<ReachedPlace>,
    ) {
        for of_loop in loops_that_begin(&self.plan, key) {
            if self.asks(&of_loop, Side::Before) {
                let point = self.point(&of_loop, 1, Side::Before);
                places.extend(self.judge(&of_loop, point.clone(), Values::None, evaluator).await);
                // It has begun: what else starts in its first iteration is no such place.
                self.left.insert(point);
            }
        }
    }

    async fn reach_start(
        &mut self,
        key: &Key,
        attempt: u32,
        evaluator: &dyn Evaluator,
        places: &mut Vec<ReachedPlace>,
    ) {
        if !self.asks(key, Side::Before) {
            return;
        }
        let start = self.scheduler.ready_start(key.0, &key.1);
        let Some(start) = start.or_else(|| self.scheduler.running(key.0, &key.1)) else { return };
        let inputs = self.changes.inputs_at_start(key, input_values(&start.inputs));
        let point = self.point(key, attempt, Side::Before);
        places.extend(self.judge(key, point, Values::Inputs(&inputs), evaluator).await);
    }

    async fn reach_end(
        &mut self,
        key: &Key,
        values: Values<'_>,
        evaluator: &dyn Evaluator,
        places: &mut Vec<ReachedPlace>,
    ) {
        if self.asks(key, Side::After) {
            let attempt = self.scheduler.attempt(key.0, &key.1).unwrap_or(1);
            let point = self.point(key, attempt, Side::After);
            places.extend(self.judge(key, point, values, evaluator).await);
        }
        self.facts.remove(key);
        self.sources.remove(key);
    }

    /// Lets the scheduler take an event, and notes what must follow from it.
    async fn follow(
        &mut self,
        entry: &Entry,
        evaluator: &dyn Evaluator,
        places: &mut Vec<ReachedPlace>,
    ) -> Result<(), Fault> {
        let mut derived = std::mem::take(&mut self.derived);
        let applied = self.scheduler.apply(&entry.event, &mut derived);
        applied.map_err(|fault| impossible(entry, fault, self.revision))?;
        // A run that has ended does not stop any more.
        if self.armed.is_on(Side::After) && self.scheduler.phase() != RunPhase::Ended {
            let ended: Vec<(Key, NodeOutputs)> =
                derived.iter().filter_map(|event| ended_loop(&self.plan, event)).collect();
            for (key, outputs) in ended {
                if self.asks(&key, Side::After) {
                    let point = self.point(&key, 1, Side::After);
                    places.extend(self.judge(&key, point, Values::Outputs(&outputs), evaluator).await);
                }
            }
        }
        if self.armed.follows_edges() {
            for event in &derived {
                if let Event::Node(at, NodeEvent::Ready { inputs }) = event
                    && let Some(key) = self.key(at)
                {
                    self.sources.insert(key, inputs.clone());
                }
            }
        }
        self.expected.extend(derived.drain(..).filter(question::concerns_starts_and_ends));
        self.derived = derived;
        Ok(())
    }

    /// Whether the question is about this side of an activation. The test of a loop's condition is none of its places.
    fn asks(&self, (node, epoch): &Key, side: Side) -> bool {
        self.armed.is_on(side)
            && self.node.is_none_or(|asked| asked == *node)
            && (side == Side::Call || !self.plan.is_test(*node, epoch))
    }

    /// The place, unless it was left or the condition is false there.
    async fn judge(
        &mut self,
        key: &Key,
        point: StopPoint,
        values: Values<'_>,
        evaluator: &dyn Evaluator,
    ) -> Option<ReachedPlace> {
        if self.left.contains(&point) {
            return None;
        }
        let sources = self.sources.get(key).filter(|_| point.side == Side::Before);
        let place = Place::new(&self.plan, key.0, &point, values, self.facts.get(key), sources);
        let error = match self.armed.judge(&place, evaluator).await {
            Ok(Reached::Stop) => None,
            Ok(Reached::No | Reached::Text(_)) => return None,
            Err(error) => Some(error),
        };
        self.left.insert(point.clone());
        Some(ReachedPlace { point, error })
    }

    fn key(&self, at: &Activation) -> Option<Key> {
        Some((self.plan.find(&at.node)?, at.epoch.clone()))
    }

    fn point(&self, (node, epoch): &Key, attempt: u32, side: Side) -> StopPoint {
        let (node, epoch) = (self.plan.nodes[*node].id.clone(), epoch.clone());
        StopPoint { node, epoch, attempt, side, call: None }
    }
}
