//! The names of contexts: no two nodes make one of the same name, and a node that is told a name is told one that is made.

use std::collections::BTreeMap;

use super::wiring::{Vertex, Wiring};
use crate::diagnostic::Diagnostic;

impl Vertex {
    /// The id of the context it makes, outside of cycles; none where it makes none.
    pub(super) fn makes_context(&self) -> Option<&str> {
        let behavior = self.node.behavior();
        behavior.makes_context.then(|| behavior.context_id.as_deref().unwrap_or(self.id.as_str()))
    }
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
        if let Some(id) = told.filter(|id| !makers.contains_key(id)) {
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
}
