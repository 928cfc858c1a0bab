//! Which nodes may work in the same context: follows context edges backward to makers, or to guests that name a context and
//! hand it on.

use std::collections::BTreeSet;

use plait_engine::id::NodeId;

use super::cycles::Cycles;
use super::graph::Graph;

/// The nodes that take turns, in groups that may share a context; each group in plan order.
pub struct Groups(Vec<Vec<NodeId>>);

impl Groups {
    /// The group of a node; only the node itself if it shares no context.
    pub fn of(&self, id: &NodeId) -> Vec<NodeId> {
        self.0.iter().find(|group| group.contains(id)).cloned().unwrap_or_else(|| vec![id.clone()])
    }

    /// Whether a node shares its context with others.
    pub fn shares(&self, id: &NodeId) -> bool {
        self.of(id).len() > 1
    }

    pub fn all(&self) -> Vec<Vec<NodeId>> {
        self.0.iter().filter(|group| group.len() > 1).cloned().collect()
    }

    /// Whether a follower of an inner cycle shares a context: no order of turns is possible then.
    pub fn shared_outside_cycle(&self, cycles: &Cycles) -> bool {
        let shared = self.0.iter().filter(|group| group.len() > 1).flatten();
        shared.clone().any(|id| cycles.follows(id) && cycles.clocks[id].len() > 1)
    }
}

pub fn groups(graph: &Graph, order: &[NodeId]) -> Groups {
    let users = order.iter().filter(|id| matches!(graph.nodes[*id].kind.as_str(), "turn" | "guest"));
    let users: Vec<(&NodeId, Makers)> = users.map(|id| (id, makers(graph, id))).collect();
    let anything = users.iter().any(|(_, makers)| matches!(makers, Makers::Any));
    let mut groups: Vec<(BTreeSet<NodeId>, Vec<NodeId>)> = Vec::new();
    for (user, makers) in users {
        let mut makers = match makers {
            Makers::These(makers) if makers.is_empty() => continue,
            Makers::These(makers) => makers,
            Makers::Any => BTreeSet::new(),
        };
        let mut members = vec![user.clone()];
        // A node that shares a maker with one member joins the group. A node that may work in any context joins all groups.
        let (sharing, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(theirs, _)| anything || !theirs.is_disjoint(&makers));
        groups = others;
        for (theirs, them) in sharing {
            makers.extend(theirs);
            members.extend(them);
        }
        groups.push((makers, members));
    }
    let in_order = |members: Vec<NodeId>| -> Vec<NodeId> {
        order.iter().filter(|id| members.contains(id)).cloned().collect()
    };
    Groups(groups.into_iter().map(|(_, members)| in_order(members)).collect())
}

/// The makers whose contexts may come to a node.
enum Makers {
    These(BTreeSet<NodeId>),
    /// A value names the context, which may be any.
    Any,
}

fn makers(graph: &Graph, user: &NodeId) -> Makers {
    let mut makers = BTreeSet::new();
    let mut seen = BTreeSet::from([user.clone()]);
    let mut work = vec![user.clone()];
    while let Some(id) = work.pop() {
        match assigned_makers(graph, &id) {
            Some(Makers::Any) => return Makers::Any,
            Some(Makers::These(them)) => makers.extend(them),
            None => {
                for (_, wire) in graph.feeds(&id).filter(|(_, wire)| wire.is_context) {
                    if is_maker(graph, &wire.source) {
                        makers.insert(wire.source.clone());
                    } else if seen.insert(wire.source.clone()) {
                        work.push(wire.source.clone());
                    }
                }
            }
        }
    }
    Makers::These(makers)
}

/// The makers of the context that a node names in its settings or on `who`; none if an override on `who` names no context.
/// Nothing if it goes by its context edge.
fn assigned_makers(graph: &Graph, id: &NodeId) -> Option<Makers> {
    let named = &graph.nodes[id].settings.names;
    if !named.is_empty() {
        return Some(Makers::These(graph.nodes.keys().filter(|id| id.as_str() == named).cloned().collect()));
    }
    if !is_guest(graph, id) {
        return None;
    }
    // A guest needs a value on `who`. Without an edge it is an override, and those of these tests name no context.
    let sources = graph.feeds(id).filter(|(_, wire)| wire.input.as_str() == "who");
    let mut makers = BTreeSet::new();
    for (_, wire) in sources {
        if !is_maker(graph, &wire.source) {
            return Some(Makers::Any);
        }
        makers.insert(wire.source.clone());
    }
    Some(Makers::These(makers))
}

fn is_guest(graph: &Graph, id: &NodeId) -> bool {
    graph.nodes[id].kind == "guest"
}

fn is_maker(graph: &Graph, id: &NodeId) -> bool {
    graph.nodes[id].kind == "context"
}
