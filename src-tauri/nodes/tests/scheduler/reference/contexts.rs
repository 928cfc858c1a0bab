//! Which contexts a node can work in, as far as the flow tells before it runs.
//!
//! A context is named after the node that makes it. An edge from its maker names it for certain, also through nodes that
//! hand it on, and so does a setting or a value given from outside. Any other value can name any context.

use std::collections::BTreeSet;

use plait_core::id::NodeId;

use super::document::Document;
use super::{InputOverrides, Refusal};

/// The contexts that a node can work in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub makers: BTreeSet<NodeId>,
    /// A value that is known only at run time names the context.
    pub any: bool,
}

impl Reach {
    pub fn is_nothing(&self) -> bool {
        self.makers.is_empty() && !self.any
    }

    /// Whether two nodes can work in one context.
    pub fn meets(&self, other: &Self) -> bool {
        let both = !self.is_nothing() && !other.is_nothing();
        both && (self.any || other.any || !self.makers.is_disjoint(&other.makers))
    }
}

/// The context that a value given from outside names, if it names one.
fn given_name<'a>(overrides: &'a InputOverrides, node: &NodeId, input: &str) -> Option<&'a str> {
    overrides.get(node)?.get(input)?["contextId"].as_str()
}

/// Whether a node of this kind works in a context.
fn works_in_one(kind: &str) -> bool {
    matches!(kind, "turn" | "guest")
}

/// The contexts that a node can work in; none if it works in no context. A loop works in the contexts of its body,
/// except contexts that its body makes.
pub fn reach(document: &Document, overrides: &InputOverrides, node: &NodeId) -> Reach {
    let mut reach = Reach::default();
    for user in document.nodes.values() {
        let is_it = user.id == *node || document.is_inside(&user.id, node);
        if is_it && works_in_one(&user.kind) {
            works_in(document, overrides, &user.id, &mut BTreeSet::new(), &mut reach);
        }
    }
    reach.makers.retain(|maker| !document.is_inside(maker, node));
    reach
}

fn works_in(
    document: &Document,
    overrides: &InputOverrides,
    node: &NodeId,
    seen: &mut BTreeSet<(NodeId, String)>,
    reach: &mut Reach,
) {
    let it = &document.nodes[node];
    match it.kind.as_str() {
        "guest" if !it.settings.names.is_empty() => {
            let name: NodeId = it.settings.names.as_str().into();
            reach.makers.extend(document.nodes.contains_key(&name).then_some(name));
        }
        "guest" => over_input(document, overrides, node, "who", seen, reach),
        _ => over_input(document, overrides, node, "context", seen, reach),
    }
}

/// What the connections into an input can name.
fn over_input(
    document: &Document,
    overrides: &InputOverrides,
    node: &NodeId,
    input: &str,
    seen: &mut BTreeSet<(NodeId, String)>,
    reach: &mut Reach,
) {
    if let Some(name) = given_name(overrides, node, input) {
        let id: NodeId = name.into();
        match document.nodes.get(&id) {
            Some(maker) if maker.kind == "context" => drop(reach.makers.insert(id)),
            _ => reach.any = true,
        }
    }
    let into = document.connections.iter().filter(|it| it.target == *node && it.input.as_str() == input);
    for connection in into {
        let source = &connection.source;
        if !seen.insert((source.clone(), connection.output.to_string())) {
            continue;
        }
        // Of values on data edges, it is not followed what enters a loop.
        if input != "context" && connection.begins_in(document) != connection.ends_in(document) {
            reach.any = true;
            continue;
        }
        match (document.nodes[source].kind.as_str(), connection.output.as_str()) {
            ("context", "context" | "handle") => {
                reach.makers.insert(source.clone());
            }
            ("turn" | "guest", "context") => works_in(document, overrides, source, seen, reach),
            ("relay" | "loop", "context") => over_input(document, overrides, source, "context", seen, reach),
            ("pass", "out") => over_input(document, overrides, source, "a", seen, reach),
            _ => reach.any = true,
        }
    }
}

/// The makers of contexts that nodes name by a setting or by a value from outside, each with the node that names it, which
/// may be in a loop: it comes after its maker.
///
/// Inside a cycle or a loop and behind one, a context is made in every epoch and has a name of its own in each. Such a name,
/// and one that nobody makes, is refused in a setting; from outside, it is looked up when the node runs.
pub fn named_ahead(
    document: &Document,
    is_made_once: impl Fn(&NodeId) -> bool,
    overrides: &InputOverrides,
) -> Result<Vec<(NodeId, NodeId)>, Refusal> {
    let mut named = Vec::new();
    for user in document.nodes.values().filter(|node| node.kind == "guest") {
        let in_settings = user.settings.names.as_str();
        let given = given_name(overrides, &user.id, "who");
        let Some(name) = Some(in_settings).filter(|name| !name.is_empty()).or(given) else { continue };
        let maker: NodeId = name.into();
        let is_one = document.nodes.get(&maker).is_some_and(|node| node.kind == "context");
        if is_one && is_made_once(&maker) {
            named.push((maker, user.id.clone()));
        } else if given.is_none() {
            return Err(Refusal::ContextUnknown);
        }
    }
    Ok(named)
}

/// Whether a node of a scope comes after another: over wires, or because a node on the way names the context that the one
/// before makes.
pub fn depends_on(
    graph: &super::graph::Graph,
    named: &[(super::graph::Place, super::graph::Place)],
    node: super::graph::Place,
    other: super::graph::Place,
) -> bool {
    let mut found = BTreeSet::from([other]);
    loop {
        let count = found.len();
        let wires = graph.wires.iter().map(|wire| (wire.source, wire.target));
        for (source, target) in wires.chain(named.iter().copied()) {
            if found.contains(&source) {
                found.insert(target);
            }
        }
        if found.len() == count {
            return found.contains(&node);
        }
    }
}
