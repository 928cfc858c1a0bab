//! The scheduler: a pure state machine, `(state, event) -> (state, events that follow)`. No I/O, no clock, no randomness.
//!
//! The driver feeds it what happened; it answers with what follows from that, and says which activations may start.
//! Everything it derives depends on nothing but the order of the events it was fed, so replaying a journal rebuilds it.
//!
//! # Transitions
//!
//! An activation is a [`Slot`](slot::Slot) of its node:
//!
//! | phase | on | to | and |
//! |---|---|---|---|
//! | (none) | its epoch opens | `Waiting` | inputs held from outside are taken at once |
//! | `Waiting` | an edge delivers, or is dead | `Waiting` | |
//! | `Waiting` | the last edge is decided; a required input is dead | (gone) | `node.skipped`; its outputs are dead |
//! | `Waiting` | the last edge is decided; a turn in its context comes before it | `AwaitingTurn` | |
//! | `Waiting` | the last edge is decided; else | `Ready` | `node.ready` |
//! | `AwaitingTurn` | the turns before it are decided | `Ready` | `node.ready` |
//! | `Ready`, `Answered` | `node.started` | `Running` | |
//! | `Ready`, `Answered` | `node.skipped`, by a person | (gone) | its outputs are dead |
//! | `Running`, `AwaitingChild` | `node.retrying` | `Running` | the next attempt is counted; by a person: its answer is dropped |
//! | `Running`, `AwaitingChild` | `child.waiting` | `AwaitingChild` | what it waits for is a person, in a child run |
//! | `Running`, `AwaitingChild` | `child.resumed`, `node.started` | `Running` | |
//! | `Running`, `AwaitingChild` | `run.paused` | `Paused` | |
//! | `Running`, `AwaitingChild` | `run.paused`, answered | `AnswerFollows` | starts again if the journal ends here |
//! | `Running`, `AwaitingChild` | `node.finished` | (gone) | its outputs are delivered, those missing are dead |
//! | `Running`, `AwaitingChild` | `node.failed`, handled | (gone) | only `error` is delivered |
//! | `Running`, `AwaitingChild` | `node.failed`, not handled | (gone) | the run fails |
//! | `Paused`, `AnswerFollows` | `input.provided` with a value | `Answered` | it starts again, with the answer |
//! | `Paused`, `AnswerFollows` | `input.provided`, end | (gone) | `node.finished` without outputs |
//!
//! A loop that is ready is started at once, and then in the phase `Repeating` until its last iteration is over: see
//! [`loops`]. Each iteration is a [`Scope`] of its own, like the flow itself. When it has failed, everything open in it is
//! closed.
//!
//! A cycle opens its next epoch when all of its back edges are decided and one of them is live, unless its bound is
//! reached: `limits.maxEpochs`, or without one a number of epochs in a row in which nobody was asked (no `run.paused` and no
//! `child.asked` of its nodes). Else it has ended. Then its last live values leave it; those of a follower when the follower
//! has caught up. When no activation is left, the run has finished; when all that is left needs a person, it waits.

mod ending;
mod given_origins;
mod iterations;
mod lookup;
mod loops;
mod queries;
mod scope;
mod slot;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::codes;
use crate::node::{Datum, Inputs};
use crate::plan::{NodeIx, Plan, ROOT_SCOPE};
use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, Epoch, MessageId, NodeId, PortName};
use plait_core::origin::Origins;
use plait_journal::{
    Answer, ChildEvent, Event, FINISHES_LOOP, FinishMetadata, NodeEvent, NodeOutputs, RunEvent, SkipReason,
};

use given_origins::GivenOrigins;
use iterations::Iterations;
use loops::LoopRun;
use scope::{Emitted, IterationKey, Scope, Shared};
use slot::{Counts, Phase};

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// Something is running or may start.
    Running,
    /// Only a person can make it go on.
    Waiting,
    Ended,
}

/// An activation that may start.
#[derive(Clone, Debug)]
pub struct Start {
    /// The node's place in the plan.
    pub node: NodeIx,
    /// The iteration.
    pub epoch: Epoch,
    pub inputs: Inputs,
    /// Which try, from 1.
    pub attempt: u32,
    /// The person's answer, after a pause.
    pub answer: Option<Answer>,
    /// A context that it names and must not see: at its place in the order of turns, it does not exist.
    pub hidden_context: Option<ContextId>,
}

/// The state of one run.
pub struct Scheduler {
    plan: Arc<Plan>,
    shared: Shared,
    /// The flow itself.
    root: Scope,
    /// The open iterations of loops.
    iterations: Iterations,
    /// The loops with running iterations.
    loops: FxHashMap<(NodeIx, Epoch), LoopRun>,
    /// The scopes in which something is to be worked off.
    work: VecDeque<IterationKey>,
    /// The node that was last found ready: what happens next is mostly about it.
    latest: NodeIx,
    results: BTreeMap<NodeId, NodeOutputs>,
    /// Where the results come from.
    result_origins: Origins,
    /// Where the outputs come from of the activation that finished last.
    finished_origins: Origins,
    /// Whether iterations were closed before they had ended, since that was last asked.
    has_stopped: bool,
    begun: bool,
    ended: bool,
}

impl Scheduler {
    /// A run of `plan` that has not started.
    pub fn new(plan: Arc<Plan>) -> Self {
        Self {
            root: Scope::new(&plan, ROOT_SCOPE, Epoch::root()),
            iterations: Iterations::default(),
            loops: FxHashMap::default(),
            work: VecDeque::new(),
            latest: 0,
            results: BTreeMap::new(),
            result_origins: Origins::NONE,
            finished_origins: Origins::NONE,
            has_stopped: false,
            begun: false,
            ended: false,
            plan,
            shared: Shared {
                ready: BinaryHeap::new(),
                counts: Counts::default(),
                asking: BTreeSet::new(),
                was_waiting: false,
                given: GivenOrigins::default(),
                opening: VecDeque::new(),
            },
        }
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Where the outputs come from of the activation that finished last.
    pub fn finished_origins(&self) -> &Origins {
        &self.finished_origins
    }

    /// The input of a loop with running iterations, if it has one.
    pub fn loop_input(&self, node: NodeIx, epoch: &Epoch) -> Option<&Datum> {
        self.loops.get(&(node, epoch.clone()))?.input()
    }

    /// How the run stands.
    pub fn phase(&self) -> RunPhase {
        if self.ended {
            RunPhase::Ended
        } else if self.shared.counts.active > 0 || self.shared.counts.needing_person == 0 {
            RunPhase::Running
        } else {
            RunPhase::Waiting
        }
    }

    /// Takes an event and adds what follows from it to `derived`, in order. Events that tell of effects (`prompt.rendered`,
    /// `tool.called`, …) change nothing. An event that can't happen now is a fault `journal.impossible`.
    pub fn apply(&mut self, event: &Event, derived: &mut Vec<Event>) -> Result<(), Fault> {
        if self.ended {
            return Err(impossible(event, "the run has ended"));
        }
        if matches!(event, Event::Run(RunEvent::Started { .. })) == self.begun {
            return Err(impossible(event, "`run.started` is the first event of a run, and comes once"));
        }
        match event {
            Event::Run(RunEvent::Started { origins, set, parent_run_id, .. }) => {
                self.begun = true;
                self.shared.given = GivenOrigins::new(origins, set, parent_run_id.is_none());
                self.root.open(&self.plan, &mut self.shared);
                self.work.push_back(root_key());
            }
            Event::Run(RunEvent::Canceling) => self.cancel(derived),
            Event::Node(activation, NodeEvent::Skipped { reason: SkipReason::ByPerson, .. }) => {
                self.skip(activation, event)?;
            }
            Event::Node(
                _,
                NodeEvent::Ready { .. }
                | NodeEvent::Skipped { .. }
                | NodeEvent::Delta { .. }
                | NodeEvent::Progressed { .. }
                | NodeEvent::Noticed { .. },
            )
            | Event::Child(_, ChildEvent::Started { .. })
            | Event::Run(_)
            | Event::Loop(..)
            | Event::Call(..)
            | Event::Debug(_) => return Ok(()),
            Event::Context(activation, _) | Event::Memory(activation, _) => {
                self.note_written(activation);
                return Ok(());
            }
            Event::Node(activation, change) => self.apply_node_event(activation, change, event, derived)?,
            Event::Child(activation, change) => self.apply_child_event(activation, change, event)?,
        }
        self.work_off(derived);
        Ok(())
    }

    fn apply_node_event(
        &mut self,
        Activation { node, epoch }: &Activation,
        change: &NodeEvent,
        event: &Event,
        derived: &mut Vec<Event>,
    ) -> Result<(), Fault> {
        let ix = self.find(node, event)?;
        if self.is_test(ix, epoch) {
            return self.apply_test_event(ix, epoch, change, event, derived);
        }
        match change {
            NodeEvent::Started { attempt } => {
                let slot = self.slot(ix, epoch, event)?;
                if !(slot.phase.is_started() || matches!(slot.phase, Phase::Ready | Phase::Answered)) {
                    return Err(impossible(event, "it is not ready"));
                }
                slot.attempt = *attempt;
                self.set_phase(ix, epoch, Phase::Running);
            }
            NodeEvent::Retrying { attempt, dropped, .. } => {
                let slot = self.started_slot(ix, epoch, event)?;
                slot.attempt = attempt + 1;
                if dropped.is_some() {
                    slot.answer = None;
                }
                self.set_phase(ix, epoch, Phase::Running);
            }
            NodeEvent::Paused { answered, tool, .. } => {
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, epoch, if *answered { Phase::AnswerFollows } else { Phase::Paused });
                if tool.is_none() {
                    self.mark_attended(ix, epoch);
                }
            }
            NodeEvent::Answered { answer, .. } => {
                let slot = self.slot(ix, epoch, event)?;
                if !matches!(slot.phase, Phase::Paused | Phase::AnswerFollows) {
                    return Err(impossible(event, "it does not ask"));
                }
                slot.answer = Some(answer.clone());
                self.set_phase(ix, epoch, Phase::Answered);
                if *answer == Answer::End {
                    derived.push(Event::Node(
                        Activation { node: node.clone(), epoch: epoch.clone() },
                        NodeEvent::Finished {
                            outputs: NodeOutputs::new(),
                            messages: BTreeMap::new(),
                            metadata: FinishMetadata::default(),
                        },
                    ));
                    // Ending the question in a loop ends the loop.
                    if let Some(scope) = self.scope_of(ix, epoch) {
                        scope.ends_loop = true;
                    }
                    self.close(ix, epoch, &NodeOutputs::new(), &BTreeMap::new(), &Origins::NONE, false);
                    if self.plan.target == Some(ix) {
                        self.reach_target(derived);
                    }
                } else {
                    self.shared.ready.push(Reverse((ix, epoch.clone())));
                }
            }
            NodeEvent::Finished { outputs, messages, metadata } => {
                let origins = self.started_slot(ix, epoch, event)?.finished_origins(metadata);
                self.finished_origins.clone_from(&origins);
                self.take_results(ix, epoch, outputs, &origins);
                if let Some((plan, scope, _)) = self.scope_with_surroundings(ix, epoch) {
                    if scope.slot(ix, epoch).is_some_and(|slot| slot.has_written) {
                        let at = Activation { node: node.clone(), epoch: epoch.clone() };
                        scope.written_by(plan, ix, epoch).activations.push(at);
                    }
                    scope.note_made_context(plan, ix, epoch);
                    scope.ends_loop |= metadata.extra.contains_key(FINISHES_LOOP);
                }
                self.close(ix, epoch, outputs, messages, &origins, false);
                if self.plan.target == Some(ix) {
                    self.reach_target(derived);
                }
            }
            NodeEvent::Failed { error, handled, origins } => {
                let origins = self.started_slot(ix, epoch, event)?.output_origins(origins);
                if *handled {
                    let outputs = scope::error_outputs(node, error);
                    self.close(ix, epoch, &outputs, &BTreeMap::new(), &origins, true);
                } else {
                    self.fail_activation(ix, epoch, error, &origins, derived);
                }
            }
            NodeEvent::Ready { .. }
            | NodeEvent::Skipped { .. }
            | NodeEvent::Delta { .. }
            | NodeEvent::Progressed { .. }
            | NodeEvent::Noticed { .. } => {}
        }
        Ok(())
    }

    /// A person skips an activation that is ready.
    fn skip(&mut self, Activation { node, epoch }: &Activation, event: &Event) -> Result<(), Fault> {
        let ix = self.find(node, event)?;
        if !matches!(self.slot(ix, epoch, event)?.phase, Phase::Ready | Phase::Answered) {
            return Err(impossible(event, "it is not ready"));
        }
        if let Some((plan, scope, shared)) = self.scope_with_surroundings(ix, epoch) {
            scope.skip(plan, shared, ix, epoch);
            let key = scope.key();
            self.work.push_back(key);
        }
        Ok(())
    }

    fn apply_child_event(
        &mut self,
        Activation { node, epoch }: &Activation,
        change: &ChildEvent,
        event: &Event,
    ) -> Result<(), Fault> {
        match change {
            ChildEvent::Started { .. } => {}
            ChildEvent::Asked { .. } => {
                let ix = self.find(node, event)?;
                self.started_slot(ix, epoch, event)?;
                self.mark_attended(ix, epoch);
            }
            ChildEvent::Waiting { .. } => {
                let ix = self.find(node, event)?;
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, epoch, Phase::AwaitingChild);
                // What it waits for may have changed.
                self.shared.was_waiting = false;
            }
            ChildEvent::Resumed { .. } => {
                let ix = self.find(node, event)?;
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, epoch, Phase::Running);
            }
        }
        Ok(())
    }

    /// An activation writes to contexts or to the memory. In a loop, that counts when the iteration has succeeded.
    fn note_written(&mut self, at: &Activation) {
        if self.iterations.is_empty() {
            return;
        }
        let Some(node) = self.plan.find(&at.node) else { return };
        if !self.plan.is_in_loop(node) {
            return;
        }
        let scope = self.iterations.around_mut(&self.plan, node, &at.epoch);
        if let Some(slot) = scope.and_then(|scope| scope.slot_mut(node, &at.epoch)) {
            slot.has_written = true;
        }
    }

    /// Takes the outputs of a node that are the run's. In an iteration of a loop they count if the iteration does,
    /// except the outputs of the node that the run runs to.
    fn take_results(&mut self, ix: NodeIx, epoch: &Epoch, outputs: &NodeOutputs, origins: &Origins) {
        let plan = &self.plan;
        if !plan.nodes[ix].is_result {
            return;
        }
        match plan.iteration_of(ix, epoch).filter(|_| plan.target != Some(ix)) {
            None => self.add_results(ix, outputs.clone(), origins),
            Some(key) => {
                if let Some(scope) = self.iterations.get_mut(&key) {
                    let result = (ix, outputs.clone(), origins.clone());
                    scope.written_by(plan, ix, epoch).results.push(result);
                }
            }
        }
    }

    /// Adds to the outputs of the run. The last live value of each port counts, over all iterations.
    fn add_results(&mut self, ix: NodeIx, outputs: NodeOutputs, origins: &Origins) {
        let id = self.plan.nodes[ix].id.clone();
        self.results.entry(id).or_default().extend(outputs);
        self.result_origins.add(origins);
    }

    /// The next activation that may start, first in plan order. It counts as started only once the driver applies
    /// `node.started`.
    pub fn next_ready(&mut self) -> Option<Start> {
        while let Some(Reverse((node, epoch))) = self.shared.ready.pop() {
            if self.is_test(node, &epoch) {
                if self.test(node, &epoch).is_some_and(|test| !test.is_running) {
                    self.latest = node;
                    return self.test_start(node, &epoch);
                }
                continue;
            }
            let slot = self.scope_of(node, &epoch).and_then(|scope| scope.slot(node, &epoch));
            if let Some(slot) = slot.filter(|slot| matches!(slot.phase, Phase::Ready | Phase::Answered)) {
                let start = slot.start(node);
                self.latest = node;
                return Some(start);
            }
        }
        None
    }

    /// Whether iterations were closed before they had ended, since this was last asked.
    pub fn take_stopped(&mut self) -> bool {
        std::mem::take(&mut self.has_stopped)
    }

    /// Moves an activation to a phase.
    fn set_phase(&mut self, node: NodeIx, epoch: &Epoch, phase: Phase) {
        if let Some((_, scope, shared)) = self.scope_with_surroundings(node, epoch) {
            scope.set_phase(shared, node, phase);
        }
    }

    /// Ends an activation and passes on its outputs. `failed`: it failed, and that is handled.
    fn close(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        outputs: &NodeOutputs,
        messages: &BTreeMap<PortName, MessageId>,
        origins: &Origins,
        failed: bool,
    ) {
        if let Some((plan, scope, shared)) = self.scope_with_surroundings(node, epoch) {
            scope.close(plan, shared, node, epoch, &Emitted { outputs, messages, origins }, failed);
            let key = scope.key();
            self.work.push_back(key);
        }
    }

    /// A person was asked by this node, or by a flow that it runs: in its cycles, and in those around the loops that it is in.
    fn mark_attended(&mut self, node: NodeIx, epoch: &Epoch) {
        let plan = Arc::clone(&self.plan);
        let (mut node, mut epoch) = (node, epoch.clone());
        loop {
            if let Some(scope) = self.scope_of(node, &epoch) {
                scope.mark_attended(&plan, node);
            }
            let Some((scope, inner)) = plan.iteration_of(node, &epoch) else { return };
            let Some(container) = plan.scopes[scope].container else { return };
            (node, epoch) = (container.node, inner.outer());
        }
    }

    fn work_off(&mut self, derived: &mut Vec<Event>) {
        while let Some(key) = self.work.pop_front() {
            if self.ended {
                self.work.clear();
                return;
            }
            let scope =
                if key.0 == ROOT_SCOPE { Some(&mut self.root) } else { self.iterations.get_mut(&key) };
            let Some(scope) = scope else { continue };
            scope.work_off(&self.plan, &mut self.shared, derived);
            let is_over = scope.open == 0;
            while let Some(opening) = self.shared.opening.pop_front() {
                self.open_loop(opening, derived);
            }
            if is_over && key.0 != ROOT_SCOPE {
                self.end_iteration(&key, derived);
            }
        }
        if !self.ended {
            self.settle(derived);
        }
    }
}

/// Whether the node itself was started and has not ended. A loop with running iterations executes nothing.
fn is_executing(phase: Phase) -> bool {
    phase.is_started() && phase != Phase::Repeating
}

fn root_key() -> IterationKey {
    (ROOT_SCOPE, Epoch::root())
}

fn impossible(event: &Event, why: &str) -> Fault {
    Fault::new(codes::JOURNAL_IMPOSSIBLE, format!("An event of this run can't have happened: {why}."))
        .hint("The journal was written for another flow or is damaged. Start the flow again; report it if you did not touch it.")
        .details(serde_json::to_value(event).unwrap_or_default())
}
