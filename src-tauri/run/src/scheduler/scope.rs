//! A scope being executed: the flow itself, or the body of a loop in one of its iterations. It knows its own activations,
//! cycles and turns, and nothing of the scopes around it and inside.

mod cycles;
mod delivery;
mod turns;
mod written;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::given_origins::GivenOrigins;
use super::slot::{Arrival, Counts, Delivered, Phase, Slot, Sources};
use super::{Event, NodeOutputs};
use crate::node::Inputs;
use crate::plan::{CycleIx, EdgeIx, NodeIx, Plan, ScopeIx};
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::SkipReason;

use cycles::CycleState;
use delivery::Held;
pub(super) use delivery::{Emitted, error_outputs};
use turns::TurnQueues;
pub(super) use written::Written;
use written::WrittenInOrder;

/// A loop that is ready.
pub(super) struct Opening {
    pub node: NodeIx,
    pub epoch: Epoch,
    pub inputs: Inputs,
    pub sources: Sources,
}

/// What an iteration feeds to the inner side of the border.
#[derive(Default)]
pub(super) struct IterationResult {
    pub next: Option<Delivered>,
    pub exit: Option<Delivered>,
}

impl IterationResult {
    /// From what arrived at the border's inner inputs, `next` and `exit`. The last one in plan order counts.
    pub fn of(mut arrived: SmallVec<[Arrival; 2]>) -> Self {
        arrived.sort_by_key(|arrival| arrival.rank);
        let mut result = Self::default();
        for arrival in arrived {
            let side = if arrival.port == 0 { &mut result.next } else { &mut result.exit };
            *side = Some(arrival.value);
        }
        result
    }
}

/// What all scopes of a run share.
pub(super) struct Shared {
    pub ready: BinaryHeap<Reverse<(NodeIx, Epoch)>>,
    pub counts: Counts,
    /// The activations that need a person.
    pub asking: BTreeSet<(NodeIx, Epoch)>,
    /// Whether the run was found waiting, and what it waits for has not changed since.
    pub was_waiting: bool,
    /// Where the values come from that were given to the run.
    pub given: GivenOrigins,
    /// Loops that are ready, to be opened.
    pub opening: VecDeque<Opening>,
}

impl Shared {
    /// Removes a loop from the loops to open, since its scope ends. Returns whether it was one.
    pub fn forget_opening(&mut self, node: NodeIx, epoch: &Epoch) -> bool {
        let at = self.opening.iter().position(|opening| opening.node == node && opening.epoch == *epoch);
        at.and_then(|at| self.opening.remove(at)).is_some()
    }

    /// An activation has changed its phase. `None`: it was opened or closed.
    pub fn changed_phase(&mut self, node: NodeIx, epoch: &Epoch, from: Option<Phase>, to: Option<Phase>) {
        self.counts.change(from, to);
        match (from.is_some_and(Phase::needs_person), to.is_some_and(Phase::needs_person)) {
            (false, true) => {
                self.asking.insert((node, epoch.clone()));
            }
            (true, false) => {
                self.asking.remove(&(node, epoch.clone()));
                // If other questions are left, the run waits again, for fewer.
                self.was_waiting = false;
            }
            _ => {}
        }
    }
}

/// A scope that is open: the index in the plan and the epoch of the iteration.
pub(super) type IterationKey = (ScopeIx, Epoch);

pub(super) struct Scope {
    pub index: ScopeIx,
    /// The epoch of the iteration. Empty for the flow itself.
    pub epoch: Epoch,
    /// The first of its nodes and cycles: what follows is by distance from these.
    pub first: NodeIx,
    first_cycle: CycleIx,
    /// By distance from the first node.
    nodes: Vec<NodeState>,
    cycles: Vec<CycleState>,
    /// Where nodes that follow a cycle were last passed over, and why.
    pub idle: FxHashMap<NodeIx, (Epoch, SkipReason)>,
    pub held: FxHashMap<EdgeIx, Held>,
    pub last_live: FxHashMap<EdgeIx, Delivered>,
    /// The edges that are dead because of a handled failure, with the activation that failed.
    lost: FxHashMap<EdgeIx, Arc<Activation>>,
    /// By follower, the edges out of an ended cycle that it has yet to catch up with, and the epoch around that cycle.
    pub lagging_exits: FxHashMap<NodeIx, Vec<(EdgeIx, Epoch)>>,
    pub turns: TurnQueues,
    /// How many activations are open.
    pub open: usize,
    /// What the end of the border got.
    pub result: IterationResult,
    /// What it leaves behind; nothing for the flow itself.
    written: WrittenInOrder,
    /// Whether a person or a model has ended the loop with this iteration.
    pub ends_loop: bool,
    /// The work list: never recursion, so that a chain of any length fits any stack.
    pub agenda: VecDeque<Step>,
}

/// What becomes of a node in a scope.
#[derive(Default)]
struct NodeState {
    /// Its open activations, by epoch. A node inside a cycle has one at most; one that follows a cycle may lag.
    slots: VecDeque<Slot>,
    /// Its one activation is open and waits for its first value. The slot is made when that comes, so that a run takes room
    /// for where it is and not for all of its flow.
    untouched: bool,
    /// Whether it has ever had a live activation.
    ran: bool,
}

/// One thing to work off.
pub(super) enum Step {
    /// Decide whether the node's first open activation is ready.
    Decide(NodeIx),
    /// An activation will not run: its outputs are dead, because of this failure if there is one.
    Skip(NodeIx, Epoch, Option<Arc<Activation>>),
    /// All back edges of a cycle are decided.
    AdvanceCycle(CycleIx),
}

impl Scope {
    /// A scope in which nothing is open yet.
    pub fn new(plan: &Plan, index: ScopeIx, epoch: Epoch) -> Self {
        let spec = &plan.scopes[index];
        Self {
            index,
            epoch,
            first: spec.nodes.start,
            first_cycle: spec.cycles.start,
            nodes: spec.nodes.clone().map(|_| NodeState::default()).collect(),
            cycles: spec.cycles.clone().map(|_| CycleState::default()).collect(),
            turns: TurnQueues::new(plan, index),
            idle: FxHashMap::default(),
            held: FxHashMap::default(),
            last_live: FxHashMap::default(),
            lost: FxHashMap::default(),
            lagging_exits: FxHashMap::default(),
            open: 0,
            result: IterationResult::default(),
            written: WrittenInOrder::new(),
            ends_loop: false,
            agenda: VecDeque::new(),
        }
    }

    /// Makes an iteration in which everything has ended another one of the same loop, in which nothing is open yet.
    pub fn renew(&mut self, epoch: Epoch) {
        self.epoch = epoch;
        for NodeState { slots, untouched, ran } in &mut self.nodes {
            slots.clear();
            (*untouched, *ran) = (false, false);
        }
        self.cycles.fill_with(CycleState::default);
        self.turns.clear();
        self.idle.clear();
        self.held.clear();
        self.last_live.clear();
        self.lost.clear();
        self.lagging_exits.clear();
        self.open = 0;
        self.result = IterationResult::default();
        self.written.clear();
        self.ends_loop = false;
        self.agenda.clear();
    }

    /// What it is found by among the open iterations.
    pub fn key(&self) -> IterationKey {
        (self.index, self.epoch.clone())
    }

    /// Whether an activation is in this iteration.
    pub fn is_around(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> bool {
        plan.nodes[node].scope == self.index && epoch.starts_with(&self.epoch)
    }

    pub fn slots(&self, node: NodeIx) -> &VecDeque<Slot> {
        &self.nodes[node - self.first].slots
    }

    pub fn slots_mut(&mut self, node: NodeIx) -> &mut VecDeque<Slot> {
        &mut self.nodes[node - self.first].slots
    }

    pub fn untouched(&mut self, node: NodeIx) -> &mut bool {
        &mut self.nodes[node - self.first].untouched
    }

    pub fn ran(&mut self, node: NodeIx) -> &mut bool {
        &mut self.nodes[node - self.first].ran
    }

    pub fn cycle(&mut self, cycle: CycleIx) -> &mut CycleState {
        &mut self.cycles[cycle - self.first_cycle]
    }

    /// The open activations, in plan order, and by epoch those of one node.
    pub fn open_slots(&self) -> impl Iterator<Item = (NodeIx, &Slot)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(move |(at, node)| node.slots.iter().map(move |slot| (self.first + at, slot)))
    }

    /// The node's activation in this epoch, if it is the first one that is open.
    pub fn slot(&self, node: NodeIx, epoch: &Epoch) -> Option<&Slot> {
        self.slots(node).front().filter(|slot| slot.epoch == *epoch)
    }

    /// The same, to change it.
    pub fn slot_mut(&mut self, node: NodeIx, epoch: &Epoch) -> Option<&mut Slot> {
        self.slots_mut(node).front_mut().filter(|slot| slot.epoch == *epoch)
    }

    /// Moves the node's first open activation to a phase.
    pub fn set_phase(&mut self, run: &mut Shared, node: NodeIx, phase: Phase) {
        let Some(slot) = self.slots_mut(node).front_mut() else { return };
        let before = std::mem::replace(&mut slot.phase, phase);
        run.changed_phase(node, &slot.epoch, Some(before), Some(phase));
    }

    /// Works off what follows from what has happened.
    pub fn work_off(&mut self, plan: &Plan, run: &mut Shared, derived: &mut Vec<Event>) {
        while let Some(step) = self.agenda.pop_front() {
            match step {
                Step::Decide(node) => self.decide(plan, run, node, derived),
                Step::Skip(node, epoch, failed) => {
                    self.note_lost(plan, node, &NodeOutputs::new(), failed.as_ref());
                    self.emit(plan, node, &epoch, &NodeOutputs::new(), &BTreeMap::new(), &Origins::NONE);
                }
                Step::AdvanceCycle(cycle) => self.advance_cycle(plan, run, cycle, derived),
            }
        }
    }
}
