//! Nodes that produce, pass on or route values.

use serde_json::{Value, json};
use std::time::Duration;

use crate::registry;
use crate::testing::NodeHarness;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::Datum;

#[expect(clippy::needless_pass_by_value, reason = "values are written in place")]
fn ports(node_type: &str, config: Value) -> Ports {
    let config = config.as_object().cloned().unwrap_or_default();
    let bound = registry().bind(&"n".into(), node_type, &config).unwrap();
    Ports::clone(bound.unwrap_or_else(|found| panic!("{found:?}")).ports())
}

fn inputs(ports: &Ports) -> Vec<String> {
    let rows = ports.inputs.iter().filter(|port| !port.order_only).map(|port| {
        let mark = if port.required {
            "!"
        } else if port.required_when_fed {
            "~"
        } else {
            "?"
        };
        format!("{}{mark}", port.name)
    });
    rows.collect()
}

#[test]
fn template_variables_become_inputs() {
    let template = "{{a}}{{#if b}}{{b.c}}{{/if}}{{#each list}}{{x}}{{/each}}";
    assert_eq!(inputs(&ports("text", json!({ "template": template }))), ["a!", "b?", "list!"]);
    assert_eq!(inputs(&ports("text", json!({}))), Vec::<String>::new());
    let prompt = json!({ "prompt": "{{formattedData}} {{message}} {{#if data}}{{/if}}" });
    assert_eq!(
        inputs(&ports("chat", prompt)),
        ["context!", "message~", "data~", "attach?", "tools?", "formattedData!"]
    );
    assert_eq!(
        inputs(&ports("userInput", json!({ "prompt": "{{in}} {{who}}" }))),
        ["context~", "in!", "who!"]
    );
    assert_eq!(inputs(&ports("userInput", json!({ "addToHistory": true }))), ["context!", "in~"]);
    assert_eq!(inputs(&ports("approval", json!({}))), ["in~", "context~"]);
    let injected = json!({ "messages": [{ "role": "user", "content": "{{a}}" }, { "role": "user", "content": "{{a}}{{b}}" }] });
    assert_eq!(inputs(&ports("injectMessages", injected)), ["context~", "contextId~", "a!", "b!"]);
}

#[test]
fn ports_follow_the_config() {
    let outputs = |ports: Ports| ports.outputs.iter().map(|port| port.name.to_string()).collect::<Vec<_>>();
    let cases = json!({ "cases": [{ "name": "a", "equals": 1 }, { "name": "b", "equals": 2 }] });
    assert_eq!(outputs(ports("switch", cases)), ["a", "b", "default", "error"]);
    assert_eq!(outputs(ports("chat", json!({}))), ["context", "response", "attachments", "error"]);
    assert_eq!(
        outputs(ports("chat", json!({ "responseSchema": {} }))),
        ["context", "response", "attachments", "structured", "error"]
    );
    assert_eq!(ports("portalIn", json!({ "kind": "tools" })).inputs[0].kind, PortKind::Tools);
    assert_eq!(ports("portalOut", json!({ "kind": "context" })).outputs[0].kind, PortKind::Context);
    assert_eq!(ports("value", json!({ "value": [1] })).outputs[0].value_type, PortType::List);
    assert_eq!(
        ports("userInput", json!({ "schema": {} })).find_output("message").unwrap().value_type,
        PortType::Any
    );
    assert!(outputs(ports("output", json!({}))).is_empty());
}

#[test]
fn join_omits_missing_values() {
    let mut harness = NodeHarness::new();
    let run = harness.run("join", json!({}), &[("values", json!(["a", { "k": 1 }, null]))]);
    assert_eq!(
        run.outputs(),
        json!({ "list": ["a", { "k": 1 }, null], "first": "a", "text": "a\n{\"k\":1}\n" })
    );
    assert_eq!(harness.run("join", json!({}), &[]).outputs(), json!({}));
    assert!(ports("join", json!({})).inputs[0].required);
}

#[test]
fn passed_on_values_keep_their_message_id() {
    let mut harness = NodeHarness::new();
    let datum = Datum { message: Some("userInput/0".into()), ..json!("Hello").into() };
    let cases = json!({ "cases": [{ "name": "greeting", "equals": "Hello" }] });
    for (node_type, config, input, output) in [
        ("delay", json!({}), "in", "out"),
        ("switch", cases, "value", "greeting"),
        ("catch", json!({}), "value", "result"),
        ("join", json!({}), "values", "first"),
    ] {
        let run = harness.run_data(node_type, config, vec![(input, datum.clone())]);
        assert_eq!(
            run.message(output).map(plait_core::id::MessageId::as_str),
            Some("userInput/0"),
            "{node_type}"
        );
    }
    harness.answer = Some(json!({ "approved": true }));
    let run = harness.run_data("approval", json!({}), vec![("in", datum)]);
    assert_eq!(run.message("approved").map(plait_core::id::MessageId::as_str), Some("userInput/0"));
}

#[test]
fn delay_sleeps_with_the_hosts_clock() {
    let mut harness = NodeHarness::new();
    harness.run("delay", json!({ "ms": 250 }), &[("in", json!(1))]).result.unwrap();
    assert_eq!(harness.clock.sleeps(), [Duration::from_millis(250)]);
    assert_eq!(harness.run("delay", json!({ "ms": 90_000_000 }), &[]).code(), "config.invalid");
    assert_eq!(harness.run("delay", json!({ "ms": -1 }), &[]).code(), "config.invalid");
}

#[test]
fn catch_prefers_the_error_and_outputs_the_fallback() {
    let mut harness = NodeHarness::new();
    let error = json!({ "code": "c", "message": "m", "node": "n", "details": { "k": 1 } });
    let both = [("value", json!(1)), ("error", error.clone())];
    let run = harness.run("catch", json!({ "fallback": [0] }), &both);
    assert_eq!(run.outputs(), json!({ "result": [0], "caught": error }));
    let template = json!({ "template": "{{code}} {{message}} {{node}} {{details.k}}", "fallback": 1 });
    assert_eq!(harness.run("catch", template, &[("error", error)]).output("result"), Some(&json!("c m n 1")));
    let bare =
        harness.run("catch", json!({ "template": "[{{details}}]" }), &[("error", json!({ "code": "c" }))]);
    assert_eq!(bare.output("result"), Some(&json!("[]")));
    assert_eq!(harness.run("catch", json!({}), &[]).outputs(), json!({}));
    assert_eq!(harness.run("catch", json!({ "template": "{{reason}}" }), &[]).code(), "config.invalid");
}

#[test]
fn output_value_follows_its_format() {
    let mut harness = NodeHarness::new();
    let mut format_value = |format: &str, value: Value| {
        let run = harness.run("output", json!({ "format": format }), &[("value", value)]);
        run.output("value").cloned().unwrap_or_else(|| json!(run.code()))
    };
    assert_eq!(format_value("auto", json!({ "k": 1 })), json!({ "k": 1 }));
    assert_eq!(format_value("text", json!({ "k": 1 })), json!("{\"k\":1}"));
    assert_eq!(format_value("markdown", json!("*x*")), json!("*x*"));
    assert_eq!(format_value("json", json!("[1]")), json!([1]));
    assert_eq!(format_value("json", json!({ "k": 1 })), json!({ "k": 1 }));
    assert_eq!(format_value("json", json!("one")), json!("output.not_json"));
    assert_eq!(format_value("xml", json!(1)), json!("config.invalid"));
}

#[test]
fn tools_are_selected_by_name() {
    let mut harness = NodeHarness::new();
    assert_eq!(harness.run("tools", json!({}), &[]).output("names"), Some(&json!(["broken", "calculator"])));
    let run = harness.run("tools", json!({ "tools": ["calculator", "calculator"] }), &[]);
    assert_eq!(run.output("names"), Some(&json!(["calculator"])));
    assert_eq!(run.output("tools").unwrap()[0]["name"], json!("calculator"));
    let fault = harness.run("tools", json!({ "tools": ["rocket"] }), &[]).result.unwrap_err();
    assert_eq!(fault.code, "tools.unknown");
    assert!(fault.message.contains("`rocket`") && fault.hint.unwrap().contains("calculator"));
}

#[test]
fn portals_need_a_channel() {
    for node_type in ["portalIn", "portalOut"] {
        assert_eq!(
            NodeHarness::new().run(node_type, json!({ "channel": " " }), &[]).code(),
            "config.invalid"
        );
    }
}
