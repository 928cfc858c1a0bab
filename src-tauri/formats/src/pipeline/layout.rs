//! Arranges the nodes of a lowered flow: steps from left to right, the branches of a step one above the other, the nodes
//! beside a step above it, and bodies in their loops, with positions relative to these.

use std::collections::BTreeMap;

use plait_core::flow::Position;
use plait_core::id::NodeId;

const CARD_WIDTH: f64 = 208.0;
const CARD_HEIGHT: f64 = 104.0;
const COLUMN_GAP: f64 = 88.0;
const ROW_GAP: f64 = 40.0;
/// The room around the body of a loop: its header, its footer, and the ports at its borders.
const HEADER_HEIGHT: f64 = 64.0;
const FOOTER_HEIGHT: f64 = 56.0;
const BORDER_WIDTH: f64 = 88.0;

/// Nodes that are arranged among themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    width: f64,
    height: f64,
    nodes: Vec<(NodeId, f64, f64)>,
}

/// The positions of all nodes.
#[derive(Debug, Default)]
pub(super) struct Layout {
    positions: BTreeMap<NodeId, Position>,
}

impl Layout {
    pub(super) fn card(id: &str) -> Block {
        Block { width: CARD_WIDTH, height: CARD_HEIGHT, nodes: vec![(id.into(), 0.0, 0.0)] }
    }

    /// Room for a node above another, so that the steps of a row stand in line.
    pub(super) fn gap() -> Block {
        Block { width: CARD_WIDTH, height: CARD_HEIGHT, nodes: Vec::new() }
    }

    /// Blocks from left to right.
    pub(super) fn in_a_row(blocks: Vec<Block>) -> Block {
        Self::arrange(blocks, |row, block| {
            let x = if row.width > 0.0 { row.width + COLUMN_GAP } else { 0.0 };
            row.width = x + block.width;
            row.height = row.height.max(block.height);
            (x, 0.0)
        })
    }

    /// Blocks one above the other.
    pub(super) fn in_a_column(blocks: Vec<Block>) -> Block {
        Self::arrange(blocks, |column, block| {
            let y = if column.height > 0.0 { column.height + ROW_GAP } else { 0.0 };
            column.height = y + block.height;
            column.width = column.width.max(block.width);
            (0.0, y)
        })
    }

    fn arrange(blocks: Vec<Block>, place: impl Fn(&mut Block, &Block) -> (f64, f64)) -> Block {
        let mut all = Block::default();
        for block in blocks.into_iter().filter(|block| block.width > 0.0) {
            let (x, y) = place(&mut all, &block);
            all.nodes.extend(block.nodes.into_iter().map(|(id, left, top)| (id, left + x, top + y)));
        }
        all
    }

    /// A loop around its body. The positions of the body are final now.
    pub(super) fn container(&mut self, id: &str, body: Block) -> Block {
        let width = body.width + 2.0 * BORDER_WIDTH;
        let height = body.height + HEADER_HEIGHT + FOOTER_HEIGHT;
        for (node, x, y) in body.nodes {
            self.set(node, x + BORDER_WIDTH, y + HEADER_HEIGHT);
        }
        let position = Position { width: Some(width), height: Some(height), ..Position::default() };
        self.positions.insert(id.into(), position);
        Block { width, height, nodes: vec![(id.into(), 0.0, 0.0)] }
    }

    /// Makes the positions of a block final.
    pub(super) fn place(&mut self, block: Block) {
        for (node, x, y) in block.nodes {
            self.set(node, x, y);
        }
    }

    fn set(&mut self, node: NodeId, x: f64, y: f64) {
        let position = self.positions.entry(node).or_default();
        (position.x, position.y) = (x, y);
    }

    /// Takes the positions that a person chose, of the nodes that there are.
    pub(super) fn override_with(&mut self, chosen: &BTreeMap<String, Position>) {
        for (id, position) in chosen {
            if let Some(own) = self.positions.get_mut(id.as_str()) {
                own.clone_from(position);
            }
        }
    }

    pub(super) fn positions(&self) -> &BTreeMap<NodeId, Position> {
        &self.positions
    }

    pub(super) fn into_positions(self) -> BTreeMap<NodeId, Position> {
        self.positions
    }
}
