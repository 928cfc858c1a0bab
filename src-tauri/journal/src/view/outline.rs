//! The fold of the run as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Asker, OpenPause, RunOutline, RunStatus, TrialView, apply_to_stops};
use crate::{
    ChildEvent, DebugEvent, Entry, Event, FlowRef, LoopEvent, NodeEvent, NodeOutputs, RunEvent, RunFault,
};
use plait_core::id::{Activation, NodeId};
use plait_core::origin::Origins;

impl RunOutline {
    /// Takes in one entry. Entries of the journal that were seen before are ignored; those of `node.delta` have no
    /// place in it and are always taken. Returns whether it was taken.
    pub fn apply(&mut self, entry: &Entry) -> bool {
        if let Some(seq) = entry.seq {
            if seq < self.next_seq {
                return false;
            }
            self.next_seq = seq + 1;
        }
        self.apply_event(&entry.event, entry.at);
        if let Event::Debug(event) = &entry.event {
            self.apply_debug_event(event, entry);
        }
        true
    }

    fn apply_event(&mut self, event: &Event, at: u64) {
        match event {
            Event::Run(event) => self.apply_run_event(event, at),
            Event::Loop(entry, event) => {
                let view = self.loops.entry(entry.node.clone()).or_default();
                view.epoch = entry.epoch.clone();
                match event {
                    LoopEvent::Iteration | LoopEvent::IterationStarted => view.iterations += 1,
                    LoopEvent::IterationFinished { .. }
                    | LoopEvent::HistoryAppended { .. }
                    | LoopEvent::HistoryPinned { .. } => {}
                    LoopEvent::Exhausted { max_epochs, unattended } => {
                        view.exhausted = Some(*max_epochs);
                        view.unattended = *unattended;
                    }
                }
            }
            Event::Node(activation, event) => self.apply_node_event(activation, event, at),

            Event::Child(activation, ChildEvent::Waiting { questions, .. }) => {
                self.close_pauses(activation);
                self.pauses.extend(questions.iter().map(|question| OpenPause {
                    node: activation.node.clone(),
                    epoch: activation.epoch.clone(),
                    prompt: question.prompt.clone(),
                    schema: question.schema.clone(),
                    tool: question.tool.clone(),
                    asked_at: at,
                    asker: Some(Asker {
                        run: question.run.clone(),
                        node: question.node.clone(),
                        epoch: question.epoch.clone(),
                    }),
                }));
            }
            Event::Child(activation, ChildEvent::Resumed { .. }) => {
                self.stop_waiting();
                self.close_pauses(activation);
            }
            Event::Call(..) | Event::Child(..) | Event::Context(..) | Event::Memory(..) | Event::Debug(_) => {
            }
        }
    }

    fn apply_debug_event(&mut self, event: &DebugEvent, entry: &Entry) {
        match event {
            DebugEvent::Breakpoints { breakpoints } => self.breakpoints = Arc::clone(breakpoints),
            DebugEvent::TrialMade { node, was, config, .. } => {
                // Of several, the first one names the config of the flow.
                let trial = self.trials.entry(node.clone());
                let was = || TrialView { was: Arc::clone(was), config: Arc::clone(config) };
                trial.or_insert_with(was).config = Arc::clone(config);
            }
            DebugEvent::TrialDropped { node, .. } => drop(self.trials.remove(node)),
            DebugEvent::Stopped { .. } | DebugEvent::Continued { .. } => {
                apply_to_stops(&mut self.stops, event, entry.seq.unwrap_or_default(), entry.at);
                self.status = self.open_status();
            }
            DebugEvent::Overridden { .. } | DebugEvent::Rerouted { .. } => {
                apply_to_stops(&mut self.stops, event, entry.seq.unwrap_or_default(), entry.at);
            }
            DebugEvent::Logged { .. } => {}
        }
    }

    /// What a run does that has not ended.
    fn open_status(&self) -> RunStatus {
        if !self.stops.is_empty() {
            RunStatus::Stopped
        } else if self.waiting_since.is_some() {
            RunStatus::Waiting
        } else {
            RunStatus::Running
        }
    }

    fn apply_run_event(&mut self, event: &RunEvent, at: u64) {
        match event {
            RunEvent::Started { run, from, flow, to, input, set, parent_run_id, conversation, .. } => {
                self.run = Some(run.clone());
                self.from = from.as_deref().cloned();
                self.flow = Some(FlowRef::clone(flow));
                self.to.clone_from(to);
                self.input.clone_from(input);
                self.set.clone_from(set);
                self.parent_run_id.clone_from(parent_run_id);
                self.conversation.clone_from(conversation);
                self.started_at = Some(at);
            }
            RunEvent::Waiting { on, .. } => {
                self.stop_waiting();
                self.waiting_since = Some(at);
                self.status = self.open_status();
                self.waiting_on.clone_from(on);
            }
            RunEvent::Canceling => {
                self.stop_waiting();
                self.cancelling = true;
            }
            RunEvent::Finished { outputs, origins } => self.end(RunStatus::Finished, (outputs, origins), at),
            RunEvent::Failed { node, epoch, error, outputs, origins } => {
                self.end(RunStatus::Failed, (outputs, origins), at);
                self.error =
                    Some(RunFault { node: node.clone(), epoch: epoch.clone(), error: (**error).clone() });
            }
            RunEvent::Canceled { outputs, origins } => {
                self.end(RunStatus::Cancelled, (outputs, origins), at);
            }
        }
    }

    fn apply_node_event(&mut self, activation: &Activation, event: &NodeEvent, at: u64) {
        match event {
            NodeEvent::Finished { .. } | NodeEvent::Skipped { .. } | NodeEvent::Failed { .. } => {
                self.close_pauses(activation);
            }
            NodeEvent::Paused { prompt, schema, tool, .. } => {
                self.close_pauses(activation);
                self.pauses.push(OpenPause {
                    node: activation.node.clone(),
                    epoch: activation.epoch.clone(),
                    prompt: prompt.clone(),
                    schema: schema.clone(),
                    tool: tool.clone(),
                    asked_at: at,
                    asker: None,
                });
            }
            // A node that starts while the run waits had a waiting child run before a crash.
            NodeEvent::Started { .. } | NodeEvent::Answered { .. } => {
                self.stop_waiting();
                self.close_pauses(activation);
            }
            NodeEvent::Ready { .. }
            | NodeEvent::Retrying { .. }
            | NodeEvent::Delta { .. }
            | NodeEvent::Progressed { .. }
            | NodeEvent::Noticed { .. } => {}
        }
    }

    fn end(
        &mut self,
        status: RunStatus,
        (outputs, origins): (&BTreeMap<NodeId, NodeOutputs>, &Origins),
        at: u64,
    ) {
        self.stop_waiting();
        self.stops.clear();
        self.status = status;
        self.cancelling = false;
        self.outputs.clone_from(outputs);
        self.origins.clone_from(origins);
        self.ended_at = Some(at);
        self.pauses.clear();
    }

    fn stop_waiting(&mut self) {
        if self.waiting_since.take().is_some() {
            self.status = self.open_status();
            self.waiting_on.clear();
        }
    }

    fn close_pauses(&mut self, Activation { node, epoch }: &Activation) {
        // Most runs ask nothing most of the time.
        if !self.pauses.is_empty() {
            self.pauses.retain(|pause| pause.node != *node || pause.epoch != *epoch);
        }
    }
}
