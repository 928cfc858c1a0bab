//! What differs between two flows, as text.

use std::fmt::Write as _;

use plait_insight::flow_diff::{EdgeEnds, FlowChange, FlowDiff};

use super::words;

pub(super) fn text(diff: &FlowDiff) -> String {
    if diff.is_empty() {
        return "The flows mean the same.\n".to_owned();
    }
    let mut text = String::new();
    for change in &diff.changes {
        let _ = writeln!(text, "{}", line(change));
    }
    text
}

/// One difference. `+` is added, `-` removed, `~` changed.
pub(super) fn line(change: &FlowChange) -> String {
    match change {
        FlowChange::Flow { change } => format!("~ {}: {}", change.pointer, words::change(change)),
        FlowChange::NodeAdded { node, node_type } => format!("+ {node} ({node_type})"),
        FlowChange::NodeRemoved { node, node_type } => format!("- {node} ({node_type})"),
        FlowChange::NodeRenamed { from, to } => format!("~ {from} is {to} now"),
        FlowChange::Node { node, change } => {
            format!("~ {node} {}: {}", change.pointer, words::change(change))
        }
        FlowChange::EdgeAdded { edge } => format!("+ {}", ends(edge)),
        FlowChange::EdgeRemoved { edge } => format!("- {}", ends(edge)),
    }
}

fn ends(edge: &EdgeEnds) -> String {
    let EdgeEnds { source, source_output, target, target_input, order } = edge;
    let order = order.map(|order| format!(" (order {order})")).unwrap_or_default();
    format!("{source}.{source_output} → {target}.{target_input}{order}")
}
