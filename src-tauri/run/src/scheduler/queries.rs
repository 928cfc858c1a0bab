//! Which activations run, and which wait for a person.

use std::cmp::Reverse;

use super::scope::Scope;
use super::slot::{Phase, Slot};
use super::{NodeIx, Scheduler, Start, is_executing};
use plait_core::id::{Activation, Epoch};

impl Scheduler {
    /// The activation, if it is running, to be started again for another try.
    pub fn running(&self, node: NodeIx, epoch: &Epoch) -> Option<Start> {
        if self.is_test(node, epoch) {
            return self.test_start(node, epoch);
        }
        self.executing(node, epoch).map(|slot| slot.start(node))
    }

    fn executing(&self, node: NodeIx, epoch: &Epoch) -> Option<&Slot> {
        self.scope_at(node, epoch)?.slot(node, epoch).filter(|slot| is_executing(slot.phase))
    }

    /// Activations that were running when the journal ended, in plan order: a resumed run starts them again.
    pub fn interrupted(&self) -> Vec<Start> {
        let mut iterations: Vec<&Scope> = self.iterations.iter().collect();
        iterations.sort_by_key(|scope| scope.key());
        let scopes = std::iter::once(&self.root).chain(iterations);
        let running = scopes.flat_map(|scope| {
            let open = scope.open_slots().filter(|(_, slot)| is_executing(slot.phase));
            open.map(|(node, slot)| slot.start(node))
        });
        running.chain(self.interrupted_tests()).collect()
    }

    /// The activations of a node that were started and have not ended, those that ask among them.
    pub fn begun(&self, node: NodeIx) -> Vec<Start> {
        let scopes = std::iter::once(&self.root).chain(self.iterations.iter());
        let open = scopes.flat_map(Scope::open_slots);
        let has_begun = |phase| is_executing(phase) || matches!(phase, Phase::Paused | Phase::Answered);
        let begun = open.filter(|(at, slot)| *at == node && has_begun(slot.phase));
        let mut begun: Vec<Start> = begun.map(|(node, slot)| slot.start(node)).collect();
        begun.sort_by(|one, other| one.epoch.cmp(&other.epoch));
        begun
    }

    /// Whether an activation was started and has not ended. What one says that was stopped meanwhile does not count.
    pub fn is_open(&self, node: NodeIx, epoch: &Epoch) -> bool {
        if self.is_test(node, epoch) {
            return self.test_start(node, epoch).is_some();
        }
        self.executing(node, epoch).is_some()
    }

    /// The activations that may start.
    pub fn ready(&self) -> impl Iterator<Item = (NodeIx, Epoch)> + '_ {
        let keys = self.shared.ready.iter().map(|Reverse(key)| key.clone());
        keys.filter(|(node, epoch)| self.ready_start(*node, epoch).is_some())
    }

    /// How to start an activation that may start.
    pub fn ready_start(&self, node: NodeIx, epoch: &Epoch) -> Option<Start> {
        if self.is_test(node, epoch) {
            return self.test_start(node, epoch);
        }
        let slot = self.scope_at(node, epoch)?.slot(node, epoch)?;
        matches!(slot.phase, Phase::Ready | Phase::Answered).then(|| slot.start(node))
    }

    /// Like [`next_ready`](Self::next_ready), of those that `is_wanted` accepts.
    pub fn next_ready_where(&mut self, is_wanted: impl Fn(NodeIx, &Epoch) -> bool) -> Option<Start> {
        let mut others = Vec::new();
        let wanted = loop {
            match self.next_ready() {
                Some(start) if !is_wanted(start.node, &start.epoch) => others.push((start.node, start.epoch)),
                wanted => break wanted,
            }
        };
        self.shared.ready.extend(others.into_iter().map(Reverse));
        wanted
    }

    /// Which try of an open activation it is, from 1.
    pub fn attempt(&self, node: NodeIx, epoch: &Epoch) -> Option<u32> {
        Some(self.scope_at(node, epoch)?.slot(node, epoch)?.attempt)
    }

    /// Whether an activation is open and goes on without a person.
    pub fn is_unfinished(&self, node: NodeIx, epoch: &Epoch) -> bool {
        if self.is_test(node, epoch) {
            return self.test_start(node, epoch).is_some();
        }
        let slot = self.scope_at(node, epoch).and_then(|scope| scope.slot(node, epoch));
        slot.is_some_and(|slot| !slot.phase.needs_person())
    }

    /// Whether an activation waits for a person.
    pub fn is_asking(&self, node: NodeIx, epoch: &Epoch) -> bool {
        self.shared.asking.contains(&(node, epoch.clone()))
    }

    /// The activations that need a person, in plan order.
    pub fn pauses(&self) -> impl Iterator<Item = Activation> + '_ {
        self.shared.asking.iter().map(|(node, epoch)| self.activation(*node, epoch))
    }

    /// How many started activations only wait for a person in their child run. They do not count against the concurrency
    /// limit.
    pub fn blocked_on_child(&self) -> usize {
        self.shared.counts.awaiting_child
    }
}
