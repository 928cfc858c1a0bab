use serde_json::json;

use crate::registry;
use crate::testing::NodeHarness;
use plait_core::flow::{Flow, Node};
use plait_run::plan::check;

fn config() -> serde_json::Value {
    json!({
        "format": "n8n",
        "kind": "n8n-nodes-base.gmail",
        "reason": "Plait has no node for this service.",
        "inputs": [{ "name": "in", "kind": "data" }, { "name": "in", "kind": "data" }],
        "outputs": [{ "name": "tools", "kind": "tools" }],
    })
}

#[test]
fn placeholder_has_the_ports_of_its_config_and_an_error_in_checks() {
    let mut flow = Flow::default();
    let config = config().as_object().cloned().unwrap_or_default();
    let node = Node { node_type: "placeholder".to_owned(), config, ..Node::default() };
    flow.nodes.insert("mail".into(), node);
    let checked = check(&flow, &registry());
    let codes: Vec<&str> = checked.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["import.placeholder"]);
    let message = &checked.diagnostics[0].message;
    assert!(message.contains("`n8n-nodes-base.gmail` of n8n"), "{message}");
    let ports = &checked.ports["mail"];
    let inputs: Vec<_> = ports.inputs.iter().map(|port| port.name.as_str()).collect();
    assert_eq!((inputs, ports.outputs.len()), (vec!["in", "after"], 1));
}

#[test]
fn placeholder_fails_when_it_runs() {
    let run = NodeHarness::new()
        .run_example("placeholder", &plait_run::node::Example::new("A node").config(config()));
    assert_eq!(run.result.unwrap_err().code.as_str(), "import.placeholder");
}
