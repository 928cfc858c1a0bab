//! Child runs: the flows that nodes of other runs run. Owns which id a child has, which flow it runs, and how it is
//! waited for. A child is a run like any other: it can be watched, answered and resumed by itself.

use async_trait::async_trait;
use plait_adapters::store::record::RunRecord;
use plait_engine::error::Fault;
use plait_engine::id::{Activation, RunId};
use plait_engine::run::view::{OpenPause, RunStatus, RunView};
use plait_engine::run::{Entry, Event, RunEnd};
use plait_engine::subflow::{ChildCall, ChildEnd, ChildNews, ChildQuestion, ChildTold, MAX_DEPTH, Subflows};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::flows::subflows;
use crate::runs::registry::ActiveRuns;
use crate::runs::service::{NewRun, Runner};
use crate::{ErrorReply, Watch, blocking};

#[async_trait]
impl Subflows for Runner {
    async fn run(&self, call: ChildCall, mut told: ChildTold) -> Result<ChildEnd, Fault> {
        let run = child_id(&call.parent.run, &call.activation, call.attempt)?;
        told(ChildNews::Started(run.clone()));
        let mut dropped = CancelWhenDropped { live: self.live.clone(), run: Some(run.clone()) };
        // A task of its own: whoever gives the node up meanwhile must not leave half a child behind.
        let (runner, id) = (self.clone(), run.clone());
        let begun = tokio::spawn(async move {
            let begun = runner.begin(&id, call).await;
            if begun.is_err() {
                runner.live.did_not_begin(&id);
            }
            begun
        });
        let broke =
            |error| Err(ErrorReply::new("app.internal", format!("The sub-flow could not begin: {error}.")));
        let (seen, mut watch) = begun.await.unwrap_or_else(broke).map_err(|error| dropped.left(error))?;
        let mut view = RunView::of(&seen);
        drop(seen);
        if view.status == RunStatus::Waiting {
            told(ChildNews::Waiting(questions(&view)));
        }
        while !view.status.is_final() {
            let Some(entry) = watch.next().await else { break };
            let entry = entry.map_err(|error| dropped.left(error))?;
            let waited = view.status == RunStatus::Waiting;
            view.apply(&entry);
            match view.status {
                RunStatus::Waiting if matches!(entry.event, Event::RunWaiting { .. }) => {
                    told(ChildNews::Waiting(questions(&view)));
                }
                RunStatus::Running if waited => told(ChildNews::Resumed),
                _ => {}
            }
        }
        dropped.run = None;
        ended(run, view)
    }
}

impl Runner {
    /// The child of this call: driven, unless it has ended. Its journal so far, and what comes after.
    async fn begin(&self, run: &RunId, call: ChildCall) -> Result<(Vec<Entry>, Watch), ErrorReply> {
        let turn = self.taking_up.lock().await;
        let (store, id) = (self.store.clone(), run.clone());
        match blocking(move || Ok(known(store.run(&id))?)).await? {
            Some(record) if record.status.is_final() => {}
            Some(_) => {
                self.take_up_alone(run, call.host, |_| ()).await?;
            }
            None => {
                let ChildCall { parent, activation, flow, input, set, host, .. } = call;
                let parents = self.ancestors(&parent.run).await?;
                if parents.len() >= MAX_DEPTH {
                    return Err(subflows::too_deep(
                        parents.iter().rev().map(|above| above.flow.name.as_str()),
                    ));
                }
                let called = blocking(move || subflows::resolve(&flow, &parents, &activation)).await?;
                let parent = Some(parent.run.clone());
                let new = NewRun {
                    flow: called.flow,
                    path: called.path,
                    input,
                    set,
                    to: None,
                    parent,
                    conversation: None,
                };
                self.start(run, new, host).await.map_err(|error| subflows::wrong(error, &called.name))?;
            }
        }
        drop(turn);
        let (store, id, hub) = (self.store.clone(), run.clone(), self.live.hub(run));
        blocking(move || {
            let seen = store.read_journal(&id, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
            let watch = Watch::new(store, id, hub, seen.len() as u64)?;
            Ok((seen, watch))
        })
        .await
    }

    /// The records of a run and of those above it, the root last.
    pub(crate) async fn ancestors(&self, run: &RunId) -> Result<Vec<RunRecord>, ErrorReply> {
        let (store, run) = (self.store.clone(), run.clone());
        blocking(move || {
            let mut found: Vec<RunRecord> = Vec::new();
            let mut next = Some(run);
            while let Some(id) = next {
                let Some(record) = known(store.run(&id))? else { break };
                // A store that was tampered with could go in circles.
                let circles = found.iter().any(|above| Some(&above.run) == record.parent_run_id.as_ref());
                next = record.parent_run_id.clone().filter(|_| !circles);
                found.push(record);
            }
            Ok(found)
        })
        .await
    }
}

/// The record, if there is such a run.
fn known(record: Result<RunRecord, Fault>) -> Result<Option<RunRecord>, Fault> {
    match record {
        Ok(record) => Ok(Some(record)),
        Err(fault) if fault.code == "run.unknown" => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The id of a child: the same whenever its parent is resumed, another for each execution and each try of the node. It
/// begins with its parent's time, so that runs sort by the start of their root; a UUID of version 8, whose rest is
/// ours to choose.
fn child_id(parent: &RunId, activation: &Activation, attempt: u32) -> Result<RunId, Fault> {
    let root = Uuid::try_parse(parent.as_str())
        .map_err(|_| Fault::new("run.bad_id", format!("`{parent}` is not a run's id.")))?;
    // JSON, so that no two lists of parts are one text.
    let parts = json!([parent, activation.node, activation.epoch, attempt]).to_string();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(parts.as_bytes())[..16]);
    bytes[..6].copy_from_slice(&root.as_bytes()[..6]);
    Ok(Builder::from_custom_bytes(bytes).into_uuid().to_string().into())
}

/// What a waiting run waits for, itself or in the runs it began.
fn questions(view: &RunView) -> Vec<ChildQuestion> {
    let Some(run) = &view.run else { return Vec::new() };
    let question = |pause: &OpenPause| {
        let OpenPause { node, epoch, prompt, schema, asker, .. } = pause.clone();
        let (run, node, epoch) =
            asker.map_or((run.clone(), node, epoch), |asker| (asker.run, asker.node, asker.epoch));
        ChildQuestion { run, node, epoch, prompt, schema }
    };
    view.pauses.iter().map(question).collect()
}

fn ended(run: RunId, view: RunView) -> Result<ChildEnd, Fault> {
    let end = match view.status {
        RunStatus::Finished => RunEnd::Finished,
        RunStatus::Failed => RunEnd::Failed,
        RunStatus::Cancelled => RunEnd::Cancelled,
        _ => {
            return Err(Fault::new("subflow.lost", format!("The child run {run} went on elsewhere."))
                .hint("Resume this run when the child has ended."));
        }
    };
    Ok(ChildEnd { run, end, outputs: view.outputs, error: view.error })
}

fn fault(error: ErrorReply) -> Fault {
    let ErrorReply { code, message, hint, details } = error;
    Fault { hint, details, ..Fault::new(&code, message) }
}

/// Cancels the child of a node that is given up.
struct CancelWhenDropped {
    live: ActiveRuns,
    run: Option<RunId>,
}

impl CancelWhenDropped {
    /// The child can't go on, or did not begin: it is left where it is, to be taken up with its parent.
    fn left(&mut self, error: ErrorReply) -> Fault {
        self.run = None;
        fault(error)
    }
}

impl Drop for CancelWhenDropped {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            self.live.cancel_child(&run);
        }
    }
}

#[cfg(test)]
mod tests;
