//! The loops of n8n. A `splitInBatches` repeats the nodes on the way from one of its outputs back to it.

use serde_json::Value;

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

/// How a `splitInBatches` differs where it is reached again, or begins anew. Here it goes through its items each time that it is reached.
pub(super) fn reset_lost(node: &WorkflowNode<'_>, is_reached_again: bool) -> Option<&'static str> {
    match node.parameters.pointer("/options/reset") {
        None | Some(Value::Bool(false)) => is_reached_again.then_some(
            "In n8n it goes through the items that it gets first, and no others, as its option Reset is off. Here it goes through the items of each time.",
        ),
        // It begins anew when it is done: what a loop of Plait does.
        Some(Value::String(text)) if text.contains("context") && text.contains("done") => None,
        Some(Value::String(_)) => Some("An expression computes whether it begins anew. Here it does so each time that it is reached."),
        Some(_) => Some("In n8n it begins anew in each iteration, as its option Reset is on. Here it goes through its items once."),
    }
}

/// The outputs of a `splitInBatches`: the one after the last item, and the one for each. Version 3 exchanged them.
pub(super) fn loop_outputs(node: &WorkflowNode<'_>) -> (usize, usize) {
    if node.version >= 3.0 { (0, 1) } else { (1, 0) }
}
