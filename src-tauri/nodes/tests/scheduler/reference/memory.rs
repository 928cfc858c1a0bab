//! The workflow's memory: what an activation sees of it. It is ordered like a context that all nodes which use it share, except that
//! readers do not wait for each other.

use plait_core::id::{Epoch, NodeId};

use super::document::Document;
use super::graph::Place;
use super::interpreter::Interpreter;
use super::outcome::Write;

/// What a node does with the memory; a loop what the nodes inside do, at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    None,
    Reads,
    Writes,
}

impl Use {
    fn of(document: &Document, node: &NodeId) -> Self {
        let inside = document.nodes.values().filter(|it| it.id == *node || document.is_inside(&it.id, node));
        let uses = inside.map(|it| match it.settings.memory.as_str() {
            "read" => Self::Reads,
            "write" => Self::Writes,
            _ => Self::None,
        });
        uses.max().unwrap_or(Self::None)
    }
}

/// Whether a node, or one inside of it, uses the memory.
pub fn uses(document: &Document, node: &NodeId) -> bool {
    Use::of(document, node) != Use::None
}

impl Interpreter<'_> {
    /// The memory that an activation sees, empty if it does not use the memory. Nothing if that is not decided.
    pub fn memory_before(&mut self, node: Place, epoch: &Epoch) -> Option<Vec<String>> {
        let flow = self.flow;
        let use_of = |node: Place| Use::of(&flow.document, &flow.graph.nodes[node].id);
        let own = use_of(node);
        if own == Use::None {
            return Some(Vec::new());
        }
        let mut turns = Vec::new();
        for other in flow.graph.places() {
            let is_before = match use_of(other) {
                Use::None => false,
                Use::Reads => own == Use::Writes,
                Use::Writes => true,
            };
            if !is_before {
                continue;
            }
            for (epoch, outcome) in self.all_decided(other, |this| this.epochs_before(other, node, epoch))? {
                let added: Vec<String> =
                    outcome.writes().iter().filter_map(Write::to_memory).cloned().collect();
                turns.push(((other, epoch), added));
            }
        }
        turns.sort_by(|(one, _), (other, _)| self.precedence(one, other));
        let mut memory = self.around.memory.clone();
        memory.extend(turns.into_iter().flat_map(|(_, added)| added));
        Some(memory)
    }
}
