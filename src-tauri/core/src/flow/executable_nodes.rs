//! Which nodes of a flow a run passes over, and which it does not execute.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Flow, Node};
use crate::id::NodeId;

impl Flow {
    /// The nodes that a run passes over: those that are disabled, themselves or with a loop around them, and those that only other
    /// triggers than the taken one reach.
    pub fn disabled_nodes(&self) -> FxHashSet<&NodeId> {
        let mut disabled: FxHashSet<&NodeId> = self.ids_where(|node| node.disabled);
        disabled.extend(self.nodes_of_other_triggers());
        let inside = self.nodes_inside(&disabled);
        disabled.extend(inside);
        disabled
    }

    /// The nodes inside of loops that have a pin.
    pub fn nodes_inside_pins(&self) -> FxHashSet<&NodeId> {
        self.nodes_inside(&self.ids_where(|node| node.pin.is_some()))
    }

    /// The nodes that are not disabled, in the order of their ids.
    pub fn enabled_nodes(&self) -> impl Iterator<Item = (&NodeId, &Node)> {
        let disabled = self.disabled_nodes();
        self.nodes.iter().filter(move |(id, _)| !disabled.contains(id))
    }

    /// The nodes that a run may execute, in the order of their ids: those that are neither disabled nor pinned, nor inside of a loop
    /// that is.
    pub fn executable_nodes(&self) -> impl Iterator<Item = (&NodeId, &Node)> {
        let inside_pins = self.nodes_inside_pins();
        self.enabled_nodes().filter(move |(id, node)| node.pin.is_none() && !inside_pins.contains(id))
    }

    /// Removes all pins: every node that is not disabled is executed.
    pub fn remove_pins(&mut self) {
        for node in self.nodes.values_mut() {
            node.pin = None;
        }
    }

    fn ids_where(&self, is_meant: impl Fn(&Node) -> bool) -> FxHashSet<&NodeId> {
        self.nodes.iter().filter(|(_, node)| is_meant(node)).map(|(id, _)| id).collect()
    }

    /// The nodes inside of these loops, at any depth.
    fn nodes_inside<'f>(&'f self, loops: &FxHashSet<&'f NodeId>) -> FxHashSet<&'f NodeId> {
        let mut found: FxHashSet<&NodeId> = FxHashSet::default();
        if loops.is_empty() {
            return found;
        }
        let mut bodies: FxHashMap<&NodeId, Vec<&NodeId>> = FxHashMap::default();
        for (id, node) in &self.nodes {
            if let Some(parent) = &node.parent {
                bodies.entry(parent).or_default().push(id);
            }
        }
        let mut work: Vec<&NodeId> = loops.iter().copied().collect();
        while let Some(id) = work.pop() {
            let inside = bodies.get(id).into_iter().flatten();
            work.extend(inside.filter(|inner| found.insert(inner)));
        }
        found
    }
}
