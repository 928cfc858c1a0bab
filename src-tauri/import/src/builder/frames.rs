//! Frames around the nodes that one node of the file became, so that the flow looks as it did there: a card with the name of that node.

use std::collections::{BTreeMap, HashSet};

use super::FlowBuilder;
use plait_core::flow::Frame;
use plait_core::id::{FrameId, NodeId};

impl FlowBuilder {
    /// Puts the nodes that were made for one node of the file into a folded frame, those in each body into one of their own. A loop
    /// with nothing else in its body is folded itself.
    pub(super) fn fold_parts(&mut self) {
        let shared = self.shared_loops();
        let whole = self.only_source_outside();
        let mut frames: BTreeMap<FrameId, Frame> = BTreeMap::new();
        for (at, source) in self.report.nodes.iter().enumerate() {
            if self.sources.get(&source.id) != Some(&at) {
                continue;
            }
            let mut bodies: BTreeMap<Option<NodeId>, Vec<NodeId>> = BTreeMap::new();
            for id in source.nodes.iter().filter(|id| self.is_part_of(id, &source.id)) {
                if !shared.contains(id) {
                    bodies.entry(self.parent(id)).or_default().push(id.clone());
                }
            }
            for (body, parts) in bodies {
                let is_hidden = body.as_ref().is_some_and(|around| !shared.contains(around));
                if parts.len() > 1 && !is_hidden && !(body.is_none() && whole == Some(&source.id)) {
                    let frame = self.frame_of(source.title(), source.name.trim(), parts);
                    frames.extend(frame.main.clone().map(|main| (main.as_str().into(), frame)));
                }
            }
        }
        self.flow.frames = frames;
        let bodies: HashSet<NodeId> =
            self.flow.nodes.values().filter_map(|node| node.parent.clone()).collect();
        for id in bodies.difference(&shared) {
            if let Some(position) = self.flow.layout.get_mut(id) {
                position.folded = true;
            }
        }
    }

    fn frame_of(&self, title: &str, name: &str, parts: Vec<NodeId>) -> Frame {
        let main = self.main_of(name, &parts).clone();
        let at = self.flow.layout.get(&main).cloned().unwrap_or_default();
        Frame {
            title: title.to_owned(),
            color: None,
            nodes: parts.into_iter().collect(),
            main: Some(main),
            x: at.x,
            y: at.y,
            width: 0.0,
            height: 0.0,
            folded: true,
            extra: serde_json::Map::new(),
        }
    }

    /// Whether a node was made for this node of the file, and is no note.
    fn is_part_of(&self, id: &NodeId, source: &str) -> bool {
        self.owners.get(id).is_some_and(|owner| owner == source)
            && self.flow.nodes.get(id).is_some_and(|node| node.node_type != "note")
    }

    /// The loops with nodes in their bodies that were made for another node of the file than the loop: they stay open.
    fn shared_loops(&self) -> HashSet<NodeId> {
        let mut shared = HashSet::new();
        for id in self.flow.nodes.keys() {
            let around = std::iter::successors(self.parent(id), |id| self.parent(id));
            shared.extend(around.filter(|around| self.owners.get(around) != self.owners.get(id)));
        }
        shared
    }

    /// The node of the file that all nodes outside of loops were made for, as for an app that is a single form.
    fn only_source_outside(&self) -> Option<&String> {
        let outside =
            self.flow.nodes.iter().filter(|(_, node)| node.parent.is_none() && node.node_type != "note");
        let owners: HashSet<&String> = outside.filter_map(|(id, _)| self.owners.get(id)).collect();
        owners.iter().next().copied().filter(|_| owners.len() == 1)
    }

    /// The node that stands for all parts: the one with the name of the node of the file, else one that does more than to hand on values.
    fn main_of<'p>(&self, name: &str, parts: &'p [NodeId]) -> &'p NodeId {
        let has_name =
            |id: &&NodeId| self.flow.nodes.get(*id).is_some_and(|node| node.title.as_deref() == Some(name));
        let named = parts.iter().find(has_name);
        named.or_else(|| parts.iter().find(|id| self.does_more(id))).unwrap_or(&parts[0])
    }
}
