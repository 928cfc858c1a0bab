//! "Run to": the same plan, restricted to a node and what it depends on, the makers of contexts it names among it.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::Flow;
use crate::id::{ContextId, NodeId};
use crate::node::{Portal, Registry};

use super::Given;
use super::makers;

/// The flow restricted to `target` and its ancestors, over back edges and through portals as well. Linear in the flow.
pub(super) fn restrict(flow: &Flow, registry: &Registry, target: &NodeId, given: &Given) -> Flow {
    let portal = |id: &NodeId| {
        let node = flow.nodes.get(id)?;
        registry.bind(id, &node.node_type, &node.config)?.ok()?.behavior().portal.clone()
    };
    let mut sources: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
    for edge in flow.edges.values() {
        sources.entry(&edge.target).or_default().push(&edge.source);
    }
    let mut entrances: BTreeMap<String, Vec<&NodeId>> = BTreeMap::new();
    for (id, node) in &flow.nodes {
        if node.node_type.starts_with("portal")
            && let Some(Portal::In(channel)) = portal(id)
        {
            entrances.entry(channel).or_default().push(id);
        }
    }
    let named = Named::of(flow, registry, given);
    let mut kept = BTreeSet::new();
    let mut work = vec![target];
    while let Some(id) = work.pop() {
        if !kept.insert(id.clone()) {
            continue;
        }
        work.extend(sources.get(id).into_iter().flatten());
        work.extend(named.makers(id));
        work.extend(named.sources.get(id));
        if flow.nodes.get(id).is_some_and(|node| node.node_type.starts_with("portal"))
            && let Some(Portal::Out(channel)) = portal(id)
        {
            work.extend(entrances.get(&channel).into_iter().flatten());
        }
    }
    let mut flow = flow.clone();
    flow.nodes.retain(|id, _| kept.contains(id));
    flow.edges.retain(|_, edge| kept.contains(&edge.source) && kept.contains(&edge.target));
    flow
}

/// Which contexts are named, and who makes them; and which nodes are, whose outputs are taken without an edge.
struct Named<'a> {
    makers: BTreeMap<String, &'a NodeId>,
    told: BTreeMap<&'a NodeId, ContextId>,
    sources: BTreeMap<&'a NodeId, &'a NodeId>,
}

impl<'a> Named<'a> {
    fn of(flow: &'a Flow, registry: &Registry, given: &Given) -> Self {
        let mut named = Self { makers: BTreeMap::new(), told: BTreeMap::new(), sources: BTreeMap::new() };
        for (id, node) in &flow.nodes {
            let Some(Ok(bound)) = registry.bind(id, &node.node_type, &node.config) else { continue };
            if let Some(context) = makers::made_by(id, &*bound) {
                named.makers.insert(context.to_owned(), id);
            }
            if let Some(context) = makers::told_to(id, &*bound, given) {
                named.told.insert(id, context);
            }
            let reads = bound.behavior().reads.as_ref();
            if let Some((source, _)) = reads.and_then(|reads| flow.nodes.get_key_value(&reads.node)) {
                named.sources.insert(id, source);
            }
        }
        named
    }

    fn makers(&self, id: &NodeId) -> Option<&'a NodeId> {
        self.makers.get(self.told.get(id)?.as_str()).copied()
    }
}
