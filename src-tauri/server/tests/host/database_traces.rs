//! The export to OpenTelemetry of runs that workers drive in turn: each span once.

use reqwest::Method;
use serde_json::{Value, json};

use crate::cluster::{Cluster, Worker, two_chats, until};
use crate::collector::{Collector, ReceivedSpan};
use crate::process::{Host, JsonBody as _, edge, interrupted_model, read};
use crate::subflows::saying;

/// Asks two people, one after the other, and calls a sub-flow between.
fn asking_twice() -> Value {
    let asks = |prompt: &str| json!({ "type": "userInput", "config": { "prompt": prompt } });
    json!({
        "version": 1, "name": "Asks", "layout": {},
        "nodes": {
            "first": asks("Who?"),
            "call": { "type": "subflow", "config": { "file": "said.flow.json", "inputSource": "mapping" } },
            "second": asks("Who else than {{name}}?"),
            "out": { "type": "output" },
        },
        "edges": {
            "a": edge("first", "message", "second", "name"),
            "b": edge("call", "text", "second", "in"),
            "c": edge("second", "message", "out", "value"),
        },
    })
}

async fn set_endpoint(host: &Host<'_>, collector: &Collector) {
    host.command("settings.change", json!({ "patch": { "telemetry": { "endpoint": collector.url } } })).await;
}

fn names(spans: &[ReceivedSpan]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

/// Ends a worker, which sends what it has.
fn end(worker: Worker) {
    tokio::task::block_in_place(|| worker.end());
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_several_workers_drive_is_exported_once() {
    let (cluster, collector) = (Cluster::new(), Collector::start().await);
    let host = cluster.host();
    set_endpoint(&host, &collector).await;
    cluster.data.flow("said.flow.json", &saying("Well."));
    cluster.publish("ask", &asking_twice());
    let first = cluster.worker();
    let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
    assert_eq!(asked["status"], "waiting", "{asked}");
    // The same worker goes on with it.
    let (status, body) = host.answer(&asked, "Ann").await;
    assert_eq!(status, 200, "{body}");
    let path = format!("/runs/{}?wait=60", asked["run"].as_str().unwrap());
    let (_, asked) = host.get("viewer", &path).await;
    assert_eq!(asked["questions"][0]["prompt"], "Who else than Ann?", "{asked}");
    end(first);
    assert_eq!(names(&collector.spans()), ["call", "first", "invoke_workflow Said", "out", "text"]);
    let second = cluster.worker();
    assert_eq!(host.output_for(&asked, "Bob").await, "Bob");
    end(second);
    let spans = collector.spans();
    let all =
        ["call", "first", "invoke_workflow Asks", "invoke_workflow Said", "out", "out", "second", "text"];
    assert_eq!(names(&spans), all);
    let one = |name: &str| spans.iter().find(|span| span.name == name).unwrap();
    assert!(spans.iter().all(|span| span.trace == spans[0].trace), "one trace");
    assert_eq!(one("second").parent, Some(one("invoke_workflow Asks").id.clone()));
    assert_eq!(one("invoke_workflow Said").parent, Some(one("call").id.clone()));
    assert_eq!(one("invoke_workflow Asks").attributes["plait.run.id"], asked["run"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_worker_did_is_exported_by_the_next() {
    let (cluster, collector, model) = (Cluster::new(), Collector::start().await, interrupted_model().await);
    let host = cluster.host();
    set_endpoint(&host, &collector).await;
    host.set_provider(&model.url).await;
    cluster.publish("two", &two_chats());
    let first = cluster.worker();
    let request =
        host.request("runner", Method::POST, "/flows/two/runs").json_body(&json!({ "input": "Go" }));
    let waiting = tokio::spawn(request.send());
    until(|| model.calls().len() == 2).await;
    let second = cluster.worker();
    // SIGKILL.
    drop(first);
    let (_, state) = read(waiting.await.unwrap().unwrap()).await;
    assert_eq!(state["status"], "finished", "{state}");
    end(second);
    let spans = collector.spans();
    let calls = spans.iter().filter(|span| span.name == "chat scripted");
    assert_eq!(calls.count(), 3, "one of them was interrupted: {:?}", names(&spans));
    assert_eq!(spans.iter().filter(|span| span.name == "invoke_workflow Helper").count(), 1);
    let mut ids: Vec<&str> = spans.iter().map(|span| span.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), spans.len(), "none twice");
}
