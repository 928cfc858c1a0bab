//! `POST /flows/NAME/runs`: runs a published flow, and answers with its outputs or with its events.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use plait_api::ErrorReply;
use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, NodeId, PortName, RunId};
use plait_journal::ReplySource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::runs::{state_response, status_of_run};
use super::{EVENT_STREAM, database_runs};
use crate::codes;
use crate::events;
use crate::failure::{Failure, RUN_HEADER};
use crate::host::{Caller, Host, blocking, to_its_end};
use crate::published::Version;
use crate::roles::Role;

/// What a run is given.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRun {
    /// The text input of the run.
    #[serde(default)]
    input: Option<String>,
    /// Values for input ports, by node and port.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, Value>>")]
    set: BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>>,
    /// The conversation to continue: `conversations.open` makes one.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    conversation: Option<ConversationId>,
    /// `any`: takes replies that other runs bought for the same requests.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    replies: ReplySource,
}

pub(super) async fn run(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    caller.require(Role::Runner)?;
    let NewRun { input, set, conversation, replies } = host.read_json(&headers, body).await?;
    let published = host.published.clone();
    let Version { about, flow } = blocking(move || published.current(&name)).await?;
    if input.is_some() && !takes_input(&flow) {
        let message = "The flow takes no text input: it has no `manualInput` node.";
        return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message).into());
    }
    let overrides = set;
    let request =
        RunRequest { flow, path: about.path, input, overrides, conversation, replies, ..RunRequest::default() };
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if let Some(database) = &host.database {
        return database_runs::run(&host, database.clone(), request, accepts.contains(EVENT_STREAM)).await;
    }
    let run = begin(&host, &caller, request).await?;
    if accepts.contains(EVENT_STREAM) {
        let watch = host.plait.runs().watch(&run, 0).await.map_err(|error| Failure::of_run(error, &run))?;
        let header = HeaderValue::from_str(run.as_str());
        let mut response = events::response(events::to_rest(host, run, watch));
        if let Ok(run) = header {
            response.headers_mut().insert(RUN_HEADER, run);
        }
        return Ok(response);
    }
    host.rest(&run).await.map_err(|error| Failure::of_run(error, &run))?;
    let state = host.state(&run).await.map_err(|error| Failure::of_run(error, &run))?;
    Ok(state_response(&state, status_of_run(&state)))
}

/// Begins a run, also if the client is gone meanwhile. `host.runs`, and the errors of `run.start`.
async fn begin(host: &Arc<Host>, caller: &Caller, request: RunRequest) -> Result<RunId, ErrorReply> {
    let (host, caller) = (Arc::clone(host), caller.clone());
    to_its_end(async move {
        let place = host.run_place(&caller)?;
        let run = host.plait.call(StartRun(request)).await?.run;
        place.fill(run.clone());
        Ok(run)
    })
    .await
}

/// Whether a run of the flow can be given a text.
pub(super) fn takes_input(flow: &Flow) -> bool {
    flow.nodes.values().any(|node| node.node_type == "manualInput")
}
