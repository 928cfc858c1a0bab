//! The bodies of n8n's loops. A `splitInBatches` repeats the nodes on the way from one of its outputs back to it.

use std::collections::HashMap;

use super::workflow::{Workflow, WorkflowNode};

/// The loop that each node is in the body of: the innermost one, by their indexes.
pub(super) fn loops_of(workflow: &Workflow<'_>) -> HashMap<usize, usize> {
    let starts = (0..workflow.nodes.len()).filter(|&node| workflow.nodes[node].kind == "splitInBatches");
    let mut bodies: Vec<(usize, Vec<usize>)> = starts.map(|start| (start, body(workflow, start))).collect();
    // A loop inside of another one has a part of its nodes.
    bodies.sort_by_key(|(_, body)| body.len());
    let mut loop_of = HashMap::new();
    for (start, body) in bodies {
        for node in body {
            loop_of.entry(node).or_insert(start);
        }
    }
    // Two loops that are in the bodies of each other are in none.
    let is_nested = |start: usize, loop_of: &HashMap<usize, usize>| {
        let mut at = start;
        for _ in 0..=loop_of.len() {
            match loop_of.get(&at) {
                Some(&outer) if outer == start => return false,
                Some(&outer) => at = outer,
                None => return true,
            }
        }
        false
    };
    let starts: Vec<usize> = loop_of.keys().copied().filter(|&node| !is_nested(node, &loop_of)).collect();
    for start in starts {
        loop_of.remove(&start);
    }
    loop_of
}

/// The nodes after the loop output of a loop that are not also after its other one.
fn body(workflow: &Workflow<'_>, start: usize) -> Vec<usize> {
    let (done, repeat) = loop_outputs(&workflow.nodes[start]);
    let outside = reachable(workflow, start, done);
    let inside = reachable(workflow, start, repeat);
    (0..workflow.nodes.len()).filter(|&node| inside[node] && !outside[node]).collect()
}

fn reachable(workflow: &Workflow<'_>, start: usize, output: usize) -> Vec<bool> {
    let first = workflow.outgoing(start).filter(|edge| edge.is_main() && edge.output == output);
    let mut stack: Vec<usize> = first.map(|edge| edge.target).collect();
    let mut found = vec![false; workflow.nodes.len()];
    while let Some(node) = stack.pop() {
        if node != start && !std::mem::replace(&mut found[node], true) {
            stack.extend(workflow.outgoing(node).filter(|edge| edge.is_main()).map(|edge| edge.target));
        }
    }
    found
}

/// The outputs of a `splitInBatches`: the one after the last item, and the one for each. Version 3 exchanged them.
pub(super) fn loop_outputs(node: &WorkflowNode<'_>) -> (usize, usize) {
    if node.version >= 3.0 { (0, 1) } else { (1, 0) }
}
