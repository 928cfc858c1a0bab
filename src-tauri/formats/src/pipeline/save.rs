//! Saves a flow as the pipeline that it came from. What was written is read again and compared with the flow, so nothing is
//! lost silently.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::document::{AgentRef, PIPELINE_KEYS};
use super::emit;
use super::lower::{self, Lowered};
use super::patch::patch;
use super::raise::{KnownAgents, Raised, SAVE_AS_FLOW, on_node, raise, refuse};
use super::read;
use super::steps::{Pipeline, Step, StepKind};
use super::tree::{MapBuilder, Tree};
use super::yaml::{self, Yaml};
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Edge, Flow, Frame, Node, Position};
use plait_core::id::{FrameId, NodeId};

/// The text of the pipeline that a flow is, based on the text that it came from: only what differs is changed. Without one, a
/// new pipeline. `pipeline.not_expressible` of a flow that no pipeline is.
pub fn save(text: Option<&str>, flow: &Flow) -> Result<String, Box<Diagnostic>> {
    let base = text.map(Base::read).transpose()?;
    if let Some(base) = &base
        && same(&base.lowered.flow, flow, &BTreeMap::new())
        && has_layout(flow, &base.lowered.flow.layout, &BTreeMap::new())
    {
        return Ok(base.text.clone());
    }
    let agents = base.as_ref().map(Base::agents).unwrap_or_default();
    let Raised { document, renamed } = raise(flow, &agents)?;
    let before = match &base {
        Some(base) => Some(raise(&base.lowered.flow, &agents)?.document),
        None => None,
    };
    let write = |document: &Tree| match (&base, &before) {
        (Some(base), Some(before)) => {
            let before = with_drawing(before, &base.drawing);
            patch(&base.text, &base.root, &before, document)
        }
        _ => emit::map(document.entries(), 0) + "\n",
    };
    // Which positions must be written is known once the steps are.
    let arranged = Base::read(&write(&document)).map_err(|found| not_the_same(&found))?.lowered.arranged;
    let written = write(&with_drawing(&document, &drawing_of(flow, &arranged, &renamed)));
    let again = Base::read(&written).map_err(|found| not_the_same(&found))?.lowered.flow;
    match difference(&again, flow, &renamed) {
        None if has_layout(flow, &again.layout, &renamed) => Ok(written),
        None => Err(refuse("/layout", "The positions of its nodes could not be written.").into()),
        Some(found) => Err(found),
    }
}

/// A pipeline that is changed.
struct Base {
    text: String,
    root: Yaml,
    pipeline: Pipeline,
    lowered: Lowered,
    drawing: Drawing,
}

/// The parts of a pipeline that only the editor looks at: `layout` and `frames`.
type Drawing = Vec<(String, Tree)>;

impl Base {
    fn read(text: &str) -> Result<Self, Box<Diagnostic>> {
        let first = |problems: Vec<super::problem::Problem>| {
            let first = problems.into_iter().next().map(|problem| problem.diagnostic);
            Box::new(first.unwrap_or_else(|| refuse("", "The file could not be read.")))
        };
        let root = yaml::parse(text).map_err(|problem| Box::new(problem.diagnostic))?;
        let pipeline = read::read(&root).map_err(first)?;
        let lowered = lower::lower(&pipeline, &root).map_err(first)?;
        let part = |key: &str| Some((key.to_owned(), Tree::of(root.get(key)?.to_json())));
        let drawing = ["layout", "frames"].into_iter().filter_map(part).collect();
        Ok(Self { text: text.to_owned(), root, pipeline, lowered, drawing })
    }

    fn agents(&self) -> KnownAgents {
        let settings = |agent| {
            let Ok(Value::Object(mut settings)) = serde_json::to_value(agent) else {
                return Tree::Map(Vec::new());
            };
            let mut ordered = MapBuilder::default();
            for key in PIPELINE_KEYS.agent {
                ordered.value(key, settings.remove(*key));
            }
            ordered.build()
        };
        let mut known = KnownAgents::default();
        known
            .settings
            .extend(self.pipeline.agents.iter().map(|(name, agent)| (name.clone(), settings(agent))));
        collect_agents(&self.pipeline.steps, &mut known.by_step);
        known
    }
}

fn collect_agents(steps: &[Step], by_step: &mut BTreeMap<String, String>) {
    for step in steps {
        match &step.kind {
            StepKind::Agent(own) => {
                if let Some(AgentRef::Name(agent)) = &own.agent {
                    by_step.insert(step.name.clone(), agent.clone());
                }
            }
            StepKind::Loop { body, .. } => collect_agents(body, by_step),
            StepKind::Parallel(_, branches) | StepKind::Conditional(_, branches) => {
                for branch in branches {
                    collect_agents(&branch.steps, by_step);
                }
            }
            StepKind::Hitl(_) => {}
        }
    }
}

fn with_drawing(document: &Tree, drawing: &[(String, Tree)]) -> Tree {
    Tree::Map([document.entries(), drawing].concat())
}

/// The positions that arranging does not give, and the frames.
fn drawing_of(
    flow: &Flow,
    arranged: &BTreeMap<NodeId, Position>,
    renamed: &BTreeMap<NodeId, NodeId>,
) -> Drawing {
    let mut layout = MapBuilder::default();
    for (id, position) in &flow.layout {
        let name = renamed.get(id).unwrap_or(id);
        if flow.nodes.contains_key(id) && arranged.get(name) != Some(position) {
            layout.value(name.as_str(), Some(drawn(position)));
        }
    }
    let mut frames = MapBuilder::default();
    for (id, frame) in frames_of(flow, renamed) {
        frames.value(id.as_str(), Some(drawn(&frame)));
    }
    let part = |key: &str, part: MapBuilder| Some((key.to_owned(), part.non_empty()?));
    [part("layout", layout), part("frames", frames)].into_iter().flatten().collect()
}

fn drawn(part: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(part).unwrap_or_default();
    plait_core::flow::write_whole_numbers(&mut value);
    value
}

/// The frames with the names by which their nodes lower.
fn frames_of(flow: &Flow, renamed: &BTreeMap<NodeId, NodeId>) -> BTreeMap<FrameId, Frame> {
    let name_of = |id: &NodeId| renamed.get(id).unwrap_or(id).clone();
    let named = |frame: &Frame| Frame {
        nodes: frame.nodes.iter().map(name_of).collect(),
        main: frame.main.as_ref().map(name_of),
        ..frame.clone()
    };
    flow.frames.iter().map(|(id, frame)| (id.clone(), named(frame))).collect()
}

/// Whether all positions of a flow are in another layout.
fn has_layout(flow: &Flow, layout: &BTreeMap<NodeId, Position>, renamed: &BTreeMap<NodeId, NodeId>) -> bool {
    let of_nodes = flow.layout.iter().filter(|(id, _)| flow.nodes.contains_key(*id));
    of_nodes.into_iter().all(|(id, position)| layout.get(renamed.get(id).unwrap_or(id)) == Some(position))
}

fn same(ours: &Flow, theirs: &Flow, renamed: &BTreeMap<NodeId, NodeId>) -> bool {
    difference(ours, theirs, renamed).is_none()
}

/// What a flow that was read has not of the one that was to be written, if anything. The ids of edges do not matter.
fn difference(ours: &Flow, theirs: &Flow, renamed: &BTreeMap<NodeId, NodeId>) -> Option<Box<Diagnostic>> {
    let name_of = |id: &NodeId| renamed.get(id).unwrap_or(id).clone();
    for (id, node) in &theirs.nodes {
        let Some(own) = ours.nodes.get(&name_of(id)) else {
            return Some(on_node(id, "It is not part of the steps."));
        };
        let (own, node) = (normalize(&name_of(id), own), normalize(&name_of(id), node));
        if own != node {
            return Some(on_node(id, &format!("{} would be lost.", lost(&own, &node))));
        }
    }
    let known: BTreeMap<NodeId, &NodeId> = theirs.nodes.keys().map(|id| (name_of(id), id)).collect();
    if let Some(id) = ours.nodes.keys().find(|id| !known.contains_key(*id)) {
        return Some(refuse("/nodes", &format!("It would get the node `{id}`.")).into());
    }
    let mut edges: Vec<_> = ours.edges.values().map(|edge| ends(edge, Clone::clone)).collect();
    let mut wanted: Vec<_> = theirs.edges.iter().map(|(id, edge)| (ends(edge, name_of), id)).collect();
    edges.sort_unstable();
    wanted.sort_unstable();
    // `order` decides nothing here: branches that meet at one input exclude each other.
    let has_data = theirs.edges.iter().find(|(_, edge)| !edge.metadata.is_empty() || !edge.extra.is_empty());
    let lost = wanted.iter().find(|(ends, _)| edges.binary_search(ends).is_err()).map(|(_, id)| *id);
    if let Some(id) = lost.or(has_data.map(|(id, _)| id)) {
        let message = format!(
            "A pipeline cannot express the edge `{id}`: it does not follow from the order of the steps."
        );
        return Some(Box::new(
            Diagnostic::on_edge(codes::PIPELINE_NOT_EXPRESSIBLE, id, message).hint(SAVE_AS_FLOW),
        ));
    }
    if let Some(ends) =
        edges.iter().find(|ends| wanted.binary_search_by(|(other, _)| other.cmp(ends)).is_err())
    {
        let (source, output, target, input) = ends;
        let message =
            format!("`{source}.{output}` leads to `{target}.{input}` in a pipeline with these steps.");
        return Some(refuse("/edges", &message).into());
    }
    if ours.frames != frames_of(theirs, renamed) {
        return Some(refuse("/frames", "Its frames could not be written.").into());
    }
    if !theirs.routes.is_empty() {
        return Some(refuse("/routes", "The points of its edges would be lost.").into());
    }
    let same_settings = ours.name == theirs.name
        && ours.description == theirs.description
        && ours.settings == theirs.settings
        && theirs.extra.is_empty();
    (!same_settings).then(|| refuse("/settings", "Its settings would be lost.").into())
}

fn ends(edge: &Edge, name_of: impl Fn(&NodeId) -> NodeId) -> (NodeId, String, NodeId, String) {
    let Edge { source, source_output, target, target_input, .. } = edge;
    (name_of(source), source_output.as_str().to_owned(), name_of(target), target_input.as_str().to_owned())
}

/// A node as it is compared: without a title, its name is the title.
fn normalize(id: &NodeId, node: &Node) -> Node {
    let mut node = node.clone();
    let is_own = node.title.as_deref().is_none_or(|title| title.is_empty() || title == id.as_str());
    if is_own {
        node.title = None;
    }
    // A setting that is null is one that is not set.
    node.config.retain(|_, value| !value.is_null());
    node
}

/// What one node has of another that it lost.
fn lost(own: &Node, node: &Node) -> String {
    let keys =
        node.config.iter().filter(|(key, value)| own.config.get(*key) != Some(value)).map(|(key, _)| key);
    let added = own.config.keys().filter(|key| !node.config.contains_key(*key));
    match keys.chain(added).next() {
        Some(key) => format!("Its setting `{key}`"),
        None if own.disabled != node.disabled => "Its `disabled`".to_owned(),
        None if own.trigger != node.trigger => "That it is a trigger".to_owned(),
        None if own.pin != node.pin => "Its pin".to_owned(),
        None if own.title != node.title => "Its title".to_owned(),
        None if own.limits != node.limits || own.retry != node.retry => "Its limits".to_owned(),
        None => "A part of it".to_owned(),
    }
}

fn not_the_same(found: &Diagnostic) -> Box<Diagnostic> {
    Box::new(refuse("", &found.message))
}

#[cfg(test)]
mod tests;
