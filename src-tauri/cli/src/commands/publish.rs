//! `plait publish` and `plait published`: flows that a host serves.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Args;
use plait_api::flows::bundle_flow;
use plait_api::hosts::{
    ListPublished, ListPublishedVersions, PublishedVersion, ReadPublished, RollBack, Schedule,
    SchedulePublished, Unpublish, publication_name,
};
use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use plait_insight::flow_diff::FlowDiff;
use serde::Serialize;

use super::diff;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::{new_table, to_json};
use crate::open_app::{self, Home};
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

pub(crate) async fn publish(home: &Home, args: PublishArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::of_host(home).await?;
    let source = FlowSource::load(&args.flow)?;
    let path = source.path_text();
    let Some(name) = args.name.or_else(|| path.as_deref().map(publication_name)) else {
        return Err(no_name().into());
    };
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
    let version = app.publish(name.clone(), flow).await?;
    print_error(&format!("Published {name} as version {}.\n", version.version));
    Ok(ExitStatus::Success)
}

pub(crate) async fn published(home: &Home, args: PublishedArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::of_host(home).await?;
    let PublishedArgs { name, roll_back, schedule, timezone, input, unschedule, remove, json } = args;
    let Some(name) = name else { return list(&app, json).await };
    if unschedule || schedule.is_some() {
        let schedule = schedule.map(|cron| Schedule { cron, timezone, input });
        let next = app.call_host(SchedulePublished { name: name.clone(), schedule }).await?;
        print_error(&match next {
            Some(next) => format!("{name} begins by itself, the next time at {next}.\n"),
            None => format!("{name} no longer begins by itself.\n"),
        });
        return Ok(ExitStatus::Success);
    }
    if let Some(version) = roll_back {
        let served = app.call_host(RollBack { name: name.clone(), version }).await?;
        print_error(&format!("The host serves version {} of {name} again.\n", served.version));
        return Ok(ExitStatus::Success);
    }
    if remove {
        app.call_host(Unpublish { name: name.clone() }).await?;
        print_error(&format!("The host serves {name} no longer.\n"));
        return Ok(ExitStatus::Success);
    }
    let versions = app.call_host(ListPublishedVersions { name: name.clone() }).await?;
    if json {
        return print_json(&versions);
    }
    let rows = versions.into_iter().map(|about| (name.clone(), String::new(), about, String::new()));
    print_table(rows)
}

/// Lists the flows that are served.
async fn list(app: &Connection, json: bool) -> Result<ExitStatus, CliError> {
    let flows = app.call_host(ListPublished {}).await?;
    if json {
        return print_json(&flows);
    }
    print_table(flows.into_iter().map(|flow| {
        let begins = flow.schedule.map(|schedule| describe(&schedule)).unwrap_or_default();
        (flow.name, flow.title, flow.about, begins)
    }))
}

fn print_json(listed: &impl Serialize) -> Result<ExitStatus, CliError> {
    writeln!(stdout(), "{}", to_json(listed)?)?;
    Ok(ExitStatus::Success)
}

/// Prints flows or versions: the name, the title, the version, and when it begins by itself.
fn print_table(
    rows: impl Iterator<Item = (String, String, PublishedVersion, String)>,
) -> Result<ExitStatus, CliError> {
    let mut table = new_table(&["Flow", "Title", "Version", "Published", "By", "Begins"]);
    for (flow, title, PublishedVersion { version, at, by, .. }, begins) in rows {
        table.add_row([flow, title, version.to_string(), at.to_string(), by, begins]);
    }
    writeln!(stdout(), "{}", table.trim_fmt())?;
    Ok(ExitStatus::Success)
}

fn describe(schedule: &Schedule) -> String {
    match &schedule.timezone {
        Some(zone) => format!("{} {zone}", schedule.cron),
        None => schedule.cron.clone(),
    }
}

/// The flow that is served under a name.
async fn served(app: &Connection, name: &str) -> Result<Option<Flow>, ErrorReply> {
    match app.call_host(ReadPublished { name: name.to_owned(), version: None }).await {
        Ok(version) => Ok(Some(version.flow)),
        Err(error) if error.code == codes::PUBLISHED_UNKNOWN => Ok(None),
        Err(error) => Err(error),
    }
}

fn no_name() -> ErrorReply {
    ErrorReply::new(codes::USAGE_INPUT, "A flow from standard input has no file name to be published under.")
        .hint("Give it one: `--name NAME`.")
}
