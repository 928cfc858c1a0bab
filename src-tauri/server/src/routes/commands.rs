//! `POST /commands/NAME`: the commands of the window with the same names and bodies, and those that only hosts have.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, HttpBody as _};
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use plait_api::{ErrorReply, from_window_json, to_window_json};
use plait_core::id::RunId;
use serde_json::Value;

use crate::access::{is_host_command, least_role, refuse_machine, starts_runs};
use crate::blocking::{blocking, to_its_end};
use crate::caller::Caller;
use crate::codes;
use crate::failure::Failure;
use crate::host_commands;
use crate::tenant::Tenant;

pub(super) async fn execute(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let args: Value = if body.is_end_stream() {
        no_arguments()
    } else {
        from_window_json(tenant.read_json(&headers, body).await?)
    };
    caller.require(least_role(&name, &args)?)?;
    let reply = if is_host_command(&name) {
        to_its_end(async move { host_commands::execute(&tenant, &caller, &name, args).await }).await?
    } else {
        to_its_end(dispatch(tenant, caller, name, args)).await?
    };
    Ok(([(CONTENT_TYPE, "application/json")], to_window_json(&reply)?).into_response())
}

async fn dispatch(
    tenant: Arc<Tenant>,
    caller: Caller,
    name: String,
    mut args: Value,
) -> Result<Value, ErrorReply> {
    if !tenant.name.is_default() {
        refuse_machine(&name, &args)?;
    }
    let (flows, command) = (tenant.flows.clone(), name.clone());
    // Before the database is asked: no command may name a file outside of the folder.
    let args = blocking(move || flows.resolve_arguments(&command, &mut args).map(|()| args)).await?;
    if let Some(database) = &tenant.database
        && let Some(executed) = database.execute(&name, &args).await
    {
        return executed;
    }
    refuse_unknown_run(&tenant, &args).await?;
    let place = if starts_runs(&name) { Some(tenant.run_place(&caller)?) } else { None };
    let given = args.clone();
    let mut reply = plait_api::dispatch(&tenant.plait, &name, args).await;
    if let Some(database) = &tenant.database {
        reply = database.complete(&name, given, reply, tenant.user().await?).await;
    }
    let reply = reply?;
    if let (Some(place), Some(run)) = (place, reply.get("run").and_then(Value::as_str)) {
        place.fill(RunId::from(run.to_owned()));
    }
    Ok(reply)
}

/// `run.unknown` if the arguments of a command name a run that is not there. Some commands have nothing to say of such a run, others take
/// its journal for damaged.
async fn refuse_unknown_run(tenant: &Tenant, args: &Value) -> Result<(), ErrorReply> {
    let Some(run) = args["run"].as_str().map(|run| RunId::from(run.to_owned())) else { return Ok(()) };
    let store = tenant.plait.store().clone();
    blocking(move || match store.run(&run) {
        Err(fault) if fault.code == codes::RUN_UNKNOWN => Err(fault.into()),
        // What else may be wrong with it, the command says.
        _ => Ok(()),
    })
    .await
}

/// An empty body of a command stands for no arguments.
fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}
