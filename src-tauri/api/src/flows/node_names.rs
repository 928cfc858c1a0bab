//! What the terminal names before a run: the nodes of a flow and of the flows that it runs, to which answers belong, and the pinned ones
//! among them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_run::host::subflow::ChildFlow;
use plait_run::node::Registry;
use plait_run::plan::BoundFlow;

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
pub fn names_with_subflows(flow: &Flow, path: Option<&str>, registry: &Registry) -> NodeNames {
    let mut names = NodeNames::default();
    visit(flow, path, registry, |flow, place| {
        names.nodes.extend(flow.nodes.keys().cloned());
        let (disabled, inside) = (flow.disabled_nodes(), flow.nodes_inside_pins());
        let delivers = |id: &NodeId| !disabled.contains(id) && !inside.contains(id);
        let own = flow.nodes.iter().filter(|(id, node)| node.pin.is_some() && delivers(id));
        names.pins.extend(own.map(|(id, _)| format!("{place}{id}")));
    });
    names
}

/// The nodes of [`names_with_subflows`].
pub fn nodes_with_subflows(flow: &Flow, path: Option<&str>, registry: &Registry) -> BTreeSet<NodeId> {
    names_with_subflows(flow, path, registry).nodes
}

/// Visits a flow and the flows that it runs, each file once. The place is what stands before the names of its nodes.
fn visit(flow: &Flow, path: Option<&str>, registry: &Registry, mut on_flow: impl FnMut(&Flow, &str)) {
    let access = FileAccess::of_process(None);
    let mut seen: BTreeSet<String> = path.map(str::to_owned).into_iter().collect();
    let mut open = vec![(Cow::Borrowed(flow), path.map(str::to_owned), String::new())];
    while let Some((flow, path, place)) = open.pop() {
        on_flow(&flow, &place);
        for (id, node) in BoundFlow::new(&flow, registry).enabled_nodes() {
            let below = format!("{place}{id}/");
            match &node.behavior().calls {
                Some(ChildFlow::Inner(inner)) => {
                    open.push((Cow::Owned(Flow::clone(inner)), path.clone(), below));
                }
                Some(ChildFlow::File(file)) => {
                    if let Ok(read) = subflows::read(file, path.as_deref(), &access)
                        && seen.insert(read.path.clone().unwrap_or(read.name))
                    {
                        open.push((Cow::Owned(read.flow), read.path, below));
                    }
                }
                None => {}
            }
        }
    }
}
