//! `GET /runs`: the board. `GET /runs/changes`: when it changes. `GET /runs/RUN`: how a run stands. `GET /runs/RUN/events`: its events as they happen.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use plait_api::runs::RunState;
use plait_api::{ErrorReply, to_window_json};
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use schemars::JsonSchema;
use serde::Deserialize;

use super::database_runs;
use crate::board::{Board, BoardQuery};
use crate::caller::Caller;
use crate::codes;
use crate::database_events::{self, Until};
use crate::events;
use crate::failure::{Failure, RUN_HEADER, status_of};
use crate::roles::Role;
use crate::run_changes;
use crate::tenant::Tenant;

/// The longest that a request waits for a run.
const MAX_WAIT_SECONDS: u64 = 600;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wait {
    /// How many seconds to wait for the run to end or to wait for a person; at most 600.
    #[serde(default)]
    pub(crate) wait: u64,
}

/// Runs with what they ask, newest first.
pub(super) async fn board(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    query: Result<Query<BoardQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Failure> {
    caller.require(Role::Viewer)?;
    let Query(query) = query.map_err(|error| wrong_query(&error.body_text()))?;
    let board = match &tenant.database {
        Some(database) => database.board(&query, &tenant.user().await?).await?,
        None => Board::of_files(&tenant.plait, &query).await?,
    };
    Ok(([(CONTENT_TYPE, "application/json")], to_window_json(&board)?).into_response())
}

/// Says when the list of runs may have changed.
pub(super) async fn changes(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Failure> {
    caller.require(Role::Viewer)?;
    Ok(events::response(run_changes::of_tenant(tenant)))
}

pub(super) async fn show(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    Path(run): Path<RunId>,
    query: Result<Query<Wait>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Failure> {
    caller.require(Role::Viewer)?;
    let Query(Wait { wait }) = query.map_err(|error| wrong_query(&error.body_text()))?;
    if let Some(database) = &tenant.database
        && let Some(root) = database.root_of(&run).await?
    {
        return database_runs::show(database, &root, Duration::from_secs(wait.min(MAX_WAIT_SECONDS))).await;
    }
    // An unknown run is not waited for.
    tenant.state(&run).await?;
    if wait > 0 {
        let wait = Duration::from_secs(wait.min(MAX_WAIT_SECONDS));
        // Without an end in that time, it is shown as it stands.
        let _ = tokio::time::timeout(wait, tenant.rest(&run)).await;
    }
    Ok(state_response(&tenant.state(&run).await?, StatusCode::OK))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct From {
    /// The number of the first event, from 0. The header `Last-Event-ID` says the same of the event before.
    #[serde(default)]
    pub(crate) from: u64,
}

pub(super) async fn events(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    Path(run): Path<RunId>,
    query: Result<Query<From>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    caller.require(Role::Viewer)?;
    let Query(From { from }) = query.map_err(|error| wrong_query(&error.body_text()))?;
    let from = match headers.get("last-event-id") {
        None => from,
        Some(last) => next_after(last)?,
    };
    if let Some(database) = tenant.database.clone()
        && let Some(root) = database.root_of(&run).await?
    {
        let events = database_events::events_of(tenant, database, (root, run), from, Until::End);
        return Ok(events::response(events));
    }
    let watch = tenant.plait.runs().watch(&run, from).await?;
    Ok(events::response(events::of_run(tenant, watch)))
}

fn next_after(last: &HeaderValue) -> Result<u64, ErrorReply> {
    let last =
        last.to_str().ok().and_then(|last| last.parse::<u64>().ok()).and_then(|last| last.checked_add(1));
    last.ok_or_else(|| wrong_query("`Last-Event-ID` is no number of an event"))
}

fn wrong_query(problem: &str) -> ErrorReply {
    let problem = problem.trim_end_matches('.');
    ErrorReply::new(codes::HOST_BODY, format!("The address of the request cannot be read: {problem}."))
}

/// A run as the body of a response with this status.
pub(super) fn state_response(state: &RunState, status: StatusCode) -> Response {
    let header = HeaderValue::from_str(state.run.as_str());
    let mut response = (status, Json(state)).into_response();
    if let Ok(run) = header {
        response.headers_mut().insert(RUN_HEADER, run);
    }
    response
}

/// The status of a request that a run was to answer.
pub(super) fn status_of_run(state: &RunState) -> StatusCode {
    match (state.status, &state.error) {
        (RunStatus::Finished, _) => StatusCode::OK,
        (RunStatus::Failed, Some(error)) => status_of(&error.error.code),
        (RunStatus::Failed, None) => StatusCode::INTERNAL_SERVER_ERROR,
        (RunStatus::Cancelled, _) => StatusCode::CONFLICT,
        _ => StatusCode::ACCEPTED,
    }
}
