//! A local model server with the Chat Completions protocol. It replies or fails by rule and records requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::stream::{self, StreamExt as _};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// The reply to one request.
#[derive(Clone, Debug)]
pub enum ServerReply {
    /// This text, streamed word by word.
    Text(String),
    /// A tool call.
    Tool { name: String, arguments: Value },
    /// Like `Text`, once this is notified.
    Held(Arc<Notify>, String),
    /// Like `Text`, but the last word comes once this is notified.
    Paused(Arc<Notify>, String),
    /// Like `Text`, with this interval between words.
    Slow(Duration, String),
    /// An HTTP error.
    Status(u16, Value),
    /// This text without an end; then the connection breaks.
    Truncated(String),
    /// A stream that is not a reply.
    InvalidStream,
    /// Headers only.
    NoResponse,
}

type Rule = dyn Fn(&Value, usize) -> ServerReply + Send + Sync;

/// The server. Dropping it stops it.
pub struct ModelServer {
    /// The base URL, including `/v1`.
    pub url: String,
    shared: Arc<ServerState>,
    work: tokio::task::JoinHandle<()>,
}

struct ServerState {
    rule: Box<Rule>,
    calls: Mutex<Vec<Value>>,
    /// What each call had in `Authorization`.
    authorizations: Mutex<Vec<String>>,
    /// How many have not got their whole reply.
    open: AtomicUsize,
}

/// A call, until it has its whole reply or the client is gone.
struct OpenCall(Arc<ServerState>);

impl OpenCall {
    fn of(shared: &Arc<ServerState>) -> Self {
        shared.open.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(shared))
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ModelServer {
    /// Answers by `rule`, which receives the request body and the number of earlier calls.
    pub async fn start(rule: impl Fn(&Value, usize) -> ServerReply + Send + Sync + 'static) -> Self {
        let shared = Arc::new(ServerState {
            rule: Box::new(rule),
            calls: Mutex::default(),
            authorizations: Mutex::default(),
            open: AtomicUsize::new(0),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router =
            Router::new().route("/v1/chat/completions", post(complete)).with_state(Arc::clone(&shared));
        let work = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared, work }
    }

    /// The bodies of the calls so far.
    pub fn calls(&self) -> Vec<Value> {
        self.shared.calls.lock().clone()
    }

    /// What they had in `Authorization`, or nothing.
    pub fn authorizations(&self) -> Vec<String> {
        self.shared.authorizations.lock().clone()
    }

    /// How many there were.
    pub fn call_count(&self) -> usize {
        self.shared.calls.lock().len()
    }

    /// How many calls have not got their whole reply.
    pub fn open_calls(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.work.abort();
    }
}

pub fn last_message_text(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    last.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

async fn complete(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    let call = OpenCall::of(&shared);
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    shared.authorizations.lock().push(authorization.to_owned());
    let response = reply(shared, request).await;
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |chunk| {
            let _ = &call;
            chunk
        }))
    })
}

async fn reply(shared: Arc<ServerState>, request: Value) -> Response {
    let before = {
        let mut calls = shared.calls.lock();
        calls.push(request.clone());
        calls.len() - 1
    };
    match (shared.rule)(&request, before) {
        ServerReply::Text(text) => stream_response(text_events(&text), Duration::ZERO, &StreamEnd::Complete),
        ServerReply::Held(released, text) => {
            released.notified().await;
            stream_response(text_events(&text), Duration::ZERO, &StreamEnd::Complete)
        }
        ServerReply::Paused(release, text) => {
            let last_word = text.split_inclusive(' ').count() - 1;
            let events = stream::iter(text_events(&text).into_iter().enumerate()).then(move |(at, event)| {
                let release = Arc::clone(&release);
                async move {
                    if at == last_word {
                        release.notified().await;
                    }
                    Ok::<_, std::io::Error>(event)
                }
            });
            let end = stream::once(async { Ok("data: [DONE]\n\n".to_owned()) });
            ([("content-type", "text/event-stream")], Body::from_stream(events.chain(end))).into_response()
        }
        ServerReply::Slow(pause, text) => stream_response(text_events(&text), pause, &StreamEnd::Complete),
        ServerReply::Truncated(text) => {
            let mut events = text_events(&text);
            events.truncate(events.len() - 2);
            stream_response(events, Duration::from_millis(5), &StreamEnd::Reset)
        }
        ServerReply::Tool { name, arguments } => {
            let call = json!({ "index": 0, "id": format!("call_{before}"), "type": "function",
                "function": { "name": name, "arguments": arguments.to_string() } });
            stream_response(
                vec![
                    chunk(&json!({ "role": "assistant", "tool_calls": [call] }), None),
                    chunk(&json!({}), Some("tool_calls")),
                    usage(),
                ],
                Duration::ZERO,
                &StreamEnd::Complete,
            )
        }
        ServerReply::Status(status, body) => {
            (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
        }
        ServerReply::InvalidStream => {
            let body = "data: {\"choices\": [{\"delta\": {\"content\": \n\ndata: <html>no</html>\n\n";
            ([("content-type", "text/event-stream")], body).into_response()
        }
        ServerReply::NoResponse => {
            let body = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
            ([("content-type", "text/event-stream")], body).into_response()
        }
    }
}

enum StreamEnd {
    Complete,
    Reset,
}

fn text_events(text: &str) -> Vec<String> {
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

fn stream_response(events: Vec<String>, pause: Duration, ending: &StreamEnd) -> Response {
    let mut items: Vec<Result<String, std::io::Error>> = events.into_iter().map(Ok).collect();
    items.push(match ending {
        StreamEnd::Complete => Ok("data: [DONE]\n\n".to_owned()),
        StreamEnd::Reset => Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)),
    });
    let body = stream::iter(items).then(move |item| async move {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        item
    });
    ([("content-type", "text/event-stream")], Body::from_stream(body)).into_response()
}
