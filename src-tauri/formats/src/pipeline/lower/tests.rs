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

const SERVERS: &str = r#"version: "0.1"
agents:
  clerk:
    model: echo
    tools: [calculator]
    mcp_servers:
      - files
      - server: tickets
        tools: [create, "close"]
        prefix: t_
        instructions: {create: Ask first.}
        send_context: true
        policy: {timeout_ms: 5000, attempts: 2, approval: true}
    http_tools:
      - name: weather
        url: "https://api.example.com/{{city}}"
steps:
  - {kind: step, name: x, agent: clerk, quota: {tokens: 500, usd: 0.5, on_exceeded: ask}}
  - kind: step
    name: y
    agent:
      http_tools: [{name: weather, url: "https://api.example.com/"}]
  - kind: loop
    name: l
    loop:
      kind: times
      times: 2
      quota: {tokens: 900, on_exceeded: fallback, fallback: {model: echo}}
      body:
        - {kind: step, name: z, agent: {mcp_servers: [files]}}
"#;

#[test]
fn servers_http_tools_and_quotas_lower_to_nodes_and_limits() {
    let flow = lower(SERVERS);
    let config = |id: &str| serde_json::Value::Object(flow.nodes[id].config.clone());
    let json = serde_json::json!({ "server": "files" });
    assert_eq!((config("x.mcp.1"), config("z.mcp.1")), (json.clone(), json));
    assert_eq!(
        config("x.mcp.2"),
        serde_json::json!({
            "server": "tickets", "tools": ["create", "close"], "prefix": "t_", "instructions": { "create": "Ask first." },
            "sendContext": true, "policy": { "timeoutMs": 5000, "attempts": 2, "approval": true },
        })
    );
    let weather = serde_json::json!([{ "name": "weather", "url": "https://api.example.com/{{city}}" }]);
    assert_eq!(config("x.tools"), serde_json::json!({ "tools": ["calculator"], "http": weather }));
    let plain = serde_json::json!([{ "name": "weather", "url": "https://api.example.com/" }]);
    assert_eq!(config("y.tools"), serde_json::json!({ "tools": [], "http": plain }));
    for (source, target) in [("x.mcp.1", "x"), ("x.mcp.2", "x"), ("x.tools", "x"), ("z.mcp.1", "z")] {
        assert!(flow.edges.contains_key(format!("{source}.tools-{target}.tools").as_str()), "{source}");
    }
    assert_eq!(flow.nodes["z.mcp.1"].parent, Some("l".into()));
    let quota = |id: &str| serde_json::to_value(&flow.nodes[id].limits.quota).unwrap();
    assert_eq!(quota("x"), serde_json::json!({ "tokens": 500, "usd": 0.5, "onExceeded": "ask" }));
    assert_eq!(
        quota("l"),
        serde_json::json!({ "tokens": 900, "onExceeded": "fallback", "fallback": { "model": "echo" } })
    );
    let errors = plait_run::plan::check(&flow, &plait_nodes::registry()).diagnostics;
    assert_eq!(errors, []);
    // A flow raises to a pipeline that lowers to it.
    let raised = crate::pipeline::save(None, &flow).unwrap();
    let again = lower(&raised);
    assert_eq!((&again.nodes, &again.edges), (&flow.nodes, &flow.edges), "{raised}");
    // An edit changes its line alone.
    let mut edited = flow.clone();
    edited.nodes.get_mut("x.mcp.2").unwrap().config.insert("prefix".to_owned(), "u_".into());
    edited.nodes.get_mut("l").unwrap().limits.quota.as_mut().unwrap().tokens = Some(800);
    let saved = crate::pipeline::save(Some(SERVERS), &edited).unwrap();
    assert_eq!(lower(&saved).nodes, edited.nodes, "{saved}");
    assert!(saved.contains("tokens: 800") && saved.contains("u_"), "{saved}");
}

#[test]
fn problems_of_servers_tools_and_quotas_have_their_places() {
    let first = |text: &str| {
        let found = Pipeline::read(text).unwrap_err();
        (found[0].line, found[0].diagnostic.pointer.clone(), found[0].diagnostic.code.to_string())
    };
    let wrong = "pipeline.wrong_type".to_owned();
    let server = SERVERS.replace("attempts: 2", "attempts: 2, tries: 1");
    assert_eq!(first(&server), (8, "/agents/clerk/mcp_servers/1".to_owned(), wrong.clone()));
    let tool =
        SERVERS.replace("url: \"https://api.example.com/{{city}}\"", "uri: \"https://api.example.com/\"");
    assert_eq!(first(&tool), (15, "/agents/clerk/http_tools/0".to_owned(), wrong));
    let text = SERVERS.replace("tokens: 900", "tokens: 0");
    let pipeline = Pipeline::read(&text).unwrap();
    let checked = plait_run::plan::check(&pipeline.flow, &plait_nodes::registry()).diagnostics;
    assert_eq!(checked[0].code.as_str(), "quota.bad");
    assert_eq!(pipeline.places.line_and_column(&text, &checked[0].pointer).0, 28);
}
