//! Order without a value. In tools with edges that mean "then", a node runs when the one before it is done, also if it
//! reads other values. In Plait it runs when its values are there, and when what leads to its `after` is done.

use super::builder::{FlowBuilder, Output};
use plait_core::id::NodeId;
use plait_core::port::AFTER_PORT;

/// Makes a node run only if one of these outputs is live, and after all of them. Nothing to do if it reads the only one
/// already.
pub(super) fn run_after(builder: &mut FlowBuilder, node: &NodeId, branches: &[Output]) {
    let feeds = builder.feeds(node);
    // Nodes inside a loop run in its iterations.
    let parent = builder.parent(node);
    let branches: Vec<_> = branches.iter().filter(|branch| Some(&branch.node) != parent.as_ref()).collect();
    let reads_the_only = matches!(branches[..], [only] if feeds.contains(only));
    let is_source = matches!(builder.node_type(node), "note" | "contextStart" | "tools" | "mcpServer");
    if reads_the_only || is_source {
        return;
    }
    for branch in branches {
        builder.connect(branch, node, AFTER_PORT);
    }
}
