//! The ways into a flow with several triggers. A run takes one, and passes over the nodes that only others reach.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Flow, Trigger};
use crate::id::NodeId;

impl Flow {
    /// The triggers in the order of their ids, without disabled ones.
    pub fn triggers(&self) -> impl Iterator<Item = &NodeId> {
        self.marked_triggers().map(|(id, _)| id)
    }

    /// The trigger that a run takes: the default one or, without any, the first. None of a flow without triggers, which has one way in.
    pub fn trigger(&self) -> Option<&NodeId> {
        let is_default = |(_, trigger): &(&NodeId, Trigger)| *trigger == Trigger::Default;
        self.marked_triggers().find(is_default).or_else(|| self.marked_triggers().next()).map(|(id, _)| id)
    }

    /// Makes a trigger the one that runs take. False if the node is none.
    pub fn choose_trigger(&mut self, chosen: &NodeId) -> bool {
        if !self.triggers().any(|id| id == chosen) {
            return false;
        }
        for (id, node) in &mut self.nodes {
            let kind = if id == chosen { Trigger::Default } else { Trigger::Other };
            node.trigger = node.trigger.map(|_| kind);
        }
        true
    }

    /// The nodes that other triggers reach, and the one that is taken does not. A node that no trigger reaches, such as a constant, is
    /// among them if everything that it leads to is.
    pub(super) fn nodes_of_other_triggers(&self) -> FxHashSet<&NodeId> {
        let Some(taken) = self.trigger() else { return FxHashSet::default() };
        let others: Vec<&NodeId> = self.triggers().filter(|id| *id != taken).collect();
        if others.is_empty() {
            return FxHashSet::default();
        }
        let next = self.following();
        let reached = follow(&next, vec![taken]);
        let mut of_others = follow(&next, others);
        of_others.retain(|id| !reached.contains(id));
        let mut before: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
        // How many of the nodes that each one leads to are not passed over.
        let mut kept: BTreeMap<&NodeId, usize> = BTreeMap::new();
        for (&id, targets) in &next {
            kept.insert(id, targets.len());
            for &target in targets {
                before.entry(target).or_default().push(id);
            }
        }
        let mut open: Vec<&NodeId> = of_others.iter().copied().collect();
        while let Some(id) = open.pop() {
            for &source in before.get(id).into_iter().flatten() {
                let Some(count) = kept.get_mut(source) else { continue };
                *count -= 1;
                if *count == 0 && !reached.contains(source) && of_others.insert(source) {
                    open.push(source);
                }
            }
        }
        of_others
    }

    fn marked_triggers(&self) -> impl Iterator<Item = (&NodeId, Trigger)> {
        let enabled = self.nodes.iter().filter(|(_, node)| !node.disabled);
        enabled.filter_map(|(id, node)| Some((id, node.trigger?)))
    }

    /// What follows each node: over edges of every kind, through portals, and into the bodies of loops.
    fn following(&self) -> BTreeMap<&NodeId, Vec<&NodeId>> {
        let mut next: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
        for edge in self.edges.values() {
            next.entry(&edge.source).or_default().push(&edge.target);
        }
        let channel = |id: &NodeId| self.nodes.get(id).and_then(|node| node.config.get("channel"));
        let of_type = |name: &'static str| self.nodes.iter().filter(move |(_, node)| node.node_type == name);
        for (id, _) in of_type("portalIn") {
            let exits = of_type("portalOut").map(|(exit, _)| exit);
            next.entry(id).or_default().extend(exits.filter(|exit| channel(exit) == channel(id)));
        }
        for (id, node) in &self.nodes {
            if let Some((parent, _)) =
                node.parent.as_ref().and_then(|parent| self.nodes.get_key_value(parent))
            {
                next.entry(parent).or_default().push(id);
            }
        }
        next
    }
}

fn follow<'f>(
    next: &BTreeMap<&'f NodeId, Vec<&'f NodeId>>,
    mut open: Vec<&'f NodeId>,
) -> FxHashSet<&'f NodeId> {
    let mut reached = FxHashSet::default();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(next.get(id).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests;
