//! What can never run: nodes that would fail each time for a reason that the flow and this machine show beforehand. They name a tool,
//! an MCP server, a knowledge base or a provider that does not exist, or offer the workflow's memory to a model that may not
//! read it. `check` reports them, and no run starts with one.
//!
//! A node whose `error` output is connected handles its failure, so these are warnings there.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::config::Inheritance;
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::ErrorCode;
use plait_core::flow::{Flow, MemoryMode, Node};
use plait_core::id::NodeId;
use plait_core::offline::OFFLINE;
use plait_core::port::ERROR_PORT;
use plait_run::node::Registry;
use serde_json::{Map, Value};

use super::installed::Installed;
use super::unknown_names::{unknown_names, unknown_provider};
use crate::codes;

/// The tools that read the workflow's memory.
const MEMORY_TOOLS: [&str; 2] = ["get_workflow_context", "read_external_context"];
const OFFLINE_MODELS: [&str; 3] = ["echo", "prompt", "script"];

/// The problems of a flow with what is not there. `contexts` is, by node, the node that makes its context.
pub(super) fn never_runs(
    flow: &Flow,
    contexts: &BTreeMap<NodeId, NodeId>,
    registry: &Registry,
    installed: &Installed,
    tools: &BTreeSet<String>,
) -> Vec<Diagnostic> {
    let handled = flow.edges.values().filter(|edge| edge.source_output.as_str() == ERROR_PORT);
    let inheritance = Inheritance::of(flow);
    let mut finder = Finder {
        flow,
        registry,
        installed,
        nodes: flow
            .enabled_nodes()
            .map(|(id, node)| (id, inheritance.apply(id, node).into_owned()))
            .collect(),
        handled: handled.map(|edge| &edge.source).collect(),
        found: Vec::new(),
    };
    finder.names(tools);
    finder.memory_tools();
    finder.models(contexts);
    finder.found
}

struct Finder<'f> {
    flow: &'f Flow,
    registry: &'f Registry,
    installed: &'f Installed,
    /// The nodes that are not disabled, with what they inherit.
    nodes: BTreeMap<&'f NodeId, Node>,
    /// The nodes whose failure the flow handles.
    handled: BTreeSet<&'f NodeId>,
    found: Vec<Diagnostic>,
}

impl Finder<'_> {
    /// What is not on this machine.
    fn names(&mut self, tools: &BTreeSet<String>) {
        for found in unknown_names(self.flow, self.registry, self.installed, tools) {
            let is_handled = found.node.as_ref().is_some_and(|id| self.handled.contains(id));
            self.found.push(if is_handled { found.warning() } else { found });
        }
    }

    /// Tools that read the workflow's memory, offered to a model that may not.
    fn memory_tools(&mut self) {
        let of_flow = self.flow.settings.memory.as_ref().map(|memory| memory.mode).unwrap_or_default();
        let mut found = Vec::new();
        for edge in self.flow.edges.values().filter(|edge| edge.target_input.as_str() == "tools") {
            let (Some(tools), Some((id, node))) =
                (self.nodes.get(&edge.source), self.nodes.get_key_value(&edge.target))
            else {
                continue;
            };
            if self.node_type(tools) != "tools" || self.node_type(node) != "chat" {
                continue;
            }
            let names = tools.config.get("tools").and_then(Value::as_array).into_iter().flatten();
            let Some((index, name)) = names
                .enumerate()
                .filter_map(|(index, name)| Some((index, name.as_str()?)))
                .find(|(_, name)| MEMORY_TOOLS.contains(name))
            else {
                continue;
            };
            let own = node.config.get("memory").and_then(|memory| memory.get("mode"));
            let own = own.and_then(|mode| serde_json::from_value::<MemoryMode>(mode.clone()).ok());
            if own.unwrap_or(of_flow).reads() {
                continue;
            }
            let message = format!(
                "The tool `{name}` reads the workflow's memory, and `{id}`, which it is offered to, has no access to it."
            );
            let mut problem = self.on(id, codes::MEMORY_OFF, "", message).hint(
                "Set `memory.mode` of the node or of the flow to `read` or `readWrite`, or do not offer the tool.",
            );
            problem.pointer = format!("/nodes/{}/config/tools/{index}", escape(edge.source.as_str()));
            found.push(problem);
        }
        self.found.extend(found);
    }

    /// The providers and models of model nodes, and a warning for each other place that names an unknown provider.
    fn models(&mut self, contexts: &BTreeMap<NodeId, NodeId>) {
        let mut found: BTreeMap<String, Diagnostic> = BTreeMap::new();
        for (id, node) in self.nodes.iter().filter(|(_, node)| self.changes_model(node)) {
            let problem = self.own_problem(id, node, "provider", "model");
            found.extend(problem.map(|problem| (problem.pointer.clone(), problem)));
        }
        let changes = self.nodes.values().any(|node| self.changes_model(node));
        for (id, node) in &self.nodes {
            if !["chat", "classify", "extract"].contains(&self.node_type(node)) {
                continue;
            }
            if is_unconnected(self.flow, id) {
                continue;
            }
            let maker = self.maker_of(id, contexts).and_then(|maker| self.nodes.get_key_value(maker));
            let base = maker.and_then(|(maker, made_by)| self.context(maker, made_by, contexts, 0));
            // Which model a context has at a node is known only when the flow runs, if a node changes it.
            let base = base.filter(|_| !changes);
            // A context that is known only when the flow runs, such as one that a cycle hands on.
            let has_context = self
                .flow
                .edges
                .values()
                .any(|edge| edge.target == **id && edge.target_input.as_str() == "context");
            if base.is_none() && has_context {
                let own = self.own_problem(id, node, "overrideProvider", "overrideModel");
                found.extend(own.map(|problem| (problem.pointer.clone(), problem)));
                continue;
            }
            let base = base.unwrap_or_else(|| NamedModel {
                provider: OFFLINE.to_owned(),
                model: Some("echo".to_owned()),
                place: None,
            });
            let provider = text(&node.config, "overrideProvider");
            let model = text(&node.config, "overrideModel");
            let place = |key: &str| Some(((*id).clone(), key.to_owned()));
            let keeps = provider.is_none_or(|own| own == base.provider);
            let used = NamedModel {
                place: match (provider, model) {
                    (Some(_), _) => place("overrideProvider"),
                    (None, Some(_)) if base.place.is_none() => place("overrideModel"),
                    _ => base.place.clone(),
                },
                model: model.map(str::to_owned).or_else(|| base.model.clone().filter(|_| keeps)),
                provider: provider.map_or(base.provider, str::to_owned),
            };
            if let Some(problem) = self.problem_of(id, &used) {
                let is_better =
                    found.get(&problem.pointer).is_none_or(|known| known.severity > problem.severity);
                if is_better {
                    found.insert(problem.pointer.clone(), problem);
                }
            }
        }
        // A provider that is called is more than one that is named.
        self.found.retain(|other| !found.contains_key(&other.pointer));
        self.found.extend(found.into_values());
    }

    /// Why a node can never call the provider that it names itself.
    fn own_problem(&self, id: &NodeId, node: &Node, provider: &str, model: &str) -> Option<Diagnostic> {
        let place = Some((id.clone(), provider.to_owned()));
        let provider = text(&node.config, provider)?.to_owned();
        // Without a model of its own, it has that of a context with the same provider.
        let model = Some(text(&node.config, model).unwrap_or("echo").to_owned());
        self.problem_of(id, &NamedModel { provider, model, place })
    }

    /// Whether it sets the provider or the model of a context.
    fn changes_model(&self, node: &Node) -> bool {
        self.node_type(node) == "setContext"
            && ["provider", "model"].iter().any(|key| text(&node.config, key).is_some())
    }

    /// The node that makes the context of a node: as the check of the flow says or, from outside of a loop, along the edges. `None` if
    /// that is known only when the flow runs.
    fn maker_of<'a>(&'a self, id: &NodeId, contexts: &'a BTreeMap<NodeId, NodeId>) -> Option<&'a NodeId> {
        let mut at = id;
        // More steps than nodes would be a cycle.
        for _ in 0..self.nodes.len() {
            if let Some(maker) = contexts.get(at) {
                return Some(maker);
            }
            let mut into = self
                .flow
                .edges
                .values()
                .filter(|edge| edge.target == *at && edge.target_input.as_str() == "context");
            let (Some(edge), None) = (into.next(), into.next()) else { return None };
            if self.nodes.get(&edge.source).is_some_and(|node| self.makes_context(node)) {
                return Some(&edge.source);
            }
            at = &edge.source;
        }
        None
    }

    /// The provider and the model of the context that a node makes.
    fn context(
        &self,
        id: &NodeId,
        node: &Node,
        contexts: &BTreeMap<NodeId, NodeId>,
        depth: usize,
    ) -> Option<NamedModel> {
        const MAX_DEPTH: usize = 100;
        let (provider, model) = (text(&node.config, "provider"), text(&node.config, "model"));
        let place = |key: &str| Some((id.clone(), key.to_owned()));
        if self.node_type(node) == "contextStart" {
            return Some(NamedModel {
                provider: provider.unwrap_or(OFFLINE).to_owned(),
                model: Some(model.unwrap_or("echo").to_owned()),
                place: place("provider"),
            });
        }
        let is_fed =
            |edge: &&plait_core::flow::Edge| edge.target == *id && edge.target_input.as_str() == "context";
        let source = self.flow.edges.values().find(is_fed).map(|edge| &edge.source);
        let base = match source {
            None => None,
            Some(_) if depth > MAX_DEPTH => return None,
            Some(source) => {
                let is_maker = self.nodes.get(source).is_some_and(|node| self.makes_context(node));
                let maker = if is_maker { source } else { self.maker_of(source, contexts)? };
                let (maker, made_by) = self.nodes.get_key_value(maker)?;
                Some(self.context(maker, made_by, contexts, depth + 1)?)
            }
        };
        let chosen =
            provider.or(base.as_ref().map(|base| base.provider.as_str())).unwrap_or(OFFLINE).to_owned();
        let inherited =
            base.as_ref().filter(|base| base.provider == chosen).and_then(|base| base.model.clone());
        let own_place = if provider.is_some() {
            place("provider")
        } else if model.is_some() {
            place("model")
        } else {
            base.and_then(|base| base.place)
        };
        let model =
            model.map(str::to_owned).or(inherited).or_else(|| (chosen == OFFLINE).then(|| "echo".to_owned()));
        Some(NamedModel { provider: chosen, model, place: own_place })
    }

    /// Why a model node `id` can never call a model.
    fn problem_of(&self, id: &NodeId, used: &NamedModel) -> Option<Diagnostic> {
        let (owner, key) = used.place.clone().unwrap_or_else(|| (id.clone(), "overrideProvider".to_owned()));
        let on = |code: ErrorCode, message: String| {
            let mut problem = self.on(id, code, "", message);
            problem.pointer = format!("/nodes/{}/config/{key}", escape(owner.as_str()));
            problem.node(&owner)
        };
        let known = self.installed.providers.as_ref().filter(|_| self.installed.simulates)?;
        let provider = &used.provider;
        if !known.contains(provider) {
            let pointer = format!("/nodes/{}/config/{key}", escape(owner.as_str()));
            let problem = unknown_provider(&pointer, provider, known).node(&owner);
            return Some(if self.handled.contains(id) { problem.warning() } else { problem });
        }
        let Some(model) = &used.model else {
            let message = format!("No model is set for the provider `{provider}`.");
            return Some(on(codes::MODEL_NONE, message).hint("Set a model along with the provider."));
        };
        if provider == OFFLINE && !OFFLINE_MODELS.contains(&model.as_str()) {
            let message = format!("The provider `{OFFLINE}` has no model `{model}`.");
            let hint = format!("Name one of: {}.", OFFLINE_MODELS.join(", "));
            return Some(on(codes::PROVIDER_NOT_FOUND, message).hint(hint));
        }
        None
    }

    fn makes_context(&self, node: &Node) -> bool {
        ["contextStart", "newContext"].contains(&self.node_type(node))
    }

    fn node_type<'n>(&'n self, node: &'n Node) -> &'n str {
        self.registry.descriptor(&node.node_type).map_or(&node.node_type, |found| &found.node_type)
    }

    /// A problem with a setting of a node: a warning if the flow handles its failure.
    fn on(&self, id: &NodeId, code: ErrorCode, setting: &str, message: String) -> Diagnostic {
        let problem = Diagnostic::on_node(code, id, message).below("/config").below(setting);
        if self.handled.contains(id) { problem.warning() } else { problem }
    }
}

/// The model of a call, and the node and the setting that name it.
#[derive(Clone)]
struct NamedModel {
    provider: String,
    model: Option<String>,
    place: Option<(NodeId, String)>,
}

/// A text of a config that is not blank.
fn text<'c>(config: &'c Map<String, Value>, key: &str) -> Option<&'c str> {
    config.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Whether no edge leads to a node or from it: then it only summarizes, or its flow is refused for another reason.
fn is_unconnected(flow: &Flow, id: &NodeId) -> bool {
    !flow.edges.values().any(|edge| edge.source == *id || edge.target == *id)
}

#[cfg(test)]
mod tests;
