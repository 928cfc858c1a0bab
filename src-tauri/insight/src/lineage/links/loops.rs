//! What loops give to the nodes inside of them, and what they pass on.

use plait_core::id::{Activation, NodeId, PortName};

use super::super::{Lineage, LineagePlace, LineageSource, LineageSpot};
use super::{At, Link, Origin, copies, swap};
use crate::lineage::json_text::pairs;

impl Lineage<'_> {
    pub(super) fn loop_links(&self, at: At<'_>, port: &PortName) -> Vec<Link> {
        match port.as_str() {
            "item" => self.item_links(at),
            "index" | "iterations" => at.whole(Origin::Source(LineageSource::Engine)),
            "result" => self.result_links(at),
            "results" => self.results_links(at),
            _ => self.any_links(at),
        }
    }

    /// An item of the list on `items`.
    fn item_links(&self, at: At<'_>) -> Vec<Link> {
        let outer = Activation { node: at.activation.node.clone(), epoch: at.activation.epoch.outer() };
        let items = at.place(LineageSpot::input(&outer, "items".into(), 0));
        let index = at.activation.epoch.0.last().map(u32::to_string);
        let (Some(value), Some(index)) = (self.value(&items), index) else { return at.computed(Vec::new()) };
        copies(swap(pairs(&value, &[index])), &items)
    }

    /// The result of the latest iteration that has one. It counts only if its text is the same.
    fn result_links(&self, at: At<'_>) -> Vec<Link> {
        let iterations = iterations(at);
        let found = (0..iterations).rev().find_map(|iteration| self.next_of(at, iteration));
        match found {
            Some(place) if self.text(&place).as_deref() == Some(at.text) => self.copy(at, place),
            _ => self.any_links(at),
        }
    }

    fn results_links(&self, at: At<'_>) -> Vec<Link> {
        let own = self.value(&at.place(LineageSpot::output(at.activation, "results".into())));
        let Some(own) = own else { return self.any_links(at) };
        let count = own.as_array().map_or(0, Vec::len);
        let parts = (0..count).filter_map(|iteration| {
            let next = self.next_of(at, u32::try_from(iteration).ok()?)?;
            Some((vec![iteration.to_string()], next))
        });
        let parts: Vec<_> = parts.collect();
        let rest = if parts.len() == count { LineageSource::Engine } else { LineageSource::Unknown };
        self.composed(at, &own, parts, &Origin::Source(rest))
    }

    /// What reached `next` in an iteration: the output of the node inside whose edge leads there. `None` if there are several, or if it
    /// comes through a portal.
    fn next_of(&self, at: At<'_>, iteration: u32) -> Option<LineagePlace> {
        let flow = at.run.flow()?;
        let is_next = |edge: &&plait_core::flow::Edge| {
            edge.target == at.activation.node
                && edge.target_input.as_str() == "next"
                && flow
                    .nodes
                    .get(&edge.source)
                    .is_some_and(|node| is_inside(node.parent.as_ref(), &at.activation.node))
        };
        let mut edges = flow.edges.values().filter(is_next);
        let (edge, None) = (edges.next()?, edges.next()) else { return None };
        let epoch = at.activation.epoch.child(iteration);
        let activation = Activation { node: edge.source.clone(), epoch };
        let place = at.place(LineageSpot::output(&activation, edge.source_output.clone()));
        self.text(&place).is_some().then_some(place)
    }
}

fn is_inside(parent: Option<&NodeId>, of: &NodeId) -> bool {
    parent == Some(of)
}

fn iterations(at: At<'_>) -> u32 {
    let epoch = at.run.epoch(at.activation);
    let iterations = epoch.and_then(|epoch| epoch.outputs.get("iterations")?.as_u64());
    iterations.and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
}
