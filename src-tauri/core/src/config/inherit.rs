//! Puts values of wider layers into narrower ones: the settings into a flow, a flow's values into its nodes. A value of
//! the narrower layer stays.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::check::find;
use super::key::{ConfigKey, Rule};
use super::keys::keys;
use super::{ConfigValues, json};
use crate::flow::{Flow, FlowSettings, Node};
use crate::id::NodeId;

/// A flow as it runs under these settings of the application: its own settings, completed.
pub fn with_settings<'f>(flow: &'f Flow, settings: &ConfigValues) -> Cow<'f, Flow> {
    if settings.is_empty() {
        return Cow::Borrowed(flow);
    }
    let Ok(mut completed) = serde_json::to_value(&flow.settings) else { return Cow::Borrowed(flow) };
    let mut changed = false;
    for key in keys() {
        let (Some(pointer), Some(value)) = (key.flow_pointer(), settings.get(key.name)) else { continue };
        if !key.is_kept_by_runs() {
            continue;
        }
        if json::get(&completed, &pointer).is_some() || key.check(value).is_err() {
            continue;
        }
        let own = |key: &ConfigKey| json::get(&completed, &key.flow_pointer()?);
        if ends_outer(key, own, |key| settings.get(key.name)) {
            continue;
        }
        json::set(&mut completed, &pointer, value.clone());
        changed = true;
    }
    if !changed {
        return Cow::Borrowed(flow);
    }
    match serde_json::from_value::<FlowSettings>(completed) {
        Ok(settings) => Cow::Owned(Flow { settings, ..flow.clone() }),
        Err(_) => Cow::Borrowed(flow),
    }
}

/// The values that the nodes of a flow inherit from its settings.
pub struct Inheritance<'f> {
    flow: &'f Flow,
    values: Vec<(&'static ConfigKey, &'f Value)>,
    /// The nodes that an edge gives a context.
    with_context: FxHashSet<&'f NodeId>,
}

impl<'f> Inheritance<'f> {
    /// The values for the nodes of this flow.
    pub fn of(flow: &'f Flow) -> Self {
        let config = &flow.settings.config;
        let is_inherited = |key: &&'static ConfigKey| {
            key.is_in_flow_config() && (key.in_loop.is_some() || !key.in_node.is_empty())
        };
        let mut inheritance = Self { flow, values: Vec::new(), with_context: FxHashSet::default() };
        if config.is_empty() {
            return inheritance;
        }
        let values = keys().iter().filter(is_inherited).filter_map(|key| {
            let value = config.get(key.name)?;
            key.check(value).is_ok().then_some((key, value))
        });
        inheritance.values.extend(values);
        inheritance.with_context.extend(with_context(flow));
        inheritance
    }

    /// The node with its inherited values.
    pub fn apply(&self, id: &NodeId, node: &'f Node) -> Cow<'f, Node> {
        let mut completed = None;
        for (key, value) in &self.values {
            let place = |key: &ConfigKey| key.pointer_in(node, self.with_context.contains(id));
            let Some(pointer) = place(key) else { continue };
            let all = completed.get_or_insert_with(|| serde_json::to_value(node).unwrap_or_default());
            if json::get(all, pointer).is_some() {
                continue;
            }
            let own = |key: &ConfigKey| json::get(all, place(key)?);
            if !ends_outer(key, own, |key| self.flow.settings.config.get(key.name)) {
                json::set(all, pointer, (*value).clone());
            }
        }
        let completed = completed.and_then(|completed| serde_json::from_value::<Node>(completed).ok());
        completed.map_or(Cow::Borrowed(node), Cow::Owned)
    }
}

impl ConfigKey {
    /// Where the value stands in a node, as a JSON pointer. `has_context`: whether an edge gives it a context.
    pub(super) fn pointer_in(&self, node: &Node, has_context: bool) -> Option<&'static str> {
        if node.node_type == "loop" {
            return self.in_loop;
        }
        let place = self.in_node.iter().find(|place| place.types.contains(&node.node_type.as_str()))?;
        (!place.without_context || !has_context).then_some(place.pointer)
    }

    /// The key that this one belongs to: the model's key belongs to the provider's.
    pub(super) fn followed(&self) -> Option<&'static ConfigKey> {
        match self.rule {
            Rule::Follows(name) => find(name).ok(),
            Rule::Narrowest | Rule::NodeLowers => None,
        }
    }
}

/// The nodes that an edge gives a context.
pub(super) fn with_context(flow: &Flow) -> impl Iterator<Item = &NodeId> {
    let gives_context = flow.edges.values().filter(|edge| edge.target_input.as_str() == "context");
    gives_context.map(|edge| &edge.target)
}

/// Whether a layer ends what wider ones set for a key: it sets the key that this one follows to something else.
fn ends_outer<'v>(
    key: &ConfigKey,
    own: impl Fn(&ConfigKey) -> Option<&'v Value>,
    outer: impl Fn(&ConfigKey) -> Option<&'v Value>,
) -> bool {
    key.followed().is_some_and(|followed| {
        own(followed).is_some_and(|own| match outer(followed) {
            Some(outer) => own != outer,
            None => followed.built_in.value().as_ref() != Some(own),
        })
    })
}
