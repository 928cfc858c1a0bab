//! Child runs: the flows that nodes of other runs execute. Decides which id a child has and which flow it runs, and
//! waits for it. A child is an ordinary run: it can be watched, answered and resumed separately.

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use plait_journal::earlier_run::EarlierTree;
use plait_journal::view::{OpenPause, RunOutline};
use plait_journal::{
    ChildEvent, ChildQuestion, Entry, Event, FlowRef, FreshFrom, MAX_LISTED_QUESTIONS, NodeEvent, RunEvent,
};
use plait_llm::quota::TreeCount;
use plait_run::host::RunInfo;
use plait_run::host::subflow::{ChildCall, ChildEnd, ChildFlow, ChildListener, MAX_DEPTH, Subflows};

use super::child::{child_end, child_id, fault};
use super::registry::ActiveRuns;
use super::request::{ChildInputs, EditedFlow, ForkEdits, NewRun, RunRequest};
use super::service::{Purpose, RunService, find_record};
use super::watch::Watch;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::flows::subflows;

#[async_trait]
impl Subflows for RunService {
    async fn run(&self, call: ChildCall, mut on_event: ChildListener) -> Result<ChildEnd, Fault> {
        let run = child_id(&call.parent.run, &call.activation, call.attempt)?;
        on_event(ChildEvent::Started { run: run.clone() });
        let mut guard = CancelOnDrop { active: self.active.clone(), run: Some(run.clone()) };
        let followed = self.active.follow_child(&call.parent.run, &run);
        // In a task of its own, so that a parent that is dropped meanwhile leaves no half-started child behind.
        let (service, id, starting) = (self.clone(), run.clone(), self.active.child_start(&call.parent.run));
        let task = tokio::spawn(async move {
            let started = service.start_child(&id, call).await;
            drop(starting);
            if started.is_err() {
                service.active.forget_child(&id);
            }
            started
        });
        let panicked = |error| {
            Err(ErrorReply::new(codes::APP_INTERNAL, format!("The sub-flow could not start: {error}.")))
        };
        let (entries, mut watch) =
            task.await.unwrap_or_else(panicked).map_err(|error| guard.release(error))?;
        let mut outline = RunOutline::of(&entries);
        let mut has_asked = entries.iter().any(asks);
        if has_asked {
            on_event(ChildEvent::Asked { run: run.clone() });
        }
        drop(entries);
        if outline.waiting_since.is_some() {
            on_event(ChildEvent::Waiting { run: run.clone(), questions: open_questions(&outline) });
        }
        followed.take_in(outline.next_seq);
        while !outline.status.is_final() {
            let Some(entry) = watch.next().await else { break };
            let entry = entry.map_err(|error| guard.release(error))?;
            let was_waiting = outline.waiting_since.is_some();
            outline.apply(&entry);
            if !has_asked && asks(&entry) {
                has_asked = true;
                on_event(ChildEvent::Asked { run: run.clone() });
            }
            match outline.waiting_since {
                Some(_) if matches!(entry.event, Event::Run(RunEvent::Waiting { .. })) => {
                    on_event(ChildEvent::Waiting { run: run.clone(), questions: open_questions(&outline) });
                }
                None if was_waiting && !outline.status.is_final() => {
                    on_event(ChildEvent::Resumed { run: run.clone() });
                }
                _ => {}
            }
            followed.take_in(outline.next_seq);
        }
        guard.run = None;
        if !outline.status.is_final() && self.active.is_closing() {
            // Both stop being driven, the child first. A failure here would end what a resume continues.
            std::future::pending::<()>().await;
        }
        child_end(run, outline)
    }
}

impl RunService {
    /// Starts the child of this call, or resumes it; one that has ended is left as it is. Returns its journal so far, and
    /// a watch on what follows.
    async fn start_child(&self, run: &RunId, call: ChildCall) -> Result<(Vec<Entry>, Watch), ErrorReply> {
        let resume_guard = self.resume_lock.lock().await;
        if self.active.is_canceled_early(run) {
            return Err(ErrorReply::new(codes::RUN_CANCELED, "The run was canceled before it started."));
        }
        let (store, id) = (self.parts.store.clone(), run.clone());
        match run_blocking(move || Ok(find_record(store.run(&id))?)).await? {
            Some(record) if record.status.is_final() => {}
            Some(record) => {
                self.redaction(record.flow.path.as_deref(), true).await?;
                self.attach_locked(run, call.host, Purpose::Continue).await?;
            }
            None => {
                let ChildCall { parent, activation, flow, input, set: overrides, origins, host, .. } = call;
                host.quotas.tree.reserve(TreeCount::Runs)?.settle();
                let grants = parent.grants.clone();
                let inputs = ChildInputs { input, overrides, origins, grants };
                let (name, new) = match self.earlier_child(&parent, &activation, &host.earlier).await? {
                    Some((earlier, name)) if !host.earlier.is_edited() => (
                        name,
                        NewRun::ForkOf {
                            earlier,
                            edits: ForkEdits::of_flow(None, inside_of(&parent, &activation)),
                            inputs: Some(inputs),
                        },
                    ),
                    earlier => {
                        let earlier = earlier.map(|(earlier, _)| earlier);
                        self.new_child(&parent, flow, inputs, activation, earlier).await?
                    }
                };
                self.start_as(run, new, Some(parent.run.clone()), host)
                    .await
                    .map_err(|error| subflows::invalid(error, &name))?;
            }
        }
        drop(resume_guard);
        let (store, id, broadcast) = (self.parts.store.clone(), run.clone(), self.active.broadcast(run));
        run_blocking(move || {
            let entries = store.read_journal(&id, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
            let watch = Watch::new(store, id, broadcast, entries.len() as u64)?;
            Ok((entries, watch))
        })
        .await
    }
}

impl RunService {
    /// The child that the activation had in the run that its own is forked from, with the name of its flow.
    async fn earlier_child(
        &self,
        parent: &RunInfo,
        activation: &Activation,
        tree: &EarlierTree,
    ) -> Result<Option<(RunId, String)>, ErrorReply> {
        let Some(child) = parent.earlier_of(activation).and_then(|run| run.take_child(activation)) else {
            return Ok(None);
        };
        if let Some(recording) = tree.recording().and_then(|hash| self.recordings.get(hash)) {
            return Ok(recording.flow_of(&child).map(|flow| (child.clone(), flow.name.clone())));
        }
        let store = self.parts.store.clone();
        let record = run_blocking(move || Ok(find_record(store.run(&child))?)).await?;
        Ok(record.map(|record| (record.run, record.flow.name)))
    }

    /// A child that runs the flow as it is now, as a fork of `earlier` if there is one, with the flow's name.
    async fn new_child(
        &self,
        parent: &RunInfo,
        flow: ChildFlow,
        inputs: ChildInputs,
        activation: Activation,
        earlier: Option<RunId>,
    ) -> Result<(String, NewRun), ErrorReply> {
        let lineage = self.lineage(&parent.run).await?;
        if lineage.len() >= MAX_DEPTH {
            let names = lineage.iter().rev().map(|ancestor| ancestor.flow.name.as_str());
            return Err(subflows::too_deep(names));
        }
        let (access, lineage): (_, Vec<FlowRef>) =
            (self.file_access.clone(), lineage.into_iter().map(|run| run.flow).collect());
        let inside = inside_of(parent, &activation).cloned();
        let subflow = run_blocking(move || subflows::resolve(&flow, &lineage, &activation, &access)).await?;
        let (mut flow, path) = (subflow.flow, subflow.path);
        let ignore_pins = parent.ignores_pins;
        if ignore_pins {
            flow.remove_pins();
        }
        if let Some(earlier) = earlier {
            let edits = EditedFlow { flow, path, grants: Vec::new() };
            let edits = ForkEdits::of_flow(Some(edits), inside.as_ref());
            return Ok((subflow.name, NewRun::ForkOf { earlier, edits, inputs: Some(inputs) }));
        }
        let ChildInputs { input, overrides, origins, grants } = inputs;
        let request = RunRequest { flow, path, input, overrides, ignore_pins, ..RunRequest::default() };
        let user = parent.user.clone();
        let request = Box::new(request);
        Ok((subflow.name, NewRun::Of { request, user, origins, inherited: Some(grants) }))
    }
}

/// Where the child run of an activation begins to do again what the earlier one has, if it begins inside of it.
fn inside_of<'p>(parent: &'p RunInfo, activation: &Activation) -> Option<&'p FreshFrom> {
    parent.earlier_of(activation)?.fresh_inside(activation)
}

/// Whether a node of the run, or of a child run of it, asks a person. A question whether a tool may be called, or a quota exceeded, is
/// none of the flow's.
fn asks(entry: &Entry) -> bool {
    matches!(
        entry.event,
        Event::Node(_, NodeEvent::Paused { tool: None, .. }) | Event::Child(_, ChildEvent::Asked { .. })
    )
}

/// The questions that a waiting run asks, its child runs included; the first ones, if there are many.
fn open_questions(outline: &RunOutline) -> Vec<ChildQuestion> {
    let Some(run) = &outline.run else { return Vec::new() };
    let question = |pause: &OpenPause| {
        let OpenPause { node, epoch, prompt, schema, tool, asker, .. } = pause.clone();
        let (run, node, epoch) =
            asker.map_or((run.clone(), node, epoch), |asker| (asker.run, asker.node, asker.epoch));
        ChildQuestion { run, node, epoch, prompt, schema, tool }
    };
    outline.pauses.iter().take(MAX_LISTED_QUESTIONS).map(question).collect()
}

/// Cancels a child run when the future of the node that started it is dropped.
struct CancelOnDrop {
    active: ActiveRuns,
    run: Option<RunId>,
}

impl CancelOnDrop {
    /// Leaves the child as it is, because it cannot continue or did not start. It is resumed with its parent.
    fn release(&mut self, error: ErrorReply) -> Fault {
        self.run = None;
        fault(error)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            self.active.cancel_child(&run);
        }
    }
}

#[cfg(test)]
mod tests;
