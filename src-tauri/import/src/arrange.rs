//! The places of an imported flow: those of the file, as close together as cards allow, and relative to their loop for the nodes inside
//! one. A folded frame takes the place of one card; its nodes are laid out inside.

mod frames;
mod free_place;
mod item;
mod notes;
mod scale;

use std::collections::{BTreeMap, HashSet};

use plait_core::flow::Flow;
use plait_core::id::{FrameId, NodeId};

use free_place::TakenPlaces;
use item::CardHeights;

pub(super) const CARD_WIDTH: f64 = 208.0;
/// The height of a folded frame, as in `ui/src/flow/containers/frame-box.ts`. Most cards are lower.
pub(super) const CARD_HEIGHT: f64 = 100.0;
pub(super) const GAP: f64 = 40.0;
/// The room around the body of a loop, as in `ui/src/flow/containers/container-box.ts`: its header, its footer, the ports at its borders.
const HEADER_HEIGHT: f64 = 64.0;
const FOOTER_HEIGHT: f64 = 56.0;
const BORDER_WIDTH: f64 = 146.0;
const MIN_LOOP_HEIGHT: f64 = 240.0;

/// What is drawn in a body: nodes that are in no frame, and frames.
#[derive(Default)]
struct Body {
    nodes: Vec<NodeId>,
    frames: Vec<FrameId>,
}

/// Arranges the nodes and frames of a flow with absolute positions.
pub(super) fn arrange(flow: &mut Flow) {
    let heights = CardHeights::of(flow);
    let bodies = bodies_of(flow);
    // Loops inside of loops first: the size of a loop is that of its body.
    let mut loops: Vec<&NodeId> = bodies.keys().flatten().collect();
    loops.sort_by_key(|id| std::cmp::Reverse(nesting_depth(flow, id)));
    for id in loops {
        if let Some(body) = bodies.get(&Some(id.clone())) {
            arrange_body(flow, body, &heights);
            enclose(flow, id, body, &heights);
        }
    }
    if let Some(root) = bodies.get(&None) {
        arrange_body(flow, root, &heights);
    }
    frames::lay_out_inside(flow, &heights);
}

fn bodies_of(flow: &Flow) -> BTreeMap<Option<NodeId>, Body> {
    let framed: HashSet<&NodeId> = flow.frames.values().flat_map(|frame| &frame.nodes).collect();
    let mut bodies: BTreeMap<Option<NodeId>, Body> = BTreeMap::new();
    for (id, node) in flow.nodes.iter().filter(|(id, _)| !framed.contains(id)) {
        bodies.entry(node.parent.clone()).or_default().nodes.push(id.clone());
    }
    for (id, frame) in &flow.frames {
        let first = frame.nodes.first().and_then(|id| flow.nodes.get(id));
        if let Some(node) = first {
            bodies.entry(node.parent.clone()).or_default().frames.push(id.clone());
        }
    }
    bodies
}

fn nesting_depth(flow: &Flow, id: &NodeId) -> usize {
    let mut depth = 0;
    let mut at = flow.nodes.get(id).and_then(|node| node.parent.as_ref());
    while let Some(parent) = at {
        depth += 1;
        if depth > flow.nodes.len() {
            break;
        }
        at = flow.nodes.get(parent).and_then(|node| node.parent.as_ref());
    }
    depth
}

/// Puts the cards of a body as close together as they may be, and moves those down that still lie on another. Large notes lie behind cards.
fn arrange_body(flow: &mut Flow, body: &Body, heights: &CardHeights) {
    let mut items = item::items_of(flow, body, heights);
    let in_front = notes::cards_in_front(&items);
    let edges = item::edges_between(flow, &items);
    scale::scale(&mut items, &edges);
    let mut order: Vec<usize> = (0..items.len()).filter(|&at| !items[at].is_background).collect();
    order.sort_by(|&one, &other| {
        let (one, other) = (&items[one], &items[other]);
        one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y)).then(one.what.cmp(&other.what))
    });
    let mut taken = TakenPlaces::default();
    for at in order {
        taken.place(&mut items[at]);
    }
    notes::reach_around(&mut items, &in_front);
    for item in &items {
        item.write(flow);
    }
}

/// Gives a loop the size of its body, and the body positions relative to it.
fn enclose(flow: &mut Flow, id: &NodeId, body: &Body, heights: &CardHeights) {
    let mut items = item::items_of(flow, body, heights);
    let left = items.iter().map(|item| item.x).fold(f64::INFINITY, f64::min);
    let top = items.iter().map(|item| item.y).fold(f64::INFINITY, f64::min);
    let right = items.iter().map(|item| item.x + item.width).fold(f64::NEG_INFINITY, f64::max);
    let bottom = items.iter().map(|item| item.y + item.height).fold(f64::NEG_INFINITY, f64::max);
    if !left.is_finite() || !top.is_finite() {
        return;
    }
    for item in &mut items {
        item.x += BORDER_WIDTH - left;
        item.y += HEADER_HEIGHT - top;
        item.write(flow);
    }
    if let Some(position) = flow.layout.get_mut(id) {
        position.width = Some(2.0f64.mul_add(BORDER_WIDTH, right - left));
        position.height = Some((HEADER_HEIGHT + FOOTER_HEIGHT + bottom - top).max(MIN_LOOP_HEIGHT));
    }
}

#[cfg(test)]
mod tests;
