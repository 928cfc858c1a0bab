//! A short notation for small flows, so that a test shows its flow at a glance.
//!
//! One statement per line: `name: kind` adds a node, optionally followed by `maxEpochs=2`, `attempts=3`, `timeoutMs=5` or any
//! setting; `a.out -> b.in` adds an edge, optionally followed by its id in parentheses; `b.in = JSON` gives an input a value.
//! `in=a` puts a node into the loop `a`. `settings: maxUnattendedEpochs=3` bounds cycles in which nobody is asked. A `#` at the start of a line begins a comment.

use plait_core::flow::{Edge, Flow, Node, RetryPolicy};
use serde_json::{Value, json};

use crate::nodes::Settings;
use crate::reference::InputOverrides;

/// Reads a flow in the notation. Edges without an id are numbered: `e01`, `e02`, ….
pub fn flow(text: &str) -> Flow {
    let mut flow = Flow::default();
    for line in statements(text).filter(|line| overridden(line).is_none()) {
        if let Some((from, to)) = line.split_once(" -> ") {
            let (source, output) = from.split_once('.').unwrap();
            let (to, id) = to.split_once(" (").unwrap_or((to, ""));
            let (target, input) = to.trim().split_once('.').unwrap();
            let id = match id.trim_end_matches(')') {
                "" => format!("e{:02}", flow.edges.len() + 1),
                id => id.to_owned(),
            };
            flow.edges.insert(id.as_str().into(), edge(source, output, target, input));
        } else {
            let (name, rest) = line.split_once(": ").unwrap();
            if let Some(epochs) = rest.strip_prefix("maxUnattendedEpochs=") {
                flow.settings.max_unattended_epochs = Some(epochs.parse().unwrap());
                continue;
            }
            flow.nodes.insert(name.into(), node(rest));
        }
    }
    flow
}

/// The values that a text in the notation gives to inputs.
pub fn overrides(text: &str) -> InputOverrides {
    let mut overrides = InputOverrides::new();
    for (to, value) in statements(text).filter_map(overridden) {
        let (node, port) = to.split_once('.').unwrap();
        let ports = overrides.entry(node.into()).or_default();
        ports.insert(port.into(), serde_json::from_str(value).unwrap());
    }
    overrides
}

fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn overridden(line: &str) -> Option<(&str, &str)> {
    line.split_once(" = ")
}

pub fn edge(source: &str, output: &str, target: &str, input: &str) -> Edge {
    Edge {
        source: source.into(),
        source_output: output.into(),
        target: target.into(),
        target_input: input.into(),
        order: None,
        metadata: serde_json::Map::new(),
        extra: serde_json::Map::new(),
    }
}

fn node(text: &str) -> Node {
    let mut words = text.split_whitespace();
    let mut node = Node { node_type: words.next().unwrap().to_owned(), ..Node::default() };
    let is_loop = node.node_type == "loop";
    let mut settings = if is_loop { json!({}) } else { serde_json::to_value(Settings::default()).unwrap() };
    for word in words {
        let (key, value) = word.split_once('=').unwrap();
        match key {
            "in" => node.parent = Some(value.into()),
            "maxEpochs" => node.limits.max_epochs = Some(value.parse().unwrap()),
            "timeoutMs" => node.limits.timeout_ms = Some(value.parse().unwrap()),
            "attempts" => {
                node.retry = Some(RetryPolicy { attempts: value.parse().unwrap(), ..RetryPolicy::default() });
            }
            "channel" | "names" => settings[key] = json!(value),
            "hard" => settings["hard"] = json!(value == "true"),
            key if is_loop => {
                settings[key] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            }
            key => settings[key] = json!(value.parse::<u32>().unwrap()),
        }
    }
    if let Value::Object(map) = settings {
        node.config = map;
    }
    node
}

/// Writes a flow and its overrides in the notation, for messages of failed properties.
pub fn write(flow: &Flow, overrides: &InputOverrides) -> String {
    let plain = Settings::default().config();
    let unattended = flow.settings.max_unattended_epochs;
    let mut lines: Vec<String> =
        unattended.map(|epochs| format!("settings: maxUnattendedEpochs={epochs}\n")).into_iter().collect();
    for (id, node) in &flow.nodes {
        let bound = node.limits.max_epochs.map(|bound| format!(" maxEpochs={bound}"));
        let retry = node.retry.as_ref().map(|retry| format!(" attempts={}", retry.attempts));
        let settings = node.config.iter().filter(|(key, value)| plain.get(*key) != Some(value));
        let settings = settings.map(|(key, value)| {
            format!(" {key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        let parent = node.parent.as_ref().map(|parent| format!(" in={parent}"));
        let more: String = parent.into_iter().chain(bound).chain(retry).chain(settings).collect();
        lines.push(format!("{id}: {}{more}\n", node.node_type));
    }
    for (id, edge) in &flow.edges {
        let (from, to) = (&edge.source, &edge.target);
        lines.push(format!("{from}.{} -> {to}.{} ({id})\n", edge.source_output, edge.target_input));
    }
    for (node, ports) in overrides {
        lines.extend(ports.iter().map(|(port, value)| format!("{node}.{port} = {value}\n")));
    }
    lines.concat()
}
