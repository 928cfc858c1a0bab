//! The writes of an iteration of a loop for the scope around the loop. They count there once the iteration has
//! succeeded, in the order of turns, at any timing.

use std::collections::BTreeMap;

use super::Scope;
use super::turns::TurnKey;
use crate::plan::{NodeIx, Plan};
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::NodeOutputs;

/// What one activation, an iteration or a loop leaves behind.
#[derive(Default)]
pub(in crate::scheduler) struct Written {
    /// The activations that have written to contexts or to the memory.
    pub activations: Vec<Activation>,
    /// Outputs that are the run's, and where they come from.
    pub results: Vec<(NodeIx, NodeOutputs, Origins)>,
}

impl Written {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.activations.is_empty() && self.results.is_empty()
    }

    /// Takes in what comes after it.
    pub fn append(&mut self, mut other: Self) {
        self.activations.append(&mut other.activations);
        self.results.append(&mut other.results);
    }

    /// Puts together what stands in an order.
    pub fn concat(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), |mut sum, next| {
            sum.append(next);
            sum
        })
    }
}

/// By place in the order of turns.
pub(super) type WrittenInOrder = BTreeMap<TurnKey, Written>;

impl Scope {
    /// What an activation in this iteration leaves behind.
    pub(in crate::scheduler) fn written_by(
        &mut self,
        plan: &Plan,
        node: NodeIx,
        epoch: &Epoch,
    ) -> &mut Written {
        self.written.entry(TurnKey::of_activation(plan, node, epoch)).or_default()
    }

    /// What this iteration leaves behind.
    pub(in crate::scheduler) fn take_written(&mut self) -> Written {
        if self.written.is_empty() {
            return Written::default();
        }
        Written::concat(std::mem::take(&mut self.written).into_values())
    }
}
