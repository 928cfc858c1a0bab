//! The nodes that a case names. What the flow does not have is said before anything runs: a live run is paid, and an answer that nobody
//! takes would be lost without a word.

use plait_core::id::NodeId;

use crate::document::{Suite, TestCase};
use crate::outcome::CheckFailure;

/// The nodes of a flow and of the flows below it.
pub trait KnownNodes {
    /// Whether there is a node `NODE`, in a sub-flow `SUBFLOW/NODE`, or nobody can say.
    fn has_place(&self, name: &str) -> bool;
    /// Whether one of the flows has this node, or nobody can say.
    fn has_node(&self, node: &NodeId) -> bool;
}

/// What a case names and no flow has: the nodes of its answers and, if it is live, those of its checks.
pub fn unknown_nodes(suite: &Suite, case: &TestCase, known: &dyn KnownNodes) -> Vec<CheckFailure> {
    let failure = |check: String, node: &str| {
        let message = format!("The flow has no node `{node}`.");
        CheckFailure { check, code: None, message, node: None }
    };
    let answers = case.answers.iter().filter_map(|answer| answer.node.as_ref());
    let answers = answers
        .filter(|node| !known.has_node(node))
        .map(|node| failure(format!("answer of {node}"), node.as_str()));
    // A replay is free, and says all that fails at once.
    let checks = suite.checks_of(case).filter(|_| case.live);
    let checks = checks.filter_map(|check| {
        let node = check.node().filter(|node| !known.has_place(node))?;
        Some(failure(check.label(), node))
    });
    answers.chain(checks).collect()
}
