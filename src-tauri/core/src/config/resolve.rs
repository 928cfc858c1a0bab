//! Resolving a key: the value that holds, its layer, and the values of all layers.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::inherit::with_context;
use super::key::{BuiltIn, ConfigKey, Rule};
use super::keys::keys;
use super::{ConfigValues, json};
use crate::diagnostic::escape;
use crate::flow::{Flow, Node};
use crate::id::NodeId;

/// More loops around a node are not looked at; deeper nesting is refused elsewhere.
const MAX_LOOPS: usize = 64;
/// Keys of the conversation of a loop: the nearest conversational loop around a node has them.
const CONVERSATION_PREFIX: &str = "history_management.";

/// The place for which values are resolved.
#[derive(Clone, Copy, Debug)]
pub struct ConfigScope<'a> {
    /// The settings of the application.
    pub settings: &'a ConfigValues,
    pub flow: Option<&'a Flow>,
    /// A node of the flow.
    pub node: Option<&'a NodeId>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "layer", rename_all = "camelCase")]
pub enum ConfigSource {
    BuiltIn,
    Settings,
    Flow,
    Loop { node: NodeId },
    Node { node: NodeId },
}

/// The value that holds, and what each layer says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedConfig {
    pub key: String,
    /// What it does, as one sentence.
    pub help: String,
    /// The JSON Schema of its values.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Value,
    /// The value that holds. Absent if it depends on something else: then `depends` says what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub value: Option<Value>,
    /// What it is in words, if it depends on something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub depends: Option<String>,
    /// Where it comes from.
    pub source: ConfigSource,
    /// Where the node sets it, or would, as a JSON pointer in the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pointer: Option<String>,
    /// What each layer says, widest first.
    pub layers: Vec<ConfigLayer>,
}

/// What a layer says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConfigLayer {
    pub source: ConfigSource,
    /// What it sets, if it sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub value: Option<Value>,
    /// Where it sets it, or would, as a JSON pointer in the settings, or in the flow. Absent for what is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pointer: Option<String>,
}

pub fn resolve(key: &'static ConfigKey, scope: ConfigScope<'_>) -> ResolvedConfig {
    Layers::of(scope).resolve(key)
}

/// The values of all keys of a scope: all keys of the settings or of a flow, or the keys with a place in a node.
pub fn resolve_all(scope: ConfigScope<'_>) -> Vec<ResolvedConfig> {
    let layers = Layers::of(scope);
    let keys = keys().iter().filter(|key| match (scope.flow, scope.node) {
        (Some(_), Some(_)) => layers.pointer_in_node(key).is_some(),
        (Some(_), None) => key.flow.is_some(),
        (None, _) => true,
    });
    keys.map(|key| layers.resolve(key)).collect()
}

/// The layers of a scope, as JSON.
struct Layers<'a> {
    scope: ConfigScope<'a>,
    flow: Option<Value>,
    /// The loops around the node, innermost first; the node itself, if it is one.
    loops: Vec<(&'a NodeId, &'a Node, Value)>,
    node: Option<(&'a NodeId, &'a Node, Value)>,
    has_context: bool,
}

impl<'a> Layers<'a> {
    fn of(scope: ConfigScope<'a>) -> Self {
        let flow = scope.flow.and_then(|flow| serde_json::to_value(&flow.settings).ok());
        let find = |id: &NodeId| {
            let (id, node) = scope.flow?.nodes.get_key_value(id)?;
            Some((id, node, serde_json::to_value(node).ok()?))
        };
        let mut at = scope.node.and_then(find);
        let node = at.take_if(|(_, node, _)| node.node_type != "loop");
        if let Some((_, node, _)) = &node {
            at = node.parent.as_ref().and_then(find);
        }
        let mut loops = Vec::new();
        while let Some(around) = at.filter(|_| loops.len() < MAX_LOOPS) {
            at = around.1.parent.as_ref().and_then(find);
            loops.push(around);
        }
        let has_context =
            scope.flow.is_some_and(|flow| with_context(flow).any(|fed| Some(fed) == scope.node));
        Self { scope, flow, loops, node, has_context }
    }

    /// Where the node of the scope sets a key, or would.
    fn pointer_in_node(&self, key: &ConfigKey) -> Option<&'static str> {
        let node = self.scope.flow?.nodes.get(self.scope.node?)?;
        key.pointer_in(node, self.has_context)
    }

    /// The values of the layers that can set a key, widest first.
    fn layers_of(&self, key: &ConfigKey) -> Vec<ConfigLayer> {
        let mut found = Vec::new();
        if let Some(pointer) = key.settings_pointer() {
            let value = self.scope.settings.get(key.name).cloned();
            found.push(ConfigLayer { source: ConfigSource::Settings, value, pointer: Some(pointer) });
        }
        if let (Some(flow), Some(pointer)) = (&self.flow, key.flow_pointer()) {
            let value = json::get(flow, &pointer).cloned();
            let pointer = Some(format!("/settings{pointer}"));
            found.push(ConfigLayer { source: ConfigSource::Flow, value, pointer });
        }
        let place = |id: &NodeId, pointer: &str| Some(format!("/nodes/{}{pointer}", escape(id.as_str())));
        if let (Some((id, _, node)), Some(pointer)) = (self.loop_of(key), key.in_loop) {
            let value = json::get(node, pointer).cloned();
            let source = ConfigSource::Loop { node: (*id).clone() };
            found.push(ConfigLayer { source, value, pointer: place(id, pointer) });
        }
        if let Some((id, node, json)) = &self.node
            && let Some(pointer) = key.pointer_in(node, self.has_context)
        {
            let value = json::get(json, pointer).cloned();
            let source = ConfigSource::Node { node: (*id).clone() };
            found.push(ConfigLayer { source, value, pointer: place(id, pointer) });
        }
        found
    }

    /// The loop that has a key: the nearest one; of what concerns its conversation, the nearest that has one.
    fn loop_of(&self, key: &ConfigKey) -> Option<&(&'a NodeId, &'a Node, Value)> {
        let is_asked = |node: &Node| {
            self.node.is_none() && self.loops.first().is_some_and(|(_, first, _)| *first == node)
        };
        let has_conversation =
            |node: &Node| node.config.get("conversation").and_then(Value::as_bool).unwrap_or_default();
        let nearest = self.loops.first();
        if !key.name.starts_with(CONVERSATION_PREFIX) || nearest.is_some_and(|(_, node, _)| is_asked(node)) {
            return nearest;
        }
        self.loops.iter().find(|(_, node, _)| has_conversation(node)).or(nearest)
    }

    fn resolve(&self, key: &'static ConfigKey) -> ResolvedConfig {
        let mut layers = self.layers_of(key);
        let followed = key.followed().map(|followed| (followed, self.layers_of(followed)));
        let mut outer = followed.as_ref().and_then(|(followed, _)| followed.built_in.value());
        let built_in = key.built_in.value();
        let (mut value, mut source) = (built_in.clone(), ConfigSource::BuiltIn);
        for layer in &layers {
            let beside = followed
                .as_ref()
                .and_then(|(_, layers)| layers.iter().find(|one| one.source == layer.source));
            if let Some(own) = beside.and_then(|beside| beside.value.as_ref())
                && outer.as_ref() != Some(own)
            {
                let is_default =
                    followed.as_ref().is_some_and(|(key, _)| key.built_in.value().as_ref() == Some(own));
                (value, source) = (built_in.clone().filter(|_| is_default), ConfigSource::BuiltIn);
                outer = Some(own.clone());
            }
            let Some(own) = &layer.value else { continue };
            let is_node = matches!(layer.source, ConfigSource::Node { .. });
            let is_higher = || own.as_u64() >= value.as_ref().and_then(Value::as_u64);
            if key.rule == Rule::NodeLowers && is_node && is_higher() {
                continue;
            }
            // An unusable value, such as an impossible ratio, counts as the built-in one.
            value = if key.kind.accepts(own) { Some(own.clone()) } else { built_in.clone() };
            source = layer.source.clone();
        }
        let first = ConfigLayer { source: ConfigSource::BuiltIn, value: built_in, pointer: None };
        layers.insert(0, first);
        let depends = match (&value, key.built_in) {
            (None, BuiltIn::Depends(what)) => Some(what),
            (None, BuiltIn::Value(_)) => Some("none: set one for the provider"),
            (Some(_), _) => None,
        };
        let pointer = self.pointer_in_node(key).map(str::to_owned);
        let (name, help, schema) = (key.name.to_owned(), key.help.to_owned(), key.kind.schema());
        ResolvedConfig {
            key: name,
            help,
            schema,
            value,
            depends: depends.map(str::to_owned),
            source,
            pointer,
            layers,
        }
    }
}
