//! Which loops are around each node of a flow.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound_nodes::BoundFlow;
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;

/// How deep loops may be nested: deeper than anybody can draw, and shallow enough for a stack.
const MAX_LOOP_DEPTH: usize = 64;

/// The loops around each node of a flow.
pub(super) struct Nest<'f> {
    /// By node, the loop that it is directly in.
    parents: FxHashMap<&'f NodeId, &'f NodeId>,
}

impl<'f> Nest<'f> {
    /// Reads the parents of all nodes. A node with a parent that is no loop, or lies in the node itself, counts as
    /// outside of all loops.
    pub fn of(flow: &BoundFlow<'f>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut nest = Self { parents: FxHashMap::default() };
        for (id, node) in &flow.flow.nodes {
            let Some(parent) = &node.parent else { continue };
            if flow.find(id).is_some_and(|at| flow.is_inside_pin(at)) {
                continue;
            }
            match flow.find(parent) {
                Some(at) if flow.node(at).behavior().repeats.is_some() => {
                    nest.parents.insert(id, parent);
                }
                // A loop that could not be bound has a diagnostic already.
                None if flow.has_node(parent) => {}
                Some(_) => diagnostics
                    .push(bad_parent(id, &format!("`{parent}` is no loop, so `{id}` can't be inside it."))),
                None => diagnostics
                    .push(bad_parent(id, &format!("The loop `{parent}` around `{id}` is not in the flow."))),
            }
        }
        nest.cut_circles_and_depth(diagnostics);
        nest
    }

    /// Takes nodes out of loops that lie inside themselves, or are nested too deep. Takes linear time.
    fn cut_circles_and_depth(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let mut depths: FxHashMap<&NodeId, usize> = FxHashMap::default();
        let mut ids: Vec<&'f NodeId> = self.parents.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let mut path: Vec<&'f NodeId> = Vec::new();
            let mut on_path: FxHashSet<&'f NodeId> = FxHashSet::default();
            let mut at = Some(id);
            while let Some(here) = at.filter(|here| !depths.contains_key(*here)) {
                if !on_path.insert(here) {
                    diagnostics.push(bad_parent(here, &format!("`{here}` lies inside itself.")));
                    self.parents.remove(here);
                    break;
                }
                path.push(here);
                at = self.parents.get(here).copied();
            }
            for &here in path.iter().rev() {
                let around = self.parents.get(here).and_then(|parent| depths.get(*parent));
                let mut depth = around.map_or(0, |around| around + 1);
                if depth > MAX_LOOP_DEPTH {
                    let message = format!("`{here}` lies in more than {MAX_LOOP_DEPTH} loops.");
                    let found =
                        Diagnostic::on_node(codes::FLOW_NESTED_TOO_DEEP, here, message).below("/parent");
                    diagnostics.push(
                        found.hint(
                            "Move the inner loops into a flow of their own and call it with `subflow`.",
                        ),
                    );
                    self.parents.remove(here);
                    depth = 0;
                }
                depths.insert(here, depth);
            }
        }
    }

    /// The loops around a node, outermost first.
    pub fn around(&self, id: &NodeId) -> Vec<&'f NodeId> {
        let mut around = Vec::new();
        let mut at = self.parents.get(id).copied();
        while let Some(parent) = at {
            around.push(parent);
            at = self.parents.get(parent).copied();
        }
        around.reverse();
        around
    }

    /// Whether `inner` lies in the body of `outer`, at any depth.
    pub fn is_inside(&self, inner: &NodeId, outer: &NodeId) -> bool {
        !self.parents.is_empty() && self.around(inner).contains(&outer)
    }
}

fn bad_parent(id: &NodeId, message: &str) -> Diagnostic {
    Diagnostic::on_node(codes::LOOP_BAD_PARENT, id, message)
        .below("/parent")
        .hint("Set `parent` to the id of a `loop` node, or remove it.")
}
