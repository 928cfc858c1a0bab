//! `plait lens trace`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::lens::TraceRun;
use plait_insight::lens::{TraceKind, TraceSpan};
use plait_journal::view::{NodeState, RunStatus};
use plait_llm::models::Cost;

use crate::commands::runs::find;
use crate::exit::CliError;
use crate::format::{format_duration, to_json};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Print the tree as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &TraceArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let trace = app.call(TraceRun { run }).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&trace)?)?;
        return Ok(());
    }
    for line in tree_lines(&trace) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// One line for each span, with the branches of the tree before it.
fn tree_lines(root: &TraceSpan) -> Vec<String> {
    let mut lines = vec![describe(root)];
    // Spans to print: the span, the branches before it, and whether it is the last child of its parent.
    let mut stack: Vec<(&TraceSpan, String, bool)> = Vec::new();
    push_children(&mut stack, root, "");
    while let Some((span, before, is_last)) = stack.pop() {
        lines.push(format!("{before}{} {}", if is_last { "└─" } else { "├─" }, describe(span)));
        let below = format!("{before}{}", if is_last { "   " } else { "│  " });
        push_children(&mut stack, span, &below);
    }
    lines
}

fn push_children<'s>(stack: &mut Vec<(&'s TraceSpan, String, bool)>, span: &'s TraceSpan, before: &str) {
    let last = span.children.len().saturating_sub(1);
    let children = span.children.iter().enumerate().rev();
    stack.extend(children.map(|(index, child)| (child, before.to_owned(), index == last)));
}

/// The kind of a span, its end, its duration and its usage.
fn describe(span: &TraceSpan) -> String {
    let name = match span.kind {
        TraceKind::Run if span.name.is_empty() => "Unnamed flow".to_owned(),
        TraceKind::Iteration => format!("Iteration {}", span.epoch.label().unwrap_or_default()),
        TraceKind::Run | TraceKind::Node => span.name.clone(),
        TraceKind::ModelCall => format!("model {}", span.name),
        TraceKind::ToolCall => format!("tool {}", span.name),
    };
    let mut parts = vec![name];
    parts.extend(span.run.as_ref().map(|run| format!("run {run}")));
    parts.extend(span.status.and_then(status_text).map(str::to_owned));
    parts.extend(span.state.and_then(state_text).map(str::to_owned));
    parts.extend(span.duration_ms().map(format_duration));
    parts.extend(span.attempts.map(|attempts| format!("{attempts} attempts")));
    if span.tokens.input + span.tokens.output > 0 {
        parts.push(format!("{} in, {} out", span.tokens.input, span.tokens.output));
    }
    if span.cost != Cost::default() {
        parts.push(span.cost.to_string());
    }
    if span.reused {
        parts.push("reused".to_owned());
    }
    parts.extend(span.error.as_ref().map(|code| format!("[{code}]")));
    parts.join("  ")
}

/// How a run ended, unless it simply finished.
fn status_text(status: RunStatus) -> Option<&'static str> {
    match status {
        RunStatus::Finished => None,
        RunStatus::Running => Some("running"),
        RunStatus::Waiting => Some("waiting"),
        RunStatus::Stopped => Some("stopped"),
        RunStatus::Failed => Some("failed"),
        RunStatus::Cancelled => Some("canceled"),
        RunStatus::Interrupted => Some("interrupted"),
    }
}

/// The state of an activation, unless it is done.
fn state_text(state: NodeState) -> Option<&'static str> {
    match state {
        NodeState::Done | NodeState::Cached => None,
        NodeState::Ready => Some("ready"),
        NodeState::Running => Some("running"),
        NodeState::Paused => Some("waiting"),
        NodeState::Retrying => Some("retrying"),
        NodeState::Skipped => Some("skipped"),
        NodeState::Failed => Some("failed"),
    }
}
