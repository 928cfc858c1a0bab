//! The names of contexts: no two nodes make one of the same name, a node that is told a name is told one that is made, and
//! it comes after the one that makes it, edges or not.

use std::collections::{BTreeMap, BTreeSet};

use super::InputOverrides;
use super::order;
use super::wiring::{Vertex, Wiring};
use crate::context::ContextHandle;
use crate::diagnostic::Diagnostic;
use crate::id::{ContextId, NodeId};
use crate::node::BoundNode;

impl Vertex {
    /// The id of the context it makes, outside of cycles; none where it makes none.
    pub(super) fn makes_context(&self) -> Option<&str> {
        made_by(&self.id, &*self.node)
    }
}

/// The id of the context a node makes, outside of cycles; none where it makes none.
pub(super) fn made_by<'a>(id: &'a NodeId, node: &'a dyn BoundNode) -> Option<&'a str> {
    let behavior = node.behavior();
    behavior.makes_context.then(|| behavior.context_id.as_deref().unwrap_or(id.as_str()))
}

/// The context a node is told of by name: in its config, or by a value given to this run.
pub(super) fn told_to(id: &NodeId, node: &dyn BoundNode, given: &InputOverrides) -> Option<ContextId> {
    let behavior = node.behavior();
    if let Some(context) = &behavior.uses_context_id {
        return Some(context.as_str().into());
    }
    let port = behavior.uses_context_from?;
    let value = given.get(id)?.iter().find(|(name, _)| name.as_str() == port)?.1;
    ContextHandle::named_by(value)
}

/// The context that each vertex is told of by name, where it is: in its config, or by a value given to this run.
pub(super) fn told(wiring: &Wiring, given: &InputOverrides) -> Vec<Option<ContextId>> {
    wiring.vertices.iter().map(|vertex| told_to(&vertex.id, &*vertex.node, given)).collect()
}

/// Who makes which context. One made inside of a cycle, or behind one, has another name in every round, so it can't be
/// named beforehand.
pub(super) fn by_name(wiring: &Wiring, clocks: &[Vec<usize>]) -> BTreeMap<ContextId, usize> {
    let outside = wiring.vertices.iter().enumerate().filter(|(at, _)| clocks[*at].is_empty());
    outside.filter_map(|(at, vertex)| Some((vertex.makes_context()?.into(), at))).collect()
}

/// For each vertex that is told a context's name: the vertex that makes it and itself.
pub(super) fn before(told: &[Option<ContextId>], makers: &BTreeMap<ContextId, usize>) -> Vec<(usize, usize)> {
    let pairs = told.iter().enumerate().filter_map(|(at, id)| Some((*makers.get(id.as_ref()?)?, at)));
    pairs.filter(|(maker, user)| maker != user).collect()
}

/// Users that the maker of their context waits for: the context could never be there in time. `forward` are the edges that
/// carry values, without those that lead back.
pub(super) fn too_early(
    wiring: &Wiring,
    forward: &[(usize, usize)],
    before: &[(usize, usize)],
) -> Vec<Diagnostic> {
    let stuck = order::on_circles(wiring.vertices.len(), forward.iter().chain(before).copied());
    let among = |&&(maker, user): &&(usize, usize)| stuck[maker].is_some() && stuck[maker] == stuck[user];
    before
        .iter()
        .filter(among)
        .map(|&(maker, user)| {
            let (maker, user) = (&wiring.vertices[maker].id, &wiring.vertices[user].id);
            let message = format!(
                "`{user}` works in the context that `{maker}` makes, but `{maker}` waits for `{user}`."
            );
            Diagnostic::on_node("context.too_early", user, message)
                .hint("Remove the path between them, or give this node another context.")
        })
        .collect()
}

/// Contexts that two nodes make, and contexts that a node is told to use and none makes.
pub(super) fn named_contexts(wiring: &Wiring, clocks: &[Vec<usize>]) -> Vec<Diagnostic> {
    // Who makes a context of another name in every round: `critic#0`, `critic#1`.
    let in_rounds = |(at, vertex): (usize, &Vertex)| {
        (!clocks[at].is_empty()).then(|| vertex.makes_context().map(str::to_owned)).flatten()
    };
    let in_rounds: BTreeSet<String> = wiring.vertices.iter().enumerate().filter_map(in_rounds).collect();
    let mut makers: BTreeMap<&str, &Vertex> = BTreeMap::new();
    let mut found = Vec::new();
    for (vertex, _) in wiring.vertices.iter().zip(clocks).filter(|(_, clock)| clock.is_empty()) {
        let Some(id) = vertex.makes_context() else { continue };
        let other = makers.get(id).map(|first| first.id.as_str());
        if let Some(other) = other.or_else(|| of_a_round(id).filter(|maker| in_rounds.contains(*maker))) {
            let message = format!("`{other}` and `{}` both make a context called `{id}`.", vertex.id);
            let diagnostic = Diagnostic::on_node("context.duplicate", &vertex.id, message);
            found.push(diagnostic.below("/config/contextId").hint("Give one of them another `contextId`."));
        } else {
            makers.insert(id, vertex);
        }
    }
    for vertex in &wiring.vertices {
        let told = vertex.node.behavior().uses_context_id.as_deref();
        let Some(id) = told.filter(|id| !makers.contains_key(id)) else { continue };
        let (message, hint) = if in_rounds.contains(id) {
            (
                format!("`{id}` makes a context of another name in every round, so none is called `{id}`."),
                "Leave the name out and wire its `handle` or `context` to this node.".to_owned(),
            )
        } else if wiring.unread.makes_context {
            // It may be one of those that could not be read.
            continue;
        } else {
            let known: Vec<_> = makers.keys().map(|id| format!("`{id}`")).collect();
            let hint = if known.is_empty() {
                "Add a `contextStart`, which makes `main`.".to_owned()
            } else {
                format!("There are: {}. A `newContext` makes one called like the node.", known.join(", "))
            };
            (format!("No node makes a context called `{id}`."), hint)
        };
        let diagnostic = Diagnostic::on_node("context.unknown", &vertex.id, message);
        found.push(diagnostic.below("/config/contextId").hint(hint));
    }
    found
}

/// Whose context of a round a name would be: that of `critic` for `critic#0` or `critic#2.1`.
fn of_a_round(id: &str) -> Option<&str> {
    let (maker, round) = id.rsplit_once('#')?;
    round.split('.').all(|counter| counter.parse::<u32>().is_ok()).then_some(maker)
}

#[cfg(test)]
mod tests;
