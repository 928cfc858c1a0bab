//! Draining, backups and metrics.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::sync::Notify;

use crate::process::{Data, JsonBody as _, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};

#[tokio::test]
async fn runs_at_work_end_first_and_waiting_ones_stay() {
    let released = Arc::new(Notify::new());
    let (rule, data) = (Arc::clone(&released), Data::new());
    let model = ModelServer::start(move |_, _| ServerReply::Held(Arc::clone(&rule), "done".to_owned())).await;
    data.flow("help.flow.json", &chat_flow());
    data.flow("ask.flow.json", &ask_flow());
    let asked = {
        let mut host = data.serve();
        host.set_provider(&model.url).await;
        host.publish(&["help", "ask"]).await;
        let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
        let request = host.request("runner", Method::POST, "/flows/help/runs");
        let working = tokio::spawn(request.json_body(&json!({ "input": "Go" })).send());
        while model.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        kill_process(Pid::from_child(&host.child), Signal::TERM).unwrap();

        let ready = format!("{}/readyz", host.url);
        while reqwest::get(&ready).await.unwrap().status() == 200 {}
        assert_eq!(reqwest::get(&ready).await.unwrap().status(), 503);
        let (status, refused) = host.post("runner", "/flows/ask/runs", json!({})).await;
        assert_eq!((status.as_u16(), &refused["error"]["code"]), (503, &json!("host.closing")));
        let start = json!({ "flow": ask_flow() });
        assert_eq!(host.post("editor", "/commands/run.start", start).await.0, 503);
        assert_eq!(host.post("viewer", "/commands/runs.list", json!({})).await.0, 200);

        released.notify_one();
        let answered = working.await.unwrap().unwrap();
        assert_eq!(answered.status(), 200);
        assert_eq!(crate::process::read(answered).await.1["outputs"]["chat"]["response"], "done");
        assert!(host.child.wait().unwrap().success());
        asked
    };
    let host = data.serve();
    let run = asked["run"].as_str().unwrap();
    assert_eq!(host.get("viewer", &format!("/runs/{run}")).await.1["status"], "waiting");
    assert_eq!(host.output_for(&asked, "Ann").await, "Ann");
}

#[tokio::test]
async fn backup_of_a_host_that_has_ended_is_restored() {
    let model = ModelServer::start(|_, _| ServerReply::Text("Hello".to_owned())).await;
    let (data, backup) = (Data::new(), tempfile::tempdir().unwrap());
    data.flow("help.flow.json", &chat_flow());
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    host.set_provider(&model.url).await;
    host.publish(&["help", "ask"]).await;
    let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
    let (_, ended) = host.post("runner", "/flows/help/runs", json!({ "input": "Hi" })).await;
    host.end();
    copy(data.path(), backup.path());

    // What happens after the backup is lost with it.
    let host = data.serve();
    host.output_for(&asked, "Bob").await;
    data.execute(&["unpublish", "help"]);
    host.end();
    std::fs::remove_dir_all(data.path()).unwrap();
    copy(backup.path(), data.path());

    let host = data.serve();
    assert_eq!(host.output_for(&asked, "Ann").await, "Ann");
    let run = ended["run"].as_str().unwrap();
    assert_eq!(host.get("viewer", &format!("/runs/{run}")).await.1["outputs"]["chat"]["response"], "Hello");
    assert_eq!(host.post("runner", "/flows/help/runs", json!({ "input": "Hi" })).await.0, 200);
}

/// Copies a folder, as `cp -a` does.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn metrics_tell_requests_runs_and_spending() {
    let model = ModelServer::start(|_, _| ServerReply::Text("Hello".to_owned())).await;
    let data = Data::new();
    data.flow("help.flow.json", &chat_flow());
    data.flow("ask.flow.json", &ask_flow());
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let host = data.serve_with(&["--metrics-listen", &port.to_string()]);
    host.set_provider(&model.url).await;
    host.publish(&["help", "ask"]).await;
    host.post("runner", "/flows/help/runs", json!({ "input": "Hi" })).await;
    let (_, asked) = host.post("runner", "/flows/ask/runs", json!({})).await;
    host.post("viewer", "/flows/ask/runs", json!({})).await;
    host.post("viewer", "/commands/no.command", json!({})).await;
    let events = format!("/runs/{}/events", asked["run"].as_str().unwrap());
    let stream = host.request("viewer", Method::GET, &events).send().await.unwrap();

    let scraped = reqwest::get(format!("http://{port}/metrics")).await.unwrap();
    assert!(scraped.headers()["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    let text = scraped.text().await.unwrap();
    for line in [
        r#"plait_requests_total{method="POST",route="/flows/{name}/runs",status="200"} 1"#,
        r#"plait_requests_total{method="POST",route="/flows/{name}/runs",status="202"} 1"#,
        r#"plait_requests_total{method="POST",route="/flows/{name}/runs",status="403"} 1"#,
        r#"plait_requests_total{method="POST",route="/commands/published.publish",status="200"} 2"#,
        r#"plait_requests_total{method="POST",route="/commands/{name}",status="404"} 1"#,
        r#"plait_runs{status="finished"} 1"#,
        r#"plait_runs{status="waiting"} 1"#,
        r#"plait_runs{status="running"} 0"#,
        r#"plait_model_calls_total{model="openai/scripted"} 1"#,
        r#"plait_model_calls_unpriced_total{model="openai/scripted"} 1"#,
        r#"plait_model_tokens_total{model="openai/scripted",direction="input"} 7"#,
        r#"plait_model_tokens_total{model="openai/scripted",direction="output"} 3"#,
        "plait_event_streams 1",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    drop(stream);
    // Only there, and nothing else is.
    assert_eq!(host.get("admin", "/metrics").await.0, 404);
    assert_eq!(reqwest::get(format!("http://{port}/v1/models")).await.unwrap().status(), 404);
}
