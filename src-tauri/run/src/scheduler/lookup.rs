//! From the names of nodes and activations to their place in the state.

use super::scope::{Scope, Shared};
use super::slot::Slot;
use super::{Event, Fault, NodeIx, Scheduler, impossible, is_executing};
use crate::plan::Plan;
use plait_core::id::{Activation, Epoch, NodeId};

impl Scheduler {
    /// The scope that an activation is in.
    pub(super) fn scope_at(&self, node: NodeIx, epoch: &Epoch) -> Option<&Scope> {
        if self.plan.is_in_loop(node) {
            self.iterations.around(&self.plan, node, epoch)
        } else {
            Some(&self.root)
        }
    }

    /// The same, to change it.
    pub(super) fn scope_of(&mut self, node: NodeIx, epoch: &Epoch) -> Option<&mut Scope> {
        self.scope_with_surroundings(node, epoch).map(|(_, scope, _)| scope)
    }

    /// The scope that an activation is in, with the plan and what all scopes share.
    pub(super) fn scope_with_surroundings(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
    ) -> Option<(&Plan, &mut Scope, &mut Shared)> {
        let scope = if self.plan.is_in_loop(node) {
            self.iterations.around_mut(&self.plan, node, epoch)?
        } else {
            &mut self.root
        };
        Some((&self.plan, scope, &mut self.shared))
    }

    pub(super) fn activation(&self, node: NodeIx, epoch: &Epoch) -> Activation {
        Activation { node: self.plan.nodes[node].id.clone(), epoch: epoch.clone() }
    }

    pub(super) fn find(&self, node: &NodeId, event: &Event) -> Result<NodeIx, Fault> {
        let plan = &self.plan;
        if plan.nodes.get(self.latest).is_some_and(|latest| latest.id.is(node) && !latest.is_border) {
            return Ok(self.latest);
        }
        plan.find(node).ok_or_else(|| impossible(event, &format!("the flow has no node `{node}`")))
    }

    pub(super) fn slot(&mut self, node: NodeIx, epoch: &Epoch, event: &Event) -> Result<&mut Slot, Fault> {
        self.scope_of(node, epoch)
            .and_then(|scope| scope.slot_mut(node, epoch))
            .ok_or_else(|| impossible(event, "that activation is not open"))
    }

    /// The activation, if it was started and has not ended.
    pub(super) fn started_slot(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        event: &Event,
    ) -> Result<&mut Slot, Fault> {
        let slot = self.slot(node, epoch, event)?;
        if is_executing(slot.phase) {
            Ok(slot)
        } else {
            Err(impossible(event, "the activation is in another phase"))
        }
    }
}
