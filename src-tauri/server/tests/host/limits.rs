//! What a client may send, how fast and how much at once.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::process::{Data, Host, JsonBody as _, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};

/// Sends this as an admin, and reads to the end of the connection.
fn send(data: &Data, host: &Host<'_>, request: &str, rest: &str) -> String {
    let mut stream = TcpStream::connect(host.url.strip_prefix("http://").unwrap()).unwrap();
    let token = data.token("admin");
    write!(stream, "{request}\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\n{rest}")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const CHECK: &str = "POST /commands/flow.check HTTP/1.1\r\ncontent-type: application/json";

#[test]
fn body_of_a_gigabyte_is_refused_before_it_is_sent() {
    let data = Data::new();
    let host = data.serve();
    let answer = send(&data, &host, CHECK, "content-length: 1073741824\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("host.too_large"), "{answer}");
}

#[test]
fn slow_head_ends_the_connection_and_slow_body_the_request() {
    let data = Data::new();
    let host = data.serve_with(&["--header-timeout", "1", "--body-timeout", "1"]);
    let answer = send(&data, &host, "GET /v1/models HTTP/1.1", "");
    assert!(!answer.contains("200 OK"), "{answer}");
    let answer = send(&data, &host, CHECK, "content-length: 10\r\n\r\n{");
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("host.slow"), "{answer}");
}

#[tokio::test]
async fn token_that_sends_too_much_learns_when_to_retry() {
    let data = Data::new();
    let host = data.serve_with(&["--requests-per-minute", "2"]);
    assert_eq!(host.get("viewer", "/v1/models").await.0, 200);
    assert_eq!(host.get("viewer", "/v1/models").await.0, 200);
    let refused = host.request("viewer", reqwest::Method::GET, "/v1/models").send().await.unwrap();
    assert_eq!(refused.status(), 429);
    let seconds: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    let error = crate::process::read(refused).await.1["error"].take();
    assert_eq!((&error["code"], &error["type"]), (&json!("host.rate"), &json!("rate_limit_error")));
    assert_eq!(host.get("runner", "/v1/models").await.0, 200);
    assert_eq!(data.audit().last().unwrap()["name"], "runner");
    assert!(data.audit().iter().any(|entry| entry["code"] == "host.rate" && entry["name"] == "viewer"));
}

#[tokio::test]
async fn runs_at_work_of_a_token_are_limited_and_waiting_ones_are_not() {
    let model = ModelServer::start(|_, _| ServerReply::NoResponse).await;
    let data = Data::new();
    data.flow("help.flow.json", &chat_flow());
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve_with(&["--runs-per-token", "1"]);
    host.set_provider(&model.url).await;
    host.publish(&["help", "ask"]).await;
    for _ in 0..2 {
        assert_eq!(host.post("runner", "/flows/ask/runs", json!({})).await.0, 202);
    }
    let request = host.request("runner", reqwest::Method::POST, "/flows/help/runs");
    let working = tokio::spawn(request.json_body(&json!({ "input": "Go" })).send());
    while model.calls().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let code = async |role: &str, path: &str, body: Value| {
        let (status, body) = host.post(role, path, body).await;
        (status.as_u16(), body["error"]["code"].clone())
    };
    let refused = (429, json!("host.runs"));
    assert_eq!(code("runner", "/flows/ask/runs", json!({})).await, refused);
    let chat = json!({ "model": "help", "messages": [{ "role": "user", "content": "Hi" }] });
    assert_eq!(code("runner", "/v1/chat/completions", chat).await, refused);
    // Another token has places of its own, for commands too.
    assert_eq!(code("editor", "/commands/run.start", json!({ "flow": ask_flow() })).await.0, 200);
    working.abort();
}
