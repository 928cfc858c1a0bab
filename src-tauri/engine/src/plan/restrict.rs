//! "Run to": the same plan, restricted to a node and what it depends on, the makers of contexts it names among it.
//!
//! Where a context is only named at run time it may be any that can be named, so all their makers are part of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::Flow;
use crate::id::{ContextId, NodeId};
use crate::node::{Portal, Registry};

use super::InputOverrides;
use super::{makers, order};

/// The flow restricted to `target` and its ancestors, over back edges and through portals as well. Linear in the flow.
pub(super) fn restrict(flow: &Flow, registry: &Registry, target: &NodeId, given: &InputOverrides) -> Flow {
    let needs = Needs::of(flow, registry, given);
    let mut kept = BTreeSet::new();
    let mut work = vec![target];
    let mut any_context = false;
    while let Some(id) = work.pop() {
        if !kept.insert(id.clone()) {
            continue;
        }
        work.extend(needs.sources.get(id).into_iter().flatten());
        work.extend(needs.maker(id));
        if let Some(Portal::Out(channel)) = needs.portals.get(id) {
            work.extend(needs.entrances(channel));
        }
        if !any_context && needs.told_later.contains(id) {
            any_context = true;
            work.extend(needs.nameable());
        }
    }
    let mut flow = flow.clone();
    flow.nodes.retain(|id, _| kept.contains(id));
    flow.edges.retain(|_, edge| kept.contains(&edge.source) && kept.contains(&edge.target));
    flow
}

/// What each node needs before it can run.
#[derive(Default)]
struct Needs<'a> {
    /// Where its edges come from, those that configs name among them.
    sources: BTreeMap<&'a NodeId, Vec<&'a NodeId>>,
    portals: BTreeMap<&'a NodeId, Portal>,
    entrances: BTreeMap<String, Vec<&'a NodeId>>,
    /// Who makes which context.
    makers: BTreeMap<ContextId, &'a NodeId>,
    /// The context it is told of before the run.
    told: BTreeMap<&'a NodeId, ContextId>,
    /// Those that are told of a context by a value of the run.
    told_later: BTreeSet<&'a NodeId>,
}

impl<'a> Needs<'a> {
    fn of(flow: &'a Flow, registry: &Registry, given: &InputOverrides) -> Self {
        let mut needs = Self::default();
        let mut listens: BTreeMap<&NodeId, &str> = BTreeMap::new();
        for (id, node) in &flow.nodes {
            let Some(Ok(bound)) = registry.bind(id, &node.node_type, &node.config) else { continue };
            let behavior = bound.behavior();
            if let Some(context) = makers::made_by(id, &*bound) {
                needs.makers.insert(context.into(), id);
            }
            if let Some(context) = makers::told_to(id, &*bound, given) {
                needs.told.insert(id, context);
            } else if let Some(port) = behavior.uses_context_from {
                listens.insert(id, port);
            }
            if let Some((source, _)) =
                behavior.reads.as_ref().and_then(|reads| flow.nodes.get_key_value(&reads.node))
            {
                needs.sources.entry(id).or_default().push(source);
            }
            if let Some(portal) = &behavior.portal {
                if let Portal::In(channel) = portal {
                    needs.entrances.entry(channel.clone()).or_default().push(id);
                }
                needs.portals.insert(id, portal.clone());
            }
        }
        let makes: BTreeSet<&NodeId> = needs.makers.values().copied().collect();
        for edge in flow.edges.values() {
            needs.sources.entry(&edge.target).or_default().push(&edge.source);
            let told = listens.get(&edge.target) == Some(&edge.target_input.as_str());
            if told && !makes.contains(&edge.source) {
                needs.told_later.insert(&edge.target);
            }
        }
        needs
    }

    fn maker(&self, id: &NodeId) -> Option<&'a NodeId> {
        self.makers.get(self.told.get(id)?).copied()
    }

    fn entrances(&self, channel: &str) -> &[&'a NodeId] {
        self.entrances.get(channel).map_or(&[], Vec::as_slice)
    }

    /// The makers of contexts that can be named: none that stands inside of a cycle or behind one. Those are never reached
    /// where the cycles are not cut.
    fn nameable(&self) -> Vec<&'a NodeId> {
        let mut at: BTreeMap<&NodeId, usize> = BTreeMap::new();
        let mut channels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut count = 0;
        let mut number = || {
            count += 1;
            count - 1
        };
        let mut edges = Vec::new();
        for (target, sources) in &self.sources {
            for source in sources {
                let from = *at.entry(source).or_insert_with(&mut number);
                edges.push((from, *at.entry(target).or_insert_with(&mut number)));
            }
        }
        // A channel is a point of its own, that every way in leads to and every way out comes from.
        for (id, portal) in &self.portals {
            let node = *at.entry(id).or_insert_with(&mut number);
            let (Portal::In(name) | Portal::Out(name)) = portal;
            let channel = *channels.entry(name).or_insert_with(&mut number);
            edges.push(if matches!(portal, Portal::In(_)) { (node, channel) } else { (channel, node) });
        }
        let reached: BTreeSet<usize> = order::topological(count, &edges).into_iter().collect();
        let is_outside = |id: &&&NodeId| at.get(**id).is_none_or(|at| reached.contains(at));
        self.makers.values().filter(is_outside).copied().collect()
    }
}
