//! Runs in PostgreSQL, driven by workers that die, end and take over from each other.

use std::path::Path;

use reqwest::Method;
use serde_json::json;

use crate::cluster::{Cluster, Worker, two_chats, until};
use crate::postgres::Postgres;
use crate::process::{Data, JsonBody as _, ask_flow, chat_flow, command, edge, interrupted_model};

/// Begins a run of two chats on one worker, which `stop` gets amid the second call, and lets another one go on.
async fn move_amid_a_call(stop: impl FnOnce(Worker)) {
    let (cluster, model) = (Cluster::new(), interrupted_model().await);
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("two", &two_chats());
    let first = cluster.worker();
    let request =
        host.request("runner", Method::POST, "/flows/two/runs").json_body(&json!({ "input": "Go" }));
    let waiting = tokio::spawn(request.send());
    until(|| model.calls().len() == 2).await;
    let second = cluster.worker();
    assert_eq!((first.journals(), second.journals()), (1, 0), "the first one drives it");
    stop(first);
    let (status, state) = crate::process::read(waiting.await.unwrap().unwrap()).await;
    assert_eq!((status.as_u16(), &state["status"]), (200, &json!("finished")), "{state}");
    assert_eq!(state["outputs"]["second"]["response"], "second");
    let calls = model.calls();
    assert_eq!(calls.len(), 3, "the first reply was bought once");
    assert_eq!(calls[1], calls[2]);
    let run = state["run"].as_str().unwrap();
    assert_eq!(host.get("viewer", &format!("/runs/{run}")).await.1, state);
    second.end();
}

#[tokio::test]
async fn worker_that_is_killed_is_followed_by_another() {
    // SIGKILL.
    move_amid_a_call(drop).await;
}

#[tokio::test]
async fn worker_that_is_asked_to_end_leaves_its_runs_to_another() {
    move_amid_a_call(Worker::end).await;
}

#[tokio::test]
async fn waiting_run_is_nobodys_until_it_is_answered() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let first = cluster.worker();
    let (status, state) = host.post("runner", "/flows/ask/runs", json!({})).await;
    assert_eq!((status.as_u16(), &state["status"]), (202, &json!("waiting")), "{state}");
    assert_eq!(state["questions"][0]["prompt"], "Who?");
    assert_eq!(first.journals(), 0, "no worker has it");
    let run = state["run"].as_str().unwrap();
    assert_eq!(host.get("viewer", &format!("/runs/{run}")).await.1, state);
    first.end();

    let _second = cluster.worker();
    let wrong = json!({ "run": run, "node": "out", "epoch": [], "value": "Ann" });
    let (status, body) = host.post("runner", "/commands/run.answer", wrong).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (409, &json!("answer.not_waiting")), "{body}");
    assert_eq!(host.output_for(&state, "Ann").await, "Ann");
    let (status, again) = host.answer(&state, "Bob").await;
    assert_eq!(status, 409, "{again}");
    assert_eq!(host.get("viewer", "/runs/0190a0b0-0000-7000-8000-000000000001").await.0, 404);
}

#[tokio::test]
async fn what_cannot_be_done_by_workers_is_refused() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let provider = json!({ "kind": "openAi", "baseUrl": "http://127.0.0.1:9/v1", "keyEnv": null });
    host.command("settings.change", json!({ "patch": { "providers": { "ours": provider } } })).await;
    let mut chat = chat_flow();
    chat["nodes"]["start"]["config"]["provider"] = json!("ours");
    cluster.publish("chat", &chat);
    let own = Data::new();
    let local = finished_run(&own).await;
    // Without those settings.
    let _worker = Worker::start(own.path().join("nothing").as_path(), &cluster.database);
    // The error of the worker is that of the request.
    let (status, body) = host.post("runner", "/flows/chat/runs", json!({ "input": "Hi" })).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (422, &json!("flow.invalid")), "{body}");
    let conversation = json!({ "conversation": "0190a0b0-0000-7000-8000-000000000001" });
    let (status, body) = host.post("runner", "/flows/ask/runs", conversation).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (404, &json!("conversation.unknown")), "{body}");
    let refused = command(own.path(), &["worker", "--database", &cluster.database]).output().unwrap();
    assert!(!refused.status.success());
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("host.own_runs") && said.contains(&local), "{said}");
}

/// A run of a flow without models, in the files of a data directory.
async fn finished_run(data: &Data) -> String {
    let host = data.serve();
    let text = "here ".repeat(2_000);
    let nodes =
        json!({ "value": { "type": "value", "config": { "value": text } }, "out": { "type": "output" } });
    let edges = json!({ "a": edge("value", "value", "out", "value") });
    let flow = json!({ "version": 1, "name": "Value", "layout": {}, "nodes": nodes, "edges": edges });
    let run = host.command("run.start", json!({ "flow": flow })).await["run"].as_str().unwrap().to_owned();
    assert_eq!(host.get("viewer", &format!("/runs/{run}?wait=60")).await.1["status"], "finished");
    run
}

#[tokio::test]
async fn run_moves_to_the_database_and_back_byte_for_byte() {
    let postgres = Postgres::start();
    let database = postgres.database("plait");
    let (from, to) = (Data::new(), Data::new());
    let run = finished_run(&from).await;
    let transfer = |data: &Data, verb: &str, run: &str| {
        let output = command(data.path(), &["runs", verb, run, "--database", &database]).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(transfer(&from, "import", &run[..8]), (true, String::new()));
    assert!(transfer(&from, "import", &run).1.contains("run.exists"));
    assert_eq!(transfer(&to, "export", &run), (true, String::new()));
    assert_eq!(journal(to.path(), &run), journal(from.path(), &run));
    assert!(transfer(&to, "export", &run).1.contains("run.exists"));
    let other = "0190a0b0-0000-7000-8000-000000000001";
    assert!(transfer(&to, "export", other).1.contains("run.unknown"));
    assert_eq!(flows(to.path()), flows(from.path()));
    // The copy is a run like any other.
    let host = to.serve();
    let (status, state) = host.get("viewer", &format!("/runs/{run}")).await;
    assert_eq!((status.as_u16(), &state["status"]), (200, &json!("finished")), "{state}");
    assert_eq!(state["outputs"]["out"]["value"], "here ".repeat(2_000));
}

/// A host and its worker are replaced by the next ones, as by an upgrade.
#[tokio::test(flavor = "multi_thread")]
async fn runs_wait_while_a_host_and_its_worker_are_replaced() {
    let cluster = Cluster::new();
    let (host, worker) = (cluster.host(), cluster.worker());
    cluster.publish("ask", &ask_flow());
    let mut asked = Vec::new();
    for _ in 0..3 {
        let (status, run) = host.post("runner", "/flows/ask/runs", json!({})).await;
        assert_eq!((status.as_u16(), &run["status"]), (202, &json!("waiting")), "{run}");
        asked.push(run);
    }
    let next = cluster.worker();
    worker.end();
    // The old host with the next worker.
    assert_eq!(host.output_for(&asked[0], "Ann").await, "Ann");
    host.end();
    let host = cluster.host();
    for run in &asked[1..] {
        assert_eq!(host.output_for(run, "Ann").await, "Ann");
    }
    next.end();
}

/// The flows that ran, by the names of their files.
fn flows(home: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(home.join("flows")).unwrap().flatten();
    let files =
        files.map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()));
    let flows: Vec<_> = files.collect();
    assert_eq!(flows.len(), 1);
    flows
}

/// The bytes of a run's journal.
fn journal(home: &Path, run: &str) -> Vec<u8> {
    let months = std::fs::read_dir(home.join("runs")).unwrap().flatten();
    let files = months.map(|month| month.path().join(format!("{run}.journal")));
    std::fs::read(files.into_iter().find(|file| file.exists()).unwrap()).unwrap()
}
