//! Which contexts a node can work in, as far as the flow tells before it runs.
//!
//! A context is named after the node that makes it. An edge from its maker names it for certain, also through nodes that
//! hand it on, and so does a setting or a value given from outside. Any other value can name any context.

use std::collections::BTreeSet;

use super::clocks::Clocks;
use super::graph::{Graph, Place};
use super::{InputOverrides, Refusal};

/// The contexts that a node can work in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub makers: BTreeSet<Place>,
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
fn given_name<'a>(graph: &Graph, overrides: &'a InputOverrides, node: Place, input: &str) -> Option<&'a str> {
    overrides.get(&graph.nodes[node].id)?.get(input)?["contextId"].as_str()
}

/// Whether a node of this kind works in a context.
fn works_in_one(kind: &str) -> bool {
    matches!(kind, "turn" | "guest")
}

/// The contexts that a node can work in; none if it works in no context.
pub fn reach(graph: &Graph, overrides: &InputOverrides, node: Place) -> Reach {
    let mut reach = Reach::default();
    if works_in_one(&graph.nodes[node].kind) {
        works_in(graph, overrides, node, &mut BTreeSet::new(), &mut reach);
    }
    reach
}

fn works_in(
    graph: &Graph,
    overrides: &InputOverrides,
    node: Place,
    seen: &mut BTreeSet<(Place, String)>,
    reach: &mut Reach,
) {
    let settings = &graph.nodes[node].settings;
    match graph.nodes[node].kind.as_str() {
        "guest" if !settings.names.is_empty() => {
            reach.makers.extend(graph.find(&settings.names.as_str().into()));
        }
        "guest" => over_input(graph, overrides, node, "who", seen, reach),
        _ => over_input(graph, overrides, node, "context", seen, reach),
    }
}

/// What the wires into an input can name.
fn over_input(
    graph: &Graph,
    overrides: &InputOverrides,
    node: Place,
    input: &str,
    seen: &mut BTreeSet<(Place, String)>,
    reach: &mut Reach,
) {
    if let Some(name) = given_name(graph, overrides, node, input) {
        match graph.find(&name.into()) {
            Some(maker) if graph.nodes[maker].kind == "context" => drop(reach.makers.insert(maker)),
            _ => reach.any = true,
        }
    }
    for wire in graph.wires.iter().filter(|wire| wire.target == node && wire.input.as_str() == input) {
        if !seen.insert((wire.source, wire.output.to_string())) {
            continue;
        }
        match (graph.nodes[wire.source].kind.as_str(), wire.output.as_str()) {
            ("context", "context" | "handle") => {
                reach.makers.insert(wire.source);
            }
            ("turn" | "guest", "context") => works_in(graph, overrides, wire.source, seen, reach),
            ("relay", "context") => over_input(graph, overrides, wire.source, "context", seen, reach),
            ("pass", "out") => over_input(graph, overrides, wire.source, "a", seen, reach),
            _ => reach.any = true,
        }
    }
}

/// The makers of contexts that nodes name by a setting or by a value from outside, each with the node that names it: it comes
/// after its maker.
///
/// Inside a cycle and behind one, a context is made in every epoch and has a name of its own in each. Such a name, and one
/// that nobody makes, is refused in a setting; from outside, it is looked up when the node runs.
pub fn named_ahead(
    graph: &Graph,
    clocks: &Clocks,
    overrides: &InputOverrides,
) -> Result<Vec<(Place, Place)>, Refusal> {
    let mut named = Vec::new();
    for user in graph.places().filter(|&node| graph.nodes[node].kind == "guest") {
        let in_settings = graph.nodes[user].settings.names.as_str();
        let given = given_name(graph, overrides, user, "who");
        let Some(name) = Some(in_settings).filter(|name| !name.is_empty()).or(given) else { continue };
        let is_one = |&maker: &Place| graph.nodes[maker].kind == "context" && clocks[maker].is_empty();
        match graph.find(&name.into()).filter(is_one) {
            Some(maker) => named.push((maker, user)),
            None if given.is_none() => return Err(Refusal::ContextUnknown),
            None => {}
        }
    }
    let is_too_early = |&(maker, user): &(Place, Place)| depends_on(graph, &named, maker, user);
    if named.iter().any(is_too_early) { Err(Refusal::ContextTooEarly) } else { Ok(named) }
}

/// Whether a node comes after another: over wires, or because a node on the way names the context that the one before makes.
fn depends_on(graph: &Graph, named: &[(Place, Place)], node: Place, other: Place) -> bool {
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
