//! The list of the runs of a database: the same on every host, with what the runs ask.

use reqwest::Method;
use serde_json::{Value, json};

use crate::cluster::{Cluster, copy_host};
use crate::process::{Data, Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};

async fn board(host: &Host<'_>, query: &str) -> Vec<Value> {
    let (status, board) = host.get("viewer", &format!("/runs{query}")).await;
    assert_eq!(status, 200, "{board}");
    board["runs"].as_array().unwrap().clone()
}

fn ids(runs: &[Value]) -> Vec<&Value> {
    runs.iter().map(|run| &run["run"]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn question_of_one_host_is_found_and_answered_on_another() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let _worker = cluster.worker();
    let (_, first) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let (_, second) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let waiting = board(&other, "?status=waiting").await;
    assert_eq!(ids(&waiting), [&second["run"], &first["run"]]);
    let run = &waiting[1];
    assert_eq!((&run["flowName"], &run["waitingOn"]), (&json!("Ask"), &json!("Who?")));
    assert_eq!(run["questions"], first["questions"]);
    assert_eq!(other.output_for(run, "Ann").await, "Ann");
    assert_eq!(ids(&board(&host, "?status=waiting").await), [&second["run"]]);
    let finished = board(&host, "?status=finished").await;
    assert_eq!(ids(&finished), [&first["run"]]);
    assert_eq!(finished[0]["nodes"]["done"], 2);
    assert_eq!(ids(&board(&host, "?limit=1").await), [&second["run"]]);
    let before = format!("?before={}", second["run"].as_str().unwrap());
    assert_eq!(ids(&board(&host, &before).await), [&first["run"]]);
    // The commands of the window say the same.
    let (_, listed) = other.post("viewer", "/commands/runs.list", json!({ "limit": 5 })).await;
    assert_eq!(ids(listed.as_array().unwrap()), [&second["run"], &first["run"]]);
    let prefix = json!({ "prefix": first["run"] });
    assert_eq!(other.post("viewer", "/commands/runs.resolve", prefix).await.1, first["run"]);
}

/// Resolves with the next event that says that the list has changed.
async fn changed(changes: &mut reqwest::Response) {
    loop {
        let chunk = changes.chunk().await.unwrap().unwrap();
        if chunk.starts_with(b"event: changed") {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_the_list_are_said_by_every_host() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let _worker = cluster.worker();
    let mut changes = other.request("viewer", Method::GET, "/runs/changes").send().await.unwrap();
    // At once, so that a client which comes back looks.
    changed(&mut changes).await;
    let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
    changed(&mut changes).await;
    while board(&other, "?status=waiting").await.is_empty() {
        changed(&mut changes).await;
    }
    assert_eq!(host.output_for(&asked, "Ann").await, "Ann");
    changed(&mut changes).await;
    while board(&other, "?status=finished").await.is_empty() {
        changed(&mut changes).await;
    }
    let run = json!({ "run": asked["run"] });
    assert_eq!(host.post("admin", "/commands/runs.remove", run).await.0, 200);
    while !board(&other, "").await.is_empty() {
        changed(&mut changes).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_waits_is_removed_once_it_is_canceled() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let _worker = cluster.worker();
    let (_, state) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let run = json!({ "run": state["run"] });
    let (status, refused) = host.post("admin", "/commands/runs.remove", run.clone()).await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("run.busy")), "{refused}");
    assert_eq!(host.post("runner", "/commands/run.cancel", run.clone()).await.0, 200);
    host.get("viewer", &format!("/runs/{}?wait=60", state["run"].as_str().unwrap())).await;
    assert_eq!(host.post("viewer", "/commands/runs.show", run.clone()).await.0, 200);
    let (status, removed) = host.post("admin", "/commands/runs.remove", run.clone()).await;
    assert_eq!(status, 200, "{removed}");
    assert_eq!(board(&host, "").await, Vec::<Value>::new());
    assert_eq!(host.post("viewer", "/commands/runs.show", run).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn forgotten_replies_are_bought_again() {
    let (cluster, model) =
        (Cluster::new(), ModelServer::start(|_, before| ServerReply::Text(before.to_string())).await);
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let _worker = cluster.worker();
    let ask = async || {
        let (_, state) =
            host.post("runner", "/flows/chat/runs", json!({ "input": "Go", "replies": "any" })).await;
        (state["outputs"]["chat"]["response"].clone(), state["run"].clone())
    };
    let (first, run) = ask().await;
    assert_eq!((first, ask().await.0), (json!("0"), json!("0")));
    assert_eq!(host.post("admin", "/commands/runs.forgetReplies", json!({ "run": run })).await.0, 200);
    assert_eq!(ask().await.0, "1");
    assert_eq!(ask().await.0, "1");
    assert_eq!(host.post("admin", "/commands/runs.forgetReplies", json!({})).await.0, 200);
    assert_eq!(ask().await.0, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn board_of_a_host_without_a_database_is_the_same() {
    let data = Data::new();
    let host = data.serve();
    data.flow("ask.flow.json", &ask_flow());
    host.publish(&["ask"]).await;
    let (_, first) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let (_, second) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let waiting = board(&host, "?status=waiting").await;
    assert_eq!(ids(&waiting), [&second["run"], &first["run"]]);
    assert_eq!(waiting[1]["questions"], first["questions"]);
    assert_eq!(host.output_for(&waiting[1], "Ann").await, "Ann");
    assert_eq!(ids(&board(&host, "?status=finished&limit=1").await), [&first["run"]]);
    let before = format!("?before={}", second["run"].as_str().unwrap());
    assert_eq!(ids(&board(&host, &before).await), [&first["run"]]);
    let (status, refused) = host.get("viewer", "/runs?status=lost").await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (400, &json!("host.body")));
}
