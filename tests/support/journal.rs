//! Reading a run's journal in tests.

use std::collections::BTreeMap;

use plait_api::engine::context::Role;
use plait_api::engine::id::Activation;
use plait_api::engine::journal::{Entry, Event, NodeEvent};
use plait_api::engine::run::view::RunView;
use serde_json::Value;

/// The journal of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Journal(pub Vec<Entry>);

impl Journal {
    /// The events.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().map(|entry| &entry.event)
    }

    /// What it amounts to.
    pub fn view(&self) -> RunView {
        RunView::of(&self.0)
    }

    /// `type node` of each event about a node, in order, for the types named.
    pub fn steps(&self, types: &[&str]) -> Vec<String> {
        self.0
            .iter()
            .filter_map(|entry| {
                let event = serde_json::to_value(&entry.event).unwrap();
                let kind = event["type"].as_str()?.to_owned();
                let node = event["node"].as_str().unwrap_or_default();
                let epoch: Vec<String> = event["epoch"].as_array()?.iter().map(ToString::to_string).collect();
                let at = if epoch.is_empty() { String::new() } else { format!("#{}", epoch.join(".")) };
                types.contains(&kind.as_str()).then(|| format!("{kind} {node}{at}"))
            })
            .collect()
    }

    /// How often each node finished.
    pub fn finished(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for event in self.events() {
            if let Event::Node(Activation { node, .. }, NodeEvent::Finished { .. }) = event {
                *counts.entry(node.to_string()).or_default() += 1;
            }
        }
        counts
    }

    /// Where in the journal the first event of this type about this node is.
    pub fn place(&self, kind: &str, node: &str) -> usize {
        self.0
            .iter()
            .position(|entry| {
                let event = serde_json::to_value(&entry.event).unwrap();
                event["type"] == kind && (node.is_empty() || event["node"] == node)
            })
            .unwrap_or_else(|| panic!("no {kind} of `{node}` in {:#?}", self.0))
    }

    /// Likewise of a node in one round of the only cycle it is in.
    pub fn place_at(&self, kind: &str, node: &str, round: usize) -> usize {
        let is = |entry: &Entry| {
            let event = serde_json::to_value(&entry.event).unwrap();
            event["type"] == kind && event["node"] == node && event["epoch"] == serde_json::json!([round])
        };
        self.0.iter().position(is).unwrap_or_else(|| panic!("no {kind} of `{node}` in round {round}"))
    }

    /// The value a node last gave on a port.
    pub fn output(&self, node: &str, port: &str) -> Value {
        self.events()
            .filter_map(|event| match event {
                Event::Node(Activation { node: at, .. }, NodeEvent::Finished { outputs, .. })
                    if at.as_str() == node =>
                {
                    outputs.get(port)
                }
                _ => None,
            })
            .last()
            .map_or_else(
                || panic!("`{node}` gave nothing on `{port}`: {:#?}", self.0),
                |value| Value::clone(value),
            )
    }

    /// Role and text of each message of a context's history at the end.
    pub fn history(&self, context: &str) -> Vec<(Role, String)> {
        let view = self.view();
        let context = view.contexts.get(context).unwrap_or_else(|| panic!("no context `{context}`"));
        context.record.message_history.iter().map(|message| (message.role, message.content.text())).collect()
    }

    /// The code of the error a node failed with.
    pub fn fault(&self, node: &str) -> String {
        self.events()
            .find_map(|event| match event {
                Event::Node(Activation { node: at, .. }, NodeEvent::Failed { error, .. })
                    if at.as_str() == node =>
                {
                    Some(error.code.to_string())
                }
                _ => None,
            })
            .unwrap_or_else(|| panic!("`{node}` did not fail: {:#?}", self.0))
    }
}
