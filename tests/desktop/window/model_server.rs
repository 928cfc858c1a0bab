//! A model server on this machine that speaks every protocol there is: it says what it was asked, word by word, counts made-up
//! tokens, and keeps what it received with the key that came along. Half-way through a reply it waits until it may finish.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::watch;

/// Tokens it says that every prompt takes, and every reply.
pub(crate) const INPUT: u64 = 1_000;
pub(crate) const OUTPUT: u64 = 200;
/// Between two words of a reply: slow enough to be watched.
const PAUSE: Duration = Duration::from_millis(60);

/// One call as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The path it came to.
    pub(crate) path: String,
    /// The key it bore, in whichever header.
    pub(crate) key: Option<String>,
    /// Its body.
    pub(crate) body: Value,
}

type Calls = Arc<Mutex<Vec<Call>>>;

/// What those who answer share.
#[derive(Clone)]
struct Shared {
    calls: Calls,
    may_finish: watch::Receiver<bool>,
}

/// The server. It stops when this is dropped.
pub(crate) struct Models {
    /// Its address, without a path.
    pub(crate) url: String,
    calls: Calls,
    may_finish: watch::Sender<bool>,
    work: tokio::task::JoinHandle<()>,
}

impl Models {
    pub(crate) async fn start() -> Result<Self> {
        let calls = Calls::default();
        let (may_finish, waiting) = watch::channel(false);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new()
            .route("/v1/models", get(|| async { axum::Json(json!({ "data": [{ "id": "wise-1" }] })) }))
            .fallback(post(answer))
            .with_state(Shared { calls: Arc::clone(&calls), may_finish: waiting });
        let work = tokio::spawn(async move {
            // It ends with the test; what it could not serve fails that.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, calls, may_finish, work })
    }

    /// Lets replies go on to their ends, those that come later too.
    pub(crate) fn finish(&self) {
        self.may_finish.send_replace(true);
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        self.work.abort();
    }
}

async fn answer(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().to_owned();
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let key = header("authorization")
        .map(|value| value.trim_start_matches("Bearer ").to_owned())
        .or_else(|| header("x-api-key").or(header("x-goog-api-key")).map(str::to_owned));
    shared.calls.lock().unwrap_or_else(PoisonError::into_inner).push(Call {
        path: path.clone(),
        key,
        body: value,
    });
    let protocol = Protocol::of(&path);
    let words = format!("Greetings from {}, where every word is counted.", protocol.name());
    let words: Vec<String> = words.split_inclusive(' ').map(str::to_owned).collect();
    let pieces: Vec<String> = protocol.stream(&words);
    let middle = pieces.len() / 2;
    let stream = futures::stream::iter(pieces).enumerate().then(move |(at, piece)| {
        let mut may_finish = shared.may_finish.clone();
        async move {
            tokio::time::sleep(PAUSE).await;
            if at == middle {
                // Nobody lets it any more once the test is over.
                let _ = may_finish.wait_for(|may| *may).await;
            }
            Ok::<_, Infallible>(Bytes::from(piece))
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

    /// A whole reply of these words, in the pieces it is sent in.
    fn stream(self, words: &[String]) -> Vec<String> {
        let text: String = words.concat();
        let (before, after): (Vec<Value>, Vec<Value>) = match self {
            Self::Chat => (
                vec![json!({ "choices": [{ "index": 0, "delta": { "role": "assistant" } }] })],
                vec![
                    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }),
                    json!({ "choices": [], "usage": { "prompt_tokens": INPUT, "completion_tokens": OUTPUT } }),
                ],
            ),
            Self::Responses => {
                let message =
                    json!({ "type": "message", "content": [{ "type": "output_text", "text": text }] });
                let usage = json!({ "input_tokens": INPUT, "output_tokens": OUTPUT });
                let response =
                    json!({ "id": "r1", "status": "completed", "output": [message], "usage": usage });
                (
                    vec![json!({ "type": "response.created", "response": { "id": "r1" } })],
                    vec![json!({ "type": "response.completed", "response": response })],
                )
            }
            Self::Anthropic => (
                vec![
                    json!({ "type": "message_start", "message": { "id": "m1", "content": [], "usage": { "input_tokens": INPUT } } }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                ],
                vec![
                    json!({ "type": "content_block_stop", "index": 0 }),
                    json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": OUTPUT } }),
                    json!({ "type": "message_stop" }),
                ],
            ),
            Self::Gemini => (
                vec![],
                vec![json!({
                    "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": "STOP" }],
                    "usageMetadata": { "promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT },
                })],
            ),
            Self::Ollama => (
                vec![],
                vec![json!({
                    "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                    "prompt_eval_count": INPUT, "eval_count": OUTPUT,
                })],
            ),
        };
        let said = words.iter().map(|word| self.word(word));
        let mut pieces: Vec<String> =
            before.into_iter().chain(said).chain(after).map(|event| self.framed(&event)).collect();
        if self == Self::Chat {
            pieces.push("data: [DONE]\n\n".to_owned());
        }
        pieces
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

    fn framed(self, event: &Value) -> String {
        match (self, event["type"].as_str()) {
            (Self::Ollama, _) => format!("{event}\n"),
            (_, Some(kind)) => format!("event: {kind}\ndata: {event}\n\n"),
            (_, None) => format!("data: {event}\n\n"),
        }
    }
}
