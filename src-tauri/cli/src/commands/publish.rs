//! `plait publish` and `plait published`: flows that a host serves.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Args;
use plait_api::flows::{SaveFlow, bundle_flow};
use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use plait_insight::flow_diff::FlowDiff;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::diff;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::{new_table, to_json};
use crate::open_app::{self, Home};
use crate::published_flow::PublishedFlow;
use crate::terminal::{print_error, print_styled_output, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
The flow is published with its sub-flows, as the next version. What differs from the version that is served is printed first.

Examples:
  plait --host team publish support-bot.flow.json
  plait --host team publish draft.flow.json --name support-bot --dry-run
  plait --host team published support-bot --roll-back 3")]
pub(crate) struct PublishArgs {
    /// Flow file (`.flow.json`) or pipeline (`.yaml`).
    flow: OsString,
    /// The name to publish it under, if not that of the file.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only say what differs from what is served.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait --host team published
  plait --host team published support-bot
  plait --host team published support-bot --roll-back 3
  plait --host team published report --schedule '0 9 * * 1-5' --timezone Europe/Paris
  plait --host team published support-bot --remove")]
pub(crate) struct PublishedArgs {
    /// Show the versions of this flow.
    name: Option<String>,
    /// Serve this version again.
    #[arg(long, value_name = "VERSION", requires = "name", conflicts_with = "remove")]
    roll_back: Option<u32>,
    /// Have the flow begin by itself: minute, hour, day of the month, month and day of the week, as in a crontab.
    #[arg(long, value_name = "CRON", requires = "name", conflicts_with_all = ["remove", "roll_back"])]
    schedule: Option<String>,
    /// The time zone of the schedule, by its IANA name. UTC, if left out.
    #[arg(long, value_name = "ZONE", requires = "schedule")]
    timezone: Option<String>,
    /// The text input of the runs that begin by themselves.
    #[arg(long, value_name = "TEXT", requires = "schedule")]
    input: Option<String>,
    /// Have the flow no longer begin by itself.
    #[arg(long, requires = "name", conflicts_with_all = ["schedule", "remove", "roll_back"])]
    unschedule: bool,
    /// Serve the flow no longer. Its versions are kept.
    #[arg(long, requires = "name")]
    remove: bool,
    /// Print the flows or the versions as JSON.
    #[arg(long)]
    json: bool,
}

/// A version of a flow, as hosts list it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedVersion {
    /// Of a list of flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    version: u32,
    at: String,
    by: String,
    /// Of a list of flows: when it begins by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<Schedule>,
}

#[derive(Serialize, Deserialize)]
struct Schedule {
    cron: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timezone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
}

impl Schedule {
    fn describe(&self) -> String {
        match &self.timezone {
            Some(zone) => format!("{} {zone}", self.cron),
            None => self.cron.clone(),
        }
    }
}

pub(crate) async fn publish(home: &Home, args: PublishArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::of_host(home).await?;
    let source = FlowSource::load(&args.flow)?;
    let path = source.path_text();
    let Some(name) = args.name.or_else(|| name_of(path.as_deref()?)) else { return Err(no_name().into()) };
    let flow = bundle_flow(source.into_flow(), path.as_deref(), &plait_nodes::registry())?;
    match served(&app, &name).await? {
        Some(served) => {
            let difference = FlowDiff::between(&served, &flow);
            if difference.is_empty() {
                print_error(&format!("{name} is served like that already.\n"));
                return Ok(ExitStatus::Success);
            }
            print_styled_output(&diff::flows_text(&difference));
        }
        None => print_error(&format!("{name} is new on the host.\n")),
    }
    if args.dry_run {
        return Ok(ExitStatus::Success);
    }
    let file = format!("{name}.flow.json");
    app.call(SaveFlow { path: file.clone(), flow, base_hash: None, force: true, source: None }).await?;
    let version: ListedVersion =
        app.call_host("published.publish", &json!({ "name": name, "path": file })).await?;
    print_error(&format!("Published {name} as version {}.\n", version.version));
    Ok(ExitStatus::Success)
}

pub(crate) async fn published(home: &Home, args: PublishedArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::of_host(home).await?;
    let PublishedArgs { name, roll_back, schedule, timezone, input, unschedule, remove, json } = args;
    if let Some(name) = name.as_ref().filter(|_| unschedule || schedule.is_some()) {
        let schedule = schedule.map(|cron| Schedule { cron, timezone, input });
        let next: Option<String> =
            app.call_host("published.schedule", &json!({ "name": name, "schedule": schedule })).await?;
        print_error(&match next {
            Some(next) => format!("{name} begins by itself, the next time at {next}.\n"),
            None => format!("{name} no longer begins by itself.\n"),
        });
        return Ok(ExitStatus::Success);
    }
    let versions: Vec<ListedVersion> = match (&name, roll_back) {
        (Some(name), Some(version)) => {
            let served: ListedVersion =
                app.call_host("published.rollBack", &json!({ "name": name, "version": version })).await?;
            print_error(&format!("The host serves version {} of {name} again.\n", served.version));
            return Ok(ExitStatus::Success);
        }
        (Some(name), None) if remove => {
            let () = app.call_host("published.remove", &json!({ "name": name })).await?;
            print_error(&format!("The host serves {name} no longer.\n"));
            return Ok(ExitStatus::Success);
        }
        (Some(name), None) => app.call_host("published.versions", &json!({ "name": name })).await?,
        (None, _) => app.call_host("published.list", &json!({})).await?,
    };
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(&versions)?)?;
        return Ok(ExitStatus::Success);
    }
    let mut table = new_table(&["Flow", "Title", "Version", "Published", "By", "Begins"]);
    for ListedVersion { name: listed, title, version, at, by, schedule } in versions {
        let flow = listed.or_else(|| name.clone()).unwrap_or_default();
        let begins = schedule.map(|schedule| schedule.describe()).unwrap_or_default();
        table.add_row([flow, title.unwrap_or_default(), version.to_string(), at, by, begins]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(ExitStatus::Success)
}

/// The flow that is served under a name.
async fn served(app: &Connection, name: &str) -> Result<Option<Flow>, ErrorReply> {
    match PublishedFlow::read(app, name).await {
        Ok(version) => Ok(Some(version.flow)),
        Err(error) if error.code == codes::PUBLISHED_UNKNOWN => Ok(None),
        Err(error) => Err(error),
    }
}

/// The name of a flow file without what says that it is one.
pub(crate) fn name_of(path: &str) -> Option<String> {
    let file = std::path::Path::new(path).file_name()?.to_str()?;
    let endings = [".flow.json", ".yaml", ".yml", ".json"];
    let name = endings.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    Some(name.to_lowercase())
}

fn no_name() -> ErrorReply {
    ErrorReply::new(codes::USAGE_INPUT, "A flow from standard input has no file name to be published under.")
        .hint("Give it one: `--name NAME`.")
}
