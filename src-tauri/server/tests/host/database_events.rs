//! Streams of events of runs that workers drive.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::cluster::{Cluster, copy_host, publish, two_chats, until};
use crate::process::{Data, Host, JsonBody as _, ask_flow, chat_flow, events, interrupted_model, read};
use crate::server::{ModelServer, ServerReply};

/// The ids of the events that have one, which are numbers from `first` on without gaps.
fn check_ids(events: &[(String, Option<String>, Value)], first: u64) -> u64 {
    let ids: Vec<u64> = events.iter().filter_map(|(_, id, _)| id.as_ref()?.parse().ok()).collect();
    assert_eq!(ids, (first..first + ids.len() as u64).collect::<Vec<_>>());
    ids.len() as u64
}

fn names(events: &[(String, Option<String>, Value)]) -> Vec<&str> {
    let mut names: Vec<&str> = events.iter().map(|(name, ..)| name.as_str()).collect();
    names.dedup();
    names
}

async fn watch(host: &Host<'_>, run: &str, after: Option<u64>) -> Vec<(String, Option<String>, Value)> {
    let request = host.request("viewer", Method::GET, &format!("/runs/{run}/events"));
    let request = match after {
        Some(id) => request.header("last-event-id", id.to_string()),
        None => request,
    };
    events(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn events_go_on_when_another_worker_takes_the_run() {
    let (cluster, model) = (Cluster::new(), interrupted_model().await);
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("two", &two_chats());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let first = cluster.worker();
    let run = uuid::Uuid::now_v7().to_string();
    let start = host
        .request("runner", Method::POST, "/flows/two/runs")
        .header("accept", "text/event-stream")
        .json_body(&json!({ "input": "Go", "run": run }));
    let started = tokio::spawn(async move { events(start.send().await.unwrap()).await });
    until(|| model.calls().len() == 2).await;
    let _second = cluster.worker();
    let (watched, ()) = tokio::join!(watch(&other, &run, None), async { drop(first) });
    let started = started.await.unwrap();

    assert_eq!(names(&started), ["run", "entry", "state"]);
    assert_eq!(started[0].2["run"], run.as_str());
    let state = &started.last().unwrap().2;
    assert_eq!(
        (&state["status"], &state["outputs"]["second"]["response"]),
        (&json!("finished"), &json!("second"))
    );
    assert_eq!(names(&watched), ["entry", "end"]);
    let count = check_ids(&watched, 0);
    assert_eq!(check_ids(&started, 0), count);
    // Text that is being written has no id.
    let entries = |events: &[(String, Option<String>, Value)]| -> Vec<Value> {
        events.iter().filter(|(_, id, _)| id.is_some()).map(|(.., data)| data.clone()).collect()
    };
    assert_eq!(entries(&started), entries(&watched));
    // A client that comes back to another host gets what follows.
    let later = watch(&other, &run, Some(4)).await;
    assert_eq!(check_ids(&later, 5), count - 5);
    assert_eq!(entries(&later), entries(&watched)[5..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_of_a_waiting_run_goes_on_with_the_answer() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let _worker = cluster.worker();
    let (_, state) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let run = state["run"].as_str().unwrap().to_owned();
    let request = host.request("viewer", Method::GET, &format!("/runs/{run}/events"));
    let mut stream = request.send().await.unwrap();
    let first = String::from_utf8(stream.chunk().await.unwrap().unwrap().to_vec()).unwrap();
    assert!(first.starts_with("event: entry"), "{first}");
    // The database goes away and comes back.
    tokio::task::block_in_place(|| {
        cluster.postgres.kill();
        cluster.postgres.restart();
    });
    let question = &state["questions"][0];
    let answer = json!({ "run": run, "node": question["node"], "epoch": question["epoch"], "value": "Ann" });
    // The connections that were lost are noticed when they are used.
    while host.post("runner", "/commands/run.answer", answer.clone()).await.0 == 503 {}
    let mut rest = String::new();
    while let Some(chunk) = stream.chunk().await.unwrap() {
        rest.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(rest.contains("\"Ann\"") && rest.ends_with("event: end\ndata: {}\n\n"), "{rest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_a_client_names_is_begun_once() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let _worker = cluster.worker();
    let named = json!({ "run": uuid::Uuid::now_v7().to_string() });
    let (status, first) = host.post("runner", "/flows/ask/runs", named.clone()).await;
    assert_eq!((status.as_u16(), &first["run"]), (202, &named["run"]));
    assert_eq!(host.post("runner", "/flows/ask/runs", named.clone()).await, (status, first));
    // So it is on a host without a database.
    let alone = Data::new();
    publish(&alone, "ask", &ask_flow());
    let embedded = alone.serve();
    let (status, first) = embedded.post("runner", "/flows/ask/runs", named.clone()).await;
    assert_eq!(first["run"], named["run"]);
    assert_eq!(embedded.post("runner", "/flows/ask/runs", named).await, (status, first));
}

/// The text of the pieces among the events of a stream so far.
fn text_so_far(stream: &str) -> String {
    let data =
        stream.split("\n\n").filter_map(|event| event.lines().find_map(|line| line.strip_prefix("data: ")));
    let pieces = data
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .filter(|entry| entry["type"] == "node.delta");
    pieces.map(|piece| piece["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_a_worker_writes_is_seen_on_any_host_before_its_end() {
    let release = Arc::new(Notify::new());
    let held = Arc::clone(&release);
    let model =
        ModelServer::start(move |_, _| ServerReply::Paused(Arc::clone(&held), "one two three".to_owned()))
            .await;
    let cluster = Cluster::new();
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let _worker = cluster.worker();
    let run = json!({ "input": "Go", "run": uuid::Uuid::now_v7().to_string() });
    let start = host.request("runner", Method::POST, "/flows/chat/runs").json_body(&run);
    let started = tokio::spawn(async move { read(start.send().await.unwrap()).await });
    until(|| model.calls().len() == 1).await;
    let path = format!("/runs/{}/events", run["run"].as_str().unwrap());
    let mut stream = other.request("viewer", Method::GET, &path).send().await.unwrap();
    let mut seen = String::new();
    while text_so_far(&seen) != "one two " {
        let chunk = stream.chunk().await.unwrap().unwrap();
        seen.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    // The events before it came before it.
    assert!(seen.find("prompt.rendered").unwrap() < seen.find("node.delta").unwrap(), "{seen}");
    release.notify_one();
    while let Some(chunk) = stream.chunk().await.unwrap() {
        seen.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!("one two three".starts_with(&text_so_far(&seen)), "{seen}");
    assert!(seen.ends_with("event: end\ndata: {}\n\n"), "{seen}");
    assert_eq!(started.await.unwrap().1["outputs"]["chat"]["response"], "one two three");
}
