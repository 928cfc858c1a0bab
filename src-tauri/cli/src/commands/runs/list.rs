//! `plait runs list`.

use std::io::Write as _;

use clap::Args;
use plait_api::runs::{ListRuns, RunSummary};
use plait_api::{Connection, ErrorReply};

use super::status_text;
use crate::exit::CliError;
use crate::format::{first_line, format_duration, format_time, new_table, to_json};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Maximum number of runs; their child runs are listed too and not counted.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Print the runs as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let roots = app.call(ListRuns { limit: Some(args.limit), ..ListRuns::default() }).await?;
    if args.json {
        let runs: Vec<RunSummary> =
            with_children(app, roots).await?.into_iter().map(|(_, run)| run).collect();
        writeln!(stdout(), "{}", to_json(&runs)?)?;
        return Ok(());
    }
    if roots.is_empty() {
        print_error("There are no runs yet. Start one: plait run hello\n");
        return Ok(());
    }
    let mut table =
        new_table(&["Run", "Flow", "Status", "Started", "Duration", "Nodes", "Tokens", "Cost", "Details"]);
    for (depth, run) in &with_children(app, roots).await? {
        table.add_row([
            run.run.to_string(),
            format!("{}{}", indent(*depth), first_line(&run.flow_name, 40)),
            status_text(run.status).to_owned(),
            format_time(run.started_at),
            duration(run),
            run.nodes.done.to_string(),
            (run.tokens.input + run.tokens.output).to_string(),
            run.cost.to_string(),
            details(run),
        ]);
    }
    writeln!(stdout(), "{}", table.trim_fmt())?;
    Ok(())
}

/// Each run followed by its child runs, with its depth.
async fn with_children(
    app: &Connection,
    roots: Vec<RunSummary>,
) -> Result<Vec<(usize, RunSummary)>, ErrorReply> {
    let mut runs = Vec::new();
    let mut stack: Vec<(usize, RunSummary)> = roots.into_iter().rev().map(|run| (0, run)).collect();
    while let Some((depth, run)) = stack.pop() {
        if run.children > 0 {
            let parent = Some(run.run.clone());
            let children = app.call(ListRuns { parent, ..ListRuns::default() }).await?;
            stack.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
        }
        runs.push((depth, run));
    }
    Ok(runs)
}

fn indent(depth: usize) -> String {
    if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) }
}

fn duration(run: &RunSummary) -> String {
    run.worked_ms.map(format_duration).unwrap_or_default()
}

fn details(run: &RunSummary) -> String {
    match (&run.waiting_on, &run.error) {
        (Some(question), _) => first_line(question, 40),
        (_, Some(error)) => error.code.to_string(),
        _ if run.program.is_some() => "recorded program".to_owned(),
        _ => String::new(),
    }
}
