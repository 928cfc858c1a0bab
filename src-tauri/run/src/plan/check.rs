//! Checking a flow: all that is wrong or doubtful with it, and what the editor draws from the analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::analysis::analyze;
use super::input_overrides::InputOverrides;
use super::unused_settings::check_unused_settings;
use super::wiring::{BoundFlow, OmittedInputs, config_edges};
use crate::node::Registry;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Edge, Flow};
use plait_core::id::{EdgeId, NodeId};
use plait_core::port::Ports;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckedFlow {
    /// Errors and warnings. Without an error, the flow can run.
    pub diagnostics: Vec<Diagnostic>,
    /// The ports of every node with a known type and a valid config.
    pub ports: BTreeMap<NodeId, Arc<Ports>>,
    /// For each node that works in one context or hands one on, the node that makes it. Without nodes that may get one of
    /// several contexts.
    pub contexts: BTreeMap<NodeId, NodeId>,
    /// The edges that lead into a cycle's next iteration.
    pub back_edges: BTreeSet<EdgeId>,
    /// The edges that configs define: what a node reads from another one without an edge on the canvas.
    pub reads: BTreeMap<EdgeId, Edge>,
}

/// Checks a flow. Never fails and executes nothing.
///
/// Any flow that a node runs counts as able to ask a person: [`check_bound`] knows better.
pub fn check(flow: &Flow, registry: &Registry) -> CheckedFlow {
    check_bound(BoundFlow::new(flow, registry), &BTreeSet::new(), &InputOverrides::new())
}

/// Checks a flow in which the nodes `silent` run flows that never ask a person, and so bound no cycle. `given` are the inputs that the
/// node around it gives values to.
pub fn check_bound(flow: BoundFlow<'_>, silent: &BTreeSet<NodeId>, given: &InputOverrides) -> CheckedFlow {
    // The analysis reports their problems.
    let reads = config_edges(&flow, &mut OmittedInputs::default(), &mut Vec::new()).into_iter().collect();
    let document = flow.flow;
    let mut analysis = analyze(flow, given, silent);
    check_unused_settings(document, &analysis.root, &mut analysis.diagnostics);
    let mut back_edges = BTreeSet::new();
    for scope in analysis.root.scopes() {
        let wiring = &scope.wiring;
        back_edges.extend(scope.nesting.back_wires.keys().map(|&wire| wiring.wires[wire].edge.clone()));
    }
    let contexts = analysis.root.context_makers();
    let ports =
        analysis.root.wiring.bound.iter().map(|(id, node)| (id.clone(), Arc::clone(node.ports()))).collect();
    CheckedFlow { ports, contexts, back_edges, reads, diagnostics: analysis.diagnostics }
}
