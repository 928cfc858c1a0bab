//! Reads a run's journal in tests.

use std::collections::BTreeMap;

use plait_core::id::Activation;
use plait_journal::view::RunView;
use plait_journal::{Entry, Event, NodeEvent};
use plait_llm::context::Role;
use serde_json::Value;

/// The journal of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Journal(pub Vec<Entry>);

impl Journal {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().map(|entry| &entry.event)
    }

    /// The view of the whole journal.
    pub fn view(&self) -> RunView {
        RunView::of(&self.0)
    }

    /// `type node` of each node event of these types, in order.
    pub fn node_events(&self, types: &[&str]) -> Vec<String> {
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

    /// How many times each node finished.
    pub fn finish_counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for event in self.events() {
            if let Event::Node(Activation { node, .. }, NodeEvent::Finished { .. }) = event {
                *counts.entry(node.to_string()).or_default() += 1;
            }
        }
        counts
    }

    /// The index of the first event of this type for this node; an empty node matches all.
    pub fn position(&self, kind: &str, node: &str) -> usize {
        self.0
            .iter()
            .position(|entry| {
                let event = serde_json::to_value(&entry.event).unwrap();
                event["type"] == kind && (node.is_empty() || event["node"] == node)
            })
            .unwrap_or_else(|| panic!("no {kind} of `{node}` in {:#?}", self.0))
    }

    /// The same in one iteration of the only cycle that contains the node.
    pub fn position_in_epoch(&self, kind: &str, node: &str, iteration: usize) -> usize {
        let is = |entry: &Entry| {
            let event = serde_json::to_value(&entry.event).unwrap();
            event["type"] == kind && event["node"] == node && event["epoch"] == serde_json::json!([iteration])
        };
        self.0.iter().position(is).unwrap_or_else(|| panic!("no {kind} of `{node}` in iteration {iteration}"))
    }

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
                || panic!("`{node}` has no output `{port}`: {:#?}", self.0),
                |value| Value::clone(value),
            )
    }

    /// Role and text of each message of a context at the end.
    pub fn history(&self, context: &str) -> Vec<(Role, String)> {
        let view = self.view();
        let context = view.contexts.get(context).unwrap_or_else(|| panic!("no context `{context}`"));
        context.record.message_history.iter().map(|message| (message.role, message.content.text())).collect()
    }

    /// The code of the error that a node failed with.
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
