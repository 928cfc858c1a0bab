//! The nodes that cases can name.

use std::collections::BTreeSet;

use plait_core::id::NodeId;
use plait_run::node::Registry;
use plait_run::plan::BoundFlow;
use plait_suites::KnownNodes;

use crate::flows::PlacedFlow;

/// The nodes of a flow and of those that it runs, as far as these can be read.
pub(super) struct FlowNodes<'p> {
    /// The nodes, with those whose sub-flows lead there: `a/b`.
    names: BTreeSet<String>,
    placed: &'p [PlacedFlow],
    /// Whether all flows below are among them.
    is_whole: bool,
}

impl<'p> FlowNodes<'p> {
    pub(super) fn of(placed: &'p [PlacedFlow], registry: &Registry) -> Self {
        let mut names = BTreeSet::new();
        let mut is_whole = true;
        for PlacedFlow { path, flow, .. } in placed {
            let name =
                |node: &NodeId| path.iter().chain([node]).map(NodeId::as_str).collect::<Vec<_>>().join("/");
            names.extend(flow.nodes.keys().map(name));
            let calling = BoundFlow::new(flow, registry);
            is_whole &= calling
                .enabled_nodes()
                .filter(|(_, node)| node.behavior().calls.is_some())
                .all(|(id, _)| placed.iter().any(|below| below.path.split_last() == Some((id, path))));
        }
        Self { names, placed, is_whole }
    }
}

impl KnownNodes for FlowNodes<'_> {
    fn has_place(&self, name: &str) -> bool {
        let leads_below = || name.match_indices('/').any(|(at, _)| self.names.contains(&name[..at]));
        self.names.contains(name) || !self.is_whole && leads_below()
    }

    fn has_node(&self, node: &NodeId) -> bool {
        !self.is_whole || self.placed.iter().any(|placed| placed.flow.nodes.contains_key(node))
    }
}
