//! `plait runs find`.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use plait_api::Connection;
use plait_api::runs::{FindRuns, FoundPlace, FoundRun, FoundRuns};
use plait_journal::BreakpointText;

use crate::debugger::describe_point;
use crate::exit::CliError;
use crate::format::{first_line, format_time, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
The condition is that of a breakpoint: CEL over `value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost` and
`trimmed`; what a place does not have is null. Where a condition can't be evaluated, a breakpoint stops, so such places count. If a
journal can't be read to its end, what was found before is shown, and the exit code is 1.

Examples:
  plait runs find --node judge:after --when 'value.score < 0.5'
  plait runs find --node chat:after --when 'tokens > 5000' --flow my.flow.json
  plait runs find --when 'error != null && error.code == \"provider.timeout\"'
  plait runs find --node event:spent=0.50
  plait runs find --node review/chat:call --when trimmed --limit 100 --json")]
pub(super) struct FindArgs {
    /// Condition in CEL. Without one, each place that was reached counts.
    #[arg(long, value_name = "CEL")]
    when: Option<String>,
    /// A place or an event, as `--break` has it; `*` is every node, also of sub-flows. `SUBFLOW/NODE` is a node in a sub-flow.
    #[arg(long, value_name = "BREAKPOINT", default_value = "*:after")]
    node: BreakpointText,
    /// Only runs of this flow file.
    #[arg(long, value_name = "PATH")]
    flow: Option<String>,
    /// Maximum number of runs to look at, the newest first; all of them if left out.
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: FindArgs) -> Result<(), CliError> {
    let request = FindRuns {
        when: args.when,
        place: Some(args.node.to_string()),
        flow_path: args.flow.as_deref().map(path_of_runs),
        limit: args.limit,
        ..FindRuns::default()
    };
    let found = app.call(request).await?;
    if args.json {
        writeln!(stdout(), "{}", to_json(&found)?)?;
    } else {
        print(&found)?;
    }
    found.unreadable.into_iter().next().map_or(Ok(()), |unreadable| Err(unreadable.error.into()))
}

/// The path of a flow file as its runs have it. The file may be gone.
fn path_of_runs(path: &str) -> String {
    let known = Path::new(path).canonicalize().or_else(|_| std::path::absolute(path));
    known.map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

fn print(found: &FoundRuns) -> Result<(), CliError> {
    let mut out = stdout();
    for FoundRun { run, flow_name, started_at, stops, places } in &found.found {
        writeln!(out, "{run} {} ({})", first_line(flow_name, 40), format_time(*started_at))?;
        for FoundPlace { run: place_run, place } in places {
            let of_child = if place_run == run { String::new() } else { format!(", in run {place_run}") };
            let error = place.error.as_ref().map(|error| format!(": {}", first_line(&error.message, 80)));
            writeln!(out, "  {}{of_child}{}", describe_point(&place.point), error.unwrap_or_default())?;
        }
        let more = stops.saturating_sub(places.len() as u64);
        if more > 0 {
            writeln!(out, "  and {more} more")?;
        }
    }
    let unlisted = (found.stopped_runs as usize).saturating_sub(found.found.len());
    if unlisted > 0 {
        writeln!(out, "and {} more", count(unlisted as u64, "run"))?;
    }
    writeln!(out, "{}", summary(found))?;
    if let Some(FoundPlace { run, place }) = &found.first_error {
        let message = place.error.as_ref().map_or("", |error| error.message.as_str());
        print_error(&format!(
            "At {} the condition could not be evaluated, first {} in run {run}: {message}\n",
            count(found.errors, "of these places"),
            describe_point(&place.point),
        ));
    }
    if found.without_node > 0 {
        print_error(&format!(
            "{} not have the node.\n",
            match found.without_node {
                1 => "1 more run does".to_owned(),
                others => format!("{others} more runs do"),
            }
        ));
    }
    for unreadable in &found.unreadable {
        print_error(&format!("Run {} could not be read to its end.\n", unreadable.run));
    }
    let others = (found.unreadable_runs as usize).saturating_sub(found.unreadable.len());
    if others > 0 {
        print_error(&format!("Nor could {}.\n", count(others as u64, "other run")));
    }
    Ok(())
}

/// The result as a sentence.
fn summary(found: &FoundRuns) -> String {
    match (found.runs, found.stops) {
        (0, _) => "There are no runs to ask.".to_owned(),
        (runs, 0) => format!("would not have stopped in {}", count(runs.into(), "run")),
        (runs, stops) => format!(
            "would have stopped {} in {} of {}",
            count(stops, "time"),
            grouped(found.stopped_runs.into()),
            count(runs.into(), "run"),
        ),
    }
}

fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 || noun.ends_with('s') { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
