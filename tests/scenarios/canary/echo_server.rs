//! A model server that echoes everything it knows: the request, its headers, and the planted secret.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

/// A request without its authorization.
#[derive(Clone, Debug)]
pub struct Received {
    pub authorization: Option<String>,
    /// Address, other headers and body.
    pub rest: String,
}

/// The server. It calls `read_file` once in each conversation, and fails for the model `fail`.
pub struct EchoServer {
    /// The base URL, including `/v1`.
    pub url: String,
    state: Arc<ServerState>,
}

struct ServerState {
    planted: String,
    received: Mutex<Vec<Received>>,
}

impl EchoServer {
    pub async fn start(planted: &str) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(ServerState { planted: planted.to_owned(), received: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, state }
    }

    /// The requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }
}

async fn answer(
    State(state): State<Arc<ServerState>>,
    uri: Uri,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response {
    let authorization = headers.remove("authorization").map(|value| value.to_str().unwrap().to_owned());
    let body = String::from_utf8(body.to_vec()).unwrap();
    let echo = format!("{} {}", authorization.clone().unwrap_or_default(), state.planted);
    let rest = format!("{uri} {headers:?} {body}");
    state.received.lock().unwrap().push(Received { authorization, rest });
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    if request["model"] == "fail" {
        let error = json!({ "error": { "message": echo, "code": echo, "param": { &echo: [echo] } } });
        return (StatusCode::BAD_REQUEST, error.to_string()).into_response();
    }
    let has_result =
        request["messages"].as_array().is_some_and(|all| all.iter().any(|one| one["role"] == "tool"));
    if request["tools"].is_array() && !has_result {
        let function = json!({ "name": "read_file", "arguments": json!({ "path": "notes.md" }).to_string() });
        let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
        return stream(&[
            chunk(&json!({ "tool_calls": [call] }), None),
            chunk(&json!({}), Some("tool_calls")),
        ]);
    }
    // In parts of a few bytes, so that each secret is cut in many places.
    let characters: Vec<char> = echo.chars().collect();
    let texts = characters.chunks(7).map(|part| part.iter().collect::<String>());
    let mut events: Vec<Value> =
        texts.map(|text| chunk(&json!({ "content": text, "reasoning": text }), None)).collect();
    events.push(chunk(&json!({}), Some("stop")));
    stream(&events)
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "id": "1", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn stream(events: &[Value]) -> Response {
    let mut lines: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    lines.push("data: [DONE]\n\n".to_owned());
    ([("content-type", "text/event-stream")], lines.concat()).into_response()
}
