use std::fmt::Write as _;

use crate::pipeline::{Pipeline, scaffold};
use plait_core::flow::Flow;

fn lower(text: &str) -> Flow {
    Pipeline::read(text).unwrap().flow
}

/// A flow as a list: its nodes with config and place, and its edges.
fn describe(flow: &Flow) -> String {
    let mut described = String::new();
    for (id, node) in &flow.nodes {
        let at = &flow.layout[id];
        let config = serde_json::Value::Object(node.config.clone());
        let parent = node.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let _ = writeln!(described, "{id}: {}{parent} at {},{} {config}", node.node_type, at.x, at.y);
    }
    for id in flow.edges.keys() {
        let _ = writeln!(described, "{id}");
    }
    described
}

#[test]
fn minimal_example_lowers_verbatim() {
    insta::assert_snapshot!(describe(&lower(include_str!(
        "../../../../../tests/fixtures/pipelines/minimal.yaml"
    ))));
}

#[test]
fn named_sources_example_lowers_with_its_summarizer() {
    insta::assert_snapshot!(describe(&lower(include_str!(
        "../../../../../tests/fixtures/pipelines/named_sources.yaml"
    ))));
}

#[test]
fn every_kind_of_step_lowers() {
    insta::assert_snapshot!(describe(&lower(include_str!(
        "../../../../../tests/fixtures/pipelines/review.yaml"
    ))));
}

#[test]
fn lowered_flow_is_a_flow_that_is_written_and_read() {
    for text in
        [include_str!("../../../../../tests/fixtures/pipelines/review.yaml"), scaffold(true), scaffold(false)]
    {
        let flow = lower(text);
        let written = plait_core::flow::write(&flow).unwrap();
        assert_eq!(plait_core::flow::read(&written).unwrap(), flow);
        assert_eq!(lower(text), flow);
    }
}

#[test]
fn agents_give_their_settings_to_the_nodes_of_their_steps() {
    let flow = lower(
        "version: \"0.1\"\nagents:\n  a: {provider: p, model: m, system_prompt: s, temperature: 0.5, max_tokens: 7, tools: auto, options: {seed: 1}}\nsteps:\n  - {kind: step, name: x, agent: a, config: {memory: {mode: read}}}\n  - {kind: step, name: y}\n",
    );
    let config = |id: &str| serde_json::Value::Object(flow.nodes[id].config.clone());
    assert_eq!(
        config("x.context"),
        serde_json::json!({ "provider": "p", "model": "m", "systemInstructions": "s" })
    );
    let expected = serde_json::json!({
        "temperature": 0.5, "maxTokens": 7, "options": { "seed": 1 }, "memory": { "mode": "read" },
    });
    assert_eq!(config("x"), expected);
    assert_eq!(flow.nodes["x.tools"].node_type, "tools");
    // Without an agent, provider and model are those of the settings.
    assert_eq!((config("y.context"), config("y")), (serde_json::json!({}), serde_json::json!({})));
}
