//! The scheduler: a pure state machine, `(state, event) -> (state, events that follow)`. No I/O, no clock, no chance.
//!
//! The driver feeds it what happened; it answers with what follows from that, and says which activations may start.
//! Everything it derives depends on nothing but the order of the events it was fed, so replaying a journal rebuilds it.
//!
//! # Transitions
//!
//! An activation is a [`Slot`] of its node:
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
//! | `Running`, `AwaitingChild` | `node.retrying` | `Running` | the next attempt is counted |
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
//! A cycle opens its next epoch when all of its back edges are decided and one of them is live, unless its bound is
//! reached: `limits.maxEpochs`, or without one a number of epochs in a row in which nobody was asked (no `run.paused` and no
//! `child.asked` of its nodes). Else it has ended. Then its last live values leave it; those of a follower when the follower
//! has caught up. When no activation is left, the run has finished; when all that is left needs a person, it waits.

mod cycles;
mod delivery;
mod ending;
mod slot;
mod turns;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::{ErrorCode, Fault};
use crate::id::{Activation, ContextId, Epoch, NodeId};
use crate::journal::{
    Answer, ChildEvent, Event, FinishMetadata, NodeEvent, NodeOutputs, RunEvent, SkipReason,
};
use crate::node::Inputs;
use crate::origin::Origins;
use crate::plan::{EdgeIx, NodeIx, Plan};

use cycles::CycleState;
use delivery::Held;
use slot::{Counts, Delivered, Phase, Slot};
use turns::TurnQueues;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// Something is running or may start.
    Running,
    /// Only a person can make it go on.
    Waiting,
    /// It has ended.
    Ended,
}

/// An activation that may start.
#[derive(Clone, Debug)]
pub struct Start {
    /// The node's place in the plan.
    pub node: NodeIx,
    /// The iteration.
    pub epoch: Epoch,
    /// The values on its inputs.
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
    /// The open activations of each node, by epoch. A node inside a cycle has one at most; one that follows a cycle may lag.
    slots: Vec<VecDeque<Slot>>,
    /// Nodes whose one activation is open and waits for its first value. Its slot is made when that comes, so that a run
    /// takes room for where it is and not for all of its flow.
    untouched: Vec<bool>,
    /// Whether each node has ever had a live activation.
    ran: Vec<bool>,
    /// Where nodes that follow a cycle were last passed over, and why.
    idle: FxHashMap<NodeIx, (Epoch, SkipReason)>,
    ready: BinaryHeap<Reverse<(NodeIx, Epoch)>>,
    /// The node that was last found ready: what happens next is mostly about it.
    latest: NodeIx,
    held: FxHashMap<EdgeIx, Held>,
    last_live: FxHashMap<EdgeIx, Delivered>,
    /// By follower, the edges out of an ended cycle that it has yet to catch up with, and the epoch around that cycle.
    lagging_exits: FxHashMap<NodeIx, Vec<(EdgeIx, Epoch)>>,
    cycles: Vec<CycleState>,
    turns: TurnQueues,
    results: BTreeMap<NodeId, NodeOutputs>,
    /// Where the results come from.
    result_origins: Origins,
    /// Where the values come from that were given to the run.
    given_origins: Origins,
    counts: Counts,
    /// The nodes whose first open activation needs a person.
    asking: BTreeSet<NodeIx>,
    begun: bool,
    ended: bool,
    was_waiting: bool,
    /// What is to be worked off: never recursion, so that a chain of any length fits any stack.
    agenda: VecDeque<Step>,
}

/// One thing to work off.
enum Step {
    /// Decide whether the node's first open activation is ready.
    Decide(NodeIx),
    /// An activation will not run: its outputs are dead.
    Skip(NodeIx, Epoch),
    /// All back edges of a cycle are decided.
    AdvanceCycle(crate::plan::CycleIx),
}

impl Scheduler {
    /// A run of `plan` that has not started.
    pub fn new(plan: Arc<Plan>) -> Self {
        Self {
            slots: plan.nodes.iter().map(|_| VecDeque::new()).collect(),
            untouched: vec![false; plan.nodes.len()],
            ran: vec![false; plan.nodes.len()],
            cycles: plan.cycles.iter().map(|_| CycleState::default()).collect(),
            turns: TurnQueues::new(&plan),
            idle: FxHashMap::default(),
            ready: BinaryHeap::new(),
            latest: 0,
            held: FxHashMap::default(),
            last_live: FxHashMap::default(),
            lagging_exits: FxHashMap::default(),
            results: BTreeMap::new(),
            result_origins: Origins::NONE,
            given_origins: Origins::NONE,
            counts: Counts::default(),
            asking: BTreeSet::new(),
            begun: false,
            ended: false,
            was_waiting: false,
            agenda: VecDeque::new(),
            plan,
        }
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// How the run stands.
    pub fn phase(&self) -> RunPhase {
        if self.ended {
            RunPhase::Ended
        } else if self.counts.active > 0 || self.counts.needing_person == 0 {
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
            Event::Run(RunEvent::Started { origins, .. }) => {
                self.begun = true;
                self.given_origins = origins.clone();
                self.open_root();
            }
            Event::Run(RunEvent::Canceling) => self.cancel(derived),
            Event::Node(_, NodeEvent::Ready { .. } | NodeEvent::Skipped { .. } | NodeEvent::Delta { .. })
            | Event::Child(_, ChildEvent::Started { .. })
            | Event::Run(_)
            | Event::Loop(..)
            | Event::Context(..)
            | Event::Memory(..)
            | Event::Call(..) => return Ok(()),
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
        match change {
            NodeEvent::Started { attempt } => {
                let slot = self.slot(ix, epoch, event)?;
                if !(slot.phase.is_started() || matches!(slot.phase, Phase::Ready | Phase::Answered)) {
                    return Err(impossible(event, "it is not ready"));
                }
                slot.attempt = *attempt;
                self.set_phase(ix, Phase::Running);
            }
            NodeEvent::Retrying { attempt, .. } => {
                self.started_slot(ix, epoch, event)?.attempt = attempt + 1;
                self.set_phase(ix, Phase::Running);
            }
            NodeEvent::Paused { answered, tool, .. } => {
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, if *answered { Phase::AnswerFollows } else { Phase::Paused });
                if tool.is_none() {
                    self.mark_attended(ix);
                }
            }
            NodeEvent::Answered { answer, .. } => {
                let slot = self.slot(ix, epoch, event)?;
                if !matches!(slot.phase, Phase::Paused | Phase::AnswerFollows) {
                    return Err(impossible(event, "it does not ask"));
                }
                slot.answer = Some(answer.clone());
                self.set_phase(ix, Phase::Answered);
                if *answer == Answer::End {
                    derived.push(Event::Node(
                        Activation { node: node.clone(), epoch: epoch.clone() },
                        NodeEvent::Finished {
                            outputs: NodeOutputs::new(),
                            messages: BTreeMap::new(),
                            metadata: FinishMetadata::default(),
                        },
                    ));
                    self.close(ix, epoch, &NodeOutputs::new(), &BTreeMap::new(), &Origins::NONE);
                    if self.plan.target == Some(ix) {
                        self.reach_target(derived);
                    }
                } else {
                    self.ready.push(Reverse((ix, epoch.clone())));
                }
            }
            NodeEvent::Finished { outputs, messages, metadata } => {
                let origins = self.started_slot(ix, epoch, event)?.output_origins(&metadata.origins);
                if self.plan.nodes[ix].is_result {
                    // The last live value of each port counts, whichever round it came in.
                    self.results.entry(node.clone()).or_default().extend(outputs.clone());
                    self.result_origins.add(&origins);
                }
                self.note_made_context(ix, epoch);
                self.close(ix, epoch, outputs, messages, &origins);
                if self.plan.target == Some(ix) {
                    self.reach_target(derived);
                }
            }
            NodeEvent::Failed { error, handled, origins } => {
                let origins = self.started_slot(ix, epoch, event)?.output_origins(origins);
                if *handled {
                    let outputs = delivery::error_outputs(node, error);
                    self.close(ix, epoch, &outputs, &BTreeMap::new(), &origins);
                } else {
                    self.result_origins.add(&origins);
                    self.fail(ix, epoch, error, derived);
                }
            }
            NodeEvent::Ready { .. } | NodeEvent::Skipped { .. } | NodeEvent::Delta { .. } => {}
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
                self.mark_attended(ix);
            }
            ChildEvent::Waiting { .. } => {
                let ix = self.find(node, event)?;
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, Phase::AwaitingChild);
                // What it waits for may have changed.
                self.was_waiting = false;
            }
            ChildEvent::Resumed { .. } => {
                let ix = self.find(node, event)?;
                self.started_slot(ix, epoch, event)?;
                self.set_phase(ix, Phase::Running);
            }
        }
        Ok(())
    }

    /// The next activation that may start, first in plan order. It counts as started only once the driver applies
    /// `node.started`.
    pub fn next_ready(&mut self) -> Option<Start> {
        while let Some(Reverse((node, epoch))) = self.ready.pop() {
            if let Some(slot) = self.slots[node].front()
                && slot.epoch == epoch
                && matches!(slot.phase, Phase::Ready | Phase::Answered)
            {
                self.latest = node;
                return Some(slot.start(node));
            }
        }
        None
    }

    /// The activation of `node` that is running, to be started again for another try.
    pub fn running(&self, node: NodeIx) -> Option<Start> {
        self.slots[node].front().filter(|slot| slot.phase.is_started()).map(|slot| slot.start(node))
    }

    /// Activations that were running when the journal ended, in plan order: a resumed run starts them again.
    pub fn interrupted(&self) -> Vec<Start> {
        (0..self.slots.len()).filter_map(|node| self.running(node)).collect()
    }

    /// The activations that need a person, in plan order.
    pub fn pauses(&self) -> impl Iterator<Item = Activation> + '_ {
        self.asking.iter().filter_map(|&node| Some(self.activation(node, &self.slots[node].front()?.epoch)))
    }

    /// How many started activations only wait for a person in their child run. They do not count against the concurrency
    /// limit.
    pub fn blocked_on_child(&self) -> usize {
        self.counts.awaiting_child
    }

    /// Moves the node's first open activation to a phase.
    fn set_phase(&mut self, node: NodeIx, phase: Phase) {
        let Some(slot) = self.slots[node].front_mut() else { return };
        let before = std::mem::replace(&mut slot.phase, phase);
        self.changed_phase(node, Some(before), Some(phase));
    }

    /// The node's first open activation has changed its phase. `None`: it was closed.
    fn changed_phase(&mut self, node: NodeIx, from: Option<Phase>, to: Option<Phase>) {
        self.counts.change(from, to);
        match (from.is_some_and(Phase::needs_person), to.is_some_and(Phase::needs_person)) {
            (false, true) => {
                self.asking.insert(node);
            }
            (true, false) => {
                self.asking.remove(&node);
                // If other questions are left, the run waits again, for fewer.
                self.was_waiting = false;
            }
            _ => {}
        }
    }

    fn work_off(&mut self, derived: &mut Vec<Event>) {
        while let Some(step) = self.agenda.pop_front() {
            if self.ended {
                self.agenda.clear();
                return;
            }
            match step {
                Step::Decide(node) => self.decide(node, derived),
                Step::Skip(node, epoch) => {
                    self.emit(node, &epoch, &NodeOutputs::new(), &BTreeMap::new(), &Origins::NONE);
                }
                Step::AdvanceCycle(cycle) => self.advance_cycle(cycle, derived),
            }
        }
        if !self.ended {
            self.settle(derived);
        }
    }

    fn activation(&self, node: NodeIx, epoch: &Epoch) -> Activation {
        Activation { node: self.plan.nodes[node].id.clone(), epoch: epoch.clone() }
    }

    fn find(&self, node: &NodeId, event: &Event) -> Result<NodeIx, Fault> {
        if self.plan.nodes.get(self.latest).is_some_and(|latest| latest.id.is(node)) {
            return Ok(self.latest);
        }
        self.plan.find(node).ok_or_else(|| impossible(event, &format!("the flow has no node `{node}`")))
    }

    fn slot(&mut self, node: NodeIx, epoch: &Epoch, event: &Event) -> Result<&mut Slot, Fault> {
        self.slots[node]
            .front_mut()
            .filter(|slot| slot.epoch == *epoch)
            .ok_or_else(|| impossible(event, "that activation is not open"))
    }

    /// The activation, if it was started and has not ended.
    fn started_slot(&mut self, node: NodeIx, epoch: &Epoch, event: &Event) -> Result<&mut Slot, Fault> {
        let slot = self.slot(node, epoch, event)?;
        if slot.phase.is_started() {
            Ok(slot)
        } else {
            Err(impossible(event, "the activation is in another phase"))
        }
    }
}

fn impossible(event: &Event, why: &str) -> Fault {
    Fault::new(ErrorCode::JournalImpossible, format!("An event of this run can't have happened: {why}."))
        .hint("The journal was written for another flow or is damaged. Start the flow anew; report it if you did not touch it.")
        .details(serde_json::to_value(event).unwrap_or_default())
}
