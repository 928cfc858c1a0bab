//! `/v1/models` and `/v1/chat/completions`: published flows for clients of the `OpenAI` API.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::Event;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use futures::stream;
use plait_api::hosts::PublishedFlow;
use plait_api::{ErrorReply, Watch};
use plait_llm::models::TokenUsage;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::blocking::{blocking, to_its_end};
use crate::caller::Caller;
use crate::chat::{self, ChatRequest, Reply, StreamedReply, Turn};
use crate::events;
use crate::failure::{Failure, RUN_HEADER, chat_error};
use crate::roles::Role;
use crate::tenant::Tenant;

/// Names the fields of a request that had no effect.
const IGNORED_HEADER: &str = "plait-ignored";

/// How many parts of a reply wait for a client that reads slowly.
const PART_QUEUE: usize = 16;

pub(super) async fn models(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Value>, Failure> {
    caller.require(Role::Viewer)?;
    let published = tenant.published.clone();
    let served = blocking(move || published.list()).await?;
    let models: Vec<Value> = served.iter().filter(|served| served.is_chat).map(model_of).collect();
    Ok(Json(json!({ "object": "list", "data": models })))
}

pub(super) async fn model(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    caller.require(Role::Viewer)?;
    let published = tenant.published.clone();
    let served = blocking(move || published.served(&name)).await?;
    Ok(Json(model_of(&served)))
}

fn model_of(served: &PublishedFlow) -> Value {
    let created = served.about.at.as_second();
    json!({ "id": served.name, "object": "model", "created": created, "owned_by": "plait" })
}

pub(super) async fn complete(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    caller.require(Role::Runner)?;
    let request: ChatRequest = tenant.read_json(&headers, body).await?;
    let name = request.model.clone();
    let chat = chat::parse(request)?;
    let (published, of_name) = (tenant.published.clone(), name.clone());
    let version = blocking(move || published.current(&of_name)).await?;
    let (stream, include_usage) = (chat.stream, chat.include_usage);
    let ignored = HeaderValue::from_str(&chat.ignored.join(", ")).ok();
    let fingerprint = format!("v{}", version.about.version);
    let (begun_by, turn_name) = (Arc::clone(&tenant), name.clone());
    let begin = async move {
        let place = begun_by.run_place(&caller)?;
        let turn = Turn::begin(Arc::clone(&begun_by), &caller.id, turn_name, version, chat).await?;
        place.fill(turn.run.clone());
        Ok(turn)
    };
    let turn = to_its_end(begin).await?;
    let run = turn.run.clone();
    let shape = Shape { id: format!("chatcmpl-{run}"), created: now(), model: name, fingerprint };
    let mut response = if stream {
        let watch = tenant.plait.runs().watch(&run, 0).await.map_err(|error| Failure::of_run(error, &run))?;
        let (events, receiver) = mpsc::channel(PART_QUEUE);
        // The turn goes on to its end if the client is gone.
        tokio::spawn(write(tenant, turn, watch, Parts { events, shape, include_usage }));
        let to_send = stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)));
        events::response(to_send)
    } else {
        let whole = async move {
            let mut turn = turn;
            turn.answer_first().await?;
            turn.finish().await
        };
        let reply = to_its_end(whole).await.map_err(|error| Failure::of_run(error, &run))?;
        Json(shape.whole(&reply)).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(run) = HeaderValue::from_str(run.as_str()) {
        headers.insert(RUN_HEADER, run);
    }
    if let Some(ignored) = ignored.filter(|ignored| !ignored.is_empty()) {
        headers.insert(IGNORED_HEADER, ignored);
    }
    Ok(response)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// What all parts of a reply say.
struct Shape {
    id: String,
    created: u64,
    model: String,
    fingerprint: String,
}

impl Shape {
    fn whole(&self, reply: &Reply) -> Value {
        let choice = json!({
            "index": 0,
            "message": { "role": "assistant", "content": reply.text, "refusal": null },
            "logprobs": null,
            "finish_reason": finish_reason(reply),
        });
        self.of("chat.completion", &json!([choice]), &usage(reply.tokens))
    }

    fn part(&self, delta: &Value, finish_reason: Option<&str>) -> Value {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason });
        self.of("chat.completion.chunk", &json!([choice]), &Value::Null)
    }

    fn of(&self, object: &str, choices: &Value, usage: &Value) -> Value {
        json!({
            "id": self.id,
            "object": object,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "choices": choices,
            "usage": usage,
        })
    }
}

fn finish_reason(reply: &Reply) -> &'static str {
    if reply.is_truncated { "length" } else { "stop" }
}

/// Of the model calls of the whole run.
fn usage(tokens: TokenUsage) -> Value {
    json!({
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": { "cached_tokens": tokens.cached_input },
        "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
    })
}

/// Where the parts of a reply are sent. A client that is gone gets none.
struct Parts {
    events: mpsc::Sender<Event>,
    shape: Shape,
    include_usage: bool,
}

impl Parts {
    async fn send(&self, part: &Value) {
        let _ = self.events.send(Event::default().data(part.to_string())).await;
    }

    async fn send_text(&self, text: Option<String>) {
        if let Some(text) = text {
            self.send(&self.shape.part(&json!({ "content": text }), None)).await;
        }
    }
}

/// Sends the reply of a turn as it is written.
async fn write(tenant: Arc<Tenant>, mut turn: Turn, watch: Watch, parts: Parts) {
    parts.send(&parts.shape.part(&json!({ "role": "assistant", "content": "" }), None)).await;
    let mut streamed = StreamedReply::of(&turn.flow);
    let followed = match turn.answer_first().await {
        Ok(()) => follow(&tenant, &turn, watch, &mut streamed, &parts).await,
        Err(error) => Err(error),
    };
    let reply = match followed {
        Ok(()) => turn.finish().await,
        Err(error) => Err(error),
    };
    let end = match &reply {
        Ok(reply) => streamed.finish(&reply.text),
        Err(error) => Err(error.clone()),
    };
    match (end, reply) {
        (Ok(rest), Ok(reply)) => {
            parts.send_text(rest).await;
            parts.send(&parts.shape.part(&json!({}), Some(finish_reason(&reply)))).await;
            if parts.include_usage {
                let usage = usage(reply.tokens);
                parts.send(&parts.shape.of("chat.completion.chunk", &json!([]), &usage)).await;
            }
            let _ = parts.events.send(Event::default().data("[DONE]")).await;
        }
        (Err(error), _) | (_, Err(error)) => parts.send(&chat_error(&error)).await,
    }
}

/// Sends text as it is written, until the run rests.
async fn follow(
    tenant: &Tenant,
    turn: &Turn,
    mut watch: Watch,
    streamed: &mut StreamedReply,
    parts: &Parts,
) -> Result<(), ErrorReply> {
    loop {
        // Events come first: the run rests only after its last one.
        let next = tokio::select! {
            biased;
            next = watch.next() => next,
            rested = tenant.rest(&turn.run) => return rested,
        };
        let Some(entry) = next else { return Ok(()) };
        parts.send_text(streamed.take(&entry?)).await;
    }
}
