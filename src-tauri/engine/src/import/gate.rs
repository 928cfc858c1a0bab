//! Order without a value. In tools whose edges mean "then", a node runs when the one before it is done, whatever it reads. In
//! Plait it runs when its values are there. Where a branch may be skipped, the difference shows: [`run_after`] makes a node wait
//! for its branch, with an edge into an input that it has for that, or through a `join`.

use serde_json::json;

use super::draft::{Draft, Output, PLACEHOLDER};
use super::template::TemplateText;
use crate::id::NodeId;

/// Makes a node run only if one of these outputs is live. Nothing to do if it reads the only one already.
pub(super) fn run_after(draft: &mut Draft, source: &str, node: &NodeId, branches: &[Output]) {
    let feeds = draft.feeds(node);
    // What is inside of a loop runs in its iterations.
    let parent = draft.parent(node);
    let branches: Vec<Output> =
        branches.iter().filter(|branch| Some(&branch.node) != parent.as_ref()).cloned().collect();
    let branches = branches.as_slice();
    if branches.is_empty() || branches.iter().any(|branch| branches.len() == 1 && feeds.contains(branch)) {
        return;
    }
    let node_type = draft.node_type(node).to_owned();
    let own_input = match node_type.as_str() {
        "chat" if !draft.is_fed(node, "message") => Some("data"),
        "userInput" | "approval" => Some("in"),
        "code" | "loop" => Some("input"),
        "classify" => Some("message"),
        "extract" => Some("text"),
        PLACEHOLDER => Some("after"),
        "note" | "contextStart" | "value" | "tools" | "mcpServer" => return,
        _ => None,
    };
    let at = draft.position(node).beside(-0.5, 1.0);
    let branch = match branches {
        [only] => only.clone(),
        _ => {
            let join = draft.add(source, "Any branch", "join", json!({}), at);
            for branch in branches {
                draft.connect(branch, &join, "values");
            }
            Output::new(&join, "first")
        }
    };
    match (own_input, node_type.as_str()) {
        (Some(input), _) if !draft.is_fed(node, input) => {
            draft.connect(&branch, node, input);
        }
        (_, "text") => {
            let source =
                draft.config(node).and_then(|config| config.get("template")?.as_str().map(str::to_owned));
            let mut gate = TemplateText::default();
            gate.require("branch", &branch);
            if let (Some(template), Some(config)) = (source, draft.config(node)) {
                let template = format!("{}{template}", gate.source());
                config.insert("template".to_owned(), template.into());
            }
            draft.feed(&gate, node);
        }
        (_, "join") => {
            draft.connect(&branch, node, "after");
        }
        _ => delay_first_feed(draft, source, node, &branch),
    }
}

/// Puts a `join` that waits for the branch into the first edge that feeds a node.
fn delay_first_feed(draft: &mut Draft, source: &str, node: &NodeId, branch: &Output) {
    let at = draft.position(node).beside(-0.5, 1.0);
    let Some((from, input)) = draft.take_data_feed(node) else {
        draft.lose(
            source,
            "It runs whether its branch is taken or not: it has no input that could wait for it.",
        );
        return;
    };
    let join = draft.add(source, "After the branch", "join", json!({}), at);
    draft.connect(&from, &join, "values");
    draft.connect(branch, &join, "after");
    draft.connect(&Output::new(&join, "first"), node, &input);
}
