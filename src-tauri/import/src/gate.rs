//! Order without a value. In tools with edges that mean "then", a node runs when the one before it is done, also if it
//! reads other values. In Plait it runs when its values are there. Where a branch may be skipped, the difference shows:
//! [`run_after`] makes a node wait for its branch, with an edge into an input that it has for that, or through a
//! `join`.

use serde_json::json;

use super::builder::{FlowBuilder, Output, PLACEHOLDER};
use plait_core::id::NodeId;

/// Makes a node run only if one of these outputs is live. Nothing to do if it reads the only one already.
pub(super) fn run_after(builder: &mut FlowBuilder, source: &str, node: &NodeId, branches: &[Output]) {
    let feeds = builder.feeds(node);
    // Nodes inside a loop run in its iterations.
    let parent = builder.parent(node);
    let branches: Vec<Output> =
        branches.iter().filter(|branch| Some(&branch.node) != parent.as_ref()).cloned().collect();
    let branches = branches.as_slice();
    if branches.is_empty() || branches.iter().any(|branch| branches.len() == 1 && feeds.contains(branch)) {
        return;
    }
    let node_type = builder.node_type(node).to_owned();
    let own_input = match node_type.as_str() {
        "chat" if !builder.is_fed(node, "message") => Some("data"),
        "userInput" | "approval" => Some("in"),
        "code" | "loop" => Some("input"),
        "classify" => Some("message"),
        "extract" => Some("text"),
        PLACEHOLDER => Some("after"),
        "note" | "contextStart" | "value" | "tools" | "mcpServer" => return,
        _ => None,
    };
    let at = builder.position(node).beside(-0.5, 1.0);
    let branch = if let [only] = branches {
        only.clone()
    } else {
        let join = builder.add(source, "Any branch", "join", json!({}), at);
        for branch in branches {
            builder.connect(branch, &join, "values");
        }
        Output::new(&join, "first")
    };
    match (own_input, node_type.as_str()) {
        (Some(input), _) if !builder.is_fed(node, input) => builder.connect(&branch, node, input),
        (_, "text") => {
            let name = free_input(builder, node);
            let config = builder.config(node).and_then(|config| config.get_mut("template"));
            if let Some(serde_json::Value::String(template)) = config {
                // Reads the value, and shows nothing of it.
                template.insert_str(0, &format!("{{{{#with {name}}}}}{{{{/with}}}}"));
                builder.connect(&branch, node, &name);
            }
        }
        (_, "join") if !builder.is_fed(node, "after") => builder.connect(&branch, node, "after"),
        _ => delay_first_feed(builder, source, node, &branch),
    }
}

/// Puts a `join` that waits for the branch into the first edge that feeds a node.
fn delay_first_feed(builder: &mut FlowBuilder, source: &str, node: &NodeId, branch: &Output) {
    let at = builder.position(node).beside(-0.5, 1.0);
    let Some((from, input)) = builder.take_data_feed(node) else {
        builder.lose(
            source,
            "It runs whether its branch is taken or not: it has no input that could wait for it.",
        );
        return;
    };
    let join = builder.add(source, "After the branch", "join", json!({}), at);
    builder.connect(&from, &join, "values");
    builder.connect(branch, &join, "after");
    builder.connect(&Output::new(&join, "first"), node, &input);
}

/// A name for another input of a template.
fn free_input(builder: &FlowBuilder, node: &NodeId) -> String {
    let mut name = "branch".to_owned();
    let mut count = 1;
    while builder.is_fed(node, &name) {
        count += 1;
        name = format!("branch_{count}");
    }
    name
}
