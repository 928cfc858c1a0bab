//! What differs between two versions of a flow, by meaning: where nodes stand on the canvas is no difference, and a node that only has
//! another id was renamed.

mod renames;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use plait_core::flow::{Edge, Flow, Node};
use plait_core::id::{NodeId, PortName};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use renames::Renames;
pub use values::ValueChange;

/// What differs between two flows. Empty if they mean the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct FlowDiff {
    /// In the order: of the flow itself, of its nodes by id, of its edges.
    pub changes: Vec<FlowChange>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FlowChange {
    /// Something of the flow itself: its name, its description or a setting.
    Flow {
        change: ValueChange,
    },
    NodeAdded {
        node: NodeId,
        node_type: String,
    },
    NodeRemoved {
        node: NodeId,
        node_type: String,
    },
    /// A node has another id. References to it follow.
    NodeRenamed {
        from: NodeId,
        to: NodeId,
    },
    /// Something of a node, which has this id in the second flow.
    Node {
        node: NodeId,
        change: ValueChange,
    },
    EdgeAdded {
        edge: EdgeEnds,
    },
    /// With the ids of the second flow, for nodes that it has.
    EdgeRemoved {
        edge: EdgeEnds,
    },
}

/// What an edge connects. Two edges that connect the same are the same edge, whatever their ids are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EdgeEnds {
    pub source: NodeId,
    pub source_output: PortName,
    pub target: NodeId,
    pub target_input: PortName,
    /// The place of its value among those of other edges into the same input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub order: Option<i32>,
}

impl FlowDiff {
    /// What differs between two flows.
    pub fn between(before: &Flow, after: &Flow) -> Self {
        let renames = Renames::find(before, after);
        let mut changes = Vec::new();
        let of_both = values::between(&head(before), &head(after), &renames);
        changes.extend(of_both.into_iter().map(|change| FlowChange::Flow { change }));
        node_changes(before, after, &renames, &mut changes);
        edge_changes(before, after, &renames, &mut changes);
        Self { changes }
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The nodes that have another id: from that of the first flow to that of the second.
    pub fn renames(&self) -> HashMap<&NodeId, &NodeId> {
        let renamed = self.changes.iter().filter_map(|change| match change {
            FlowChange::NodeRenamed { from, to } => Some((from, to)),
            _ => None,
        });
        renamed.collect()
    }
}

fn node_changes(before: &Flow, after: &Flow, renames: &Renames, changes: &mut Vec<FlowChange>) {
    let old: BTreeMap<&NodeId, (&NodeId, &Node)> =
        before.nodes.iter().map(|(id, node)| (renames.new_id(id), (id, node))).collect();
    let ids: BTreeSet<&NodeId> = old.keys().copied().chain(after.nodes.keys()).collect();
    for id in ids {
        match (old.get(id), after.nodes.get(id)) {
            (Some((_, node)), None) => {
                let node_type = node.node_type.clone();
                changes.push(FlowChange::NodeRemoved { node: id.clone(), node_type });
            }
            (None, Some(node)) => {
                changes.push(FlowChange::NodeAdded { node: id.clone(), node_type: node.node_type.clone() });
            }
            (Some((from, old)), Some(new)) => {
                if *from != id {
                    changes.push(FlowChange::NodeRenamed { from: NodeId::clone(from), to: id.clone() });
                }
                if *old != new {
                    let of_both = values::between(&object(*old), &object(new), renames);
                    let of_both =
                        of_both.into_iter().map(|change| FlowChange::Node { node: id.clone(), change });
                    changes.extend(of_both);
                }
            }
            (None, None) => {}
        }
    }
}

fn edge_changes(before: &Flow, after: &Flow, renames: &Renames, changes: &mut Vec<FlowChange>) {
    if renames.is_empty() && before.edges == after.edges {
        return;
    }
    let old: BTreeSet<EdgeEnds> =
        before.edges.values().map(|edge| ends(edge, |id| renames.new_id(id))).collect();
    let new: BTreeSet<EdgeEnds> = after.edges.values().map(|edge| ends(edge, |id| id)).collect();
    let removed = old.difference(&new).map(|edge| FlowChange::EdgeRemoved { edge: edge.clone() });
    changes.extend(removed);
    changes.extend(new.difference(&old).map(|edge| FlowChange::EdgeAdded { edge: edge.clone() }));
}

fn ends<'a>(edge: &'a Edge, id: impl Fn(&'a NodeId) -> &'a NodeId) -> EdgeEnds {
    EdgeEnds {
        source: id(&edge.source).clone(),
        source_output: edge.source_output.clone(),
        target: id(&edge.target).clone(),
        target_input: edge.target_input.clone(),
        order: edge.order,
    }
}

/// What a flow has beside its nodes, its edges and the places where they are drawn.
fn head(flow: &Flow) -> Map<String, Value> {
    let Flow {
        version: _,
        name,
        description,
        nodes: _,
        edges: _,
        layout: _,
        frames: _,
        routes: _,
        settings,
        extra,
    } = flow;
    let mut head = object(&Flow {
        name: name.clone(),
        description: description.clone(),
        settings: settings.clone(),
        extra: extra.clone(),
        ..Flow::default()
    });
    for place in ["version", "nodes", "edges", "layout"] {
        head.remove(place);
    }
    head
}

/// A part of a flow as JSON. Parts of flows are objects.
fn object(part: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(part) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
