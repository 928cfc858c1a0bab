//! Processes that die or are asked to end, and clients that do not read.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::process::{Data, Host, JsonBody as _, chat_flow, edge, events, interrupted_model};
use crate::server::ModelServer;

/// A chat, and another one that replies to its reply.
fn two_chats() -> Value {
    let mut flow = chat_flow();
    flow["nodes"]["second"] = json!({ "type": "chat" });
    flow["edges"]["c"] = edge("chat", "context", "second", "context");
    flow["edges"]["d"] = edge("chat", "response", "second", "message");
    flow
}

async fn begin(host: &Host<'_>, data: &Data, model: &ModelServer) {
    host.set_provider(&model.url).await;
    data.flow("two.flow.json", &two_chats());
    host.command("published.publish", json!({ "name": "two", "path": "two.flow.json" })).await;
}

async fn until(what: impl Fn() -> bool) {
    while !what() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn only_run(host: &Host<'_>) -> String {
    let runs = host.command("runs.list", json!({})).await;
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs}");
    runs[0]["run"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn run_goes_on_after_a_kill_and_buys_nothing_twice() {
    let (model, data) = (interrupted_model().await, Data::new());
    let run = {
        let host = data.serve();
        begin(&host, &data, &model).await;
        let request =
            host.request("runner", Method::POST, "/flows/two/runs").json_body(&json!({ "input": "Go" }));
        let waiting = tokio::spawn(request.send());
        until(|| model.calls().len() == 2).await;
        let run = only_run(&host).await;
        drop(host);
        assert!(waiting.await.unwrap().is_err(), "the host is gone");
        run
    };
    let host = data.serve();
    let (_, state) = host.get("viewer", &format!("/runs/{run}?wait=60")).await;
    assert_eq!(
        (&state["status"], &state["outputs"]["second"]["response"]),
        (&json!("finished"), &json!("second"))
    );
    let calls = model.calls();
    assert_eq!(calls.len(), 3, "the first reply was bought once");
    assert_eq!(calls[1], calls[2]);
    // A watcher goes on where it was.
    let path = format!("/runs/{run}/events");
    let later =
        events(host.request("viewer", Method::GET, &path).header("last-event-id", "4").send().await.unwrap())
            .await;
    assert_eq!(later[0].1.as_deref(), Some("5"));
}

#[tokio::test]
async fn host_that_is_asked_to_end_answers_first_and_goes_on_later() {
    let (model, data) = (interrupted_model().await, Data::new());
    let run = {
        let mut host = data.serve_with(&["--drain-timeout", "1"]);
        begin(&host, &data, &model).await;
        let request =
            host.request("runner", Method::POST, "/flows/two/runs").json_body(&json!({ "input": "Go" }));
        let waiting = tokio::spawn(request.send());
        until(|| model.calls().len() == 2).await;
        kill_process(Pid::from_child(&host.child), Signal::TERM).unwrap();
        let answered = waiting.await.unwrap().unwrap();
        assert_eq!(answered.status(), 503);
        let run = answered.headers()["plait-run"].to_str().unwrap().to_owned();
        let body = crate::process::read(answered).await.1;
        assert_eq!(body["error"]["code"], "host.closing");
        assert!(host.child.wait().unwrap().success());
        run
    };
    let host = data.serve();
    assert_eq!(only_run(&host).await, run);
    let (_, state) = host.get("viewer", &format!("/runs/{run}?wait=60")).await;
    assert_eq!(state["status"], "finished");
    assert_eq!(model.calls().len(), 3);
}

#[tokio::test]
async fn client_that_does_not_read_loses_its_place() {
    let data = Data::new();
    let host = data.serve_with(&["--max-requests", "1", "--read-timeout", "1"]);
    // More than the buffers of a connection hold.
    let text = "x".repeat(250_000);
    let nodes: serde_json::Map<_, _> = (0..60)
        .map(|number| (format!("n{number}"), json!({ "type": "value", "config": { "value": text } })))
        .collect();
    let flow = json!({ "version": 1, "name": "Large", "layout": {}, "edges": {}, "nodes": nodes });
    let run = host.command("run.start", json!({ "flow": flow })).await["run"].as_str().unwrap().to_owned();
    assert_eq!(host.get("viewer", &format!("/runs/{run}?wait=60")).await.1["status"], "finished");

    let mut stalled = TcpStream::connect(host.url.strip_prefix("http://").unwrap()).unwrap();
    let token = data.token("viewer");
    write!(stalled, "GET /runs/{run}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n")
        .unwrap();
    let mut statuses = Vec::new();
    while statuses.last() != Some(&200) || !statuses.contains(&429) {
        let (status, body) = host.get("viewer", "/v1/models").await;
        if status == 429 {
            assert_eq!(body["error"]["code"], "host.busy");
        }
        statuses.push(status.as_u16());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(stalled);
}
