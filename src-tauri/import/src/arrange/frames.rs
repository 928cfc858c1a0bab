//! The nodes inside of frames: from left to right as edges lead, below each other in the order of the file.

use std::collections::{BTreeMap, HashMap};

use super::CARD_WIDTH;
use super::item::{CardHeights, size};
use plait_core::flow::Flow;
use plait_core::id::{FrameId, NodeId};

/// The room around the nodes of a frame, as in `ui/src/flow/containers/frame-box.ts`.
const INSET: f64 = 16.0;
const INSET_TOP: f64 = 36.0;
const COLUMN_GAP: f64 = 64.0;
const ROW_GAP: f64 = 32.0;

/// Places the nodes of all frames, and gives each frame the size that they need.
pub(super) fn lay_out_inside(flow: &mut Flow, heights: &CardHeights) {
    let mut edges = inner_edges(flow);
    for id in flow.frames.keys().cloned().collect::<Vec<_>>() {
        let columns = columns_of(flow, &id, &edges.remove(&id).unwrap_or_default());
        let sizes: Vec<Vec<(f64, f64)>> = columns
            .iter()
            .map(|nodes| nodes.iter().map(|node| size(node, &flow.layout[node], heights)).collect())
            .collect();
        let column_height =
            |sizes: &[(f64, f64)]| sizes.iter().map(|(_, height)| height + ROW_GAP).sum::<f64>() - ROW_GAP;
        let height = sizes.iter().map(|sizes| column_height(sizes)).fold(0.0, f64::max);
        let Some(frame) = flow.frames.get_mut(&id) else { continue };
        let mut x = frame.x + INSET;
        for (nodes, sizes) in columns.iter().zip(&sizes) {
            let mut y = frame.y + INSET_TOP + ((height - column_height(sizes)) / 2.0).round();
            for (node, (_, height)) in nodes.iter().zip(sizes) {
                if let Some(position) = flow.layout.get_mut(node) {
                    (position.x, position.y) = (x, y);
                }
                y += height + ROW_GAP;
            }
            x += sizes.iter().map(|(width, _)| *width).fold(CARD_WIDTH, f64::max) + COLUMN_GAP;
        }
        frame.width = (x - COLUMN_GAP + INSET - frame.x).round();
        frame.height = (INSET_TOP + height + INSET).round();
    }
}

/// For each frame, the edges between its nodes.
fn inner_edges(flow: &Flow) -> HashMap<FrameId, Vec<(NodeId, NodeId)>> {
    let frame_of: HashMap<&NodeId, &FrameId> =
        flow.frames.iter().flat_map(|(id, frame)| frame.nodes.iter().map(move |node| (node, id))).collect();
    let mut edges: HashMap<FrameId, Vec<(NodeId, NodeId)>> = HashMap::new();
    for edge in flow.edges.values() {
        if let (Some(one), Some(other)) = (frame_of.get(&edge.source), frame_of.get(&edge.target))
            && one == other
            && edge.source != edge.target
        {
            edges.entry((*one).clone()).or_default().push((edge.source.clone(), edge.target.clone()));
        }
    }
    edges
}

/// The nodes of a frame in columns: each right of those that lead to it, and nodes of a cycle in the first column that is free of the others.
fn columns_of(flow: &Flow, id: &FrameId, edges: &[(NodeId, NodeId)]) -> Vec<Vec<NodeId>> {
    let Some(frame) = flow.frames.get(id) else { return Vec::new() };
    let mut missing: BTreeMap<&NodeId, usize> = frame.nodes.iter().map(|node| (node, 0)).collect();
    let mut after: HashMap<&NodeId, Vec<&NodeId>> = HashMap::new();
    for (source, target) in edges {
        *missing.entry(target).or_default() += 1;
        after.entry(source).or_default().push(target);
    }
    let mut columns: Vec<Vec<NodeId>> = Vec::new();
    let mut open: Vec<&NodeId> =
        missing.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    while !open.is_empty() || !missing.is_empty() {
        if open.is_empty() {
            // What is left is in cycles.
            open.extend(missing.keys().copied());
        }
        let mut next = Vec::new();
        for node in &open {
            missing.remove(node);
        }
        for target in open.iter().flat_map(|node| after.get(*node).into_iter().flatten()) {
            if let Some(count) = missing.get_mut(*target) {
                *count -= 1;
                if *count == 0 {
                    next.push(*target);
                }
            }
        }
        let mut column: Vec<NodeId> = open.into_iter().cloned().collect();
        let top = |node: &NodeId| flow.layout.get(node).map_or(0.0, |at| at.y);
        column.sort_by(|one, other| top(one).total_cmp(&top(other)).then(one.cmp(other)));
        columns.push(column);
        open = next;
    }
    columns
}
