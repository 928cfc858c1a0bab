//! `POST /flows/NAME/runs`: runs a published flow, and answers with its outputs or with its events.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::Path;
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use plait_api::hosts::VersionedFlow;
use plait_api::runs::RunRequest;
use plait_core::id::{ConversationId, NodeId, PortName, RunId};
use plait_journal::ReplySource;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::runs::{state_response, status_of_run};
use super::{EVENT_STREAM, database_runs};
use crate::blocking::blocking;
use crate::caller::Caller;
use crate::events;
use crate::failure::{Failure, RUN_HEADER};
use crate::publishing::refuse_input;
use crate::roles::Role;
use crate::run_reports;
use crate::tenant::Tenant;

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
    /// The id of the run, a UUID that the client chose. Asked again with it, the same run is answered and none is begun.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    run: Option<Uuid>,
    /// An address to which is reported how the run stands whenever it waits for a person, and at its end, by `POST` with the state as JSON and
    /// the header `plait-signature`. The request is answered at once.
    #[serde(default)]
    callback: Option<String>,
}

pub(super) async fn run(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    caller.require(Role::Runner)?;
    let NewRun { input, set, conversation, replies, run, callback } =
        tenant.read_json(&headers, body).await?;
    let published = tenant.published.clone();
    let VersionedFlow { about, flow } = blocking(move || published.current(&name)).await?;
    if input.is_some() {
        refuse_input(&flow)?;
    }
    let overrides = set;
    let request = RunRequest {
        flow,
        path: about.path,
        input,
        overrides,
        conversation,
        replies,
        ..RunRequest::default()
    };
    let run = RunId::from(run.unwrap_or_else(Uuid::now_v7).to_string());
    if let Some(url) = callback {
        return begin_with_callback(&tenant, &caller, &run, request, &url).await;
    }
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let wants_events = accepts.contains(EVENT_STREAM);
    tenant.begin(Some(&caller), &run, request).await?;
    if let Some(database) = &tenant.database {
        return database_runs::rest(&tenant, database.clone(), &run, wants_events).await;
    }
    if wants_events {
        let watch = tenant.plait.runs().watch(&run, 0).await.map_err(|error| Failure::of_run(error, &run))?;
        let header = HeaderValue::from_str(run.as_str());
        let mut response = events::response(events::to_rest(tenant, run, watch));
        if let Ok(run) = header {
            response.headers_mut().insert(RUN_HEADER, run);
        }
        return Ok(response);
    }
    tenant.rest(&run).await.map_err(|error| Failure::of_run(error, &run))?;
    let state = tenant.state(&run).await.map_err(|error| Failure::of_run(error, &run))?;
    Ok(state_response(&state, status_of_run(&state)))
}

/// Begins a run, answers that it goes on, and has it reported to an address.
async fn begin_with_callback(
    tenant: &Arc<Tenant>,
    caller: &Caller,
    run: &RunId,
    request: RunRequest,
    url: &str,
) -> Result<Response, Failure> {
    // Before the run, so that none is begun whose end is not reported.
    let is_new = tenant.callbacks.note(tenant.plait.tools(), run, url)?;
    match tenant.begin(Some(caller), run, request).await {
        Ok(()) if is_new => run_reports::begin(tenant, run),
        Err(error) if is_new => {
            tenant.callbacks.forget(run);
            return Err(error.into());
        }
        begun => begun?,
    }
    Ok(database_runs::begun(run))
}
