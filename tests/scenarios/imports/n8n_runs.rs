//! How often n8n runs a node, on which items, and in which order: workflows whose models note what they are asked.

use plait_core::flow::Flow;
use plait_formats::foreign::ImportOutcome;
use plait_import::import;
use serde_json::{Value, json};

use super::run_flow;
use crate::support::provider::{RecordingProvider, SentRequest};

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    let kind = if kind.contains('.') { kind.to_owned() } else { format!("n8n-nodes-base.{kind}") };
    let mut node = json!({ "name": name, "type": kind, "typeVersion": version });
    node["parameters"] = parameters;
    node
}

fn chain(name: &str, text: &str) -> Value {
    node(name, "@n8n/n8n-nodes-langchain.chainLlm", 1.5, json!({ "promptType": "define", "text": text }))
}

fn chat() -> Value {
    node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.1, json!({}))
}

fn set(name: &str, field: &str, value: &str) -> Value {
    node(
        name,
        "set",
        3.4,
        json!({ "assignments": { "assignments": [{ "name": field, "type": "string", "value": value }] } }),
    )
}

fn make(items: &Value) -> Value {
    node("Make", "code", 2.0, json!({ "jsCode": format!("return {items}.map((json) => ({{ json }}));") }))
}

fn check(name: &str, left: &str, kind: &str, operation: &str, right: &Value) -> Value {
    let condition = json!({ "leftValue": left, "rightValue": right, "operator": { "type": kind, "operation": operation } });
    node(name, "if", 2.2, json!({ "conditions": { "conditions": [condition], "combinator": "and" } }))
}

/// A workflow with a model for all of its chains. An edge is `A>B`, or `A:1>B` from the second output.
fn workflow(nodes: &[Value], edges: &str) -> Value {
    let mut nodes = nodes.to_vec();
    let mut connections = json!({});
    for edge in edges.split_whitespace() {
        let (source, target) = edge.split_once('>').unwrap();
        let (source, output) = source.split_once(':').unwrap_or((source, "0"));
        let output: usize = output.parse().unwrap();
        let outputs = &mut connections[source]["main"];
        if outputs.is_null() {
            *outputs = json!([]);
        }
        while outputs.get(output).is_none() {
            outputs.as_array_mut().unwrap().push(json!([]));
        }
        outputs[output].as_array_mut().unwrap().push(json!({ "node": target, "type": "main", "index": 0 }));
    }
    let chains = nodes.iter().filter(|node| node["type"].as_str().unwrap().contains("chainLlm"));
    let models: Vec<Value> =
        chains.map(|node| json!({ "node": node["name"], "type": "ai_languageModel", "index": 0 })).collect();
    connections["Model"] = json!({ "ai_languageModel": [models] });
    nodes.push(node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.0, json!({ "model": "gpt-4o" })));
    json!({ "name": "Runs", "nodes": nodes, "connections": connections })
}

/// The flow of a workflow whose nodes are all the same.
fn same(document: &Value) -> Flow {
    let imported = import(&document.to_string(), None, "x").unwrap();
    for node in &imported.report.nodes {
        assert_eq!(node.outcome, ImportOutcome::Same, "{node:?}");
    }
    imported.flow
}

async fn asked_of(flow: Flow) -> Vec<String> {
    let (sent, _) = run_flow(flow, &RecordingProvider::echo(), "hello", []).await;
    sent.iter().map(SentRequest::last_text).map(str::to_owned).collect()
}

/// What the models of a workflow are asked, in order.
async fn asked(nodes: &[Value], edges: &str) -> Vec<String> {
    asked_of(same(&workflow(nodes, edges))).await
}

#[tokio::test]
async fn n8n_branch_runs_to_its_end_before_the_next_one() {
    let nodes = [chat(), chain("A", "a"), chain("B", "b"), chain("A2", "a2"), chain("B2", "b2")];
    let edges = "Chat>A Chat>B A>A2 B>B2";
    assert_eq!(asked(&nodes, edges).await, ["a", "a2", "b", "b2"]);
    // The one further up comes first.
    let mut moved = workflow(&nodes, edges);
    for (at, y) in [(1, 500), (2, 100)] {
        moved["nodes"][at]["position"] = json!([0, y]);
    }
    assert_eq!(asked_of(same(&moved)).await, ["b", "b2", "a", "a2"]);
    let mut early = workflow(&nodes, edges);
    early["settings"] = json!({ "executionOrder": "v0" });
    assert_eq!(asked_of(same(&early)).await, ["a", "b", "a2", "b2"]);
}

#[tokio::test]
async fn n8n_branch_that_is_not_taken_neither_runs_in_its_turn_nor_holds_up_others() {
    let is_x = check("If", "={{ $json.chatInput }}", "string", "equals", &json!("x"));
    let nodes = [chat(), is_x, chain("X", "x"), chain("A", "a")];
    assert_eq!(asked(&nodes, "Chat>A Chat>If If>X").await, ["a"]);
    assert_eq!(asked(&nodes, "Chat>If If>X Chat>A").await, ["a"]);
    assert_eq!(asked(&nodes, "Chat>If If:1>X Chat>A").await, ["x", "a"]);
}

#[tokio::test]
async fn n8n_edges_that_meet_bring_the_items_of_all() {
    let list = node(
        "List",
        "code",
        2.0,
        json!({ "jsCode": "return [{ json: { all: $input.all().map((item) => item.json.w).join() } }];" }),
    );
    let items = make(&json!([{ "n": 1 }, { "n": 5 }]));
    let nodes = [
        chat(),
        items,
        check("If", "={{ $json.n }}", "number", "gt", &json!(3)),
        set("Big", "w", "=big {{ $json.n }}"),
        set("Small", "w", "=small {{ $json.n }}"),
        list,
        chain("Ask", "={{ $json.all }}"),
    ];
    assert_eq!(
        asked(&nodes, "Chat>Make Make>If If>Big If:1>Small Big>List Small>List List>Ask").await,
        ["big 5,small 1"]
    );
    // What runs twice stops the run, and is not asked once.
    let nodes = [chat(), set("A", "w", "a"), set("B", "w", "b"), chain("Ask", "={{ $json.w }}")];
    assert_eq!(asked(&nodes, "Chat>A Chat>B A>Ask B>Ask").await, [""; 0]);
}

#[tokio::test]
async fn n8n_branches_with_other_fields_meet() {
    let is_x = check("If", "={{ $json.chatInput }}", "string", "equals", &json!("x"));
    let nodes =
        [chat(), is_x, chain("A", "first"), set("B", "text", "other"), chain("Ask", "=<{{ $json.text }}>")];
    assert_eq!(asked(&nodes, "Chat>If If>A If:1>B A>Ask B>Ask").await, ["<other>"]);
    assert_eq!(asked(&nodes, "Chat>If If:1>A If>B A>Ask B>Ask").await, ["first", "<re: first>"]);
}

#[tokio::test]
async fn n8n_node_that_runs_for_each_item_is_not_run_once() {
    let two = json!([{ "n": 1 }, { "n": 2 }]);
    let fixed = chain("Ask", "a fixed question");
    assert_eq!(asked(&[chat(), make(&two), fixed.clone()], "Chat>Make Make>Ask").await, [""; 0]);
    assert_eq!(
        asked(&[chat(), make(&json!([{ "n": 1 }])), fixed.clone()], "Chat>Make Make>Ask").await,
        ["a fixed question"]
    );
    assert_eq!(asked(&[chat(), make(&json!([])), fixed.clone()], "Chat>Make Make>Ask").await, [""; 0]);
    let mut once = chain("Ask", "={{ $json.n }}");
    once["executeOnce"] = json!(true);
    assert_eq!(asked(&[chat(), make(&two), once], "Chat>Make Make>Ask").await, ["1"]);
    let mut always = make(&json!([]));
    always["alwaysOutputData"] = json!(true);
    assert_eq!(asked(&[chat(), always, fixed], "Chat>Make Make>Ask").await, ["a fixed question"]);
}

#[tokio::test]
async fn n8n_trigger_that_is_disabled_begins_nothing() {
    let mut off = chat();
    off["disabled"] = json!(true);
    let nodes = [off, node("Start", "manualTrigger", 1.0, json!({})), chain("Ask", "go")];
    assert_eq!(asked(&nodes, "Chat>Ask Start>Ask").await, ["go"]);
}

#[tokio::test]
async fn n8n_workflow_inside_gives_what_its_last_node_gives() {
    let inner = json!({
        "nodes": [node("In", "executeWorkflowTrigger", 1.0, json!({})), set("Out", "line", "=got {{ $json.chatInput }}")],
        "connections": { "In": { "main": [[{ "node": "Out", "type": "main", "index": 0 }]] } },
    });
    let call = node(
        "Call",
        "executeWorkflow",
        1.0,
        json!({ "source": "parameter", "workflowJson": inner.to_string() }),
    );
    assert_eq!(
        asked(&[chat(), call, chain("Ask", "={{ $json.line }}")], "Chat>Call Call>Ask").await,
        ["got hello"]
    );
}

#[tokio::test]
async fn message_of_n8n_chat_comes_with_its_action() {
    let code = node(
        "Code",
        "code",
        2.0,
        json!({ "jsCode": "return [{ json: { a: $('Chat').first().json.action } }];" }),
    );
    let text = "={{ $json.action ?? $json.a }} {{ $('Chat').item.json.action }}: {{ $('Chat').item.json.chatInput }}";
    let nodes = [chat(), code, node("Any", "noOp", 1.0, json!({})), chain("Ask", text)];
    let expected = "sendMessage sendMessage: hello";
    assert_eq!(asked(&nodes, "Chat>Code Code>Any Any>Ask").await, [expected]);
    assert_eq!(asked(&[chat(), chain("Ask", "={{ $json.action }}")], "Chat>Ask").await, ["sendMessage"]);
}
