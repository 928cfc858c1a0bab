//! From edges to wires: through portals and disabled nodes, as if both were not there.
//!
//! What enters the channel of a portal leaves it at every exit. A disabled node gives on an output what comes in on its first
//! connected input of the same strand, and nothing on its error output.
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::bound_nodes::BoundFlow;
use super::edges::{CheckedEdge, OmittedInputs, mismatch};
use crate::codes;
use crate::node::Portal;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::{EdgeId, PortName};
use plait_core::port::{ERROR_PORT, OutputPort, PortKind};

/// An edge between two vertices. Its ports exist and fit each other.
#[derive(Clone)]
pub(in crate::plan) struct Wire {
    /// The edge of the flow that it comes from; behind a portal or a disabled node, the edge that leaves it.
    pub edge: EdgeId,
    pub source: usize,
    pub source_port: PortName,
    pub target: usize,
    /// Index among the target's inputs.
    pub target_port: usize,
    /// The place of its value among those of other edges into the same input. 0 for an input of one value.
    pub order: i32,
    pub kind: PortKind,
    /// Whether it comes from the inner side of its source, which is a loop.
    pub from_border: bool,
    /// Whether it leads to the inner side of its target, which is a loop.
    pub to_border: bool,
}

/// An output that feeds an edge.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// The node, by where it stands among the bound nodes.
    node: usize,
    output: &'a OutputPort,
    /// Whether the output is on the inner side of the node, which is a loop.
    is_inner: bool,
}

/// Where what comes out of portals and disabled nodes came in.
#[derive(Default)]
struct Passages<'a> {
    /// By channel of a portal.
    entrances: BTreeMap<&'a str, Vec<Source<'a>>>,
    /// By disabled node, the edges into it.
    into_disabled: FxHashMap<usize, Vec<&'a CheckedEdge<'a>>>,
}

impl<'a> Passages<'a> {
    fn of(edges: &'a [CheckedEdge<'a>], flow: &'a BoundFlow<'_>) -> Self {
        let mut passages = Self::default();
        for edge in edges {
            if flow.is_disabled(edge.target) {
                passages.into_disabled.entry(edge.target).or_default().push(edge);
            } else if let Some(Portal::In(channel)) = flow.portal(edge.target) {
                passages.entrances.entry(channel).or_default().push(source_of(edge));
            }
        }
        passages
    }

    /// What an output of a disabled node gives.
    fn through_disabled(&self, source: Source<'a>) -> impl Iterator<Item = Source<'a>> {
        let edges = self.into_disabled.get(&source.node).map(Vec::as_slice).unwrap_or_default();
        let gives = source.output.name.as_str() != ERROR_PORT;
        let fitting = edges
            .iter()
            .filter(move |edge| gives && !edge.input_is_inner && edge.input.kind == source.output.kind);
        let first = fitting.clone().map(|edge| edge.target_port).min();
        fitting.filter(move |edge| Some(edge.target_port) == first).map(|edge| source_of(edge))
    }
}

/// Turns edges into wires: `source → portalIn` and `portalOut → target` of one channel become `source → target`, and so do
/// `source → disabled` and `disabled → target`.
pub(super) fn to_wires<'a>(
    edges: &'a [CheckedEdge<'a>],
    flow: &'a BoundFlow<'_>,
    omitted: &mut OmittedInputs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Wire> {
    let passages = Passages::of(edges, flow);
    let blocked = blocked_channels(flow, omitted);
    let mut wires = Vec::with_capacity(edges.len());
    for edge in edges {
        let Some(target) = flow.vertex(edge.target) else { continue };
        let (sources, channels) = trace_sources(edge, &passages, flow);
        // Behind a disabled node that gives nothing, the input is not connected.
        if sources.is_empty() && !channels.is_empty() {
            omitted.insert((edge.edge.target.clone(), edge.input.name.clone()));
            let has_cause =
                flow.unbound.may_be_entrance || channels.iter().any(|channel| blocked.contains(channel));
            if let (false, Some(Portal::Out(channel))) = (has_cause, flow.portal(edge.source)) {
                let message = format!("Nothing feeds the portal `{channel}`.");
                let found = Diagnostic::on_node(codes::PORTAL_NO_ENTRANCE, &edge.edge.source, message);
                diagnostics.push(
                    found.hint("Add a `portalIn` node with the same channel and connect something to it."),
                );
            }
        }
        for Source { node, output, is_inner } in sources {
            let Some(source) = flow.vertex(node) else { continue };
            if let Some(found) = mismatch(output, edge.input) {
                omitted.insert((edge.edge.target.clone(), edge.input.name.clone()));
                diagnostics.push(found.at_edge(edge.id));
                continue;
            }
            wires.push(Wire {
                edge: edge.id.clone(),
                source,
                // The port's own name, not the edge's: nodes of one type share it in memory.
                source_port: output.name.clone(),
                target,
                target_port: edge.target_port,
                order: edge.edge.order.filter(|_| edge.input.many).unwrap_or_default(),
                kind: edge.input.kind,
                from_border: is_inner,
                to_border: edge.input_is_inner,
            });
        }
    }
    wires
}

fn source_of<'a>(edge: &CheckedEdge<'a>) -> Source<'a> {
    Source { node: edge.source, output: edge.output, is_inner: edge.output_is_inner }
}

/// The channels with an entrance without its edge.
fn blocked_channels<'a>(flow: &'a BoundFlow<'_>, omitted: &OmittedInputs) -> FxHashSet<&'a str> {
    let entrances = omitted.iter().filter_map(|(id, _)| match flow.portal(flow.find(id)?)? {
        Portal::In(channel) => Some(channel.as_str()),
        Portal::Out(_) => None,
    });
    entrances.collect()
}

/// The outputs that feed an edge through any number of portals and disabled nodes, and the channels on the way. There are none if a
/// channel has no entrance, if a disabled node has nothing to give, or if all of them lead only into each other.
fn trace_sources<'a>(
    edge: &CheckedEdge<'a>,
    passages: &Passages<'a>,
    flow: &'a BoundFlow<'_>,
) -> (SmallVec<[Source<'a>; 1]>, FxHashSet<&'a str>) {
    let mut sources = SmallVec::new();
    let mut channels = FxHashSet::default();
    let mut disabled: FxHashSet<(usize, &PortName)> = FxHashSet::default();
    let mut work: SmallVec<[Source<'a>; 1]> = smallvec![source_of(edge)];
    while let Some(source) = work.pop() {
        if flow.is_disabled(source.node) {
            if disabled.insert((source.node, &source.output.name)) {
                work.extend(passages.through_disabled(source));
            }
            continue;
        }
        let Some(Portal::Out(channel)) = flow.portal(source.node) else {
            sources.push(source);
            continue;
        };
        if channels.insert(channel.as_str()) {
            let entrances = passages.entrances.get(channel.as_str());
            work.extend(entrances.into_iter().flatten().rev().copied());
        }
    }
    (sources, channels)
}
