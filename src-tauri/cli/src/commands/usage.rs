//! `plait usage`.

use std::io::Write as _;

use clap::Args;
use plait_api::usage::{Usage, UsageByDay};
use plait_journal::Spending;

use crate::exit::{CliError, ExitStatus};
use crate::format::{new_table, to_json};
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
Each call keeps the price of the day it was made. — is an unknown price, ≥ a sum in which some prices are unknown.

Examples:
  plait usage
  plait usage --days 7
  plait usage --json | jq '.total.cost'")]
pub(crate) struct UsageArgs {
    /// Number of days to show, including today.
    #[arg(long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Print the usage as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: &UsageArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    let usage = app.call(UsageByDay { days: Some(args.days) }).await?;
    print(&usage, args.json)?;
    app.close().await?;
    Ok(ExitStatus::Success)
}

fn print(usage: &Usage, json: bool) -> Result<(), CliError> {
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(usage)?)?;
        return Ok(());
    }
    if usage.days.is_empty() {
        print_error("No model calls in this period.\n");
        return Ok(());
    }
    let mut table = new_table(&["Day", "Model", "Calls", "Input", "Cached", "Output", "Cost"]);
    for day in &usage.days {
        let mut date = day.day.as_str();
        for (model, spending) in &day.models {
            table.add_row(row(date, if model.is_empty() { "unknown" } else { model }, spending));
            date = "";
        }
    }
    table.add_row(row("Total", "", &usage.total));
    writeln!(out, "{}", table.trim_fmt())?;
    if usage.total.cost.unpriced > 0 {
        print_error("The price of some calls is unknown. Set prices by model in the settings.\n");
    }
    Ok(())
}

fn row(day: &str, model: &str, spending: &Spending) -> [String; 7] {
    let Spending { calls, tokens, cost } = spending;
    [
        day.to_owned(),
        model.to_owned(),
        calls.to_string(),
        tokens.input.to_string(),
        tokens.cached_input.to_string(),
        tokens.output.to_string(),
        cost.to_string(),
    ]
}
