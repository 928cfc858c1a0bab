//! "Run to X": the flow restricted to X and everything it depends on, including the makers of contexts that it names.
//!
//! If a value names a node's context at run time, it may name any context that can be named. The node needs all of their
//! makers.

use std::collections::{BTreeMap, BTreeSet};

use super::context_names::ContextDeclaration;
use super::graph;
use super::input_overrides::InputOverrides;
use super::wiring::BoundFlow;
use crate::node::Portal;
use plait_core::flow::Flow;
use plait_core::id::{ContextId, NodeId};

/// The flow restricted to `target` and what it depends on, over back edges and through portals as well. Takes linear time.
pub(super) fn restrict(bound: &BoundFlow<'_>, target: &NodeId, overrides: &InputOverrides) -> Flow {
    let dependencies = Dependencies::of(bound, overrides);
    let mut needed = BTreeSet::new();
    let mut work = vec![target];
    let mut needs_nameable = false;
    while let Some(id) = work.pop() {
        if !needed.insert(id.clone()) {
            continue;
        }
        // A loop around the target is needed for what comes in, not for what its body gives.
        let is_around = dependencies.is_around(id, target);
        let sources = dependencies.sources.get(id).into_iter().flatten();
        work.extend(sources.filter(|source| !(is_around && dependencies.is_around(id, source))));
        work.extend(dependencies.parents.get(id));
        if !is_around {
            work.extend(dependencies.bodies.get(id).into_iter().flatten());
        }
        work.extend(dependencies.named_maker(id));
        if let Some(Portal::Out(channel)) = dependencies.portals.get(id) {
            work.extend(dependencies.entrances(channel));
        }
        if !needs_nameable && dependencies.named_at_run_time.contains(id) {
            needs_nameable = true;
            work.extend(dependencies.nameable_makers());
        }
    }
    let mut flow = bound.flow.clone();
    flow.nodes.retain(|id, _| needed.contains(id));
    flow.edges.retain(|_, edge| needed.contains(&edge.source) && needed.contains(&edge.target));
    flow
}

/// What each node depends on. Edges are taken as they are drawn, with their errors, so that these are reported.
#[derive(Default)]
struct Dependencies<'a> {
    /// The sources of a node's edges, on the canvas and in its config.
    sources: BTreeMap<&'a NodeId, Vec<&'a NodeId>>,
    portals: BTreeMap<&'a NodeId, Portal>,
    /// The loop that a node is in, and the nodes in a loop.
    parents: BTreeMap<&'a NodeId, &'a NodeId>,
    bodies: BTreeMap<&'a NodeId, Vec<&'a NodeId>>,
    /// The entrances of each portal channel.
    entrances: BTreeMap<String, Vec<&'a NodeId>>,
    makers: BTreeMap<ContextId, &'a NodeId>,
    names: BTreeMap<&'a NodeId, ContextId>,
    /// Nodes with a context that a value names at run time, from a node that does not make it.
    named_at_run_time: BTreeSet<&'a NodeId>,
}

impl<'a> Dependencies<'a> {
    fn of(bound: &BoundFlow<'a>, overrides: &InputOverrides) -> Self {
        let flow = bound.flow;
        let mut found = Self::default();
        let mut context_inputs: BTreeMap<&NodeId, &str> = BTreeMap::new();
        for (id, node) in &flow.nodes {
            if let Some((parent, _)) =
                node.parent.as_ref().and_then(|parent| flow.nodes.get_key_value(parent))
            {
                found.parents.insert(id, parent);
                found.bodies.entry(parent).or_default().push(id);
            }
        }
        for (id, node) in bound.nodes() {
            let declared = ContextDeclaration::of(id, &**node, overrides);
            found.makers.extend(declared.makes.map(|context| (context, id)));
            found.names.extend(declared.names.map(|context| (id, context)));
            context_inputs.extend(declared.input.map(|input| (id, input)));
            let behavior = node.behavior();
            let named = behavior.config_edge.as_ref().and_then(|edge| flow.nodes.get_key_value(&edge.node));
            if let Some((source, _)) = named {
                found.sources.entry(id).or_default().push(source);
            }
            if let Some(portal) = &behavior.portal {
                if let Portal::In(channel) = portal {
                    found.entrances.entry(channel.clone()).or_default().push(id);
                }
                found.portals.insert(id, portal.clone());
            }
        }
        let makers: BTreeSet<&NodeId> = found.makers.values().copied().collect();
        for edge in flow.edges.values() {
            found.sources.entry(&edge.target).or_default().push(&edge.source);
            let is_context_input = context_inputs.get(&edge.target) == Some(&edge.target_input.as_str());
            if is_context_input && !makers.contains(&edge.source) {
                found.named_at_run_time.insert(&edge.target);
            }
        }
        found
    }

    /// Whether a loop is around a node, at any depth.
    fn is_around(&self, container: &NodeId, node: &NodeId) -> bool {
        let mut at = self.parents.get(node).copied();
        // A node that lies inside itself is reported elsewhere.
        for _ in 0..=self.parents.len() {
            match at {
                Some(parent) if parent == container => return true,
                Some(parent) => at = self.parents.get(parent).copied(),
                None => return false,
            }
        }
        false
    }

    fn named_maker(&self, id: &NodeId) -> Option<&'a NodeId> {
        self.makers.get(self.names.get(id)?).copied()
    }

    fn entrances(&self, channel: &str) -> &[&'a NodeId] {
        self.entrances.get(channel).map_or(&[], Vec::as_slice)
    }

    /// The makers of contexts that can be named: those in no loop, in no cycle and behind none, which are the ones that a
    /// topological order reaches while back edges are not cut.
    fn nameable_makers(&self) -> Vec<&'a NodeId> {
        let mut vertices: BTreeMap<&NodeId, usize> = BTreeMap::new();
        let mut channels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut count = 0;
        let mut next_vertex = || {
            count += 1;
            count - 1
        };
        let mut edges = Vec::new();
        for (target, sources) in &self.sources {
            // What a body gives to its loop leads into no earlier iteration of the scope around.
            for source in sources.iter().filter(|source| !self.is_around(target, source)) {
                let from = *vertices.entry(source).or_insert_with(&mut next_vertex);
                edges.push((from, *vertices.entry(target).or_insert_with(&mut next_vertex)));
            }
        }
        // Each channel is a vertex: its entrances lead to it, and it leads to its exits.
        for (id, portal) in &self.portals {
            let node = *vertices.entry(id).or_insert_with(&mut next_vertex);
            let (Portal::In(name) | Portal::Out(name)) = portal;
            let channel = *channels.entry(name).or_insert_with(&mut next_vertex);
            edges.push(if matches!(portal, Portal::In(_)) { (node, channel) } else { (channel, node) });
        }
        let reached: BTreeSet<usize> =
            graph::topological_order(count, edges.into_iter()).into_iter().collect();
        let runs_once = |id: &&&NodeId| vertices.get(**id).is_none_or(|vertex| reached.contains(vertex));
        let is_outside = |id: &&&NodeId| !self.parents.contains_key(**id);
        self.makers.values().filter(runs_once).filter(is_outside).copied().collect()
    }
}
