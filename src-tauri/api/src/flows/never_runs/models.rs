//! The provider and the model of each node that calls a model, as far as the flow shows them, and why one of them can never be called.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::ErrorCode;
use plait_core::flow::{Edge, Node};
use plait_core::id::NodeId;
use plait_core::offline::{ECHO, MODELS, OFFLINE};
use serde_json::{Map, Value};

use super::Finder;
use crate::codes;
use crate::flows::unknown_names::unknown_provider;

/// The nodes that call the model of a context, or another one that they name.
pub(in crate::flows) const MODEL_NODES: [&str; 3] = ["chat", "classify", "extract"];

/// The nodes that may change the model of a context.
const CONTEXT_CHANGER: &str = "setContext";

/// A chain of contexts that are made of each other is followed so far.
const MAX_CHAIN_LENGTH: usize = 100;

/// The problem of each model that a node can never call, by the place that names it.
pub(super) fn uncallable_models(
    finder: &Finder<'_>,
    contexts: &BTreeMap<NodeId, NodeId>,
) -> BTreeMap<String, Diagnostic> {
    let mut found: BTreeMap<String, Diagnostic> = BTreeMap::new();
    let concerns = |node: &Node| {
        let node_type = finder.node_type(node);
        node_type == CONTEXT_CHANGER || MODEL_NODES.contains(&node_type)
    };
    if !finder.nodes.values().any(|node| concerns(node)) {
        return found;
    }
    let models = Models::new(finder, contexts);
    for (id, node) in &finder.nodes {
        let Some(used) = models.used_by(id, node) else { continue };
        let Some(problem) = models.problem_of(id, &used) else { continue };
        // An error of one node says more than a warning of another one at the same place.
        let is_better = found.get(&problem.pointer).is_none_or(|known| known.severity > problem.severity);
        if is_better {
            found.insert(problem.pointer.clone(), problem);
        }
    }
    found
}

/// The model of a call, and the node and the setting that name it.
#[derive(Clone)]
struct NamedModel {
    provider: String,
    model: Option<String>,
    place: Option<(NodeId, String)>,
}

impl NamedModel {
    fn offline() -> Self {
        Self { provider: OFFLINE.to_owned(), model: Some(ECHO.to_owned()), place: None }
    }
}

struct Models<'f> {
    finder: &'f Finder<'f>,
    /// By node, the node that makes its context, as the check of the flow says.
    contexts: &'f BTreeMap<NodeId, NodeId>,
    /// The edges into the `context` input of each node.
    incoming: BTreeMap<&'f NodeId, Vec<&'f Edge>>,
    /// The nodes that an edge leads to or from.
    connected: BTreeSet<&'f NodeId>,
    /// The makers of the contexts whose model a node changes. `None` if a node changes that of a context which is known only when the
    /// flow runs.
    changed: Option<BTreeSet<&'f NodeId>>,
}

impl<'f> Models<'f> {
    fn new(finder: &'f Finder<'f>, contexts: &'f BTreeMap<NodeId, NodeId>) -> Self {
        let edges = finder.flow.edges.values();
        let mut incoming: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for edge in edges.clone().filter(|edge| edge.target_input.as_str() == "context") {
            incoming.entry(&edge.target).or_default().push(edge);
        }
        let connected = edges.flat_map(|edge| [&edge.source, &edge.target]).collect();
        let mut models = Self { finder, contexts, incoming, connected, changed: None };
        let changing = finder.nodes.iter().filter(|(_, node)| models.changes_model(node));
        models.changed = changing.map(|(id, _)| models.maker_of(id)).collect();
        models
    }

    /// The model that a node calls or, if the flow does not show it, the one that the node names itself.
    fn used_by(&self, id: &NodeId, node: &Node) -> Option<NamedModel> {
        if self.changes_model(node) {
            return named(id, node, "provider", "model");
        }
        // An unconnected node only summarizes, or its flow is refused for another reason.
        let calls = MODEL_NODES.contains(&self.finder.node_type(node)) && self.connected.contains(id);
        if !calls {
            return None;
        }
        let base = match self.model_at(id) {
            Some(base) => base,
            // A context that is known only when the flow runs, such as one that a cycle hands on.
            None if self.incoming.contains_key(id) => {
                return named(id, node, "overrideProvider", "overrideModel");
            }
            None => NamedModel::offline(),
        };
        let provider = text(&node.config, "overrideProvider");
        let model = text(&node.config, "overrideModel");
        let place = |key: &str| Some((id.clone(), key.to_owned()));
        let keeps = provider.is_none_or(|own| own == base.provider);
        Some(NamedModel {
            place: match (provider, model) {
                (Some(_), _) => place("overrideProvider"),
                (None, Some(_)) if base.place.is_none() => place("overrideModel"),
                _ => base.place,
            },
            model: model.map(str::to_owned).or_else(|| base.model.filter(|_| keeps)),
            provider: provider.map_or(base.provider, str::to_owned),
        })
    }

    /// The model of the context at a node. `None` if that is known only when the flow runs.
    fn model_at(&self, id: &NodeId) -> Option<NamedModel> {
        let (maker, made_by) = self.finder.nodes.get_key_value(self.maker_of(id)?)?;
        self.changed.as_ref().filter(|changed| !changed.contains(maker))?;
        self.model_of(maker, made_by, 0)
    }

    /// Whether it sets the provider or the model of a context.
    fn changes_model(&self, node: &Node) -> bool {
        self.finder.node_type(node) == CONTEXT_CHANGER
            && ["provider", "model"].iter().any(|key| text(&node.config, key).is_some())
    }

    /// The node that makes the context of a node: as the check of the flow says or, from outside of a loop, along the edges. `None` if
    /// that is known only when the flow runs.
    fn maker_of(&self, id: &NodeId) -> Option<&'f NodeId> {
        let mut at = id;
        // More steps than nodes would be a cycle.
        for _ in 0..self.finder.nodes.len() {
            if let Some(maker) = self.contexts.get(at) {
                return Some(maker);
            }
            let [edge] = self.incoming.get(at)?.as_slice() else { return None };
            if self.is_maker(&edge.source) {
                return Some(&edge.source);
            }
            at = &edge.source;
        }
        None
    }

    fn is_maker(&self, id: &NodeId) -> bool {
        let node = self.finder.nodes.get(id);
        node.is_some_and(|node| ["contextStart", "newContext"].contains(&self.finder.node_type(node)))
    }

    /// The provider and the model of the context that a node makes.
    fn model_of(&self, id: &NodeId, node: &Node, depth: usize) -> Option<NamedModel> {
        let (provider, model) = (text(&node.config, "provider"), text(&node.config, "model"));
        let place = |key: &str| Some((id.clone(), key.to_owned()));
        if self.finder.node_type(node) == "contextStart" {
            return Some(NamedModel {
                provider: provider.unwrap_or(OFFLINE).to_owned(),
                model: Some(model.unwrap_or(ECHO).to_owned()),
                place: place("provider"),
            });
        }
        let base = match self.incoming.get(id).and_then(|edges| edges.first()) {
            None => None,
            Some(_) if depth > MAX_CHAIN_LENGTH => return None,
            Some(edge) => {
                let source = &edge.source;
                let maker = if self.is_maker(source) { source } else { self.maker_of(source)? };
                let (maker, made_by) = self.finder.nodes.get_key_value(maker)?;
                Some(self.model_of(maker, made_by, depth + 1)?)
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
            model.map(str::to_owned).or(inherited).or_else(|| (chosen == OFFLINE).then(|| ECHO.to_owned()));
        Some(NamedModel { provider: chosen, model, place: own_place })
    }

    /// Why a node can never call a model.
    fn problem_of(&self, id: &NodeId, used: &NamedModel) -> Option<Diagnostic> {
        let installed = self.finder.installed;
        let known = installed.providers.as_ref().filter(|_| installed.simulates)?;
        let (owner, key) = used.place.clone().unwrap_or_else(|| (id.clone(), "overrideProvider".to_owned()));
        let pointer = format!("/nodes/{}/config/{key}", escape(owner.as_str()));
        let on = |code: ErrorCode, message: String| {
            let mut problem = self.finder.on(id, code, message);
            problem.pointer.clone_from(&pointer);
            problem.node(&owner)
        };
        let provider = &used.provider;
        if !known.contains(provider) {
            let problem = unknown_provider(&pointer, provider, known).node(&owner);
            return Some(if self.finder.handled.contains(id) { problem.warning() } else { problem });
        }
        let Some(model) = &used.model else {
            let message = format!("No model is set for the provider `{provider}`.");
            return Some(on(codes::MODEL_NONE, message).hint("Set a model along with the provider."));
        };
        if provider == OFFLINE && !MODELS.contains(&model.as_str()) {
            let message = format!("The provider `{OFFLINE}` has no model `{model}`.");
            let hint = format!("Name one of: {}.", MODELS.join(", "));
            return Some(on(codes::PROVIDER_NOT_FOUND, message).hint(hint));
        }
        None
    }
}

/// The provider and the model that a node names itself, if it names a provider.
fn named(id: &NodeId, node: &Node, provider: &str, model: &str) -> Option<NamedModel> {
    let place = Some((id.clone(), provider.to_owned()));
    let provider = text(&node.config, provider)?.to_owned();
    // Without a model of its own, it has that of a context with the same provider.
    let model = Some(text(&node.config, model).unwrap_or(ECHO).to_owned());
    Some(NamedModel { provider, model, place })
}

/// A text of a config that is not blank.
fn text<'c>(config: &'c Map<String, Value>, key: &str) -> Option<&'c str> {
    config.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}
