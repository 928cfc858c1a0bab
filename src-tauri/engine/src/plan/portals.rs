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
    let blocked = blocked(wiring);
    let mut wires = Vec::with_capacity(ends.len());
    let mut diagnostics = Vec::new();
    let mut left_out = Vec::new();
    for end in ends {
        let Some(&target) = index.get(&end.edge.target) else { continue };
        let inputs = &wiring.vertices[target].node.ports().inputs;
        let Some(target_port) = inputs.iter().position(|port| port.name == end.input.name) else { continue };
        let (sources, entered) = origins(end, &entrances, wiring);
        if sources.is_empty() {
            left_out.push((end.edge.target.clone(), end.input.name.clone()));
            let told = wiring.unread.is_entrance || entered.iter().any(|channel| blocked.contains(channel));
            if let (false, Some(Portal::Out(channel))) = (told, portal(wiring, &end.edge.source)) {
                let message = format!("Nothing goes into the portal `{channel}`.");
                let found = Diagnostic::on_node("portal.no_entrance", &end.edge.source, message);
                diagnostics
                    .push(found.hint("Add a `portalIn` node of the same channel and wire something to it."));
            }
        }
        for (source, output) in sources {
            let Some(&source) = index.get(&source) else { continue };
            if let Some(found) = mismatch(&output, &end.input) {
                left_out.push((end.edge.target.clone(), end.input.name.clone()));
                diagnostics.push(found.at_edge(end.id));
                continue;
            }
            let (edge, kind) = (end.id.clone(), end.input.kind);
            // The port's own name: what nodes of one type share lies in memory once.
            wires.push(Wire { edge, source, source_port: output.name, target, target_port, kind });
        }
    }
    wiring.wires = wires;
    wiring.left_out.extend(left_out);
    wiring.diagnostics.extend(diagnostics);
}

/// The channels that something was meant to go into, by an edge that is left out.
fn blocked(wiring: &Wiring) -> FxHashSet<String> {
    let channel = |id: &NodeId| match portal(wiring, id)? {
        Portal::In(channel) => Some(channel),
        Portal::Out(_) => None,
    };
    wiring.left_out.iter().filter_map(|(id, _)| channel(id)).collect()
}

/// What feeds an edge in the end, through any number of portals, and the channels on the way. Where nothing does, nothing
/// goes into them, or they lead only into one another.
fn origins(
    end: &Ends<'_>,
    entrances: &BTreeMap<String, Vec<Source>>,
    wiring: &Wiring,
) -> (Vec<Source>, FxHashSet<String>) {
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
    (found, entered)
}

fn source_of(end: &Ends<'_>) -> Source {
    (end.edge.source.clone(), end.output.clone())
}

fn portal(wiring: &Wiring, id: &NodeId) -> Option<Portal> {
    wiring.bound.get(id).and_then(|node| node.behavior().portal.clone())
}
