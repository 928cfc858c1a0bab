//! Portals: edges that jump. What goes into a channel comes out at every exit of it, as if wired there directly.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::wiring::{Ends, Wire, Wiring, mismatch};
use crate::diagnostic::Diagnostic;
use crate::id::NodeId;
use crate::node::Portal;
use crate::port::OutputPort;

/// An output that feeds something: its node, and itself.
type Source = (NodeId, OutputPort);

/// Turns edges into wires, those through portals joined up: `source → portalIn`, `portalOut → target` of one channel
/// become `source → target`.
pub(super) fn join(ends: &[Ends<'_>], index: &FxHashMap<NodeId, usize>, wiring: &mut Wiring) {
    let mut entrances: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for end in ends {
        if let Some(Portal::In(channel)) = portal(wiring, &end.edge.target) {
            entrances.entry(channel).or_default().push(source_of(end));
        }
    }
    let mut wires = Vec::with_capacity(ends.len());
    let mut diagnostics = Vec::new();
    for end in ends {
        let Some(&target) = index.get(&end.edge.target) else { continue };
        let inputs = &wiring.vertices[target].node.ports().inputs;
        let Some(target_port) = inputs.iter().position(|port| port.name == end.input.name) else { continue };
        for (source, output) in origins(end, &entrances, wiring, &mut diagnostics) {
            let Some(&source) = index.get(&source) else { continue };
            if let Some(found) = mismatch(&output, &end.input) {
                diagnostics.push(found.at_edge(end.id));
                continue;
            }
            let (edge, kind) = (end.id.clone(), end.input.kind);
            // The port's own name: what nodes of one type share lies in memory once.
            wires.push(Wire { edge, source, source_port: output.name, target, target_port, kind });
        }
    }
    wiring.wires = wires;
    wiring.diagnostics.extend(diagnostics);
}

/// What feeds an edge in the end, through any number of portals.
fn origins(
    end: &Ends<'_>,
    entrances: &BTreeMap<String, Vec<Source>>,
    wiring: &Wiring,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Source> {
    let mut found = Vec::new();
    let mut entered = FxHashSet::default();
    let mut work = vec![source_of(end)];
    while let Some(source) = work.pop() {
        let Some(Portal::Out(channel)) = portal(wiring, &source.0) else {
            found.push(source);
            continue;
        };
        let feeds = entrances.get(&channel);
        if entered.insert(channel) {
            work.extend(feeds.into_iter().flatten().rev().cloned());
        }
    }
    if let (true, Some(Portal::Out(channel))) = (found.is_empty(), portal(wiring, &end.edge.source)) {
        // Nothing at all, or portals that lead only into one another.
        let message = format!("Nothing goes into the portal `{channel}`.");
        diagnostics.push(
            Diagnostic::on_node("portal.no_entrance", &end.edge.source, message)
                .hint("Add a `portalIn` node of the same channel and wire something to it."),
        );
    }
    found
}

fn source_of(end: &Ends<'_>) -> Source {
    (end.edge.source.clone(), end.output.clone())
}

fn portal(wiring: &Wiring, id: &NodeId) -> Option<Portal> {
    wiring.bound.get(id).and_then(|node| node.behavior().portal.clone())
}
