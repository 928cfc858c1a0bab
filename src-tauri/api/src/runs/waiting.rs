//! `run.checkWaiting`: what an edit of a flow does to its runs that wait for a person; and `run.move`: goes on with one under the edit.

use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_insight::bill::{Bill, BillPlace};
use plait_journal::view::{OpenPause, RunStatus};
use plait_store::record::RunRecord;
use plait_store::{RunFilter, Which};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::request::{EditedFlow, ForkEdits};
use super::rerun::RerunRequest;
use super::service::RunService;
use super::start::StartedRun;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::write_flow;

/// What an edit does to a run that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EditEffect {
    /// None: it runs this very flow.
    Current,
    /// Moved to the edited flow, it would ask the same, and buy and do nothing before that.
    Same,
    /// It would ask something else, or buy or do something before.
    Changed,
    /// It would not ask any more what it asks now, or the flow cannot run with what it was started with.
    Stranded,
}

/// A run that waits, and what an edit does to it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WaitingRun {
    pub run: RunId,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// What it asks; the first question of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<String>,
    pub effect: EditEffect,
    /// Why, as a sentence.
    pub why: String,
}

/// `run.checkWaiting`: the current user's runs of a flow's file that wait for a person, and what becomes of each under this flow. Each is
/// rehearsed; nothing is called and nothing changes. They themselves go on with the flow that they recorded. `flow.invalid`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CheckWaiting {
    pub flow: Flow,
    /// The flow's file.
    pub path: String,
}

impl Command for CheckWaiting {
    const NAME: &'static str = "run.checkWaiting";
    type Service = RunService;
    type Reply = Vec<WaitingRun>;

    async fn run(self, service: &RunService) -> Result<Vec<WaitingRun>, ErrorReply> {
        let (store, users) = (service.parts.store.clone(), service.parts.users.clone());
        let flow_path = Some(self.path.clone());
        let records = run_blocking(move || {
            let user = Some(users.resolve(None)?);
            Ok(store.runs(&RunFilter { flow_path, user, which: Which::Roots, limit: None })?)
        })
        .await?;
        let hash = content_hash(write_flow(&self.flow)?.as_bytes());
        let mut waiting = Vec::new();
        for record in records.into_iter().filter(|record| record.status == RunStatus::Waiting) {
            let (effect, why) = if record.flow.hash == hash {
                (EditEffect::Current, "It runs this flow already.".to_owned())
            } else {
                let edit =
                    EditedFlow { flow: self.flow.clone(), path: Some(self.path.clone()), grants: Vec::new() };
                match service.rehearse(&record.run, *ForkEdits::of_flow(Some(edit), None)).await {
                    Ok(bill) => effect(&record.waiting_on, &bill),
                    Err(error) => (EditEffect::Stranded, error.message),
                }
            };
            let RunRecord { run, started_at, waiting_on, .. } = record;
            let question = waiting_on.into_iter().next().map(|pause| pause.prompt);
            waiting.push(WaitingRun { run, started_at, question, effect, why });
        }
        Ok(waiting)
    }
}

/// `run.move`: goes on with a run that waits under an edited flow: as a fork, which takes over all that is asked as before. The run
/// itself is canceled once the fork has begun. What the fork says belongs to no conversation. `run.not_waiting` if it does
/// not wait, else as `run.rerun`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct MoveRun(pub RerunRequest);

impl Command for MoveRun {
    const NAME: &'static str = "run.move";
    type Service = RunService;
    type Reply = StartedRun;

    async fn run(self, service: &RunService) -> Result<StartedRun, ErrorReply> {
        let (store, earlier) = (service.parts.store.clone(), self.0.run.clone());
        let id = earlier.clone();
        let record = run_blocking(move || Ok(store.run(&id)?)).await?;
        service.check_is_root(&record).await?;
        if record.status != RunStatus::Waiting {
            return Err(ErrorReply::new(
                codes::RUN_NOT_WAITING,
                format!("Run {earlier} does not wait for a person."),
            )
            .hint("Only a run that waits can be moved. Run the edited flow again: `plait rerun`."));
        }
        let run = service.start_fork(self.0, None).await?;
        service.cancel(&earlier).await?;
        Ok(StartedRun { run })
    }
}

/// What a rehearsed edit does to a run with these open questions.
fn effect(open: &[OpenPause], bill: &Bill) -> (EditEffect, String) {
    let is_of = |place: &BillPlace, pause: &OpenPause| match (&place.subflow, &pause.asker) {
        (None, None) => place.at.node == pause.node && place.at.epoch == pause.epoch,
        (Some(path), Some(asker)) => {
            path.split('/').next() == Some(pause.node.as_str())
                && place.at.node == asker.node
                && place.at.epoch == asker.epoch
        }
        _ => false,
    };
    let gone: Vec<String> = open
        .iter()
        .filter(|pause| !bill.asked.iter().any(|place| is_of(place, pause)))
        .map(|pause| format!("`{}`", pause.node))
        .collect();
    if bill.asked.len() < open.len() {
        return (
            EditEffect::Stranded,
            format!("The edited flow does not get to the question of {}.", gone.join(", ")),
        );
    }
    if gone.is_empty() && bill.bought.is_empty() && bill.outside.is_empty() {
        return (EditEffect::Same, "It asks the same, and nothing is bought before.".to_owned());
    }
    (EditEffect::Changed, bill.sentences.join(" "))
}
