//! `plait import --compare`: an imported flow beside an execution of the original.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use plait_api::flows::ImportedFlow;
use plait_api::runs::{RunRequest, ShowRun, StartRun};
use plait_api::{Connection, ErrorReply, flow_files};
use plait_core::id::{NodeId, RunId};
use plait_import::trial::{self, Compared};
use plait_journal::view::{RunStatus, RunView};
use serde_json::{Value, json};

use crate::exit::{CliError, ExitStatus};
use crate::format::first_line;
use crate::printable::printable;
use crate::terminal::{redact_value, stdout};

/// How an imported flow and a recorded execution compare, by the nodes of the file.
pub(super) struct Comparison {
    nodes: Vec<(String, Compared)>,
    /// Why the trial did not end as a run should.
    failure: Option<String>,
    run: RunId,
}

/// Runs the flow with what is recorded, and compares each node.
pub(super) async fn run(
    app: &Connection,
    imported: &ImportedFlow,
    record: &Path,
) -> Result<Comparison, CliError> {
    let text = flow_files::read(record).map_err(ErrorReply::from)?.text;
    let record = trial::read_record(&text).map_err(ErrorReply::from)?;
    let flow = trial::prepare(&imported.flow, &imported.report, &record);
    let run = app.call(StartRun(RunRequest { flow, ..RunRequest::default() })).await?.run;
    let mut watch = app.watch(&run, 0).await?;
    let mut view = RunView::default();
    while let Some(entry) = watch.next().await {
        view.apply(&entry?);
        // What is not recorded is not asked for: it waits for nobody.
        if view.outline.status == RunStatus::Waiting {
            break;
        }
    }
    let detail = app.call(ShowRun { run: run.clone() }).await?;
    let view = RunView::of(&detail.entries);
    let value = |node: &NodeId, port: &str| -> Option<Value> {
        let shown = view.nodes.get(node)?.shown()?;
        shown.outputs.get(port).map(|value| Value::clone(value))
    };
    let compared = trial::compare(&imported.flow, &imported.report, &record, value);
    let nodes = compared.into_iter().map(|(node, compared)| (node.name.clone(), compared)).collect();
    let failure = view.outline.error.as_ref().map(|fault| fault.error.message.clone());
    Ok(Comparison { nodes, failure, run })
}

impl Comparison {
    /// Prints it. A flow that departs from the record is a failure.
    pub(super) fn print(&self, as_json: bool) -> Result<ExitStatus, CliError> {
        let departures = self.nodes.iter().filter(|(_, compared)| compared.departs()).count();
        if as_json {
            let nodes: Vec<Value> = self
                .nodes
                .iter()
                .map(|(name, compared)| {
                    let mut node = serde_json::to_value(compared).unwrap_or_default();
                    node["name"] = name.as_str().into();
                    node
                })
                .collect();
            let json =
                json!({ "departures": departures, "nodes": nodes, "failure": self.failure, "run": self.run });
            writeln!(stdout(), "{}", redact_value(json))?;
        } else {
            writeln!(stdout(), "{}", printable(&self.to_text(departures)))?;
        }
        Ok(if departures == 0 && self.failure.is_none() { ExitStatus::Success } else { ExitStatus::Failure })
    }

    fn to_text(&self, departures: usize) -> String {
        let short = |value: &Value| first_line(&redact_value(value.clone()).to_string(), 300);
        let mut text = String::new();
        for (name, compared) in &self.nodes {
            let _ = match compared {
                Compared::Same => writeln!(text, "= {name}"),
                Compared::Given => writeln!(text, "· {name}: delivers what is recorded"),
                Compared::Differs { recorded, here } => {
                    writeln!(
                        text,
                        "≠ {name}\n    recorded: {}\n    here:     {}",
                        short(recorded),
                        short(here)
                    )
                }
                Compared::OnlyRecorded { recorded } => {
                    writeln!(text, "≠ {name}\n    recorded: {}\n    here:     nothing", short(recorded))
                }
                Compared::OnlyHere { here } => {
                    writeln!(text, "≠ {name}\n    recorded: nothing\n    here:     {}", short(here))
                }
                Compared::NotCompared { reason } => writeln!(text, "? {name}: not compared, {reason}"),
            };
        }
        if let Some(failure) = &self.failure {
            let _ = writeln!(text, "The run failed: {failure}");
        }
        let _ = match self.nodes.iter().find(|(_, compared)| compared.departs()) {
            None => write!(text, "No node departs from the record."),
            Some((first, _)) if departures == 1 => write!(text, "One node departs from the record: {first}."),
            Some((first, _)) => {
                write!(text, "{departures} nodes depart from the record; the first is {first}.")
            }
        };
        text
    }
}
