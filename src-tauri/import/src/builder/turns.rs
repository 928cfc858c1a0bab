//! Nodes of different branches that run one after the other, as in tools that run one node at a time.

use serde_json::json;

use super::FlowBuilder;
use crate::output::Output;
use crate::point::Point;
use plait_core::id::{EdgeId, NodeId};
use plait_core::port::AFTER_PORT;

/// Nodes whose order others see, and an output that is live when they are done.
const EFFECTS: [(&str, &str); 8] = [
    ("chat", "response"),
    ("classify", "class"),
    ("extract", "value"),
    ("httpRequest", "body"),
    ("delay", "out"),
    ("loop", "results"),
    ("subflow", "result"),
    ("userInput", "message"),
];

impl FlowBuilder {
    /// An output of a node that is live when the node is done, if others see when that is.
    pub(crate) fn effect(&self, id: &NodeId) -> Option<Output> {
        let node = self.flow.nodes.get(id).filter(|node| !node.disabled)?;
        let (_, port) = EFFECTS.iter().find(|(known, _)| *known == node.node_type)?;
        Some(Output::new(id, port))
    }

    /// Makes the second of two nodes wait for the first, unless edges say already which comes first.
    pub(crate) fn run_in_turn(
        &mut self,
        first: &Output,
        next: &Output,
        (source, at): (&str, Point),
        input: &Output,
    ) {
        let is_ordered =
            |one: &Output, other: &Output| self.all_lead_to(std::slice::from_ref(one), &other.node);
        if !is_ordered(first, next) && !is_ordered(next, first) {
            self.wait_for_turn((source, at), &next.node, input, first);
        }
    }

    /// Makes a node wait until another is done or skipped. It runs on its own branch as before: `input` is what starts it.
    fn wait_for_turn(&mut self, (source, at): (&str, Point), node: &NodeId, input: &Output, done: &Output) {
        let edges = self.adjacency.incoming(node);
        let gates: Vec<EdgeId> = edges
            .filter(|id| {
                self.flow.edges.get(*id).is_some_and(|edge| edge.target_input.as_str() == AFTER_PORT)
            })
            .cloned()
            .collect();
        if gates.is_empty() {
            // Without the value that it reads it is skipped.
            self.connect(input, node, AFTER_PORT);
        }
        if gates.iter().all(|id| self.is_always_live(id)) {
            self.connect(done, node, AFTER_PORT);
            return;
        }
        // One live edge into `after` is enough, so the branch is decided before the turn is waited for.
        let join = self.add(source, "In its turn", "join", json!({}), at.beside(-0.5, 1.0));
        for id in gates {
            let Some(edge) = self.flow.edges.remove(&id) else { continue };
            self.adjacency.remove_edge(&id, &edge.source, node);
            let gate = Output::new(&edge.source, edge.source_output.as_str());
            self.connect(&gate, &join, "values");
            self.connect(&gate, &join, AFTER_PORT);
        }
        self.connect(done, &join, AFTER_PORT);
        self.connect(&Output::new(&join, "first"), node, AFTER_PORT);
    }

    /// Whether an edge comes from a start of the flow, which is live in each run that begins there.
    fn is_always_live(&self, edge: &EdgeId) -> bool {
        let source = self.flow.edges.get(edge).and_then(|edge| self.flow.nodes.get(&edge.source));
        source.is_some_and(|node| node.node_type == "manualInput" && !node.disabled)
    }
}
