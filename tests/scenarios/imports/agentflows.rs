//! What nodes of Flowise's agentflows hand on, and what models and servers get of it.

use plait_formats::foreign::ImportOutcome;
use plait_import::import;
use serde_json::{Value, json};

use super::branches::{agentflow, edge, step};
use super::run_flow;
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, SentRequest, user};

/// A reply with a text, which follows another node.
fn reply(text: &str) -> Value {
    step("r", "directReplyAgentflow", &json!({ "directReplyMessage": text }))
}

fn function(code: &str, state: &Value) -> Value {
    let inputs = json!({ "customFunctionInputVariables": [], "customFunctionJavascriptFunction": code, "customFunctionUpdateState": state });
    step("f", "customFunctionAgentflow", &inputs)
}

fn model(messages: &Value) -> Value {
    let inputs = json!({ "llmModel": "chatOpenAI", "llmModelConfig": { "modelName": "gpt-4o" }, "llmMessages": messages });
    step("m", "llmAgentflow", &inputs)
}

async fn run(file: &Value, input: &str) -> (Vec<SentRequest>, Journal) {
    let flow = import(&file.to_string(), None, "x").unwrap().flow;
    run_flow(flow, &RecordingProvider::echo(), input, []).await
}

/// The text that an agentflow of a function and a reply ends with.
async fn replied(code: &str, state: &Value, text: &str) -> String {
    let edges = [edge("s", "startAgentflow", "f"), edge("f", "customFunctionAgentflow", "r")];
    let file = agentflow(&[("k", "zero")], &[function(code, state), reply(text)], &edges);
    let (_, journal) = run(&file, "hello").await;
    journal.output("r-text", "text").as_str().unwrap().to_owned()
}

#[tokio::test]
async fn flowise_function_hands_on_a_text() {
    for (code, expected) in [
        ("return { b: 1, a: [2] };", "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}"),
        ("return [];", "[]"),
        ("return null;", "null"),
        ("return 4.0;", "4"),
        ("return $input + '!';", "hello!"),
        ("return 'x'; // the end", "x"),
    ] {
        assert_eq!(replied(code, &json!([]), "<p>{{ f }}</p>").await, expected, "{code}");
    }
}

#[tokio::test]
async fn flowise_state_takes_the_reply_or_a_field_of_it() {
    let code = "return { a: { b: 2 } };";
    for (value, expected) in [
        ("{{ output.a.b }}", "2"),
        // A field takes the place of the whole value.
        ("is {{output.a.b}}", "2"),
        ("fixed", "fixed"),
        ("<p>of {{ question }}</p>", "of hello"),
    ] {
        let state = json!([{ "key": "k", "value": value }]);
        assert_eq!(replied(code, &state, "{{ $flow.state.k }}").await, expected, "{value}");
    }
    let state = json!([{ "key": "new", "value": "got {{ output }}" }]);
    assert_eq!(replied("return 'r';", &state, "{{ $flow.state.new }}").await, "got r");
    // Some exports have the state as a text.
    let mut file = agentflow(&[], &[reply("{{ $flow.state.k }}")], &[edge("s", "startAgentflow", "r")]);
    file["nodes"][0]["data"]["inputs"]["startState"] = json!("[{\"key\":\"k\",\"value\":\"v\"}]");
    assert_eq!(run(&file, "hello").await.1.output("r-text", "text"), "v");
}

#[tokio::test]
async fn flowise_iteration_hands_on_its_results_as_one_text() {
    let iteration = step("it", "iterationAgentflow", &json!({ "iterationInput": "[\"a\", { \"b\": 1 }]" }));
    let mut inside = model(&json!([{ "role": "user", "content": "do {{ $iteration }}" }]));
    inside["parentNode"] = json!("it");
    let edges = [edge("s", "startAgentflow", "it"), edge("it", "iterationAgentflow", "r")];
    for (text, expected) in [
        ("{{ it }}", "re: do a\nre: do {\"b\":1}"),
        ("{{ it.output.iterationResults }}", "[\"re: do a\",\"re: do {\\\"b\\\":1}\"]"),
    ] {
        let file = agentflow(&[], &[iteration.clone(), inside.clone(), reply(text)], &edges);
        let (_, journal) = run(&file, "hello").await;
        assert_eq!(journal.output("r-text", "text"), expected, "{text}");
    }
}

#[tokio::test]
async fn flowise_model_receives_the_markdown_of_the_editor() {
    let messages = json!([
        { "role": "system", "content": "" },
        { "role": "user", "content": "<p>First <strong>{{ question }}</strong></p><p>{{ s.output.question }}</p>" },
        { "role": "user", "content": "<task>Keep <b>tags</b></task>" },
    ]);
    let file = agentflow(&[], &[model(&messages)], &[edge("s", "startAgentflow", "m")]);
    let (sent, _) = run(&file, "hello").await;
    let expected = [user("First **hello**\n\nhello"), user("<task>Keep <b>tags</b></task>")];
    assert_eq!((sent[0].system.as_deref(), sent[0].messages.as_slice()), (None, expected.as_slice()));
}

#[test]
fn flowise_request_that_sends_no_json_is_a_placeholder() {
    let outcome = |inputs: &Value| {
        let mut inputs = inputs.clone();
        inputs["url"] = json!("https://a.test/x");
        let file =
            agentflow(&[], &[step("h", "httpAgentflow", &inputs)], &[edge("s", "startAgentflow", "h")]);
        let imported = import(&file.to_string(), None, "x").unwrap();
        let node = imported.report.nodes.iter().find(|node| node.id == "h").unwrap();
        let body = imported.flow.nodes.get("h").and_then(|node| node.config.get("body").cloned());
        (node.outcome, body.filter(|_| node.outcome == ImportOutcome::Same))
    };
    let json_body = json!({ "method": "POST", "bodyType": "json", "body": "{\"a\": 1}" });
    assert_eq!(outcome(&json_body), (ImportOutcome::Same, Some(json!({ "a": 1 }))));
    let form =
        json!({ "method": "POST", "bodyType": "xWwwFormUrlencoded", "body": [{ "key": "a", "value": "1" }] });
    assert_eq!(outcome(&form), (ImportOutcome::Placeholder, None));
    let raw = json!({ "method": "POST", "bodyType": "raw", "body": "a=1" });
    assert_eq!(outcome(&raw), (ImportOutcome::Placeholder, None));
    // Without a type and in a GET, no body is sent.
    let untyped = json!({ "method": "POST", "body": "{\"a\": 1}" });
    assert_eq!(outcome(&untyped), (ImportOutcome::Same, None));
    let get = json!({ "method": "GET", "bodyType": "raw", "body": "a=1" });
    assert_eq!(outcome(&get), (ImportOutcome::Same, None));
}
