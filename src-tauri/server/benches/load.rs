//! One worker with 1,000 runs that wait for a person and 100 at work: how late an event reaches a client that watches through the host, how
//! long an answer takes to its run, and the memory of the worker. Once with leases alone, once with a node of Restate.
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-server --bench load` this one, `… -- load-restate` the second half of it.
//! Needs PostgreSQL, and Restate in `tests/restate`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that can't go on fails"
)]

#[path = "../../nodes/benches/workload/figures.rs"]
mod figures;

#[path = "../tests/host/cluster.rs"]
#[allow(dead_code, reason = "the tests use the other part of it")]
mod cluster;
#[path = "../../../tests/support/postgres.rs"]
#[allow(dead_code, reason = "the tests use the other part of it")]
mod postgres;
#[path = "../tests/host/process.rs"]
#[allow(dead_code, reason = "the tests use the other part of it")]
mod process;
#[path = "../tests/host/restate_server.rs"]
#[allow(dead_code, reason = "the tests use the other part of it")]
mod restate_server;
#[path = "../../../tests/support/server.rs"]
#[allow(dead_code, reason = "the tests use the other part of it")]
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cluster::{Worker, publish};
use figures::{Figures, is_selected};
use futures::future::join_all;
use futures::{StreamExt as _, stream};
use parking_lot::Mutex;
use postgres::Postgres;
use process::{Data, Host, JsonBody as _, Version, ask_flow, chat_flow, edge};
use reqwest::Method;
use restate_server::{Balancer, Restate};
use serde_json::{Value, json};
use server::{ModelServer, ServerReply, last_message_text};

const WAITING: usize = 1_000;
const ACTIVE: usize = 100;
const ANSWERS: usize = 100;
/// How many requests begin waiting runs at once.
const AT_ONCE: usize = 20;
/// A reply takes ten times this, as that of a real model.
const WORD_INTERVAL: Duration = Duration::from_millis(150);
/// The calls of a run at work, one after the other.
const CALLS: usize = 12;

#[tokio::main]
async fn main() {
    if is_selected("load") {
        measure(None).await.write("load").unwrap();
    }
    if is_selected("load-restate") {
        let restate = (Restate::start(1).await, Balancer::start().await);
        measure(Some(&restate)).await.write("load-restate").unwrap();
    }
}

async fn measure(restate: Option<&(Restate, Balancer)>) -> Figures {
    let model = ModelServer::start(|request, _| {
        let said = last_message_text(request).len();
        ServerReply::Slow(WORD_INTERVAL, format!("{said} is what I count in all that was said"))
    })
    .await;
    let (postgres, data) = (Postgres::start(), Data::new());
    let database = postgres.database("plait");
    let limits = ["--requests-per-minute", "1000000", "--max-requests", "2000", "--runs-per-token", "5000"];
    let ingress = restate.map(|(restate, _)| restate.ingress().join(","));
    let of_restate: Vec<&str> = ingress.iter().flat_map(|urls| ["--restate", urls]).collect();
    let serve = ["--listen", "127.0.0.1:0", "--database", &database];
    let host = data.serve_as(&[&serve, &limits[..], &of_restate].concat());
    host.set_provider(&model.url).await;
    publish(&data, "ask", &ask_flow());
    publish(&data, "talk", &talk());
    let limits = ["--max-runs", "200", "--lease", "15"];
    let worker = match restate {
        None => Worker::start_with(data.path(), &database, &limits),
        Some((restate, balancer)) => {
            let worker = Worker::start_for_restate(
                &Version::current(),
                data.path(),
                &database,
                &restate.key(),
                &limits,
            );
            balancer.set(worker.restate.clone());
            restate.register(&balancer.url).await;
            worker
        }
    };

    let waiting: Vec<Value> = stream::iter(0..WAITING)
        .map(|_| async { host.post("runner", "/flows/ask/runs", json!({})).await.1 })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    assert!(waiting.iter().all(|state| state["status"] == "waiting"));
    let latencies = Arc::new(Mutex::new(Vec::new()));
    let active = join_all((0..ACTIVE).map(|_| watch(&host, Arc::clone(&latencies))));
    let answers = async {
        // Once all of them talk.
        while model.open_calls() < ACTIVE * 3 / 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut took = Vec::new();
        for state in waiting.iter().take(ANSWERS) {
            took.push(answer(&host, state).await);
        }
        took
    };
    let (_, answered) = tokio::join!(active, answers);
    let mut figures = Figures::default();
    let group = match restate {
        None => "a worker with 1,100 runs",
        Some(_) => "a worker with 1,100 runs of Restate",
    };
    figures.add(group, "an event reaches a watcher, median", median(latencies.lock().clone()), "ms");
    figures.add(group, "an answer reaches its run, median", median(answered), "ms");
    figures.add(group, "memory", peak_memory_mb(worker.child.id()), "MB");
    figures
}

/// A chain of chats.
fn talk() -> Value {
    let mut flow = chat_flow();
    for number in 1..CALLS {
        let (name, before) = (
            format!("chat{number}"),
            if number == 1 { "chat".to_owned() } else { format!("chat{}", number - 1) },
        );
        flow["nodes"][&name] = json!({ "type": "chat" });
        flow["edges"][format!("c{number}")] = edge(&before, "context", &name, "context");
        flow["edges"][format!("r{number}")] = edge(&before, "response", &name, "message");
    }
    flow
}

/// Begins a run and follows its events. Adds how late each of them came.
async fn watch(host: &Host<'_>, latencies: Arc<Mutex<Vec<f64>>>) {
    let request =
        host.request("runner", Method::POST, "/flows/talk/runs").header("accept", "text/event-stream");
    let mut response = request.json_body(&json!({ "input": "Go" })).send().await.unwrap();
    let mut text = String::new();
    while let Some(chunk) = response.chunk().await.unwrap() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1_000.0;
        text.push_str(std::str::from_utf8(&chunk).unwrap());
        while let Some((event, rest)) = text.split_once("\n\n") {
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            let at = data.and_then(|data| serde_json::from_str::<Value>(data).ok()?["at"].as_f64());
            latencies.lock().extend(at.map(|at| now - at));
            text = rest.to_owned();
        }
    }
}

/// How many milliseconds an answer takes until a worker has it in the run's journal.
async fn answer(host: &Host<'_>, state: &Value) -> f64 {
    let question = &state["questions"][0];
    let answer =
        json!({ "run": state["run"], "node": question["node"], "epoch": question["epoch"], "value": "Ann" });
    let begun = Instant::now();
    let (status, body) = host.post("runner", "/commands/run.answer", answer).await;
    assert_eq!(status, 200, "{body}");
    begun.elapsed().as_secs_f64() * 1_000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The most memory that a process had.
fn peak_memory_mb(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
}
