//! A short notation for small flows, so that a test shows its flow at a glance.
//!
//! One statement per line: `name: kind` adds a node, optionally followed by `maxEpochs=2`, `attempts=3`, `timeoutMs=5` or any
//! setting; `a.out -> b.in` adds an edge.

use plait_engine::flow::{Edge, Flow, Node, RetryPolicy};
use serde_json::{Value, json};

use crate::nodes::Settings;

/// Reads the notation. Edges are numbered: `e01`, `e02`, ….
pub fn flow(text: &str) -> Flow {
    let mut flow = Flow::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((from, to)) = line.split_once(" -> ") {
            let (source, output) = from.split_once('.').unwrap();
            let (target, input) = to.split_once('.').unwrap();
            let id = format!("e{:02}", flow.edges.len() + 1);
            flow.edges.insert(id.as_str().into(), edge(source, output, target, input));
        } else {
            let (name, rest) = line.split_once(": ").unwrap();
            flow.nodes.insert(name.into(), node(rest));
        }
    }
    flow
}

/// An edge.
pub fn edge(source: &str, output: &str, target: &str, input: &str) -> Edge {
    Edge {
        source: source.into(),
        source_output: output.into(),
        target: target.into(),
        target_input: input.into(),
        metadata: serde_json::Map::new(),
        extra: serde_json::Map::new(),
    }
}

fn node(text: &str) -> Node {
    let mut words = text.split_whitespace();
    let mut node = Node { node_type: words.next().unwrap().to_owned(), ..Node::default() };
    let mut settings = serde_json::to_value(Settings::default()).unwrap();
    for word in words {
        let (key, value) = word.split_once('=').unwrap();
        match key {
            "maxEpochs" => node.limits.max_epochs = Some(value.parse().unwrap()),
            "timeoutMs" => node.limits.timeout_ms = Some(value.parse().unwrap()),
            "attempts" => {
                node.retry = Some(RetryPolicy { attempts: value.parse().unwrap(), ..RetryPolicy::default() });
            }
            "channel" | "names" => settings[key] = json!(value),
            "hard" => settings["hard"] = json!(value == "true"),
            key => settings[key] = json!(value.parse::<u32>().unwrap()),
        }
    }
    if let Value::Object(map) = settings {
        node.config = map;
    }
    node
}

/// Writes a flow in the notation, for messages of failed properties.
pub fn write(flow: &Flow) -> String {
    let plain = Settings::default().config();
    let mut lines = Vec::new();
    for (id, node) in &flow.nodes {
        let bound = node.limits.max_epochs.map(|bound| format!(" maxEpochs={bound}"));
        let retry = node.retry.as_ref().map(|retry| format!(" attempts={}", retry.attempts));
        let settings = node.config.iter().filter(|(key, value)| plain.get(*key) != Some(value));
        let settings = settings.map(|(key, value)| {
            format!(" {key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        let more: String = bound.into_iter().chain(retry).chain(settings).collect();
        lines.push(format!("{id}: {}{more}\n", node.node_type));
    }
    for (id, edge) in &flow.edges {
        let (from, to) = (&edge.source, &edge.target);
        lines.push(format!("{from}.{} -> {to}.{}   ({id})\n", edge.source_output, edge.target_input));
    }
    lines.concat()
}
