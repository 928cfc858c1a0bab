//! The positions of an imported flow: those of the file, moved apart where cards would lie on each other, and relative to
//! their loop for the nodes inside one.

use std::collections::{BTreeMap, HashMap};

use plait_core::flow::{Flow, Position};
use plait_core::id::NodeId;

pub(super) const CARD_WIDTH: f64 = 208.0;
pub(super) const CARD_HEIGHT: f64 = 104.0;
pub(super) const GAP: f64 = 40.0;
/// The room around the body of a loop: its header, its footer, and the ports at its borders.
const HEADER_HEIGHT: f64 = 64.0;
const FOOTER_HEIGHT: f64 = 56.0;
const BORDER_WIDTH: f64 = 88.0;

/// Arranges the nodes of a flow with absolute positions.
pub(super) fn arrange(flow: &mut Flow) {
    let mut members: BTreeMap<Option<NodeId>, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in &flow.nodes {
        members.entry(node.parent.clone()).or_default().push(id.clone());
    }
    // Loops inside of loops first: the size of a loop is that of its body.
    let mut loops: Vec<NodeId> = members.keys().flatten().cloned().collect();
    loops.sort_by_key(|id| std::cmp::Reverse(nesting_depth(flow, id)));
    for id in loops {
        let Some(body) = members.get(&Some(id.clone())) else { continue };
        spread(flow, body);
        enclose(flow, &id, body);
    }
    if let Some(root) = members.get(&None) {
        spread(flow, root);
    }
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

/// Moves cards down until none lies on another. Large notes lie behind cards.
fn spread(flow: &mut Flow, ids: &[NodeId]) {
    let mut order: Vec<(NodeId, Position)> =
        ids.iter().map(|id| (id.clone(), flow.layout.get(id).cloned().unwrap_or_default())).collect();
    order.sort_by(|(a, p), (b, q)| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(a.cmp(b)));
    let mut taken = Occupied::default();
    for (id, mut position) in order {
        if !is_background(flow, &id, &position) {
            taken.place(&mut position);
        }
        position.x = position.x.round();
        position.y = position.y.round();
        flow.layout.insert(id, position);
    }
}

/// Whether a node is a note with room for cards in front of it: it stays behind those that it is about.
fn is_background(flow: &Flow, id: &NodeId, position: &Position) -> bool {
    let (width, height) = size(position);
    let has_room = width >= CARD_WIDTH + 2.0 * GAP && height >= 2.0 * CARD_HEIGHT;
    has_room && flow.nodes.get(id).is_some_and(|node| node.node_type == "note")
}

/// Where cards lie. By columns, so that a card is compared with its neighbors alone.
#[derive(Default)]
struct Occupied {
    /// The cards in each column, from top to bottom.
    columns: HashMap<i64, Vec<Area>>,
    /// Cards over many columns.
    wide: Vec<Area>,
    /// How high the highest card is.
    max_height: f64,
    /// Where the last card went that wanted this place and had this size: the next one goes below.
    lowest: HashMap<[u64; 4], f64>,
}

#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Occupied {
    /// Moves a card down to the first place that is free, and takes it.
    fn place(&mut self, position: &mut Position) {
        /// Cards over more columns are kept apart, as wide.
        const MAX_COLUMNS: i64 = 4;
        let (width, height) = size(position);
        let wanted = [position.x, position.y, width, height].map(f64::to_bits);
        if let Some(&lowest) = self.lowest.get(&wanted) {
            position.y = lowest;
        }
        let (left, right) = (position.x, position.x + width);
        let (first, last) = (column(left - GAP), column(right + GAP));
        let mut lists: Vec<&[Area]> =
            (first..=last).filter_map(|at| self.columns.get(&at)).map(Vec::as_slice).collect();
        lists.push(&self.wide);
        for list in &mut lists {
            let above = list.partition_point(|area| area.top + self.max_height + GAP <= position.y);
            *list = &list[above..];
        }
        // All cards in the way from top to bottom: once one lies below this card, all others do.
        while let Some((at, area)) = topmost(&lists) {
            if area.top >= position.y + height + GAP {
                break;
            }
            lists[at] = &lists[at][1..];
            let is_beside = area.right + GAP <= left || area.left >= right + GAP;
            if !is_beside && position.y < area.bottom + GAP {
                position.y = area.bottom + GAP;
            }
        }
        self.lowest.insert(wanted, position.y);
        self.max_height = self.max_height.max(height);
        let area = Area { left, right, top: position.y, bottom: position.y + height };
        if last - first >= MAX_COLUMNS {
            insert(&mut self.wide, area);
        } else {
            for at in first..=last {
                insert(self.columns.entry(at).or_default(), area);
            }
        }
    }
}

/// The topmost of the first areas of some lists, and which list it is in.
fn topmost(lists: &[&[Area]]) -> Option<(usize, Area)> {
    let firsts = lists.iter().enumerate().filter_map(|(at, list)| Some((at, *list.first()?)));
    firsts.min_by(|(_, a), (_, b)| a.top.total_cmp(&b.top))
}

fn insert(list: &mut Vec<Area>, area: Area) {
    let at = list.partition_point(|other| other.top <= area.top);
    list.insert(at, area);
}

#[expect(clippy::cast_possible_truncation, reason = "positions are clamped to a million")]
fn column(x: f64) -> i64 {
    (x / (CARD_WIDTH + GAP)).floor() as i64
}

fn size(position: &Position) -> (f64, f64) {
    (position.width.unwrap_or(CARD_WIDTH), position.height.unwrap_or(CARD_HEIGHT))
}

/// Gives a loop the size of its body, and the body positions relative to it.
fn enclose(flow: &mut Flow, id: &NodeId, body: &[NodeId]) {
    let positions: Vec<Position> = body.iter().filter_map(|id| flow.layout.get(id)).cloned().collect();
    let left = positions.iter().map(|at| at.x).fold(f64::INFINITY, f64::min);
    let top = positions.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
    let right = positions.iter().map(|at| at.x + size(at).0).fold(f64::NEG_INFINITY, f64::max);
    let bottom = positions.iter().map(|at| at.y + size(at).1).fold(f64::NEG_INFINITY, f64::max);
    if !left.is_finite() || !top.is_finite() {
        return;
    }
    for id in body {
        if let Some(position) = flow.layout.get_mut(id) {
            position.x += BORDER_WIDTH - left;
            position.y += HEADER_HEIGHT - top;
        }
    }
    if let Some(position) = flow.layout.get_mut(id) {
        position.width = Some(2.0f64.mul_add(BORDER_WIDTH, right - left));
        position.height = Some(HEADER_HEIGHT + FOOTER_HEIGHT + bottom - top);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn large_notes_stay_behind_the_cards_that_they_are_about() {
        let mut flow: Flow = serde_json::from_value(json!({
            "version": 1,
            "name": "Sticky notes",
            "nodes": {
                "area": { "type": "note", "config": { "text": "Drafts the answer" } },
                "answer": { "type": "text" },
                "remark": { "type": "note", "config": { "text": "Look at this" } },
            },
            "edges": {},
            "layout": {
                "area": { "x": 0, "y": 0, "width": 600, "height": 400 },
                "answer": { "x": 100, "y": 150 },
                "remark": { "x": 110, "y": 160, "width": 200, "height": 80 },
            },
        }))
        .unwrap();
        arrange(&mut flow);
        let places: Vec<_> =
            ["area", "answer", "remark"].map(|id| (flow.layout[id].x, flow.layout[id].y)).into();
        assert_eq!(places, [(0.0, 0.0), (100.0, 150.0), (110.0, 150.0 + CARD_HEIGHT + GAP)]);
    }
}
