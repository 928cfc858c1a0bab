//! The loops of n8n. A `splitInBatches` repeats the nodes on the way from one of its outputs back to it.

use super::super::loop_bodies::{LoopBody, innermost};
use super::workflow::{Workflow, WorkflowNode};

/// The loop that each node is in the body of, by their indexes.
pub(super) fn loops_of(workflow: &Workflow<'_>) -> Vec<Option<usize>> {
    let count = workflow.nodes.len();
    let starts = (0..count).filter(|&node| workflow.nodes[node].kind == "splitInBatches");
    let bodies = starts.map(|start| {
        let (done, repeat) = loop_outputs(&workflow.nodes[start]);
        let targets = |output: usize| {
            let edges = workflow.outgoing(start).filter(|edge| edge.is_main() && edge.output == output);
            edges.map(|edge| edge.target).collect()
        };
        let next = |node| workflow.outgoing(node).filter(|edge| edge.is_main()).map(|edge| edge.target);
        LoopBody::find(start, count, (targets(repeat), targets(done)), next)
    });
    innermost(count, bodies.collect())
}

/// How many items an iteration has, unless an expression says it.
pub(super) fn batch_size(node: &WorkflowNode<'_>) -> Option<f64> {
    match node.parameters.get("batchSize") {
        None => Some(if node.version < 3.0 { 10.0 } else { 1.0 }),
        Some(size) => size.as_f64(),
    }
}

/// The outputs of a `splitInBatches`: the one after the last item, and the one for each. Version 3 exchanged them.
pub(super) fn loop_outputs(node: &WorkflowNode<'_>) -> (usize, usize) {
    if node.version >= 3.0 { (0, 1) } else { (1, 0) }
}
