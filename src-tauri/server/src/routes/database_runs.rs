//! Runs of a host with a database, as its routes answer for them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures::future::ready;
use futures::{StreamExt as _, stream};
use plait_core::error::ErrorCode;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::database_events::{self, Until};
use crate::database_runs::{DatabaseRuns, Standing};
use crate::events;
use crate::failure::{Failure, RUN_HEADER, status_of};
use crate::phase::closing;
use crate::tenant::Tenant;

/// Answers for a run that was begun, when it waits for a person or has ended.
pub(super) async fn rest(
    tenant: &Arc<Tenant>,
    database: DatabaseRuns,
    run: &RunId,
    wants_events: bool,
) -> Result<Response, Failure> {
    if wants_events {
        let begun = stream::once(ready(database_events::begun(run)));
        let events = database_events::events_of(
            Arc::clone(tenant),
            database,
            (run.clone(), run.clone()),
            0,
            Until::Rest,
        );
        return Ok(of_run(run, events::response(begun.chain(events))));
    }
    let rest = tokio::select! {
        biased;
        rest = database.rest(run) => rest,
        () = tenant.ended() => Err(closing()),
    };
    let state = rest.map_err(|error| Failure::of_run(error, run))?;
    let status = status_of_state(&state);
    Ok(response(run, status, state))
}

/// Answers that a run was begun.
pub(super) fn begun(run: &RunId) -> Response {
    response(run, StatusCode::ACCEPTED, running(run))
}

/// The state of a run that goes on.
fn running(run: &RunId) -> Value {
    json!({ "run": run, "status": RunStatus::Running })
}

/// How a run stands, once it waits for a person or has ended, at the latest after this time.
pub(super) async fn show(database: &DatabaseRuns, root: &RunId, wait: Duration) -> Result<Response, Failure> {
    let rest = if wait.is_zero() { None } else { tokio::time::timeout(wait, database.rest(root)).await.ok() };
    let state = match rest.transpose()? {
        Some(state) => state,
        None => match database.standing(root).await? {
            Standing::Rests(state) => state,
            Standing::GoesOn => running(root),
        },
    };
    Ok(response(root, StatusCode::OK, state))
}

fn response(run: &RunId, status: StatusCode, state: Value) -> Response {
    of_run(run, (status, Json(state)).into_response())
}

/// With the header that names the run.
fn of_run(run: &RunId, mut response: Response) -> Response {
    if let Ok(run) = HeaderValue::from_str(run.as_str()) {
        response.headers_mut().insert(RUN_HEADER, run);
    }
    response
}

/// The status of a request that a run was to answer.
fn status_of_state(state: &Value) -> StatusCode {
    match RunStatus::deserialize(&state["status"]) {
        Ok(RunStatus::Finished) => StatusCode::OK,
        Ok(RunStatus::Failed) => ErrorCode::deserialize(&state["error"]["error"]["code"])
            .map_or(StatusCode::INTERNAL_SERVER_ERROR, |code| status_of(&code)),
        Ok(RunStatus::Cancelled) => StatusCode::CONFLICT,
        _ => StatusCode::ACCEPTED,
    }
}
