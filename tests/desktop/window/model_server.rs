//! A local model server for every protocol. It streams a fixed reply word by word, reports fixed token counts, and records
//! requests with their keys. Halfway through a reply it waits for permission to finish.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

/// The reported tokens of every call.
pub(crate) const INPUT_TOKENS: u64 = 1_000;
pub(crate) const OUTPUT_TOKENS: u64 = 200;
/// The time between two words: slow enough to observe.
const WORD_INTERVAL: Duration = Duration::from_millis(60);

/// A received call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) path: String,
    /// The key, from the header of its protocol.
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

type Calls = Arc<Mutex<Vec<Call>>>;

/// The state of the handlers.
#[derive(Clone)]
struct ServerState {
    calls: Calls,
    may_finish: watch::Receiver<bool>,
}

/// The server. Dropping it stops it.
pub(crate) struct ModelServer {
    /// The URL without a path.
    pub(crate) url: String,
    calls: Calls,
    may_finish: watch::Sender<bool>,
    work: tokio::task::JoinHandle<()>,
}

impl ModelServer {
    pub(crate) async fn start() -> Result<Self> {
        let calls = Calls::default();
        let (may_finish, waiting) = watch::channel(false);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new()
            .route("/v1/models", get(|| async { axum::Json(json!({ "data": [{ "id": "wise-1" }] })) }))
            .fallback(post(answer))
            .with_state(ServerState { calls: Arc::clone(&calls), may_finish: waiting });
        let work = tokio::spawn(async move {
            // An error fails the test that misses the reply.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, calls, may_finish, work })
    }

    /// Lets all replies finish, including later ones.
    pub(crate) fn finish(&self) {
        self.may_finish.send_replace(true);
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.work.abort();
    }
}

async fn answer(State(shared): State<ServerState>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().to_owned();
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let key = header("authorization")
        .map(|value| value.trim_start_matches("Bearer ").to_owned())
        .or_else(|| header("x-api-key").or(header("x-goog-api-key")).map(str::to_owned));
    shared.calls.lock().push(Call { path: path.clone(), key, body: value });
    let protocol = Protocol::of(&path);
    let words = format!("Greetings from {}, where every word is counted.", protocol.name());
    let words: Vec<String> = words.split_inclusive(' ').map(str::to_owned).collect();
    let chunks: Vec<String> = protocol.stream(&words);
    let middle = chunks.len() / 2;
    let stream = futures::stream::iter(chunks).enumerate().then(move |(at, chunk)| {
        let mut may_finish = shared.may_finish.clone();
        async move {
            tokio::time::sleep(WORD_INTERVAL).await;
            if at == middle {
                // Fails once the test has ended.
                let _ = may_finish.wait_for(|may| *may).await;
            }
            Ok::<_, Infallible>(Bytes::from(chunk))
        }
    });
    let kind = if protocol == Protocol::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(stream)).into_response()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    Ollama,
}

impl Protocol {
    fn of(path: &str) -> Self {
        match path {
            _ if path.ends_with("/chat/completions") => Self::Chat,
            _ if path.ends_with("/responses") => Self::Responses,
            _ if path.ends_with("/messages") => Self::Anthropic,
            _ if path.ends_with("/api/chat") => Self::Ollama,
            _ => Self::Gemini,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat completions",
            Self::Responses => "responses",
            Self::Anthropic => "messages",
            Self::Gemini => "generate content",
            Self::Ollama => "the llama",
        }
    }

    /// The chunks of a reply with these words.
    fn stream(self, words: &[String]) -> Vec<String> {
        let text: String = words.concat();
        let (before, after): (Vec<Value>, Vec<Value>) = match self {
            Self::Chat => (
                vec![json!({ "choices": [{ "index": 0, "delta": { "role": "assistant" } }] })],
                vec![
                    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }),
                    json!({ "choices": [], "usage": { "prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS } }),
                ],
            ),
            Self::Responses => {
                let message =
                    json!({ "type": "message", "content": [{ "type": "output_text", "text": text }] });
                let usage = json!({ "input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS });
                let response =
                    json!({ "id": "r1", "status": "completed", "output": [message], "usage": usage });
                (
                    vec![json!({ "type": "response.created", "response": { "id": "r1" } })],
                    vec![json!({ "type": "response.completed", "response": response })],
                )
            }
            Self::Anthropic => (
                vec![
                    json!({ "type": "message_start", "message": { "id": "m1", "content": [], "usage": { "input_tokens": INPUT_TOKENS } } }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                ],
                vec![
                    json!({ "type": "content_block_stop", "index": 0 }),
                    json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": OUTPUT_TOKENS } }),
                    json!({ "type": "message_stop" }),
                ],
            ),
            Self::Gemini => (
                vec![],
                vec![json!({
                    "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": "STOP" }],
                    "usageMetadata": { "promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS },
                })],
            ),
            Self::Ollama => (
                vec![],
                vec![json!({
                    "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                    "prompt_eval_count": INPUT_TOKENS, "eval_count": OUTPUT_TOKENS,
                })],
            ),
        };
        let deltas = words.iter().map(|word| self.word(word));
        let mut chunks: Vec<String> =
            before.into_iter().chain(deltas).chain(after).map(|event| self.frame(&event)).collect();
        if self == Self::Chat {
            chunks.push("data: [DONE]\n\n".to_owned());
        }
        chunks
    }

    fn word(self, word: &str) -> Value {
        match self {
            Self::Chat => json!({ "choices": [{ "index": 0, "delta": { "content": word } }] }),
            Self::Responses => {
                json!({ "type": "response.output_text.delta", "output_index": 0, "delta": word })
            }
            Self::Anthropic => {
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } })
            }
            Self::Gemini => {
                json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": word }] } }] })
            }
            Self::Ollama => json!({ "message": { "role": "assistant", "content": word }, "done": false }),
        }
    }

    fn frame(self, event: &Value) -> String {
        match (self, event["type"].as_str()) {
            (Self::Ollama, _) => format!("{event}\n"),
            (_, Some(kind)) => format!("event: {kind}\ndata: {event}\n\n"),
            (_, None) => format!("data: {event}\n\n"),
        }
    }
}
