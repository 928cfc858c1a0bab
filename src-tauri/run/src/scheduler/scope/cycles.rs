//! Epochs: opening them, deciding whether a cycle iterates again, and ending it.

use super::{Scope, Shared, Step};
use crate::plan::{CycleIx, EdgeIx, NodeIx, Plan};
use crate::scheduler::slot::{Arrival, Delivered, Phase, Slot};
use plait_core::id::{Activation, Epoch};
use plait_journal::Event;
use plait_journal::LoopEvent;

/// The state of an open cycle. An inner cycle has one after the other, one for each epoch around it.
#[derive(Default)]
pub(in crate::scheduler) struct CycleState {
    /// The epoch that is open.
    pub epoch: Epoch,
    /// How many back edges are undecided in it.
    pub undecided: usize,
    /// The live values for the next epoch.
    pub next: Vec<(EdgeIx, Delivered)>,
    /// Whether a person was asked in this epoch, by a node of the cycle or of one inside.
    pub is_attended: bool,
    /// How many epochs before this one, in a row, were unattended.
    pub unattended: u32,
}

impl Scope {
    /// Opens the scope: every node outside of cycles, and every outer cycle's first epoch.
    pub(in crate::scheduler) fn open(&mut self, plan: &Plan, run: &mut Shared) {
        let spec = &plan.scopes[self.index];
        let begin = spec.container.map(|container| container.begin);
        for &node in spec.root.iter().filter(|node| Some(**node) != begin) {
            if plan.nodes[node].incoming.is_empty() {
                self.open_slot(plan, run, node, self.epoch.clone(), &[]);
            } else {
                self.enter_turn_order(plan, node, &self.epoch.clone());
                *self.untouched(node) = true;
                self.open += 1;
                run.counts.change(None, Some(Phase::Waiting));
            }
        }
        for cycle in spec.cycles.clone() {
            if plan.cycles[cycle].parent.is_none() {
                self.open_epoch(plan, run, cycle, self.epoch.child(0), &[]);
            }
        }
    }

    /// Opens an epoch of a cycle, and the first epoch of every cycle inside.
    fn open_epoch(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        cycle: CycleIx,
        epoch: Epoch,
        next: &[(EdgeIx, Delivered)],
    ) {
        let mut work = vec![(cycle, epoch)];
        while let Some((at, epoch)) = work.pop() {
            let spec = &plan.cycles[at];
            self.enter_turn_order_with_epoch(plan, at, &epoch.next());
            for &node in &spec.nodes {
                let next = if at == cycle && node == spec.entry { next } else { &[] };
                self.open_slot(plan, run, node, epoch.clone(), next);
            }
            work.extend(spec.inner.iter().map(|&inner| (inner, epoch.child(0))));
            *self.cycle(at) = CycleState { epoch, undecided: spec.back.len(), ..CycleState::default() };
        }
    }

    /// Makes the slot of a node that had none so far though its activation is open.
    pub(in crate::scheduler) fn touch(&mut self, plan: &Plan, node: NodeIx) {
        if std::mem::take(self.untouched(node)) {
            let pending = plan.nodes[node].incoming.len();
            let slot = Slot { pending, ..Slot::new(self.epoch.clone()) };
            let slots = self.slots_mut(node);
            slots.reserve_exact(1);
            slots.push_back(slot);
        }
    }

    fn open_slot(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        node: NodeIx,
        epoch: Epoch,
        next: &[(EdgeIx, Delivered)],
    ) {
        self.enter_turn_order(plan, node, &epoch);
        let mut slot = Slot::new(epoch);
        for &edge in &plan.nodes[node].incoming {
            let spec = &plan.edges[edge];
            let held = self
                .held
                .get(&edge)
                .filter(|held| plan.holds_value(edge) && slot.epoch.prefix(spec.level) == held.prefix);
            match held {
                Some(held) => slot.arrived.extend(held.value.clone().map(|value| Arrival {
                    port: spec.target_port,
                    rank: (false, plan.edges[edge].order, edge),
                    value,
                })),
                None => slot.pending += 1,
            }
        }
        slot.arrived.extend(next.iter().map(|(edge, value)| Arrival {
            port: plan.edges[*edge].target_port,
            rank: (true, plan.edges[*edge].order, *edge),
            value: value.clone(),
        }));
        // One at a time is the rule.
        let slots = self.slots_mut(node);
        if slots.is_empty() {
            slots.reserve_exact(1);
        }
        slots.push_back(slot);
        self.open += 1;
        run.counts.change(None, Some(Phase::Waiting));
        self.agenda.push_back(Step::Decide(node));
    }

    /// Decides one of a cycle's back edges.
    pub(in crate::scheduler) fn close_back_edge(
        &mut self,
        cycle: CycleIx,
        edge: EdgeIx,
        value: Option<Delivered>,
    ) {
        let state = self.cycle(cycle);
        state.undecided -= 1;
        state.next.extend(value.map(|value| (edge, value)));
        if state.undecided == 0 {
            self.agenda.push_back(Step::AdvanceCycle(cycle));
        }
    }

    /// All back edges of a cycle are decided: it iterates or has ended.
    pub(in crate::scheduler) fn advance_cycle(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        cycle: CycleIx,
        derived: &mut Vec<Event>,
    ) {
        let spec = &plan.cycles[cycle];
        let state = self.cycle(cycle);
        let next = std::mem::take(&mut state.next);
        let outer = state.epoch.prefix(spec.depth);
        let counter = state.epoch.0.last().copied().unwrap_or_default() + 1;
        let entry = plan.nodes[spec.entry].id.clone();
        let unattended = if state.is_attended { 0 } else { state.unattended + 1 };
        let exhausted = match spec.max_epochs {
            Some(bound) => counter >= bound,
            None => unattended >= plan.max_unattended_epochs,
        };
        if !next.is_empty() && !exhausted {
            let epoch = outer.child(counter);
            derived.push(Event::Loop(Activation { node: entry, epoch: epoch.clone() }, LoopEvent::Iteration));
            self.leave_turn_order_with_epoch(plan, cycle, &epoch);
            self.open_epoch(plan, run, cycle, epoch, &next);
            self.cycle(cycle).unattended = unattended;
            return;
        }
        if !next.is_empty() {
            let bound = spec.max_epochs.unwrap_or(plan.max_unattended_epochs);
            derived.push(Event::Loop(
                Activation { node: entry, epoch: outer.child(counter - 1) },
                LoopEvent::Exhausted { max_epochs: bound, unattended: spec.max_epochs.is_none() },
            ));
        }
        self.leave_turn_order_with_epoch(plan, cycle, &outer.child(counter));
        for &edge in &spec.exits {
            let source = plan.edges[edge].source;
            // A follower may lag: more values of this cycle's epochs are to come.
            if self.slots(source).iter().any(|slot| slot.epoch.starts_with(&outer)) {
                self.lagging_exits.entry(source).or_default().push((edge, outer.clone()));
            } else {
                self.pass_last_live(plan, edge, &outer);
            }
        }
    }

    /// A person was asked by this node, or by a flow that it runs.
    pub(in crate::scheduler) fn mark_attended(&mut self, plan: &Plan, node: NodeIx) {
        let node = &plan.nodes[node];
        // A follower is no part of the cycle that it counts.
        if !node.is_follower {
            for &cycle in &node.clock {
                self.cycle(cycle).is_attended = true;
            }
        }
    }

    /// Decides the edges out of ended cycles that waited for this follower, now that an activation of it is over.
    pub(in crate::scheduler) fn pass_lagging_exits(&mut self, plan: &Plan, follower: NodeIx) {
        let Some(mut exits) = self.lagging_exits.remove(&follower) else { return };
        let slots = self.slots(follower);
        let is_due = |(_, outer): &(EdgeIx, Epoch)| !slots.iter().any(|slot| slot.epoch.starts_with(outer));
        let due: Vec<_> = exits.extract_if(.., |exit| is_due(exit)).collect();
        if !exits.is_empty() {
            self.lagging_exits.insert(follower, exits);
        }
        for (edge, outer) in due {
            self.pass_last_live(plan, edge, &outer);
        }
    }

    /// Decides an edge out of an ended cycle.
    fn pass_last_live(&mut self, plan: &Plan, edge: EdgeIx, outer: &Epoch) {
        let value = self.last_live.remove(&edge);
        self.pass(plan, edge, outer, value);
    }
}
