//! Which nodes of a flow a run passes over.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Flow, Node};
use crate::id::NodeId;

impl Flow {
    /// The nodes that are disabled, themselves or with a loop around them.
    pub fn disabled_nodes(&self) -> FxHashSet<&NodeId> {
        let own = self.nodes.iter().filter(|(_, node)| node.disabled);
        let mut disabled: FxHashSet<&NodeId> = own.map(|(id, _)| id).collect();
        if disabled.is_empty() {
            return disabled;
        }
        let mut bodies: FxHashMap<&NodeId, Vec<&NodeId>> = FxHashMap::default();
        for (id, node) in &self.nodes {
            if let Some(parent) = &node.parent {
                bodies.entry(parent).or_default().push(id);
            }
        }
        let mut work: Vec<&NodeId> = disabled.iter().copied().collect();
        while let Some(id) = work.pop() {
            let inside = bodies.get(id).into_iter().flatten();
            work.extend(inside.filter(|inner| disabled.insert(inner)));
        }
        disabled
    }

    /// The other nodes, in the order of their ids.
    pub fn enabled_nodes(&self) -> impl Iterator<Item = (&NodeId, &Node)> {
        let disabled = self.disabled_nodes();
        self.nodes.iter().filter(move |(id, _)| !disabled.contains(id))
    }
}
