//! `plait usage`: what model calls used and cost, by day and model.

use std::io::Write as _;
use std::path::Path;

use plait_api::engine::run::Spending;
use plait_api::usage::{Usage, UsageByDay};
use plait_api::{ErrorReply, Options, Plait};

use crate::args::UsageArgs;
use crate::failure::{Ending, Failure, say};
use crate::table::table;

pub(crate) async fn usage(home: &Path, args: UsageArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    let usage = app.call(UsageByDay { days: Some(args.days) }).await?;
    show(&usage, args.json)?;
    app.close().await?;
    Ok(Ending::Finished)
}

fn show(usage: &Usage, json: bool) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string(usage).map_err(|error| {
            ErrorReply::new("output.failed", format!("The usage could not be written: {error}."))
        })?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    if usage.days.is_empty() {
        say("No model was called in these days.\n");
        return Ok(());
    }
    let mut table = table(&["Day", "Model", "Calls", "Input", "cached", "Output", "Cost"]);
    for day in &usage.days {
        let mut name = day.day.as_str();
        for (model, spending) in &day.models {
            table.add_row(row(name, if model.is_empty() { "unknown" } else { model }, spending));
            name = "";
        }
    }
    table.add_row(row("in all", "", &usage.total));
    writeln!(out, "{}", table.trim_fmt())?;
    if usage.total.cost.unpriced > 0 {
        say("Some calls have no known price; set one by model in the settings.\n");
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
