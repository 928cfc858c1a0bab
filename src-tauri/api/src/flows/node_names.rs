//! What the terminal names before a run: the nodes of a flow and of the flows that it runs, to which answers belong, and the pinned ones
//! among them.

use std::collections::BTreeSet;

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_run::host::subflow::ChildFlow;
use plait_run::node::{BoundNode, Registry};
use plait_run::plan::BoundFlow;

use super::runnable::RunnableFlow;
use super::subflows;

/// What a flow and the flows that it runs, at any depth, name.
#[derive(Debug, Default)]
pub struct NodeNames {
    /// All nodes.
    pub nodes: BTreeSet<NodeId>,
    /// The nodes that deliver pinned values, those of sub-flows as `SUBFLOW/NODE`.
    pub pins: Vec<String>,
}

/// The names in a flow and in the flows that it runs. `path` is the file of the flow, if it has one. A file that cannot be read adds
/// nothing.
pub fn names_with_subflows(
    flow: &Flow,
    runnable: &RunnableFlow,
    path: Option<&str>,
    registry: &Registry,
) -> NodeNames {
    let calls = runnable.callers().filter_map(|(id, node)| call(id, &**node)).collect();
    names_of(flow, calls, path, registry)
}

/// All nodes of a flow and of the flows that it runs, as in [`NodeNames`].
pub fn nodes_with_subflows(flow: &Flow, path: Option<&str>, registry: &Registry) -> BTreeSet<NodeId> {
    names_of(flow, calls_of(flow, registry), path, registry).nodes
}

/// A node with the flow that it runs.
type Call = (NodeId, ChildFlow);

fn call(id: &NodeId, node: &dyn BoundNode) -> Option<Call> {
    Some((id.clone(), node.behavior().calls.clone()?))
}

fn calls_of(flow: &Flow, registry: &Registry) -> Vec<Call> {
    BoundFlow::new(flow, registry).enabled_nodes().filter_map(|(id, node)| call(id, &**node)).collect()
}

/// `calls` are those of `flow`.
fn names_of(flow: &Flow, calls: Vec<Call>, path: Option<&str>, registry: &Registry) -> NodeNames {
    let mut names = NodeNames::default();
    let mut files = SubflowFiles {
        access: FileAccess::of_process(None),
        seen: path.map(str::to_owned).into_iter().collect(),
    };
    names.add(flow, "");
    let mut open = Vec::new();
    files.add_called(&mut open, calls, path, "");
    while let Some(PlacedCall { flow, path, place }) = open.pop() {
        names.add(&flow, &place);
        files.add_called(&mut open, calls_of(&flow, registry), path.as_deref(), &place);
    }
    names
}

/// A flow that a node runs.
struct PlacedCall {
    flow: Flow,
    /// Its file, or that of the flow around it.
    path: Option<String>,
    /// What stands before the names of its nodes.
    place: String,
}

/// The files of flows, each read once.
struct SubflowFiles {
    access: FileAccess,
    seen: BTreeSet<String>,
}

impl SubflowFiles {
    fn add_called(&mut self, open: &mut Vec<PlacedCall>, calls: Vec<Call>, path: Option<&str>, place: &str) {
        for (id, child) in calls {
            let place = format!("{place}{id}/");
            match child {
                ChildFlow::Inner(inner) => {
                    open.push(PlacedCall { flow: Flow::clone(&inner), path: path.map(str::to_owned), place });
                }
                ChildFlow::File(file) => {
                    if let Ok(read) = subflows::read(&file, path, &self.access)
                        && self.seen.insert(read.path.clone().unwrap_or(read.name))
                    {
                        open.push(PlacedCall { flow: read.flow, path: read.path, place });
                    }
                }
            }
        }
    }
}

impl NodeNames {
    /// Adds those of a flow, which runs at this place.
    fn add(&mut self, flow: &Flow, place: &str) {
        let mut nodes: BTreeSet<NodeId> = flow.nodes.keys().cloned().collect();
        self.nodes.append(&mut nodes);
        let (disabled, inside) = (flow.disabled_nodes(), flow.nodes_inside_pins());
        let delivers = |id: &NodeId| !disabled.contains(id) && !inside.contains(id);
        let own = flow.nodes.iter().filter(|(id, node)| node.pin.is_some() && delivers(id));
        self.pins.extend(own.map(|(id, _)| format!("{place}{id}")));
    }
}
