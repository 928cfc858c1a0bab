//! Streams of events of runs that workers drive.

use reqwest::Method;
use serde_json::{Value, json};

use crate::cluster::{Worker, copy_host, publish, two_chats, until};
use crate::postgres::Postgres;
use crate::process::{Data, Host, JsonBody as _, ask_flow, events, interrupted_model};

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
    let (postgres, model, data) = (Postgres::start(), interrupted_model().await, Data::new());
    let database = postgres.database("plait");
    let serve = ["--listen", "127.0.0.1:0", "--database", &database];
    let host = data.serve_as(&serve);
    host.set_provider(&model.url).await;
    publish(&data, "two", &two_chats());
    let other_data = copy_host(&data);
    let other = other_data.serve_as(&serve);
    let first = Worker::start(data.path(), &database);
    let run = uuid::Uuid::now_v7().to_string();
    let start = host
        .request("runner", Method::POST, "/flows/two/runs")
        .header("accept", "text/event-stream")
        .json_body(&json!({ "input": "Go", "run": run }));
    let started = tokio::spawn(async move { events(start.send().await.unwrap()).await });
    until(|| model.calls().len() == 2).await;
    let _second = Worker::start(data.path(), &database);
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
    let entries = |events: &[(String, Option<String>, Value)]| -> Vec<Value> {
        events.iter().filter(|(name, ..)| name == "entry").map(|(.., data)| data.clone()).collect()
    };
    assert_eq!(entries(&started), entries(&watched));
    // A client that comes back to another host gets what follows.
    let later = watch(&other, &run, Some(4)).await;
    assert_eq!(check_ids(&later, 5), count - 5);
    assert_eq!(entries(&later), entries(&watched)[5..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stream_of_a_waiting_run_goes_on_with_the_answer() {
    let (mut postgres, data) = (Postgres::start(), Data::new());
    let database = postgres.database("plait");
    let host = data.serve_as(&["--listen", "127.0.0.1:0", "--database", &database]);
    publish(&data, "ask", &ask_flow());
    let _worker = Worker::start(data.path(), &database);
    let (_, state) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let run = state["run"].as_str().unwrap().to_owned();
    let request = host.request("viewer", Method::GET, &format!("/runs/{run}/events"));
    let mut stream = request.send().await.unwrap();
    let first = String::from_utf8(stream.chunk().await.unwrap().unwrap().to_vec()).unwrap();
    assert!(first.starts_with("event: entry"), "{first}");
    // The database goes away and comes back.
    tokio::task::block_in_place(|| {
        postgres.kill();
        postgres.restart();
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
    let (postgres, data) = (Postgres::start(), Data::new());
    let database = postgres.database("plait");
    let host = data.serve_as(&["--listen", "127.0.0.1:0", "--database", &database]);
    publish(&data, "ask", &ask_flow());
    let _worker = Worker::start(data.path(), &database);
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
