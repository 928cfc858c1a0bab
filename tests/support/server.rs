//! A model server on this machine that speaks OpenAI's chat completions, answers by rule, misbehaves on request, and keeps
//! what it was sent.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};

/// How the server answers one call.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With this text, streamed word by word.
    Text(String),
    /// By asking for a tool.
    Tool { name: String, arguments: Value },
    /// Like `Text`, a word each so often.
    Slow(Duration, String),
    /// With an HTTP error.
    Status(u16, Value),
    /// By streaming this and breaking the connection off.
    Cut(String),
    /// By streaming what is no reply.
    Garbage,
    /// Not at all.
    Silence,
}

type Rule = dyn Fn(&Value, usize) -> Answer + Send + Sync;

/// The server. It stops when it is dropped.
pub struct ModelServer {
    /// Where it is, up to and including `/v1`.
    pub url: String,
    shared: Arc<Shared>,
    work: tokio::task::JoinHandle<()>,
}

struct Shared {
    rule: Box<Rule>,
    calls: Mutex<Vec<Value>>,
}

impl ModelServer {
    /// Answers by `rule`, which receives the request body and how many calls came before.
    pub async fn start(rule: impl Fn(&Value, usize) -> Answer + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared { rule: Box::new(rule), calls: Mutex::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router =
            Router::new().route("/v1/chat/completions", post(complete)).with_state(Arc::clone(&shared));
        let work = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared, work }
    }

    /// The bodies of the calls so far.
    pub fn calls(&self) -> Vec<Value> {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// The text of the last message of a request.
pub fn question(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    last.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

async fn complete(State(shared): State<Arc<Shared>>, Json(request): Json<Value>) -> Response {
    let before = {
        let mut calls = shared.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(request.clone());
        calls.len() - 1
    };
    match (shared.rule)(&request, before) {
        Answer::Text(text) => streamed(spoken(&text), Duration::ZERO, &Ending::Whole),
        Answer::Slow(pause, text) => streamed(spoken(&text), pause, &Ending::Whole),
        Answer::Cut(text) => {
            let mut events = spoken(&text);
            events.truncate(events.len() - 2);
            streamed(events, Duration::from_millis(5), &Ending::Broken)
        }
        Answer::Tool { name, arguments } => {
            let call = json!({ "index": 0, "id": format!("call_{before}"), "type": "function",
                "function": { "name": name, "arguments": arguments.to_string() } });
            streamed(
                vec![
                    chunk(&json!({ "role": "assistant", "tool_calls": [call] }), None),
                    chunk(&json!({}), Some("tool_calls")),
                    usage(),
                ],
                Duration::ZERO,
                &Ending::Whole,
            )
        }
        Answer::Status(status, body) => (StatusCode::from_u16(status).unwrap(), Json(body)).into_response(),
        Answer::Garbage => {
            let body = "data: {\"choices\": [{\"delta\": {\"content\": \n\ndata: <html>no</html>\n\n";
            ([("content-type", "text/event-stream")], body).into_response()
        }
        Answer::Silence => {
            let body = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
            ([("content-type", "text/event-stream")], body).into_response()
        }
    }
}

enum Ending {
    Whole,
    Broken,
}

fn spoken(text: &str) -> Vec<String> {
    let mut events: Vec<_> =
        text.split_inclusive(' ').map(|word| chunk(&json!({ "content": word }), None)).collect();
    events.push(chunk(&json!({}), Some("stop")));
    events.push(usage());
    events
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    event(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [choice] }))
}

fn usage() -> String {
    event(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 } }))
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn streamed(events: Vec<String>, pause: Duration, ending: &Ending) -> Response {
    let mut items: Vec<Result<String, std::io::Error>> = events.into_iter().map(Ok).collect();
    items.push(match ending {
        Ending::Whole => Ok("data: [DONE]\n\n".to_owned()),
        Ending::Broken => Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)),
    });
    let body = stream::iter(items).then(move |item| async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        item
    });
    ([("content-type", "text/event-stream")], Body::from_stream(body)).into_response()
}
