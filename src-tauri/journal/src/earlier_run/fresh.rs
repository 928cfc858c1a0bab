//! What a fork does again although the earlier run has it: what an activation did, and everything that follows from it. The plan decides
//! what that is (`plait_run::plan::Plan::fresh_from`).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::FreshFrom;
use plait_core::id::{Activation, NodeId};

/// An activation, or all of a node, and what follows from it, if anything does.
#[derive(Debug)]
pub struct Fresh {
    pub from: FreshFrom,
    /// The nodes that follow, in any iteration, and how many counters they share with the start.
    pub shared: FxHashMap<NodeId, usize>,
    /// By number of shared counters: the nodes that follow where all of those are equal.
    pub same: Vec<FxHashSet<NodeId>>,
    /// By counter: the nodes that follow where that counter is the first that differs, and is greater.
    pub later: Vec<FxHashSet<NodeId>>,
}

impl Fresh {
    /// Whether an activation is one of these.
    pub(crate) fn covers(&self, activation: &Activation) -> bool {
        if self.inside(activation).is_some() {
            return false;
        }
        let Activation { node, epoch } = activation;
        let Some(shared) = self.shared.get(node) else { return false };
        let shared = (*shared).min(epoch.depth());
        let Some(start) = &self.from.epoch else {
            return self.same[shared].contains(node)
                || (0..shared).any(|at| epoch.0[at] > 0 && self.later[at].contains(node));
        };
        let counters = epoch.0.iter().zip(&start.0).take(shared);
        let mut orders = counters.map(|(counter, start)| counter.cmp(start)).enumerate();
        match orders.find(|(_, order)| order.is_ne()) {
            None => self.same[shared].contains(node),
            Some((at, order)) => order.is_gt() && self.later[at].contains(node),
        }
    }

    /// Where the child run of an activation begins to do again what the earlier one has, if it begins inside of it.
    pub(crate) fn inside(&self, activation: &Activation) -> Option<&FreshFrom> {
        self.from.inside.as_deref().filter(|_| self.from.names(activation))
    }
}
