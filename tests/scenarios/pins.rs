//! Pinned nodes through the binary, against a model server that counts: what they deliver is not bought, the run says so, and
//! `--no-pins` buys it.

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

const PINNED: &str = "A pinned draft.";

/// A draft and a review in one context, and a sub-flow with a chat of its own. The draft and the inner chat are pinned.
fn files() -> [(&'static str, Value); 2] {
    let start = json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } });
    let outer = flow_json(
        "outer",
        json!({
            "start": start,
            "topic": { "type": "value", "config": { "value": "Tea." } },
            "draft": { "type": "chat", "pin": { "outputs": { "response": PINNED } } },
            "review": { "type": "chat" },
            "sub": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "nodeOutput" } },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> draft.context",
            "topic.value -> draft.message",
            "draft.context -> review.context",
            "draft.response -> review.message",
            "review.response -> sub.value",
            "sub.text -> out.value",
        ],
    );
    let inner = flow_json(
        "inner",
        json!({
            "start": start,
            "input": { "type": "manualInput" },
            "chat": { "type": "chat", "pin": { "outputs": { "response": "From inside." }, "run": "earlier" } },
            "result": { "type": "output" },
        }),
        &["start.context -> chat.context", "input.value -> chat.message", "chat.response -> result.value"],
    );
    [("outer.flow.json", outer), ("inner.flow.json", inner)]
}

fn started(output: &CliOutput) -> Value {
    output.events().into_iter().find(|event| event["type"] == "run.started").unwrap()
}

fn out(output: &CliOutput) -> Value {
    output.events().last().unwrap()["outputs"]["out"]["value"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned_nodes_buy_nothing_the_run_names_them_and_no_pins_executes_them() {
    let server =
        ModelServer::start(|sent, _| ServerReply::Text(format!("re: {}", last_message_text(sent)))).await;
    let files = files();
    let folder = FlowFolder::with_files(&files.each_ref().map(|(name, flow)| (*name, flow)));
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("outer.flow.json");

    let pinned = home.plait(&["run", &file, "--json"]);
    assert_eq!(pinned.code, 0, "{pinned:#?}");
    assert!(pinned.err.contains("Uses pins: `draft`, `sub/chat`. `--no-pins` executes"), "{}", pinned.err);
    assert_eq!(started(&pinned)["pins"], json!(["draft"]));
    assert_eq!(out(&pinned), "From inside.");
    let calls = server.calls();
    assert_eq!(calls.len(), 1, "only the review is bought: {calls:#?}");
    assert!(calls[0].to_string().contains(PINNED), "{calls:#?}");
    let run = started(&pinned)["run"].as_str().unwrap().to_owned();
    let chain = home.plait(&["lens", "from", &run, "draft.response"]);
    assert!(chain.out.contains("the pin of `draft`, typed by a person"), "{chain:#?}");

    let whole = home.plait(&["run", &file, "--json", "--no-pins"]);
    assert_eq!(whole.code, 0, "{whole:#?}");
    assert!(!whole.err.contains("Uses pins"), "{}", whole.err);
    assert_eq!((&started(&whole)["pins"], &started(&whole)["ignoresPins"]), (&Value::Null, &json!(true)));
    assert_eq!(server.calls().len(), 1 + 3, "draft, review and the chat of the sub-flow are bought");
    assert_eq!(out(&whole), "re: re: re: Tea.");
}

#[test]
fn forecast_counts_no_call_of_a_pinned_node() {
    let [(_, outer), (_, inner)] = files();
    let folder = FlowFolder::with_files(&[("outer.flow.json", &outer), ("inner.flow.json", &inner)]);
    let printed = Home::default().plait(&["forecast", &folder.file("outer.flow.json"), "--json"]);
    let forecast: Value = serde_json::from_str(&printed.out).unwrap();
    let nodes: Vec<&Value> = forecast["nodes"].as_array().unwrap().iter().map(|node| &node["node"]).collect();
    assert_eq!(nodes, ["review"], "{forecast:#}");
    let unknown: Vec<&Value> =
        forecast["cost"]["unknown"].as_array().unwrap().iter().map(|one| &one["node"]).collect();
    assert_eq!(unknown, ["review", "sub"], "{forecast:#}");
}
