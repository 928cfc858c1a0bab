//! `import.compare`: an imported flow beside an execution of the original.

use std::path::Path;
use std::sync::Arc;

use plait_core::flow::Flow;
use plait_core::id::{NodeId, RunId};
use plait_formats::foreign::{ComparedNode, ImportReport, Made};
use plait_journal::view::{RunStatus, RunView};
use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::records::ShowRun;
use super::request::RunRequest;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `import.compare`: runs an imported flow with what the other tool recorded in an execution, and compares the values of each node. What
/// asks people, models and servers delivers what is recorded and asks nobody. `import.no_record` if the file is no execution.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CompareImport {
    pub flow: Flow,
    /// What its import said.
    pub report: ImportReport,
    /// The file of the execution; left out if `text` is its content.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
}

/// How an imported flow and a recorded execution compare.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ImportComparison {
    /// The nodes of the file that ran, in its order.
    pub nodes: Vec<ComparedNode>,
    /// How many of them depart from the record.
    pub departures: usize,
    /// Why the trial did not end as a run should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<String>,
    /// The run of the trial.
    pub run: RunId,
}

impl Command for CompareImport {
    const NAME: &'static str = "import.compare";
    type Service = RunService;
    type Reply = ImportComparison;

    async fn run(self, service: &RunService) -> Result<ImportComparison, ErrorReply> {
        let Self { flow, report, path, text } = self;
        let importer = Arc::clone(&service.parts.importer);
        let trial = run_blocking(move || {
            let text = match (text, path) {
                (Some(text), _) => text,
                (None, Some(path)) => flow_files::read(Path::new(&path))?.text,
                (None, None) => {
                    let message = "`import.compare` takes a `path` or a `text`.";
                    return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message));
                }
            };
            Ok(importer.prepare_trial(&flow, &report, &text)?)
        })
        .await?;
        let run = service.start(RunRequest { flow: trial.flow().clone(), ..RunRequest::default() }).await?;
        let mut watch = service.watch(&run, 0).await?;
        let mut view = RunView::default();
        while let Some(entry) = watch.next().await {
            view.apply(&entry?);
            // What is not recorded is not asked for: it waits for nobody.
            if view.outline.status == RunStatus::Waiting {
                break;
            }
        }
        let made = made_in(service, &run).await?;
        let nodes = trial.compare(&made);
        let departures = nodes.iter().filter(|node| node.compared.departs()).count();
        let failure = view.outline.error.as_ref().map(|fault| fault.error.message.clone());
        Ok(ImportComparison { nodes, departures, failure, run })
    }
}

/// What the nodes of a run and of those that it began delivered, in the order of epochs.
async fn made_in(service: &RunService, run: &RunId) -> Result<Vec<Made>, ErrorReply> {
    let mut made = Vec::new();
    let mut open: Vec<(Vec<NodeId>, RunId)> = vec![(Vec::new(), run.clone())];
    while let Some((subflows, run)) = open.pop() {
        let view = RunView::of(&ShowRun { run: run.clone() }.run(service).await?.entries);
        for (node, view) in view.nodes {
            for at in view.epochs {
                if let Some(child) = at.children.last() {
                    let inside = subflows.iter().chain([&node]).cloned().collect();
                    open.push((inside, child.clone()));
                }
                let (run, subflows, node) = (run.clone(), subflows.clone(), node.clone());
                made.push(Made { run, subflows, node, epoch: at.epoch, outputs: at.outputs });
            }
        }
    }
    Ok(made)
}
