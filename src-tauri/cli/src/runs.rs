//! `plait runs`: lists, shows and removes runs. Also: which run a person means.

use std::io::Write as _;
use std::path::Path;

use plait_api::engine::id::RunId;
use plait_api::engine::run::Entry;
use plait_api::engine::run::view::{RunStatus, RunView};
use plait_api::runs::{ListRuns, RemoveRun, RunDetail, RunSummary, ShowRun};
use plait_api::{ErrorReply, Options, Plait};

use crate::args::{RunsArgs, RunsCommand};
use crate::failure::{Ending, Failure, say};
use crate::table::{duration, first_line, moment, table};

pub(crate) async fn runs(home: &Path, args: RunsArgs) -> Result<Ending, Failure> {
    let app = Plait::open(Options::new(home))?;
    match args.command {
        RunsCommand::List { limit, json } => list(&app, limit, json).await?,
        RunsCommand::Show { run, json } => {
            let run = find(&app, &run)?;
            show(&app.call(ShowRun { run }).await?, json)?;
        }
        RunsCommand::Rm { run } => remove(&app, &run).await?,
    }
    app.close().await?;
    Ok(Ending::Finished)
}

/// The run a person means: its id, a unique beginning of it, or `last`.
pub(crate) fn find(app: &Plait, named: &str) -> Result<RunId, ErrorReply> {
    if named != "last" {
        return app.runs().find(named);
    }
    app.runs()
        .latest()?
        .ok_or_else(|| ErrorReply::new("run.none", "There is no run yet.").hint("Start one: plait run hello"))
}

async fn list(app: &Plait, limit: u32, json: bool) -> Result<(), Failure> {
    let runs = app.call(ListRuns { limit: Some(limit), ..ListRuns::default() }).await?;
    if json {
        let all: Vec<RunSummary> = tree(app, runs).await?.into_iter().map(|(_, run)| run).collect();
        writeln!(std::io::stdout(), "{}", to_json(&all)?)?;
        return Ok(());
    }
    if runs.is_empty() {
        say("There is no run yet. Start one: plait run hello\n");
        return Ok(());
    }
    let mut table = table(&["Run", "Flow", "Status", "Began", "Took", "Nodes", "Tokens", "Cost", ""]);
    for (depth, run) in &tree(app, runs).await? {
        table.add_row([
            run.run.to_string(),
            format!("{}{}", branch(*depth), first_line(&run.flow_name, 40)),
            status(run.status).to_owned(),
            moment(run.started_at),
            took(run),
            run.nodes.done.to_string(),
            (run.tokens.input + run.tokens.output).to_string(),
            run.cost.to_string(),
            remark(run),
        ]);
    }
    writeln!(std::io::stdout(), "{}", table.trim_fmt())?;
    Ok(())
}

/// Each run with those it began below it, and how deep it is.
async fn tree(app: &Plait, roots: Vec<RunSummary>) -> Result<Vec<(usize, RunSummary)>, ErrorReply> {
    let mut found = Vec::new();
    let mut work: Vec<(usize, RunSummary)> = roots.into_iter().rev().map(|run| (0, run)).collect();
    while let Some((depth, run)) = work.pop() {
        if run.children > 0 {
            let parent = Some(run.run.clone());
            let children = app.call(ListRuns { parent, ..ListRuns::default() }).await?;
            work.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
        }
        found.push((depth, run));
    }
    Ok(found)
}

fn branch(depth: usize) -> String {
    if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) }
}

fn status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::Waiting => "waiting",
        RunStatus::Finished => "finished",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Interrupted => "interrupted",
    }
}

fn took(run: &RunSummary) -> String {
    run.ended_at.map(|ended| duration(ended.saturating_sub(run.started_at))).unwrap_or_default()
}

fn remark(run: &RunSummary) -> String {
    match (&run.waiting_on, &run.error) {
        (Some(question), _) => first_line(question, 40),
        (_, Some(error)) => error.code.clone(),
        _ => String::new(),
    }
}

fn show(detail: &RunDetail, json: bool) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        for entry in &detail.entries {
            writeln!(out, "{}", to_json(entry)?)?;
        }
        return Ok(());
    }
    let RunSummary { run, flow_name, path, started_at, .. } = &detail.summary;
    let name = if flow_name.is_empty() { "unnamed flow" } else { flow_name };
    writeln!(out, "{name} {}", path.as_deref().map(|path| format!("({path})")).unwrap_or_default())?;
    writeln!(out, "run {run}, {}, began {}", status(detail.summary.status), moment(*started_at))?;
    writeln!(out, "{}", steps(&detail.entries).trim_fmt())?;
    if let Some(parent) = detail.above.last() {
        writeln!(out, "Inside of run {}, {}", parent.run, parent.flow_name)?;
    }
    let view = RunView::of(&detail.entries);
    for (node, shown) in &view.nodes {
        for epoch in &shown.epochs {
            for child in &epoch.children {
                writeln!(out, "`{node}{}` began run {child}", epoch.epoch)?;
            }
        }
    }
    for pause in &view.pauses {
        writeln!(out, "Waits at `{}`: {}", pause.node, pause.prompt.trim())?;
    }
    if let Some(failed) = &view.error {
        writeln!(out, "Failed at `{}`: {}", failed.node, failed.error)?;
    }
    for (node, ports) in &view.outputs {
        for (port, value) in ports {
            writeln!(out, "{node}.{port} = {value}")?;
        }
    }
    Ok(())
}

/// One row for each execution of a node, in the order they ended.
fn steps(entries: &[Entry]) -> comfy_table::Table {
    use plait_api::engine::run::Event;
    let mut table = table(&["Node", "", "Took", "Tokens", "What it gave"]);
    for entry in entries {
        match &entry.event {
            Event::NodeFinished { node, epoch, outputs, metadata, .. } => {
                let tokens = metadata.token_usage.map(|used| (used.input + used.output).to_string());
                let gave: Vec<_> = outputs.iter().map(|(port, value)| format!("{port} = {value}")).collect();
                table.add_row([
                    format!("{node}{epoch}"),
                    "done".to_owned(),
                    duration(metadata.duration_ms),
                    tokens.unwrap_or_default(),
                    first_line(&gave.join(", "), 80),
                ]);
            }
            Event::NodeFailed { node, epoch, error, .. } => {
                let what = first_line(&error.to_string(), 80);
                table.add_row([
                    format!("{node}{epoch}"),
                    "failed".to_owned(),
                    String::new(),
                    String::new(),
                    what,
                ]);
            }
            Event::NodeSkipped { node, epoch, .. } => {
                table.add_row([format!("{node}{epoch}"), "skipped".to_owned()]);
            }
            _ => {}
        }
    }
    table
}

async fn remove(app: &Plait, named: &[String]) -> Result<(), Failure> {
    // All of them are found before any is removed: a slip in one name removes nothing.
    let runs = named.iter().map(|named| find(app, named)).collect::<Result<Vec<_>, _>>()?;
    for run in runs {
        app.call(RemoveRun { run: run.clone() }).await?;
        say(&format!("Run {run} is removed.\n"));
    }
    Ok(())
}

fn to_json(value: &impl serde::Serialize) -> Result<String, ErrorReply> {
    serde_json::to_string(value)
        .map_err(|error| ErrorReply::new("output.failed", format!("A run could not be written: {error}.")))
}
