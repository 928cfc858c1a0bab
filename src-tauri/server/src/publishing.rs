//! The commands of a host that the window does not have: `published.*`.

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_api::Plait;
use plait_api::flows::{CheckFlow, ReadFlow, bundle_flow};
use plait_core::diagnostic::Severity;
use plait_core::flow::Flow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blocking::blocking;
use crate::caller::Caller;
use crate::codes;
use crate::published::{AboutVersion, Published};
use crate::roles::Role;
use crate::schedule::Schedule;
use crate::tenant::Tenant;

/// The commands with the least role that may execute them, and what they do.
pub(crate) const COMMANDS: [(&str, Role, &str); 7] = [
    ("published.list", Role::Viewer, "The flows that are served."),
    ("published.versions", Role::Viewer, "The versions of a flow, the oldest first."),
    ("published.read", Role::Viewer, "A version of a flow, or the one that is served."),
    (
        "published.publish",
        Role::Editor,
        "Checks a flow of the host's folder and serves it with its sub-flows as a new version.",
    ),
    ("published.rollBack", Role::Editor, "Serves an earlier version again."),
    (
        "published.schedule",
        Role::Editor,
        "Has a flow that is served begin by itself, or without `schedule` no longer.",
    ),
    ("published.remove", Role::Editor, "Serves a flow no longer. Its versions are kept."),
];

pub(crate) fn is_command(name: &str) -> bool {
    name.starts_with("published.")
}

/// `command.unknown`.
pub(crate) fn least_role(name: &str) -> Result<Role, ErrorReply> {
    let row = COMMANDS.iter().find(|(command, _, _)| *command == name);
    row.map(|(_, role, _)| *role).ok_or_else(|| unknown_command(name))
}

fn unknown_command(name: &str) -> ErrorReply {
    ErrorReply::new(codes::COMMAND_UNKNOWN, format!("There is no command `{name}`."))
}

/// A flow by the name under which it is published.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfName {
    pub(crate) name: String,
}

/// A version of a published flow.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfVersion {
    pub(crate) name: String,
    /// The one that is served, if left out.
    #[serde(default)]
    pub(crate) version: Option<u32>,
}

/// A flow to publish.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Publish {
    pub(crate) name: String,
    /// The file of the flow, in the folder with the flows of the host.
    pub(crate) path: String,
}

/// A version to serve again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollBack {
    pub(crate) name: String,
    pub(crate) version: u32,
}

/// When a flow is to begin by itself.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfSchedule {
    pub(crate) name: String,
    /// No longer, if left out.
    #[serde(default)]
    pub(crate) schedule: Option<Schedule>,
}

/// Executes one of the commands.
pub(crate) async fn execute(
    tenant: &Tenant,
    caller: &Caller,
    name: &str,
    args: Value,
) -> Result<Value, ErrorReply> {
    let published = tenant.published.clone();
    match name {
        "published.list" => reply(blocking(move || published.list()).await?),
        "published.versions" => {
            let OfName { name } = arguments(name, args)?;
            reply(blocking(move || published.versions(&name)).await?)
        }
        "published.read" => {
            let OfVersion { name, version } = arguments(name, args)?;
            let read = move || match version {
                Some(version) => published.version(&name, version),
                None => published.current(&name),
            };
            reply(blocking(read).await?)
        }
        "published.publish" => {
            let Publish { name, path } = arguments(name, args)?;
            let flows = tenant.flows.clone();
            let path = blocking(move || flows.resolve(&path)).await?;
            reply(publish(&tenant.plait, published, name, path, caller.name.clone()).await?)
        }
        "published.rollBack" => {
            let RollBack { name, version } = arguments(name, args)?;
            reply(blocking(move || published.roll_back(&name, version)).await?)
        }
        "published.schedule" => {
            let OfSchedule { name, schedule } = arguments(name, args)?;
            reply(blocking(move || set_schedule(&published, &name, schedule.as_ref())).await?)
        }
        "published.remove" => {
            let OfName { name } = arguments(name, args)?;
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

/// Whether a run of the flow can be given a text.
pub(crate) fn takes_input(flow: &Flow) -> bool {
    flow.nodes.values().any(|node| node.node_type == "manualInput")
}

/// Checks the flow in a file, and serves it with its sub-flows as a new version. `flow.invalid` with its problems, the errors of reading
/// it and its sub-flows, and those of [`Published::publish`].
pub(crate) async fn publish(
    plait: &Plait,
    published: Published,
    name: String,
    path: String,
    by: String,
) -> Result<AboutVersion, ErrorReply> {
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

fn arguments<T: for<'de> Deserialize<'de>>(name: &str, args: Value) -> Result<T, ErrorReply> {
    serde_json::from_value(args).map_err(|error| {
        ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("Invalid arguments for `{name}`: {error}."))
    })
}

fn reply(value: impl Serialize) -> Result<Value, ErrorReply> {
    serde_json::to_value(value).map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The reply could not be serialized: {error}."))
    })
}
