//! The loop nesting forest: which cycles there are, where each is entered, and what bounds it.
//!
//! For each strongly connected component pick its entry, call the component's wires into the entry back wires, cut them,
//! and repeat inside.

use std::collections::BTreeSet;

use super::Refusal;
use super::graph::{Graph, Place, Wire};

#[derive(Debug)]
pub struct Cycle {
    pub entry: Place,
    pub members: BTreeSet<Place>,
    /// The wires from members into the entry.
    pub back: Vec<Wire>,
    /// The cycle it is directly inside of.
    pub parent: Option<usize>,
    /// The least `maxEpochs` of the nodes with this as their innermost cycle.
    pub bound: Option<u32>,
}

/// All cycles, each after the one that it is inside of.
#[derive(Debug, Default)]
pub struct Nesting {
    pub cycles: Vec<Cycle>,
}

impl Nesting {
    pub fn of(graph: &Graph) -> Result<Self, Refusal> {
        let mut nesting = Self::default();
        nesting.split(graph, &graph.places().collect(), &graph.wires, None)?;
        for number in 0..nesting.cycles.len() {
            let innermost = |node: &Place| nesting.around(*node).last() == Some(&number);
            let own = nesting.cycles[number].members.iter().copied().filter(innermost);
            nesting.cycles[number].bound = own.filter_map(|node| graph.nodes[node].max_epochs).min();
        }
        Ok(nesting)
    }

    /// Every cycle must contain a node that pauses, in itself or in an inner cycle, or have a bound of its own.
    pub fn check_bounds(&self, graph: &Graph) -> Result<(), Refusal> {
        let pauses = |cycle: &Cycle| cycle.members.iter().any(|&node| graph.nodes[node].can_ask);
        let is_bounded = self.cycles.iter().all(|cycle| cycle.bound.is_some() || pauses(cycle));
        if is_bounded { Ok(()) } else { Err(Refusal::Circular) }
    }

    /// The cycles that contain a node, outermost first.
    pub fn around(&self, node: Place) -> Vec<usize> {
        (0..self.cycles.len()).filter(|&number| self.cycles[number].members.contains(&node)).collect()
    }

    /// Whether a wire is a back wire of some cycle.
    pub fn is_back(&self, wire: &Wire) -> bool {
        self.cycles.iter().any(|cycle| cycle.back.contains(wire))
    }

    /// Finds the cycles among `nodes`, connected by `wires`.
    fn split(
        &mut self,
        graph: &Graph,
        nodes: &BTreeSet<Place>,
        wires: &[Wire],
        parent: Option<usize>,
    ) -> Result<(), Refusal> {
        let mut done: BTreeSet<Place> = BTreeSet::new();
        for &node in nodes {
            if done.contains(&node) {
                continue;
            }
            let members: BTreeSet<Place> = downstream(wires, node)
                .into_iter()
                .filter(|&it| downstream(wires, it).contains(&node))
                .collect();
            if members.is_empty() {
                continue;
            }
            done.extend(&members);
            let inside: Vec<Wire> = wires
                .iter()
                .filter(|wire| members.contains(&wire.source) && members.contains(&wire.target))
                .cloned()
                .collect();
            let entry = pick_entry(graph, &members, &inside).ok_or(Refusal::Circular)?;
            let (back, forward): (Vec<Wire>, Vec<Wire>) =
                inside.into_iter().partition(|wire| wire.target == entry);
            let number = self.cycles.len();
            self.cycles.push(Cycle { entry, members: members.clone(), back, parent, bound: None });
            self.split(graph, &members, &forward, Some(number))?;
        }
        Ok(())
    }
}

/// The nodes that one wire or more lead to.
pub fn downstream(wires: &[Wire], from: Place) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    loop {
        let count = found.len();
        for wire in wires {
            if wire.source == from || found.contains(&wire.source) {
                found.insert(wire.target);
            }
        }
        if found.len() == count {
            return found;
        }
    }
}

/// An entry must be able to start: each of its ports that is fed from inside is also fed from outside, or is optional.
/// Of several, the one with such a port fed from outside, then one that pauses, then the first by id.
fn pick_entry(graph: &Graph, members: &BTreeSet<Place>, inside: &[Wire]) -> Option<Place> {
    let fed_from = |node: Place, is_inside: bool| -> BTreeSet<&str> {
        let wires =
            graph.wires.iter().filter(|wire| wire.target == node && inside.contains(wire) == is_inside);
        wires.map(|wire| wire.input.as_str()).collect()
    };
    let able = members.iter().copied().filter(|&node| {
        let (within, without) = (fed_from(node, true), fed_from(node, false));
        graph.nodes[node].inputs.iter().all(|port| {
            !within.contains(port.name.as_str()) || without.contains(port.name.as_str()) || !port.required
        })
    });
    able.min_by_key(|&node| {
        let fed_from_both = fed_from(node, true).intersection(&fed_from(node, false)).next().is_some();
        (!fed_from_both, !graph.nodes[node].behavior.pauses, node)
    })
}
