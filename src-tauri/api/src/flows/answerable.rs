//! The names by which answers find their questions: the nodes of a flow and of its sub-flows.

use std::collections::BTreeSet;

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_run::host::subflow::ChildFlow;
use plait_run::node::Registry;
use plait_run::plan::BoundFlow;

use super::subflows;

/// The nodes of a flow and of the flows that it runs, at any depth. `path` is the file of the flow, if it has one. A file that cannot be
/// read adds nothing.
pub fn nodes_with_subflows(flow: &Flow, path: Option<&str>, registry: &Registry) -> BTreeSet<NodeId> {
    let access = FileAccess::of_process(None);
    let mut nodes = BTreeSet::new();
    let mut seen: BTreeSet<String> = path.map(str::to_owned).into_iter().collect();
    let mut open = vec![(flow.clone(), path.map(str::to_owned))];
    while let Some((flow, path)) = open.pop() {
        for (_, node) in BoundFlow::new(&flow, registry).enabled_nodes() {
            let behavior = node.behavior();
            match &behavior.calls {
                Some(ChildFlow::Inner(inner)) => open.push((Flow::clone(inner), path.clone())),
                Some(ChildFlow::File(file)) => {
                    if let Ok(read) = subflows::read(file, path.as_deref(), &access)
                        && seen.insert(read.path.clone().unwrap_or(read.name))
                    {
                        open.push((read.flow, read.path));
                    }
                }
                None => {}
            }
        }
        nodes.extend(flow.nodes.into_keys());
    }
    nodes
}
