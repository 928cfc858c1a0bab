//! Passing on what a node gave: to the next nodes, into the next round, or out of an ended cycle.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::json;

use super::turns::Turn;
use super::{IterationResult, Opening, Scope, Shared, Step};
use crate::node::Datum;
use crate::plan::{EdgeIx, NodeIx, Plan, ROOT_SCOPE};
use crate::scheduler::slot::{Arrival, Delivered, Phase};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, MessageId, NodeId, PortName};
use plait_core::origin::Origins;
use plait_core::port::ERROR_PORT;
use plait_journal::{Event, NodeOutputs};
use plait_journal::{NodeEvent, SkipReason, SourceRef};

/// A decided value that several epochs of its target see.
pub(in crate::scheduler) struct Held {
    /// The epoch, at the edge's level, in which it holds.
    pub prefix: Epoch,
    pub value: Option<Delivered>,
}

/// What the `error` output carries when a node failed.
pub(in crate::scheduler) fn error_outputs(node: &NodeId, error: &Fault) -> NodeOutputs {
    let value = json!({
        "code": error.code, "message": error.message, "node": node, "details": error.details,
    });
    NodeOutputs::from([(ERROR_PORT.into(), Arc::new(value))])
}

/// What an activation passes on.
pub(in crate::scheduler) struct Emitted<'a> {
    pub outputs: &'a NodeOutputs,
    /// By output, the message that it is.
    pub messages: &'a BTreeMap<PortName, MessageId>,
    pub origins: &'a Origins,
}

impl Scope {
    /// Ends the node's first open activation and passes on its outputs. `failed`: it failed, and that is handled.
    pub(in crate::scheduler) fn close(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        node: NodeIx,
        epoch: &Epoch,
        emitted: &Emitted<'_>,
        failed: bool,
    ) {
        let Emitted { outputs, messages, origins } = *emitted;
        self.remove(plan, run, node);
        *self.ran(node) = true;
        self.agenda.push_back(Step::Decide(node));
        if failed || !self.lost.is_empty() {
            let failed = failed
                .then(|| Arc::new(Activation { node: plan.nodes[node].id.clone(), epoch: epoch.clone() }));
            self.note_lost(plan, node, outputs, failed.as_ref());
        }
        self.emit(plan, node, epoch, outputs, messages, origins);
    }

    /// Passes over the node's first open activation, which was ready: its outputs are dead.
    pub(in crate::scheduler) fn skip(&mut self, plan: &Plan, run: &mut Shared, node: NodeIx, epoch: &Epoch) {
        self.remove(plan, run, node);
        // Its final state is in the journal already.
        *self.ran(node) = true;
        self.agenda.push_back(Step::Skip(node, epoch.clone(), None));
        self.agenda.push_back(Step::Decide(node));
    }

    /// Notes which outputs of a node are dead because of a handled failure: its own or one before it.
    pub(in crate::scheduler) fn note_lost(
        &mut self,
        plan: &Plan,
        node: NodeIx,
        outputs: &NodeOutputs,
        failed: Option<&Arc<Activation>>,
    ) {
        for &edge in &plan.nodes[node].outgoing {
            match failed.filter(|_| !outputs.contains_key(&plan.edges[edge].port)) {
                Some(failed) => drop(self.lost.insert(edge, Arc::clone(failed))),
                None => drop(self.lost.remove(&edge)),
            }
        }
    }

    /// The failure because of which an input of a node is dead. What follows a cycle may lag behind it, so nothing is said of it.
    fn lost_on(&self, plan: &Plan, node: NodeIx, port: usize) -> Option<Arc<Activation>> {
        let spec = &plan.nodes[node];
        if self.lost.is_empty() || spec.is_follower {
            return None;
        }
        let mut into = spec.incoming.iter().filter(|edge| plan.edges[**edge].target_port == port);
        into.find_map(|edge| self.lost.get(edge)).cloned()
    }

    /// Removes the node's first open activation, and its room where the node runs but once in the run.
    fn remove(&mut self, plan: &Plan, run: &mut Shared, node: NodeIx) {
        if let Some(slot) = self.slots_mut(node).pop_front() {
            self.open -= 1;
            run.changed_phase(node, &slot.epoch, Some(slot.phase), None);
            self.leave_turn_order(plan, node, &slot.epoch);
        }
        if self.index == ROOT_SCOPE && plan.nodes[node].clock.is_empty() {
            *self.slots_mut(node) = VecDeque::new();
        }
    }

    /// Decides the node's first open activation, if all of its edges are decided and it is its turn.
    pub(in crate::scheduler) fn decide(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        node: NodeIx,
        derived: &mut Vec<Event>,
    ) {
        let spec = &plan.nodes[node];
        let Some(slot) = self.nodes[node - self.first].slots.front_mut() else { return };
        let sources = match slot.phase {
            Phase::Waiting if slot.pending == 0 && spec.is_border => {
                self.result = IterationResult::of(std::mem::take(&mut slot.arrived));
                self.remove(plan, run, node);
                return;
            }
            Phase::Waiting if slot.pending == 0 => slot.decide(spec, &run.given),
            Phase::AwaitingTurn => slot.sources.take().map(|sources| *sources).ok_or(0),
            _ => return,
        };
        let epoch = slot.epoch.clone();
        let dead_port = sources.as_ref().err().copied();
        if let Ok(sources) = sources {
            match self.turns.request(plan, node, slot) {
                Turn::Later => {
                    slot.sources = Some(Box::new(sources));
                    self.set_phase(run, node, Phase::AwaitingTurn);
                }
                Turn::Now { hidden_context } => {
                    slot.hidden_context = hidden_context;
                    let activation = Activation { node: spec.id.clone(), epoch: epoch.clone() };
                    if spec.body.is_some() {
                        let inputs = slot.inputs.clone();
                        self.set_phase(run, node, Phase::Repeating);
                        derived.push(Event::Node(activation, NodeEvent::Ready { inputs: sources.clone() }));
                        run.opening.push_back(Opening { node, epoch, inputs, sources });
                        return;
                    }
                    self.set_phase(run, node, Phase::Ready);
                    derived.push(Event::Node(activation, NodeEvent::Ready { inputs: sources }));
                    run.ready.push(Reverse((node, epoch)));
                }
            }
            return;
        }
        let failed = dead_port.and_then(|port| self.lost_on(plan, node, port));
        // A node that follows a cycle is skipped only if it never runs; that is known at the end.
        if spec.is_follower {
            self.idle.insert(node, (epoch.clone(), SkipReason::DeadInput));
        } else {
            derived.push(Event::Node(
                Activation { node: spec.id.clone(), epoch: epoch.clone() },
                NodeEvent::Skipped {
                    reason: SkipReason::DeadInput,
                    failed: failed.as_deref().cloned().map(Box::new),
                },
            ));
        }
        self.remove(plan, run, node);
        self.agenda.push_back(Step::Skip(node, epoch, failed));
        self.agenda.push_back(Step::Decide(node));
    }

    /// Passes on the outputs of an activation that is over. Outputs that are missing are dead.
    pub(in crate::scheduler) fn emit(
        &mut self,
        plan: &Plan,
        node: NodeIx,
        epoch: &Epoch,
        outputs: &NodeOutputs,
        messages: &BTreeMap<PortName, MessageId>,
        origins: &Origins,
    ) {
        for &edge in &plan.nodes[node].outgoing {
            let port = &plan.edges[edge].port;
            let value = outputs.get(port).map(|value| Delivered {
                datum: Datum {
                    value: Arc::clone(value),
                    message: messages.get(port).cloned(),
                    origins: origins.clone(),
                },
                source: SourceRef {
                    node: plan.nodes[node].id.clone(),
                    epoch: epoch.clone(),
                    port: port.clone(),
                },
            });
            if plan.cycle_left_by(edge).is_some() {
                if let Some(value) = value {
                    self.last_live.insert(edge, value);
                }
            } else {
                self.pass(plan, edge, epoch, value);
            }
        }
        if plan.nodes[node].is_follower {
            self.pass_lagging_exits(plan, node);
        }
    }

    /// Decides an edge in `epoch`, which is of the edge's level.
    pub(in crate::scheduler) fn pass(
        &mut self,
        plan: &Plan,
        edge: EdgeIx,
        epoch: &Epoch,
        value: Option<Delivered>,
    ) {
        let spec = &plan.edges[edge];
        if let Some(cycle) = spec.back {
            self.close_back_edge(cycle, edge, value);
            return;
        }
        let arrival = |value| Arrival { port: spec.target_port, rank: (false, spec.order, edge), value };
        self.touch(plan, spec.target);
        // Open activations are in order of their epochs.
        let slots = &mut self.nodes[spec.target - self.first].slots;
        let first = slots.partition_point(|slot| slot.epoch < *epoch);
        if plan.holds_value(edge) {
            for slot in slots.range_mut(first..).take_while(|slot| slot.epoch.starts_with(epoch)) {
                slot.pending -= 1;
                slot.arrived.extend(value.clone().map(arrival));
            }
            self.held.insert(edge, Held { prefix: epoch.clone(), value });
        } else if let Some(slot) = slots.get_mut(first).filter(|slot| slot.epoch == *epoch) {
            slot.pending -= 1;
            if let Some(value) = value {
                slot.arrived.push(arrival(value));
            }
        }
        self.agenda.push_back(Step::Decide(spec.target));
    }
}
