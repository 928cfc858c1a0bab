//! The names of contexts: no two nodes make one of the same name, a node that is told a name is told one that is made, and
//! it comes after the one that makes it, edges or not.

use std::collections::BTreeMap;

use super::Given;
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
pub(super) fn told_to(id: &NodeId, node: &dyn BoundNode, given: &Given) -> Option<ContextId> {
    let behavior = node.behavior();
    if let Some(context) = &behavior.uses_context_id {
        return Some(context.as_str().into());
    }
    let port = behavior.uses_context_from?;
    let value = given.get(id)?.iter().find(|(name, _)| name.as_str() == port)?.1;
    ContextHandle::named_by(value)
}

/// The context that each vertex is told of by name, where it is: in its config, or by a value given to this run.
pub(super) fn told(wiring: &Wiring, given: &Given) -> Vec<Option<ContextId>> {
    wiring.vertices.iter().map(|vertex| told_to(&vertex.id, &*vertex.node, given)).collect()
}

/// Who makes which context. One made inside of a cycle, or behind one, has another name in every round, so it can't be
/// named beforehand.
pub(super) fn by_name(wiring: &Wiring, clocks: &[Vec<usize>]) -> BTreeMap<ContextId, usize> {
    let outside = wiring.vertices.iter().enumerate().filter(|(at, _)| clocks[*at].is_empty());
    outside.filter_map(|(at, vertex)| Some((vertex.makes_context()?.into(), at))).collect()
}

/// For each vertex that is told a context's name: the vertex that makes it and itself.
pub(super) fn before(
    told: &[Option<ContextId>],
    makers: &BTreeMap<ContextId, usize>,
) -> Vec<(usize, usize)> {
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
pub(super) fn named_contexts(wiring: &Wiring) -> Vec<Diagnostic> {
    let mut makers: BTreeMap<&str, &Vertex> = BTreeMap::new();
    let mut found = Vec::new();
    for vertex in &wiring.vertices {
        let Some(id) = vertex.makes_context() else { continue };
        if let Some(first) = makers.get(id) {
            let message = format!("`{}` and `{}` both make a context called `{id}`.", first.id, vertex.id);
            let diagnostic = Diagnostic::on_node("context.duplicate", &vertex.id, message);
            found.push(diagnostic.below("/config/contextId").hint("Give one of them another `contextId`."));
        } else {
            makers.insert(id, vertex);
        }
    }
    for vertex in &wiring.vertices {
        let told = vertex.node.behavior().uses_context_id.as_deref();
        if let Some(id) = told.filter(|id| !makers.contains_key(id) && !wiring.unread.makes_context) {
            let message = format!("No node makes a context called `{id}`.");
            let known: Vec<_> = makers.keys().map(|id| format!("`{id}`")).collect();
            let hint = if known.is_empty() {
                "Add a `contextStart`, which makes `main`.".to_owned()
            } else {
                format!("There are: {}. A `newContext` makes one called like the node.", known.join(", "))
            };
            let diagnostic = Diagnostic::on_node("context.unknown", &vertex.id, message);
            found.push(diagnostic.below("/config/contextId").hint(hint));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::nodes::registry;
    use crate::plan::check;

    fn found(nodes: &str) -> Vec<(String, String)> {
        let flow = crate::flow::read(&format!(r#"{{"version": 1, "nodes": {nodes}}}"#)).unwrap();
        let told = check(&flow, &registry()).diagnostics;
        told.into_iter().map(|diagnostic| (diagnostic.code, diagnostic.pointer)).collect()
    }

    #[test]
    fn two_starts_need_two_names() {
        let twice = r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart"}}"#;
        assert_eq!(found(twice), [("context.duplicate".into(), "/nodes/b/config/contextId".into())]);
        let named = r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart", "config": {"contextId": "side"}}}"#;
        assert_eq!(found(named), []);
        let taken =
            r#"{"a": {"type": "newContext"}, "b": {"type": "contextStart", "config": {"contextId": "a"}}}"#;
        assert_eq!(found(taken).len(), 1);
    }

    #[test]
    fn a_name_that_nobody_makes_is_told() {
        let inject = |id: &str| {
            let config = format!(r#"{{"contextId": "{id}", "messages": []}}"#);
            format!(
                r#"{{"n": {{"type": "newContext"}}, "i": {{"type": "injectMessages", "config": {config}}}}}"#
            )
        };
        assert_eq!(found(&inject("n")), []);
        assert_eq!(found(&inject("x")), [("context.unknown".into(), "/nodes/i/config/contextId".into())]);
    }

    #[test]
    fn what_a_node_that_is_wrong_would_have_made_is_not_missed() {
        let inject = r#""i": {"type": "injectMessages", "config": {"contextId": "n", "messages": []}}"#;
        let beside = |node: &str| found(&format!(r#"{{{node}, {inject}}}"#));
        let at = |code: &str, pointer: &str| (code.to_owned(), pointer.to_owned());
        let wrong = at("config.invalid", "/nodes/n/config/provider");
        assert_eq!(beside(r#""n": {"type": "newContext", "config": {"provider": 7}}"#), [wrong]);
        let unknown = at("node.unknown_type", "/nodes/x/type");
        assert_eq!(beside(r#""x": {"type": "quantumOracle"}"#), [unknown]);
        let missing = at("context.unknown", "/nodes/i/config/contextId");
        let wait = at("config.invalid", "/nodes/w/config/ms");
        assert_eq!(beside(r#""w": {"type": "delay", "config": {"ms": "x"}}"#), [wait, missing]);
    }

    #[test]
    fn a_node_that_is_wrong_is_there_all_the_same() {
        let config = r#"{"file": "x.flow.json", "inputSource": "nodeOutput", "sourceNodeId": "n"}"#;
        let call = format!(r#""s": {{"type": "subflow", "config": {config}}}"#);
        let missing = ("config.unknown_source".to_owned(), "/nodes/s/config/sourceNodeId".to_owned());
        assert_eq!(found(&format!("{{{call}}}")), [missing]);
        let wrong = ("config.invalid".to_owned(), "/nodes/n/config/ms".to_owned());
        assert_eq!(found(&format!(r#"{{{call}, "n": {{"type": "delay", "config": {{"ms": "x"}}}}}}"#)), [wrong]);
    }
}
