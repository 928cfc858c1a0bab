use std::path::Path;

use plait_api::Options;
use reqwest::Client;
use serde_json::json;
use tokio::net::TcpListener;

use super::*;

/// The address of a host with the data of this directory. It serves until the test ends.
async fn serve(home: &Path) -> String {
    let plait = Arc::new(Plait::open(Options::new(home, plait_app::parts())).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(plait)).await.unwrap() });
    url
}

async fn post(url: &str, path: &str, body: Value) -> String {
    let request = Client::new().post(format!("{url}/{path}")).header(CONTENT_TYPE, "application/json");
    let sent = request.body(body.to_string()).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    sent.text().await.unwrap()
}

#[tokio::test]
async fn failed_command_is_a_reply_with_its_error() {
    let home = tempfile::tempdir().unwrap();
    let url = serve(home.path()).await;
    let known: Value =
        serde_json::from_str(&post(&url, "rpc", json!({ "name": "users.list" })).await).unwrap();
    assert_eq!(known["reply"]["current"], "local");
    let unknown = post(&url, "rpc", json!({ "name": "users.lost", "args": {} })).await;
    assert_eq!(serde_json::from_str::<Value>(&unknown).unwrap()["error"]["code"], "command.unknown");
}

#[tokio::test]
async fn watch_delivers_the_journal_in_lines_and_ends_with_the_run() {
    let home = tempfile::tempdir().unwrap();
    let url = serve(home.path()).await;
    let flow = json!({
        "version": 1, "name": "", "edges": {}, "layout": {},
        "nodes": { "text": { "type": "text", "config": { "template": "Hello" } } },
    });
    let started = post(&url, "rpc", json!({ "name": "run.start", "args": { "flow": flow } })).await;
    let run = serde_json::from_str::<Value>(&started).unwrap()["reply"]["run"].clone();
    let lines = post(&url, "watch", json!({ "run": run, "fromSeq": 0 })).await;
    let entries: Vec<Value> =
        lines.lines().flat_map(|line| serde_json::from_str::<Vec<Value>>(line).unwrap()).collect();
    assert_eq!(entries[0]["type"], "run.started");
    assert_eq!(entries.last().unwrap()["type"], "run.finished");

    let unknown =
        post(&url, "watch", json!({ "run": "0190a0b0-0000-7000-8000-000000000001", "fromSeq": 0 })).await;
    assert_eq!(serde_json::from_str::<Value>(&unknown).unwrap()["error"]["code"], "run.unknown");
}

/// A page of another origin may send text without being asked, but not JSON.
#[tokio::test]
async fn request_that_any_page_may_send_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let url = serve(home.path()).await;
    let sent = Client::new()
        .post(format!("{url}/rpc"))
        .header(CONTENT_TYPE, "text/plain")
        .body(r#"{ "name": "users.list" }"#);
    assert_eq!(sent.send().await.unwrap().status(), 415);
}
