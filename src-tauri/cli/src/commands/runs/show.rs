//! `plait runs show`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::runs::{RunDetail, RunSummary, ShowRun};
use plait_core::attachment::Attachment;
use plait_core::id::Activation;
use plait_journal::view::{PlacedNotice, RunView};
use plait_journal::{CallEvent, Entry, Event, NodeEvent};
use plait_llm::prompt_record::PromptPart;

use super::{find, status_text};
use crate::exit::CliError;
use crate::format::{first_line, format_duration, format_time, new_table, to_json};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Run ID, a unique prefix of one, or `last`. If the journal is damaged, what can be read is shown, and the exit code is 1.
    run: String,
    /// Print the journal as JSON, one event per line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ShowArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let detail = app.call(ShowRun { run }).await?;
    if args.json {
        let mut out = stdout();
        for entry in &detail.entries {
            writeln!(out, "{}", to_json(entry)?)?;
        }
    } else {
        print(&detail)?;
    }
    detail.damage.map_or(Ok(()), |damage| Err(damage.into()))
}

fn print(detail: &RunDetail) -> Result<(), CliError> {
    let mut out = stdout();
    let RunSummary { run, flow_name, path, started_at, status, .. } = &detail.summary;
    let name = if flow_name.is_empty() { "Unnamed flow" } else { flow_name };
    writeln!(out, "{name} {}", path.as_deref().map(|path| format!("({path})")).unwrap_or_default())?;
    writeln!(out, "Run {run}, {}, started {}", status_text(*status), format_time(*started_at))?;
    writeln!(out, "{}", activations(&detail.entries).trim_fmt())?;
    if let Some(earlier) = &detail.summary.from {
        writeln!(out, "Repeats run {earlier}, {}", reused_text(&detail.entries))?;
    }
    if let Some(parent) = detail.above.last() {
        writeln!(out, "Child of run {}, {}", parent.run, parent.flow_name)?;
    }
    let view = RunView::of(&detail.entries);
    if let Some(input) = &view.outline.input {
        writeln!(out, "Input: {}", input.trim_end())?;
    }
    for (node, ports) in &view.outline.set {
        for (port, value) in ports {
            writeln!(out, "Set {node}.{port} = {value}")?;
        }
    }
    for (node, node_view) in &view.nodes {
        for epoch in &node_view.epochs {
            for child in &epoch.children {
                writeln!(out, "`{node}{}` started run {child}", epoch.epoch)?;
            }
        }
    }
    for PlacedNotice { at, notice } in view.notices() {
        writeln!(out, "Notice at `{at}`: {notice}")?;
    }
    for (at, attachment) in attachments(&detail.entries) {
        writeln!(
            out,
            "Attached at `{at}`: {} ({}, {} bytes)",
            attachment.name, attachment.media_type, attachment.bytes
        )?;
    }
    for pause in &view.outline.pauses {
        writeln!(out, "Waiting at `{}`: {}", pause.node, pause.prompt.trim())?;
    }
    if let Some(failed) = &view.outline.error {
        writeln!(out, "Failed at `{}`: {}", failed.node, failed.error)?;
    }
    for (node, ports) in &view.outline.outputs {
        for (port, value) in ports {
            writeln!(out, "{node}.{port} = {value}")?;
        }
    }
    Ok(())
}

/// The images and files that models received and replied with, each once for each activation.
fn attachments(entries: &[Entry]) -> Vec<(&Activation, &Attachment)> {
    let mut all: Vec<(&Activation, &Attachment)> = Vec::new();
    for entry in entries {
        let Event::Call(at, call) = &entry.event else { continue };
        let found: Vec<&Attachment> = match call {
            CallEvent::PromptRendered { prompt, .. } => {
                let attached = prompt.parts.iter().filter_map(|part| match part {
                    PromptPart::Attachments { attachments, .. } => Some(attachments),
                    _ => None,
                });
                attached.flatten().collect()
            }
            CallEvent::ModelReplied { reply, .. } => reply.attachments.iter().collect(),
            _ => Vec::new(),
        };
        for attachment in found {
            if !all.contains(&(at, attachment)) {
                all.push((at, attachment));
            }
        }
    }
    all
}

/// How much of the earlier run a retry reused.
fn reused_text(entries: &[Entry]) -> String {
    let is_reused = |entry: &&Entry| {
        matches!(entry.event, Event::Call(_, CallEvent::ModelReplied { reused: Some(_), .. }))
    };
    match entries.iter().filter(is_reused).count() {
        1 => "1 reply reused".to_owned(),
        count => format!("{count} replies reused"),
    }
}

/// One row for each activation that ended, in order.
fn activations(entries: &[Entry]) -> comfy_table::Table {
    let mut table = new_table(&["Node", "Status", "Duration", "Tokens", "Output"]);
    for entry in entries {
        match &entry.event {
            Event::Node(Activation { node, epoch }, NodeEvent::Finished { outputs, metadata, .. }) => {
                let tokens = metadata.token_usage.map(|usage| (usage.input + usage.output).to_string());
                let output: Vec<_> =
                    outputs.iter().map(|(port, value)| format!("{port} = {value}")).collect();
                table.add_row([
                    format!("{node}{epoch}"),
                    if metadata.truncated { "done, truncated" } else { "done" }.to_owned(),
                    format_duration(metadata.duration_ms),
                    tokens.unwrap_or_default(),
                    first_line(&output.join(", "), 80),
                ]);
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Failed { error, .. }) => {
                let message = first_line(&error.to_string(), 80);
                table.add_row([
                    format!("{node}{epoch}"),
                    "failed".to_owned(),
                    String::new(),
                    String::new(),
                    message,
                ]);
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Skipped { .. }) => {
                table.add_row([format!("{node}{epoch}"), "skipped".to_owned()]);
            }
            _ => {}
        }
    }
    table
}
