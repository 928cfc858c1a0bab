//! Finds cycles by computing which nodes reach each other.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::id::NodeId;

use super::Refusal;
use super::graph::Graph;

/// A cycle.
pub struct Cycle {
    pub entry: NodeId,
    /// The wires that close it.
    pub back: Vec<usize>,
    pub max_epochs: Option<u32>,
}

pub struct Cycles {
    /// Outer ones before inner ones.
    pub all: Vec<Cycle>,
    /// The cycles around each node, outermost first.
    pub around: BTreeMap<NodeId, Vec<usize>>,
    /// The cycles whose iterations each node's epoch counts: those around it, or those that it follows.
    pub clocks: BTreeMap<NodeId, Vec<usize>>,
}

type Members = BTreeSet<NodeId>;

impl Cycles {
    pub fn of(graph: &Graph) -> Result<Self, Refusal> {
        let everybody: Members = graph.nodes.keys().cloned().collect();
        let wires: Vec<usize> = (0..graph.wires.len()).collect();
        let around = everybody.iter().map(|id| (id.clone(), Vec::new())).collect();
        let mut cycles = Self { all: Vec::new(), around, clocks: BTreeMap::new() };
        cycles.nest(graph, &everybody, &wires)?;
        cycles.bound(graph)?;
        cycles.clocks = cycles.around.clone();
        cycles.follow(graph)?;
        Ok(cycles)
    }

    /// Whether a wire closes a cycle.
    pub fn is_back(&self, wire: usize) -> bool {
        self.all.iter().any(|cycle| cycle.back.contains(&wire))
    }

    /// Whether a node is a follower: in no cycle, but fed by one.
    pub fn follows(&self, id: &NodeId) -> bool {
        self.around[id].is_empty() && !self.clocks[id].is_empty()
    }

    fn nest(&mut self, graph: &Graph, among: &Members, wires: &[usize]) -> Result<(), Refusal> {
        for members in components(graph, among, wires) {
            let inside: Vec<usize> = wires
                .iter()
                .copied()
                .filter(|&at| {
                    members.contains(&graph.wires[at].source) && members.contains(&graph.wires[at].target)
                })
                .collect();
            let entry = entry(graph, &members, &inside).ok_or(Refusal::Circular)?;
            let (back, rest): (Vec<usize>, Vec<usize>) =
                inside.iter().partition(|&&wire| graph.wires[wire].target == entry);
            for member in &members {
                self.around.get_mut(member).unwrap().push(self.all.len());
            }
            self.all.push(Cycle { entry, back, max_epochs: None });
            self.nest(graph, &members, &rest)?;
        }
        Ok(())
    }

    /// A node bounds the innermost cycle around it. A cycle without a bound needs a node that pauses.
    fn bound(&mut self, graph: &Graph) -> Result<(), Refusal> {
        for (at, cycle) in self.all.iter_mut().enumerate() {
            let members: Vec<_> = self.around.iter().filter(|(_, around)| around.contains(&at)).collect();
            let own = members.iter().filter(|(_, around)| around.last() == Some(&at));
            cycle.max_epochs = own.filter_map(|(id, _)| graph.nodes[*id].max_epochs).min();
            if cycle.max_epochs.is_none() && !members.iter().any(|(id, _)| graph.nodes[*id].kind == "ask") {
                return Err(Refusal::Circular);
            }
        }
        Ok(())
    }

    /// Nodes in no cycle take on the clocks of their sources, until nothing changes.
    fn follow(&mut self, graph: &Graph) -> Result<(), Refusal> {
        let forward: Vec<_> = (0..graph.wires.len()).filter(|&wire| !self.is_back(wire)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &wire in &forward {
                let wire = &graph.wires[wire];
                if !self.around[&wire.target].is_empty() {
                    // To a member of a cycle, any other cycle is one step.
                    continue;
                }
                let from = self.clocks[&wire.source].clone();
                let to = self.clocks.get_mut(&wire.target).unwrap();
                if to.starts_with(&from) {
                    continue;
                }
                if !from.starts_with(to) {
                    return Err(Refusal::MixedCycles);
                }
                *to = from;
                changed = true;
            }
        }
        Ok(())
    }
}

/// A member that can start. Of several, one with an input fed from inside and outside, then one that pauses, then the first.
fn entry(graph: &Graph, members: &Members, inside: &[usize]) -> Option<NodeId> {
    let fed_inside = |id: &NodeId, port: &str| {
        inside.iter().any(|&at| graph.wires[at].target == *id && graph.wires[at].input.as_str() == port)
    };
    let fed_outside = |id: &NodeId, port: &str| {
        graph.feeds(id).any(|(_, wire)| wire.input.as_str() == port && !members.contains(&wire.source))
    };
    let can_start = |id: &NodeId| {
        graph.nodes[id].inputs.iter().all(|port| {
            let name = port.name.as_str();
            !fed_inside(id, name) || fed_outside(id, name) || !port.required
        })
    };
    let takes_over = |id: &NodeId| {
        graph.nodes[id].inputs.iter().any(|port| {
            let name = port.name.as_str();
            fed_inside(id, name) && fed_outside(id, name)
        })
    };
    let able: Vec<&NodeId> = members.iter().filter(|id| can_start(id)).collect();
    let pausing = |id: &&&NodeId| graph.nodes[**id].kind == "ask";
    let best: Vec<&NodeId> = able.iter().copied().filter(|id| takes_over(id)).collect();
    let best = if best.is_empty() { able } else { best };
    best.iter().find(pausing).or(best.first()).map(|&id| id.clone())
}

/// The sets of nodes that all reach one another, in order of their first members.
fn components(graph: &Graph, among: &Members, wires: &[usize]) -> Vec<Members> {
    let reach: BTreeMap<&NodeId, Members> =
        among.iter().map(|id| (id, reached(graph, among, wires, id))).collect();
    let mut found: Vec<Members> = Vec::new();
    for id in among {
        let members: Members = reach[id].iter().filter(|other| reach[*other].contains(id)).cloned().collect();
        if !members.is_empty() && !found.contains(&members) {
            found.push(members);
        }
    }
    found
}

/// The nodes that a node reaches in one step or more.
fn reached(graph: &Graph, among: &Members, wires: &[usize], from: &NodeId) -> Members {
    let mut reached = Members::new();
    loop {
        let before = reached.len();
        for &at in wires {
            let wire = &graph.wires[at];
            let starts = wire.source == *from || reached.contains(&wire.source);
            if starts && among.contains(&wire.source) && among.contains(&wire.target) {
                reached.insert(wire.target.clone());
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}
