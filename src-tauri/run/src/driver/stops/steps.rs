//! What a person does at a stop: goes on, goes on by a step, pauses, and sets breakpoints.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Driver, Key, Running, Start, input_values};
use crate::breakpoint::{check_breakpoints, is_inside, loop_around};
use crate::codes;
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId, PortName};
use plait_journal::{
    Breakpoint, ChildEvent, DebugEvent, DebugVerb, Event, NodeOutputs, Side, StopCause, StopPoint,
};
use plait_llm::context::MessageEdit;

/// What a person wants of the debugger.
#[derive(Clone, Debug, PartialEq)]
pub enum DebugCommand {
    /// These are the breakpoints of the run tree from now on.
    SetBreakpoints(Vec<Breakpoint>),
    /// To stop wherever the run is.
    Pause,
    /// To stop the branch of a node that runs, in one iteration or the first one in which it does.
    PauseBranch { node: NodeId, epoch: Option<Epoch> },
    /// To put a value in place of one that the stop with this number holds.
    Change { stop: u64, port: PortName, value: Value },
    /// To have the node that the stop with this number holds take another way.
    Force { stop: u64, port: PortName },
    /// To edit the history of the context that the node uses which the stop with this number holds.
    EditHistory { stop: u64, edits: Vec<MessageEdit> },
    /// To have a node execute with another config from now on, at the stop with this number.
    MakeTrial { stop: u64, node: NodeId, config: Arc<Map<String, Value>> },
    /// To take that back for a node, or for all, at the stop with this number.
    DropTrials { stop: u64, node: Option<NodeId> },
    /// To go on from the stop with this number, which is that of its event in the journal of this run.
    Go { verb: DebugVerb, stop: u64 },
}

/// Whether it was done.
pub type DebugReply = oneshot::Sender<Result<(), Fault>>;

/// A step under way.
pub(super) struct Step {
    verb: DebugVerb,
    /// The activation that is stepped; for `out` the loop around it; for `all` none.
    of: Option<Key>,
    /// For `all`: everything that goes on.
    wave: FxHashSet<Key>,
    /// What was ready before it, and is not what follows from it.
    was_ready: FxHashSet<Key>,
}

impl Step {
    pub fn is_of(&self, key: &Key) -> bool {
        self.of.as_ref() == Some(key)
    }

    /// Whether an activation may start.
    pub fn covers(&self, plan: &Plan, key: &Key) -> bool {
        let is_inside = || self.of.as_ref().is_some_and(|of| is_inside(plan, key, of));
        match self.verb {
            DebugVerb::All => self.wave.contains(key),
            DebugVerb::Into => self.is_of(key),
            DebugVerb::Over | DebugVerb::Skip | DebugVerb::Retry => self.is_of(key) || is_inside(),
            DebugVerb::Out | DebugVerb::Continue => is_inside(),
        }
    }

    /// Whether the outcome of an activation is delivered; `has_ended` says whether it is its last one. The end of an activation that
    /// is run again is the place where that leads.
    pub fn delivers(&self, plan: &Plan, key: &Key, has_ended: bool) -> bool {
        self.calls(plan, key) && !(has_ended && self.verb == DebugVerb::Retry && self.is_of(key))
    }

    /// Whether an activation may call models and tools.
    pub fn calls(&self, plan: &Plan, key: &Key) -> bool {
        self.verb != DebugVerb::Into && self.covers(plan, key)
    }
}

impl Driver {
    /// Does what a person wants of the debugger.
    pub(in crate::driver) async fn on_debug(
        &mut self,
        command: DebugCommand,
        running: &mut Running<'_>,
    ) -> Result<Result<(), Fault>, Fault> {
        // Each finds what is held in one place. What goes on with none of them is put aside again.
        self.stops.unpark();
        match command {
            DebugCommand::SetBreakpoints(breakpoints) => {
                if let Err(fault) = check_breakpoints(&self.plan, &breakpoints) {
                    return Ok(Err(fault));
                }
                self.set_breakpoints(breakpoints)?;
            }
            DebugCommand::Pause => {
                if self.stops.open.whole.is_none() && !self.has_ended() {
                    self.stop(StopCause::Pause, None, NodeOutputs::new()).await?;
                }
            }
            DebugCommand::PauseBranch { node, epoch } => {
                return self.pause_branch(&node, epoch.as_ref()).await;
            }
            DebugCommand::Change { stop, port, value } => return self.change_value(stop, port, value).await,
            DebugCommand::Force { stop, port } => return self.force_way(stop, port).await,
            DebugCommand::EditHistory { stop, edits } => return self.edit_history(stop, &edits).await,
            DebugCommand::MakeTrial { stop, .. }
            | DebugCommand::DropTrials { stop, .. }
            | DebugCommand::Go { stop, .. }
                if !self.stops.open.has(stop) =>
            {
                return Ok(Err(moved_on()));
            }
            DebugCommand::MakeTrial { node, config, .. } => return self.make_trial(node, config).await,
            DebugCommand::DropTrials { node, .. } => return self.drop_trials(node).await,
            DebugCommand::Go { verb, stop } => {
                let done = match verb {
                    DebugVerb::Skip => self.skip(stop, running).await?,
                    DebugVerb::Retry => self.retry(stop, running).await?,
                    _ => self.go(verb, stop, running).await.map(Ok)?,
                };
                self.recorder.flush().await?;
                return Ok(done);
            }
        }
        self.recorder.flush().await?;
        Ok(Ok(()))
    }

    /// Sets the breakpoints of the tree, and says so in the journal of this run. They are not checked.
    pub fn set_breakpoints(&mut self, breakpoints: Vec<Breakpoint>) -> Result<(), Fault> {
        let breakpoints: Arc<[Breakpoint]> = breakpoints.into();
        self.host.debugger.set_breakpoints(Arc::clone(&breakpoints));
        self.arm();
        self.recorder.append([Event::Debug(DebugEvent::Breakpoints { breakpoints })])
    }

    async fn go(&mut self, verb: DebugVerb, number: u64, running: &mut Running<'_>) -> Result<(), Fault> {
        let is_of_branch = self.stops.open.branch(number).is_some();
        if verb == DebugVerb::Continue && is_of_branch {
            return self.continue_branch(number, running).await;
        }
        let current = self.stops.open.place_of(number).cloned().or_else(|| self.first_held());
        let key = current.as_ref().and_then(|point| self.key_of(point));
        let is_ended = current.as_ref().is_some_and(|point| point.side == Side::After);
        let of_loop = key.clone().filter(|(node, epoch)| {
            self.plan.nodes[*node].body.is_some() && !self.plan.is_test(*node, epoch)
        });
        if verb == DebugVerb::Into
            && let Some(of_loop) = of_loop.as_ref().filter(|_| !is_ended)
            && let Some(start) = self.take_inside(of_loop)
        {
            self.leave_by_step(number, verb, current)?;
            self.host.debugger.begin_step(verb);
            return self.stop_before(start).await;
        }
        let step = match (verb, key) {
            (DebugVerb::Continue, _) | (DebugVerb::Out, None) => None,
            (DebugVerb::Out, Some((node, epoch))) => {
                loop_around(&self.plan, node, &epoch).map(|around| self.step(verb, Some(around)))
            }
            // Where nothing is held, there is nothing to wait for either.
            (DebugVerb::All, _) | (_, None) => Some(self.step(DebugVerb::All, None)),
            // What has ended has nothing inside.
            (DebugVerb::Into, key) if is_ended => Some(self.step(DebugVerb::Over, key)),
            (DebugVerb::Over | DebugVerb::Into | DebugVerb::Skip | DebugVerb::Retry, key) => {
                Some(self.step(verb, key))
            }
        };
        let Some(mut step) = step else {
            if verb == DebugVerb::Out && !self.host.debugger.is_root() {
                // The rest of this run goes on; the activation that started it is the next place.
                self.leave_by_step(number, verb, current)?;
                self.host.debugger.begin_step(verb);
                self.host.debugger.cover(&self.run.info.run);
            } else if is_of_branch {
                // There is nothing around it in which it could go on.
                return self.continue_branch(number, running).await;
            } else {
                self.record_continued(number, DebugVerb::Continue, None)?;
                self.host.debugger.release(DebugVerb::Continue);
            }
            return self.deliver_released(running).await;
        };
        if is_ended && of_loop.is_some() {
            // The outputs of a loop are delivered when it ends: what is ready follows from it.
            step.was_ready.clear();
        }
        self.leave_by_step(number, verb, current)?;
        if verb == DebugVerb::All {
            // Everything goes on by one place that is held here, with its branch alone as well.
            let others = self.stops.open.branches.iter().filter(|branch| branch.point().is_some());
            for other in others.map(|branch| branch.number).collect::<Vec<_>>() {
                self.leave_by_step(other, verb, None)?;
            }
        }
        self.stops.step = Some(step);
        self.host.debugger.begin_step(verb);
        self.deliver_released(running).await
    }

    /// What is held first, where no place was reached.
    fn first_held(&self) -> Option<StopPoint> {
        let start = self.stops.starts.front();
        let start = start.map(|start| ((start.node, start.epoch.clone()), start.attempt));
        let ready = || self.scheduler.ready().min().map(|key| (key, 1));
        if let Some(done) = self.stops.dones.front() {
            let key = (done.attempt.node, done.attempt.epoch.clone());
            return Some(self.point(&key, done.attempt.number, Side::After));
        }
        if let Some(call) = self.stops.calls.first() {
            return Some(call.point.clone());
        }
        start.or_else(ready).map(|(key, attempt)| self.point(&key, attempt, Side::Before))
    }

    /// What starts first inside of a loop.
    fn take_inside(&mut self, of_loop: &Key) -> Option<Start> {
        let is_inside = |node: NodeIx, epoch: &Epoch| is_inside(&self.plan, &(node, epoch.clone()), of_loop);
        match self.stops.starts.iter().position(|start| is_inside(start.node, &start.epoch)) {
            Some(at) => self.stops.starts.remove(at),
            None => self.scheduler.next_ready_where(is_inside),
        }
    }

    /// A step is over: what starts next is held.
    async fn stop_before(&mut self, start: Start) -> Result<(), Fault> {
        let point = self.point(&(start.node, start.epoch.clone()), start.attempt, Side::Before);
        let values = input_values(&start.inputs);
        self.stops.starts.push_back(start);
        self.stop(StopCause::Step, Some(point), values).await.map(drop)
    }

    pub(super) fn step(&self, verb: DebugVerb, of: Option<Key>) -> Step {
        let mut was_ready: FxHashSet<Key> = self.scheduler.ready().collect();
        was_ready.extend(self.stops.starts.iter().map(|start| (start.node, start.epoch.clone())));
        let mut wave = FxHashSet::default();
        if verb == DebugVerb::All {
            wave.clone_from(&was_ready);
            wave.extend(self.stops.dones.iter().map(|done| (done.attempt.node, done.attempt.epoch.clone())));
            wave.extend(self.stops.calls.iter().map(|call| call.key.clone()));
        }
        Step { verb, of, wave, was_ready }
    }

    /// Takes over what has changed in the tree, and goes on if the run is not held any more.
    pub(in crate::driver) async fn look(&mut self, running: &mut Running<'_>) -> Result<(), Fault> {
        self.follow_tree().await?;
        if self.is_held() { Ok(()) } else { self.deliver_released(running).await }
    }

    /// Delivers and lets through what is not held any more, in the order in which it came.
    pub(in crate::driver) async fn deliver_released(
        &mut self,
        running: &mut Running<'_>,
    ) -> Result<(), Fault> {
        // Into a call that is held: it is made, and the next one is the next place.
        let entered = match &self.stops.step {
            Some(step) if step.verb == DebugVerb::Into => {
                self.stops.calls.iter().position(|call| step.is_of(&call.key))
            }
            _ => None,
        };
        if let Some(at) = entered {
            let _ = self.stops.calls.swap_remove(at).open.send(());
        }
        for call in std::mem::take(&mut self.stops.calls) {
            let Some(name) = call.point.call else { continue };
            let at = self.activation(call.key.0, &call.key.1);
            self.hold_call(&at, name, call.open).await?;
        }
        for done in std::mem::take(&mut self.stops.dones) {
            if let Some(done) = self.hold_delivery(done).await? {
                self.deliver(Box::new(done), running).await?;
            }
        }
        Ok(())
    }

    /// Ends the step under way if what it covers has ended: the next place is what follows from it.
    pub(in crate::driver) async fn end_step_if_over(&mut self) -> Result<(), Fault> {
        let Some(step) = &self.stops.step else { return Ok(()) };
        let is_over =
            step.wave.iter().chain(&step.of).all(|(node, epoch)| !self.scheduler.is_unfinished(*node, epoch));
        if !is_over || self.has_ended() {
            return Ok(());
        }
        let was_ready = step.was_ready.clone();
        match self.scheduler.next_ready_where(|node, epoch| !was_ready.contains(&(node, epoch.clone()))) {
            Some(start) => self.stop_before(start).await,
            None => self.stop(StopCause::Step, None, NodeOutputs::new()).await.map(drop),
        }
    }

    /// A step into a sub-flow ends at what starts first in it.
    pub(super) async fn stop_where_child_begins(&mut self) -> Result<(), Fault> {
        if !self.host.debugger.is_entered(&self.run.info.run) {
            return Ok(());
        }
        match self.scheduler.next_ready() {
            Some(start) => self.stop_before(start).await,
            None => Ok(()),
        }
    }

    /// A child run begins: a step over its node covers it, a step into its node leads into it.
    pub(in crate::driver) fn follow_child(&self, event: &Event) {
        let Event::Child(at, ChildEvent::Started { run }) = event else { return };
        let key = self.plan.find(&at.node).map(|node| (node, at.epoch.clone()));
        let (Some(step), Some(key)) = (&self.stops.step, key) else { return };
        if step.calls(&self.plan, &key) {
            self.host.debugger.cover(run);
        } else if step.is_of(&key) {
            self.host.debugger.enter(run);
        }
    }

    pub(super) fn key_of(&self, point: &StopPoint) -> Option<Key> {
        Some((self.plan.find(&point.node)?, point.epoch.clone()))
    }
}

pub(super) fn moved_on() -> Fault {
    Fault::new(codes::DEBUG_MOVED_ON, "The run does not stand at this stop any more.")
        .hint("Somebody else has continued it. Look at where it stands now.")
}
