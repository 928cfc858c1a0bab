//! The requests of the page: `rpc` for every command of the api, `watch` for a run, `runs` for the list, `opened` for the start. The same calls as
//! the window's (`src-tauri/desktop/ipc.rs`), over HTTP.
//!
//! A reply has status 200 also when the command failed: browsers report every other status on their consoles. Bodies of
//! requests must be `application/json`, which a page of another origin may not send without being asked.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::StreamExt as _;
use futures::stream;
use plait_api::{ErrorReply, Plait, WindowWatch, from_window_json, to_window_json};
use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The minimum time between two batches of events, as in the window.
const FRAME: Duration = Duration::from_millis(16);

/// The largest request. Attachments and images travel in base64.
const MAX_REQUEST_BYTES: usize = 256 * 1024 * 1024;

/// A command by its name, and the host of the window that asks for it.
#[derive(Deserialize)]
struct Call {
    host: Option<String>,
    name: String,
    #[serde(default)]
    args: Value,
}

/// A run to watch.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WatchRequest {
    host: Option<String>,
    run: RunId,
    from_seq: u64,
}

/// Whose runs to watch.
#[derive(Deserialize)]
struct ChangesRequest {
    host: Option<String>,
}

/// What a command returned.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Reply(Value),
    Error(ErrorReply),
}

impl From<Result<Value, ErrorReply>> for Outcome {
    fn from(result: Result<Value, ErrorReply>) -> Self {
        match result {
            Ok(reply) => Self::Reply(reply),
            Err(error) => Self::Error(error),
        }
    }
}

pub(crate) fn router(plait: Arc<Plait>) -> Router {
    Router::new()
        .route("/rpc", post(rpc))
        .route("/watch", post(watch))
        .route("/runs", post(watch_runs))
        .route("/opened", post(opened))
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        .with_state(plait)
}

/// Executes a command of the api.
async fn rpc(State(plait): State<Arc<Plait>>, Json(call): Json<Call>) -> Response {
    let args = from_window_json(call.args);
    let result = plait_api::dispatch_in_window(&plait, call.host.as_deref(), &call.name, args).await;
    ([(CONTENT_TYPE, "application/json")], line(&Outcome::from(result))).into_response()
}

/// Sends the journal of a run, then its events as they happen: a line for each batch, and a last one with the error if the
/// watch failed. Ends with the run, or with the connection.
async fn watch(State(plait): State<Arc<Plait>>, Json(request): Json<WatchRequest>) -> Response {
    let WatchRequest { host, run, from_seq } = request;
    match plait_api::watch_in_window(&plait, host.as_deref(), &run, from_seq).await {
        Ok(watch) => lines(stream::unfold(Some(watch), next_line)),
        Err(error) => lines(stream::iter([line(&Outcome::Error(error))])),
    }
}

/// A line without content each time the list of runs has changed. The line of a host says why its list cannot be read: `lost`.
async fn watch_runs(State(plait): State<Arc<Plait>>, Json(request): Json<ChangesRequest>) -> Response {
    let changes = plait_api::run_changes_in_window(&plait, request.host.as_deref());
    lines(stream::unfold(changes, async |mut changes| {
        let change = changes.changed().await?;
        let text = change.map_or_else(|error| line(&json!({ "lost": error })), |()| line(&json!({})));
        Some((text, changes))
    }))
}

async fn next_line(watch: Option<WindowWatch>) -> Option<(String, Option<WindowWatch>)> {
    let mut watch = watch?;
    match watch.next_batch(FRAME).await? {
        Ok(batch) => Some((line(&batch), Some(watch))),
        Err(error) => Some((line(&Outcome::Error(error)), None)),
    }
}

/// The application is open before it listens, so there is no progress to report.
async fn opened() -> Response {
    lines(stream::empty())
}

fn lines(lines: impl futures::Stream<Item = String> + Send + 'static) -> Response {
    let body = Body::from_stream(lines.map(Ok::<_, Infallible>));
    ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// The JSON of a value, which has no line breaks, as a line.
fn line(value: &impl Serialize) -> String {
    let text = to_window_json(value).or_else(|error| to_window_json(&Outcome::Error(error)));
    text.unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests;
