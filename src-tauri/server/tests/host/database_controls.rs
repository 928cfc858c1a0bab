//! What a person does to runs that workers drive: stops, edits at a stop, cancels.

use serde_json::{Value, json};

use crate::cluster::{Cluster, copy_host, until};
use crate::process::{Host, ask_flow, chat_flow, edge};
use crate::server::{ModelServer, ServerReply};

async fn execute(host: &Host<'_>, name: &str, args: Value) -> Value {
    let (status, body) = host.post("editor", &format!("/commands/{name}"), args).await;
    assert_eq!(status, 200, "{name}: {body}");
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_and_edits_reach_the_worker_of_the_run() {
    let cluster = Cluster::new();
    let host = cluster.host();
    cluster.publish("ask", &ask_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let first = cluster.worker();
    let (_, state) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let run = &state["run"];
    let breakpoints = json!([{ "id": "b", "node": "out", "side": "before" }]);
    execute(&host, "run.setBreakpoints", json!({ "run": run, "breakpoints": breakpoints })).await;
    first.end();
    let second = cluster.worker();
    let question = &state["questions"][0];
    let answer = json!({ "run": run, "node": question["node"], "epoch": question["epoch"], "value": "Ann" });
    execute(&other, "run.answer", answer).await;
    // Not what is still going on.
    let shown = async || {
        let path = format!("/runs/{}?wait=60", run.as_str().unwrap());
        host.get("viewer", &path).await.1
    };
    assert_eq!(shown().await["status"], "stopped");
    let held = execute(&other, "run.held", json!({ "run": run })).await;
    assert_eq!((&held[0]["run"], &held[0]["stop"]["at"]["node"]), (run, &json!("out")), "{held}");
    let stop = &held[0]["stop"]["number"];
    drop(second);
    let third = cluster.worker();
    let change = json!({ "run": run, "stop": stop, "port": "value", "value": "Bob" });
    execute(&host, "run.changeValue", change).await;
    drop(third);
    tokio::task::block_in_place(|| {
        cluster.postgres.kill();
        cluster.postgres.restart();
    });
    let _fourth = cluster.worker();
    let go = json!({ "run": run, "stop": stop, "verb": "continue" });
    while other.post("editor", "/commands/run.go", go.clone()).await.0 == 503 {}
    let ended = shown().await;
    assert_eq!((&ended["status"], &ended["outputs"]["out"]["value"]), (&json!("finished"), &json!("Bob")));
    let (status, again) = other.post("editor", "/commands/run.go", go).await;
    assert!(status.is_client_error(), "{again}");
    let (status, refused) = host.post("editor", "/commands/run.retry", json!({ "run": run })).await;
    assert_eq!(
        (status.as_u16(), &refused["error"]["code"]),
        (400, &json!("host.not_in_database")),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_tried_is_accepted_into_the_file_of_the_flow() {
    let cluster = Cluster::new();
    let host = cluster.host();
    let mut flow = ask_flow();
    flow["nodes"]["made"] = json!({ "type": "text", "config": { "template": "Hello {{name}}" } });
    flow["edges"] = json!({
        "a": edge("ask", "message", "made", "name"),
        "b": edge("made", "text", "out", "value"),
    });
    cluster.publish("greet", &flow);
    let _worker = cluster.worker();
    let (_, state) = host.post("runner", "/flows/greet/runs", json!({})).await;
    let run = &state["run"];
    let breakpoints = json!([{ "id": "b", "node": "made", "side": "before" }]);
    execute(&host, "run.setBreakpoints", json!({ "run": run, "breakpoints": breakpoints })).await;
    let (status, body) = host.answer(&state, "Ann").await;
    assert_eq!(status, 200, "{body}");
    let path = format!("/runs/{}?wait=60", run.as_str().unwrap());
    assert_eq!(host.get("viewer", &path).await.1["status"], "stopped");
    let held = execute(&host, "run.held", json!({ "run": run })).await;
    let stop = &held[0]["stop"]["number"];
    let config = json!({ "template": "Bye {{name}}" });
    execute(&host, "run.tryConfig", json!({ "run": run, "stop": stop, "node": "made", "config": config }))
        .await;
    let config = execute(&host, "run.nodeConfig", json!({ "run": run, "node": "made" })).await;
    assert_eq!(config["config"]["template"], "Bye {{name}}", "{config}");
    let file = cluster.data.path().join("host/flows/greet.flow.json");
    let in_file = || serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(in_file()["nodes"]["made"]["config"]["template"], "Hello {{name}}");
    execute(&host, "run.acceptTrials", json!({ "run": run })).await;
    assert_eq!(in_file()["nodes"]["made"]["config"]["template"], "Bye {{name}}");
    execute(&host, "run.go", json!({ "run": run, "stop": stop, "verb": "continue" })).await;
    assert_eq!(host.get("viewer", &path).await.1["outputs"]["out"]["value"], "Bye Ann");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_reaches_the_worker_amid_a_call() {
    let model = ModelServer::start(|_, _| ServerReply::NoResponse).await;
    let cluster = Cluster::new();
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let _worker = cluster.worker();
    let run = json!(uuid::Uuid::now_v7().to_string());
    let cancel = async {
        until(|| model.calls().len() == 1).await;
        execute(&host, "run.cancel", json!({ "run": run })).await;
    };
    let start = host.post("runner", "/flows/chat/runs", json!({ "input": "Go", "run": run }));
    let ((status, state), ()) = tokio::join!(start, cancel);
    assert_eq!((status.as_u16(), &state["status"]), (409, &json!("cancelled")), "{state}");
}
