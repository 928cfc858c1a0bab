//! The flows that benchmarks run: long chains, whose texts do not grow on the way.

use plait_core::flow::Flow;
use serde_json::{Map, Value, json};

/// One of so many nodes is a model call, where there are any.
pub const CALL_EVERY: usize = 10;

/// Texts, each a copy of the one before. The first is `value`.
pub fn chain_of_texts(nodes: usize, value: &str) -> serde_json::Result<Flow> {
    let mut chain = Chain::beginning_with(value);
    for at in 1..nodes {
        chain.add(at, json!({ "type": "text", "config": { "template": "{{value}}" } }), "text");
    }
    chain.into_flow()
}

/// Texts and chats, the last of which says `last`.
pub fn chain_with_calls(nodes: usize, last: &str) -> serde_json::Result<Flow> {
    let mut chain = Chain::beginning_with("word");
    let start = json!({ "type": "contextStart", "config": { "provider": "offline", "model": "echo" } });
    chain.nodes.insert("main".to_owned(), start);
    for at in 1..nodes {
        if at % CALL_EVERY == CALL_EVERY - 1 {
            let prompt = if at + CALL_EVERY > nodes { last.to_owned() } else { format!("call {at}") };
            let config = json!({ "prompt": format!("{prompt} {{{{value}}}}"), "skipHistory": true });
            chain.add(at, json!({ "type": "chat", "config": config }), "response");
            chain.connect("main", "context", at, "context");
        } else {
            // Short: what a reply says does not grow along the chain.
            let config = json!({ "template": format!("text {at}{{{{#if value}}}}{{{{/if}}}}") });
            chain.add(at, json!({ "type": "text", "config": config }), "text");
        }
    }
    chain.into_flow()
}

struct Chain {
    nodes: Map<String, Value>,
    edges: Map<String, Value>,
    /// The last node, and its output.
    last: (String, &'static str),
}

impl Chain {
    fn beginning_with(value: &str) -> Self {
        let first = json!({ "type": "value", "config": { "value": value } });
        let nodes = Map::from_iter([("n0".to_owned(), first)]);
        Self { nodes, edges: Map::new(), last: ("n0".to_owned(), "value") }
    }

    /// Adds a node behind the last one.
    fn add(&mut self, at: usize, node: Value, output: &'static str) {
        let id = format!("n{at}");
        let (before, of_before) = std::mem::replace(&mut self.last, (id.clone(), output));
        self.nodes.insert(id, node);
        self.connect(&before, of_before, at, "value");
    }

    fn connect(&mut self, source: &str, output: &str, target: usize, input: &str) {
        let target = format!("n{target}");
        let edge =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
        self.edges.insert(format!("e{}", self.edges.len()), edge);
    }

    fn into_flow(self) -> serde_json::Result<Flow> {
        serde_json::from_value(json!({ "version": 1, "nodes": self.nodes, "edges": self.edges }))
    }
}
