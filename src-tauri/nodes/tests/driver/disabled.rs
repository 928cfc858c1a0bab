//! Disabled nodes: runs pass over them, and what comes in goes on.

use serde_json::{Value, json};

use super::conversations::{assert_received, script};
use super::{Stage, of};
use plait_core::flow::Flow;
use plait_nodes::codes;
use plait_run::plan::check;
use plait_testing::flow_of;

/// Two agents in one context; the second answers the first.
pub(super) fn two_agents() -> (Value, Value) {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "a": { "type": "chat" },
        "b": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges = json!([
        "start.context -> a.context",
        "goal.value -> a.message",
        "a.context -> b.context",
        "a.response -> b.message",
        "b.response -> out.value",
    ]);
    (nodes, edges)
}

/// The same where one of the nodes is disabled.
fn two_agents_without(disabled: &str) -> (Value, Value) {
    let (mut nodes, edges) = two_agents();
    nodes[disabled]["disabled"] = json!(true);
    (nodes, edges)
}

pub(super) fn flow(nodes: &Value, edges: &Value) -> Flow {
    let edges: Vec<_> = edges.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    flow_of(nodes, &edges, &json!({}))
}

#[test]
fn agent_behind_a_disabled_one_gets_its_context_and_message() {
    let stage = Stage::new();
    let (nodes, edges) = two_agents_without("a");
    script(&stage, &["B1"]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Plan."]]);
    assert!(of("a", &events).is_empty(), "{events:#?}");
    assert_eq!(events.last().unwrap()["outputs"]["out"]["value"], "B1", "{events:#?}");
}

#[test]
fn result_of_a_flow_is_what_a_disabled_node_gets() {
    let stage = Stage::new();
    let (nodes, edges) = two_agents_without("b");
    script(&stage, &["A1"]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Plan."]]);
    assert_eq!(events.last().unwrap()["outputs"]["out"]["value"], "A1", "{events:#?}");
}

#[test]
fn several_disabled_nodes_and_portals_are_one_way() {
    let stage = Stage::new();
    let nodes = json!({
        "v": { "type": "value", "config": { "value": "Go." } },
        "one": { "type": "text", "disabled": true, "config": { "template": "{{value}}!" } },
        "in": { "type": "portalIn", "config": { "channel": "c" } },
        "from": { "type": "portalOut", "config": { "channel": "c" } },
        "two": { "type": "text", "disabled": true, "config": { "template": "{{first}} {{second}}" } },
        "out": { "type": "output" },
    });
    let edges = json!([
        "v.value -> one.value",
        "one.text -> in.in",
        "from.out -> two.first",
        "two.text -> out.value",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["outputs"]["out"]["value"], "Go.", "{events:#?}");
}

#[test]
fn body_of_a_disabled_loop_does_not_run() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "disabled": true, "config": { "kind": "times", "times": 3 } },
        "inside": { "type": "chat", "parent": "l" },
        "after": { "type": "chat" },
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> inside.context",
        "l.previous -> inside.message",
        "inside.response -> l.next",
        "start.context -> after.context",
        "l.result -> after.message",
    ]);
    script(&stage, &["Done."]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Plan."]]);
    assert!(of("inside", &events).is_empty() && of("l", &events).is_empty(), "{events:#?}");
}

#[test]
fn what_only_a_disabled_node_gave_is_missing() {
    let (nodes, edges) = two_agents_without("start");
    let found = check(&flow(&nodes, &edges), &plait_nodes::registry()).diagnostics;
    let unfed: Vec<_> =
        found.iter().map(|one| (one.code.as_str(), one.node.as_ref().unwrap().as_str())).collect();
    assert_eq!(unfed, [("port.unfed", "a")]);
}

/// Disabled nodes that feed only each other give nothing, and their error outputs give nothing.
#[test]
fn circle_of_disabled_nodes_gives_nothing() {
    let stage = Stage::new();
    let mut nodes = json!({
        "v": { "type": "value", "config": { "value": "Go." } },
        "one": { "type": "text", "disabled": true, "config": { "template": "{{value}}" } },
        "two": { "type": "text", "disabled": true, "config": { "template": "{{value}}" } },
        "out": { "type": "join" },
        "failed": { "type": "join" },
    });
    let edges = json!([
        "one.text -> two.value",
        "two.text -> one.value",
        "one.text -> out.values",
        "v.value -> out.values",
        "two.error -> failed.values",
        "v.value -> failed.values",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(of("out", &events)[0]["outputs"]["list"], json!(["Go."]), "{events:#?}");
    assert_eq!(of("failed", &events)[0]["outputs"]["list"], json!(["Go."]), "{events:#?}");
    // Enabled, they are a cycle without an end.
    for node in ["one", "two"] {
        nodes[node]["disabled"] = json!(false);
    }
    let found = check(&flow(&nodes, &edges), &plait_nodes::registry()).diagnostics;
    assert!(!found.is_empty());
}

#[test]
fn settings_that_a_disabled_node_lacks_are_no_problem() {
    let mut nodes =
        json!({ "call": { "type": "subflow", "disabled": true, "config": { "inputSource": "mapping" } } });
    let problems = |nodes: &Value| check(&flow(nodes, &json!([])), &plait_nodes::registry()).diagnostics;
    assert_eq!(problems(&nodes), []);
    nodes["call"]["disabled"] = json!(false);
    assert!(
        problems(&nodes).iter().any(|found| found.code == codes::CONFIG_INCOMPLETE),
        "{:?}",
        problems(&nodes)
    );
}
