//! What is drawn in a body, as boxes.

use std::collections::{HashMap, HashSet};

use super::{Body, CARD_HEIGHT, CARD_WIDTH, GAP};
use crate::ports::{inputs_of, outputs_of};
use plait_core::flow::{Flow, Position};
use plait_core::id::{FrameId, NodeId, PortName};
use plait_core::port::{AFTER_PORT, ERROR_PORT};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Node(NodeId),
    Frame(FrameId),
}

/// A node or a folded frame with its box.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) what: What,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// A note with room for cards in front of it: it stays behind those that it is about.
    pub(super) is_background: bool,
    /// A loop with an open body.
    pub(super) is_open_loop: bool,
}

pub(super) fn items_of(flow: &Flow, body: &Body, heights: &CardHeights) -> Vec<Item> {
    let nodes = body.nodes.iter().map(|id| node_item(flow, id, heights));
    let frames = body.frames.iter().filter_map(|id| {
        let frame = flow.frames.get(id)?;
        let (width, height) = (CARD_WIDTH, CARD_HEIGHT);
        let what = What::Frame(id.clone());
        Some(Item { what, x: frame.x, y: frame.y, width, height, is_background: false, is_open_loop: false })
    });
    nodes.chain(frames).collect()
}

/// The edges between items, as the places of their sources and targets in the list. A node in a frame is the frame.
pub(super) fn edges_between(flow: &Flow, items: &[Item]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&NodeId, usize> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        match &item.what {
            What::Node(id) => drop(places.insert(id, at)),
            What::Frame(id) => {
                let nodes = flow.frames.get(id).into_iter().flat_map(|frame| &frame.nodes);
                places.extend(nodes.map(|id| (id, at)));
            }
        }
    }
    let ends = flow.edges.values();
    ends.filter_map(|edge| Some((*places.get(&edge.source)?, *places.get(&edge.target)?))).collect()
}

fn node_item(flow: &Flow, id: &NodeId, heights: &CardHeights) -> Item {
    let position = flow.layout.get(id).cloned().unwrap_or_default();
    let (width, height) = size(id, &position, heights);
    let node_type = flow.nodes.get(id).map_or("", |node| node.node_type.as_str());
    let has_room = width >= CARD_WIDTH + 2.0 * GAP && height >= 2.0 * CARD_HEIGHT;
    Item {
        what: What::Node(id.clone()),
        x: position.x,
        y: position.y,
        width,
        height,
        is_background: has_room && node_type == "note",
        is_open_loop: position.width.is_some() && !position.folded && node_type != "note",
    }
}

/// The size of a node's card, or of its box if it has one.
pub(super) fn size(id: &NodeId, position: &Position, heights: &CardHeights) -> (f64, f64) {
    let own = position.width.zip(position.height).filter(|_| !position.folded);
    own.unwrap_or_else(|| (CARD_WIDTH, heights.height(id)))
}

impl Item {
    /// Writes where it is, and the size of a note.
    pub(super) fn write(&self, flow: &mut Flow) {
        match &self.what {
            What::Node(id) => {
                let Some(position) = flow.layout.get_mut(id) else { return };
                (position.x, position.y) = (self.x.round(), self.y.round());
                if self.is_background {
                    (position.width, position.height) = (Some(self.width.round()), Some(self.height.round()));
                }
            }
            What::Frame(id) => {
                let Some(frame) = flow.frames.get_mut(id) else { return };
                (frame.x, frame.y) = (self.x.round(), self.y.round());
            }
        }
    }
}

/// The heights of cards, which follow from their ports.
pub(super) struct CardHeights(HashMap<NodeId, f64>);

impl CardHeights {
    pub(super) fn of(flow: &Flow) -> Self {
        let mut ports: HashMap<&NodeId, (HashSet<&PortName>, HashSet<&PortName>)> = HashMap::new();
        for edge in flow.edges.values() {
            ports.entry(&edge.target).or_default().0.insert(&edge.target_input);
            ports.entry(&edge.source).or_default().1.insert(&edge.source_output);
        }
        let mut height = |id: &NodeId, node_type: &str| {
            let (mut into, mut out_of) = ports.remove(id).unwrap_or_default();
            // These two are drawn only where they have an edge.
            let inputs = inputs_of(node_type).iter().map(|port| &port.name);
            into.extend(inputs.filter(|name| name.as_str() != AFTER_PORT));
            let outputs = outputs_of(node_type).iter().map(|port| &port.name);
            out_of.extend(outputs.filter(|name| name.as_str() != ERROR_PORT));
            card_height(into.len().max(out_of.len()))
        };
        let nodes = flow.nodes.iter();
        Self(nodes.map(|(id, node)| (id.clone(), height(id, &node.node_type))).collect())
    }

    pub(super) fn height(&self, id: &NodeId) -> f64 {
        self.0.get(id).copied().unwrap_or(CARD_HEIGHT)
    }
}

/// As in `ui/src/canvas/measure/geometry.ts`.
fn card_height(rows: usize) -> f64 {
    const FIRST_ROW: f64 = 75.0;
    const ROW: f64 = 20.0;
    let more = u32::try_from(rows.saturating_sub(1)).unwrap_or(u32::MAX);
    f64::from(more).mul_add(ROW, FIRST_ROW)
}
