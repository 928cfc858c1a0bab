//! `published.*`: the flows that a host serves.

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_api::Plait;
use plait_api::flows::{CheckFlow, ReadFlow, bundle_flow};
use plait_api::hosts::{
    HostCommand as _, ListPublished, ListPublishedVersions, PublishFlow, PublishedVersion, ReadPublished,
    RollBack, Schedule, SchedulePublished, Unpublish,
};
use plait_core::diagnostic::Severity;
use plait_core::flow::Flow;
use serde_json::Value;

use crate::blocking::blocking;
use crate::caller::Caller;
use crate::codes;
use crate::command_values::{arguments, reply, unknown_command};
use crate::published::{Published, takes_input};
use crate::schedule::ScheduleTimes as _;
use crate::tenant::Tenant;

/// Executes one of the commands.
pub(crate) async fn execute(
    tenant: &Tenant,
    caller: &Caller,
    name: &str,
    args: Value,
) -> Result<Value, ErrorReply> {
    let published = tenant.published.clone();
    match name {
        ListPublished::NAME => reply(blocking(move || published.list()).await?),
        ListPublishedVersions::NAME => {
            let ListPublishedVersions { name } = arguments(args)?;
            reply(blocking(move || published.versions(&name)).await?)
        }
        ReadPublished::NAME => {
            let ReadPublished { name, version } = arguments(args)?;
            let read = move || match version {
                Some(version) => published.version(&name, version),
                None => published.current(&name),
            };
            reply(blocking(read).await?)
        }
        PublishFlow::NAME => {
            let PublishFlow { name, path } = arguments(args)?;
            let flows = tenant.flows.clone();
            let path = blocking(move || flows.resolve(&path)).await?;
            reply(publish(&tenant.plait, published, name, path, caller.name.clone()).await?)
        }
        RollBack::NAME => {
            let RollBack { name, version } = arguments(args)?;
            reply(blocking(move || published.roll_back(&name, version)).await?)
        }
        SchedulePublished::NAME => {
            let SchedulePublished { name, schedule } = arguments(args)?;
            let next = blocking(move || set_schedule(&published, &name, schedule.as_ref())).await?;
            reply(next.map(|next| next.to_string()))
        }
        Unpublish::NAME => {
            let Unpublish { name } = arguments(args)?;
            reply(blocking(move || published.remove(&name)).await?)
        }
        other => Err(unknown_command(other)),
    }
}

/// The next time that a flow begins by itself. `published.bad_schedule`, `command.arguments` for an input that the flow does not take, and the
/// errors of [`Published::set_schedule`].
fn set_schedule(
    published: &Published,
    name: &str,
    schedule: Option<&Schedule>,
) -> Result<Option<Timestamp>, ErrorReply> {
    let next = schedule.map(|schedule| schedule.next(Timestamp::now())).transpose()?;
    if schedule.is_some_and(|schedule| schedule.input.is_some()) {
        refuse_input(&published.current(name)?.flow)?;
    }
    published.set_schedule(name, schedule)?;
    Ok(next)
}

/// `command.arguments` if a flow takes no text input.
pub(crate) fn refuse_input(flow: &Flow) -> Result<(), ErrorReply> {
    if takes_input(flow) {
        return Ok(());
    }
    let message = "The flow takes no text input: it has no `manualInput` node.";
    Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message))
}

/// Checks the flow in a file, and serves it with its sub-flows as a new version. `flow.invalid` with its problems, the errors of reading
/// it and its sub-flows, and those of [`Published::publish`].
pub(crate) async fn publish(
    plait: &Plait,
    published: Published,
    name: String,
    path: String,
    by: String,
) -> Result<PublishedVersion, ErrorReply> {
    let read = ReadFlow { path: Some(path.clone()), text: None, name: None };
    let flow = plait.call(read).await?;
    check(plait, &flow, &path).await?;
    let plait = plait.clone();
    blocking(move || {
        let flow = bundle_flow(flow, Some(&path), plait.registry())?;
        published.publish(&name, flow, Some(path), &by)
    })
    .await
}

async fn check(plait: &Plait, flow: &Flow, path: &str) -> Result<(), ErrorReply> {
    let checked = plait.call(CheckFlow { flow: flow.clone(), path: Some(path.to_owned()) }).await?;
    let is_error = |severity| severity == Severity::Error;
    let errors: Vec<_> = checked.diagnostics.into_iter().filter(|found| is_error(found.severity)).collect();
    let Some(first) = errors.first() else { return Ok(()) };
    let message = format!("The flow cannot run: {}", first.message);
    Err(ErrorReply::new(codes::FLOW_INVALID, message)
        .hint("Fix the problems that the diagnostics list, then publish it again.")
        .diagnostics(&errors))
}
