//! Edges that lead back. Plait has cycles as well: an edge into an input that is fed from before the cycle too starts the next
//! iteration. Whether the flow is right with such an edge is asked of the check that every flow passes.

use serde_json::Map;

use super::FlowBuilder;
use crate::output::Output;
use plait_core::diagnostic::Severity;
use plait_core::flow::Edge;
use plait_core::id::{EdgeId, NodeId};
use plait_nodes::registry;
use plait_run::plan::check;

/// Each of these edges is a check of the whole flow.
const MAX_CYCLES: usize = 20;
/// The maximum number of iterations of a cycle in which nobody is asked, the same as in Plait's own cycles.
pub(crate) const MAX_ITERATIONS: u32 = 100;

impl FlowBuilder {
    /// Closes a cycle: a value that leads back goes wherever nodes that were made for a node of the file read the value that
    /// begins the cycle. Whether the cycle needed a bound, or why it can't be closed.
    pub(crate) fn close_cycle(
        &mut self,
        back: &Output,
        target: &str,
        first: &Output,
    ) -> Result<bool, &'static str> {
        const NOT_READ: &str = "It closes a cycle, and its node reads nothing that comes back.";
        const REFUSED: &str = "It closes a cycle that Plait can't run: put the nodes to repeat into a loop.";
        let made = self.reported(target).map(|node| node.nodes.clone()).unwrap_or_default();
        let mut inputs: Vec<(NodeId, String)> = Vec::new();
        for id in made.iter().filter(|id| self.owners.get(*id).is_some_and(|owner| owner == target)) {
            let edges = self.adjacency.incoming(id).filter_map(|edge| self.flow.edges.get(edge));
            let first_edges = edges.filter(|edge| {
                edge.source == first.node && edge.source_output.as_str() == first.port.as_str()
            });
            inputs.extend(first_edges.map(|edge| (id.clone(), edge.target_input.as_str().to_owned())));
        }
        if inputs.is_empty() {
            return Err(NOT_READ);
        }
        if self.cycles == MAX_CYCLES
            || inputs.iter().any(|(id, _)| self.parent(id) != self.parent(&back.node))
        {
            return Err(REFUSED);
        }
        self.cycles += 1;
        let before = self.errors();
        let added: Vec<EdgeId> = inputs.iter().map(|(id, input)| self.add_edge(back, id, input)).collect();
        let bounded = &inputs[0].0;
        if self.errors() <= before {
            return Ok(false);
        }
        // Without a person in it, a cycle needs a bound.
        self.set_max_epochs(bounded, Some(MAX_ITERATIONS));
        if self.errors() <= before {
            return Ok(true);
        }
        self.set_max_epochs(bounded, None);
        for (edge, (id, _)) in added.iter().zip(&inputs) {
            self.flow.edges.remove(edge);
            self.adjacency.remove_edge(edge, &back.node, id);
        }
        Err(REFUSED)
    }

    pub(super) fn add_edge(&mut self, from: &Output, to: &NodeId, input: &str) -> EdgeId {
        let id = super::edge_id(from, to, input);
        self.adjacency.add_edge(&id, &from.node, to);
        let edge = Edge {
            source: from.node.clone(),
            source_output: from.port.as_str().into(),
            target: to.clone(),
            target_input: input.into(),
            order: None,
            metadata: Map::new(),
            extra: Map::new(),
        };
        self.flow.edges.insert(id.clone(), edge);
        id
    }

    fn set_max_epochs(&mut self, id: &NodeId, count: Option<u32>) {
        if let Some(node) = self.flow.nodes.get_mut(id.as_str()) {
            node.limits.max_epochs = count;
        }
    }

    /// How many errors the flow has so far.
    fn errors(&self) -> usize {
        let found = check(&self.flow, &registry()).diagnostics;
        found.iter().filter(|found| found.severity == Severity::Error).count()
    }
}
