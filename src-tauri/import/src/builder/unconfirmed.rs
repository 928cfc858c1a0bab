//! Nodes that would run differently than in the original: disabled where nothing starts them, and held up or marked where something is
//! missing, so that their flow does not run until a person has looked.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::FlowBuilder;
use crate::output::Output;
use crate::point::Point;
use plait_core::flow::{Trigger, Unconfirmed};
use plait_core::id::NodeId;
use plait_core::port::AFTER_PORT;
use plait_formats::foreign::{Format, ImportedEdge};

/// Nodes that do nothing but hand on values. When they run makes no difference.
const WITHOUT_EFFECT: [&str; 15] = [
    "note",
    "contextStart",
    "newContext",
    "tools",
    "mcpServer",
    "manualInput",
    "text",
    "value",
    "json",
    "code",
    "switch",
    "join",
    "portalIn",
    "portalOut",
    "placeholder",
];

/// Providers that each Plait has.
const EVERYWHERE: [&str; 5] = ["offline", "openai", "anthropic", "gemini", "ollama"];

impl FlowBuilder {
    /// Makes what a node of the file became a way into the flow.
    pub(crate) fn set_trigger(&mut self, source: &str, trigger: Trigger) {
        let made = self.reported(source).and_then(|node| node.nodes.first().cloned());
        if let Some(node) = made.and_then(|id| self.flow.nodes.get_mut(&id)) {
            node.trigger = Some(trigger);
        }
    }

    /// Disables what a node of the file became: nothing starts it there.
    pub(crate) fn never_started(&mut self, source: &str) {
        if self.reported(source).is_none_or(|node| node.nodes.is_empty()) || self.is_note(source) {
            return;
        }
        self.disable_made(source);
        self.lose(source, "Nothing starts it in the original. It is disabled here.");
    }

    fn is_note(&self, source: &str) -> bool {
        let made = self.reported(source).map(|node| node.nodes.as_slice()).unwrap_or_default();
        made.iter().all(|id| self.node_type(id) == "note")
    }

    /// Whether a node of the file became one that does more than to hand on values.
    pub(crate) fn has_effect(&self, source: &str) -> bool {
        self.effect_of(source).is_some()
    }

    /// Holds up the nodes that a lost edge of order leads to, where no way in the flow takes its place.
    pub(super) fn hold_lost_order(&mut self) {
        let edges = &self.report.edges;
        let lost = edges.iter().filter(|edge| edge.lost.is_some() && self.is_order(edge));
        let mut lost: Vec<&ImportedEdge> = lost.collect();
        // By their sources, so that what follows each is looked for once.
        lost.sort_by(|one, other| one.source.cmp(&other.source));
        let mut into: HashMap<&str, Vec<&str>> = HashMap::new();
        for edge in edges.iter().filter(|edge| self.is_order(edge)) {
            into.entry(edge.target.as_str()).or_default().push(&edge.source);
        }
        let mut known: Option<(&str, Vec<NodeId>, Vec<bool>)> = None;
        let mut marks = Vec::new();
        for edge in lost {
            if known.as_ref().is_none_or(|(source, ..)| *source != edge.source) {
                let before = self.made_before(&edge.source, &into);
                let after = self.adjacency.after(&before);
                known = Some((&edge.source, before, after));
            }
            let Some((_, before, after)) = &known else { continue };
            let Some(id) = self.effect_of(&edge.target) else { continue };
            // A node in a loop follows what starts the loop.
            let around = std::iter::successors(Some(id.clone()), |id| self.parent(id));
            let mut places = around.filter_map(|id| self.adjacency.number(&id));
            let follows = places.any(|at| after[at]);
            if !before.is_empty() && !follows {
                let named = self.reported(&edge.source).filter(|node| !node.name.trim().is_empty());
                let name = named.map_or(&edge.source, |node| &node.name);
                marks.push((edge.target.clone(), id, name.clone()));
            }
        }
        for (source, id, after) in marks {
            self.hold(&source, &id, &after);
        }
    }

    /// Puts a placeholder before a node for an edge that is not in the flow, so that nothing runs at another time unseen.
    fn hold(&mut self, source: &str, id: &NodeId, after: &str) {
        let reason = format!(
            "The edge from “{after}” is not in the flow, so that the node behind would run at another time than in the original, or less often. \
             Delete this placeholder to let it run."
        );
        let at = self.flow.layout.get(id).map(|at| Point::new(Some(at.x), Some(at.y))).unwrap_or_default();
        let around = self.parent(id);
        self.parents.extend(around.clone());
        let held = self.add_placeholder(
            source,
            &format!("After {after}"),
            &reason,
            &Value::Null,
            at.beside(-0.5, 1.0),
        );
        if around.is_some() {
            self.leave();
        }
        self.connect(&Output::new(&held, "out"), id, AFTER_PORT);
    }

    /// Marks the nodes that name what not every machine has, for all formats alike: where it is missing, they are placeholders for it.
    pub(super) fn mark_names(&mut self) {
        for node in self.flow.nodes.values_mut() {
            let text = |key: &str| node.config.get(key).and_then(Value::as_str);
            let mut names: Vec<&str> = match node.node_type.as_str() {
                "mcpServer" => text("server").into_iter().collect(),
                "retrieve" => {
                    let bases = node.config.get("bases").and_then(Value::as_array).into_iter().flatten();
                    bases.filter_map(Value::as_str).collect()
                }
                _ => Vec::new(),
            };
            let provider = text("provider").or_else(|| text("overrideProvider"));
            names.extend(provider.filter(|name| !EVERYWHERE.contains(name)));
            let is_open = node.node_type == "contextStart" && provider.is_none();
            let names = names.into_iter().map(|name| Unconfirmed::StandsFor { name: name.to_owned() });
            node.unconfirmed = names.chain(is_open.then_some(Unconfirmed::NoModel)).collect();
        }
    }

    /// Says where a model is asked in Plait's words, for all formats alike: classes and values have prompts of their own.
    pub(super) fn mark_own_wording(&mut self) {
        let has_own = |id: &&NodeId| matches!(self.node_type(id), "classify" | "extract");
        let made = self.owners.iter().filter(|(id, _)| has_own(id)).map(|(_, source)| source.clone());
        for source in made.collect::<Vec<_>>() {
            self.lose(
                &source,
                "What the model is asked is worded by Plait, and so is the form of its reply.",
            );
        }
    }

    /// Whether an edge of the file says what runs after what. In other tools, edges only bring values.
    fn is_order(&self, edge: &ImportedEdge) -> bool {
        match self.report.format {
            Format::Dify => true,
            // Edges of parts have a label.
            Format::N8n | Format::Flowise => edge.label.is_empty(),
            Format::Langflow | Format::PromptFlow | Format::Rivet => false,
        }
    }

    /// What a node of the file became or, if that is nothing, what those before it became.
    fn made_before(&self, source: &str, into: &HashMap<&str, Vec<&str>>) -> Vec<NodeId> {
        let (mut made, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![source]);
        while let Some(at) = open.pop() {
            let Some(node) = self.reported(at).filter(|_| seen.insert(at.to_owned())) else { continue };
            if node.nodes.is_empty() {
                open.extend(into.get(at).into_iter().flatten());
            } else {
                made.extend(node.nodes.iter().cloned());
            }
        }
        made
    }

    /// The node that does what a node of the file does, if it does more than to hand on values and is not disabled.
    fn effect_of(&self, source: &str) -> Option<NodeId> {
        let made = self.reported(source)?.nodes.iter();
        let mut own = made.filter(|id| self.owners.get(*id).is_some_and(|owner| owner == source));
        let is_enabled = |id: &NodeId| self.flow.nodes.get(id).is_some_and(|node| !node.disabled);
        own.find(|id| is_enabled(id) && self.does_more(id)).cloned()
    }

    /// Whether a node does more than to hand on values.
    pub(super) fn does_more(&self, id: &NodeId) -> bool {
        self.flow.nodes.get(id).is_some_and(|node| !WITHOUT_EFFECT.contains(&node.node_type.as_str()))
    }
}
