//! Where the run stands still. A stop holds what would start, what would call a model or a tool, and what would be delivered; what
//! is under way ends, is journaled and waits here for its delivery. Some stops hold one activation alone ([`branch`]).
//!
//! A place that was left is remembered, so that a breakpoint does not hold the same activation there again. All of it is a fold over
//! the `debug.*` events of the journal, so a run that was killed at a stop is held at the same one.

mod branch;
mod breakpoints;
mod edits;
mod history;
mod open_stops;
mod overrides;
mod passing;
mod restored;
mod steps;

use std::collections::VecDeque;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::oneshot;

use super::attempt::{Done, Outcome};
use super::{Driver, Start};
use crate::breakpoint::{ActivationFacts, Key, Sources, Values, ended_loop, input_values, is_inside};
use crate::debugger::Debugger;
use crate::node::ToolRound;
use crate::plan::{NodeIx, Plan};
use crate::scheduler::Scheduler;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, RunId};
use plait_journal::{ChildEvent, Event, NodeEvent, NodeOutputs, Side, StopCause, StopPoint, StopScope};

use breakpoints::ArmedBreakpoints;
use open_stops::OpenStops;
use overrides::Overrides;
pub(super) use restored::RestoredStops;
use steps::Step;
pub use steps::{DebugCommand, DebugReply};

pub(super) type Running<'p> = FuturesUnordered<BoxFuture<'p, Done>>;

/// What is held, and what was left.
#[derive(Default)]
pub(super) struct Stops {
    /// The breakpoints of this run's flow.
    armed: ArmedBreakpoints,
    /// As of which edit of the tree's breakpoints.
    edits: u64,
    /// Where the run stands still.
    open: OpenStops,
    /// What is ready and does not start because only its own branch is held.
    parked: VecDeque<Start>,
    /// Loops that do not begin because only their own branch is held.
    parked_loops: FxHashSet<Key>,
    /// Places that were left.
    left: FxHashSet<StopPoint>,
    /// Places of which the texts are in the journal, though what is held there has not gone on.
    noted: FxHashSet<StopPoint>,
    /// What is ready and does not start.
    starts: VecDeque<Start>,
    /// What has ended and is not delivered, in the order in which it ended.
    dones: VecDeque<Done>,
    /// Calls that are not made yet.
    calls: Vec<HeldCall>,
    /// How many activations that were running when the journal ended have still to be begun again.
    pub reentering: usize,
    step: Option<Step>,
    /// Loops that have ended, with their outputs: places to stop at.
    pub ended_loops: VecDeque<(Key, NodeOutputs)>,
    /// The child runs of open activations.
    children: FxHashMap<RunId, Key>,
    /// What persons changed of open activations.
    overrides: Overrides,
    /// Activations that wait before their next attempt, which has not begun.
    pub retry_waits: FxHashSet<Key>,
    /// What breakpoints can know of open activations.
    facts: ActivationFacts,
    /// Where the inputs of ready activations come from, if a breakpoint on an edge asks.
    sources: FxHashMap<Key, Sources>,
}

/// A call of a model or a tool that an activation is about to make.
pub(super) struct HeldCall {
    key: Key,
    point: StopPoint,
    /// Lets it be made.
    open: oneshot::Sender<()>,
}

impl Stops {
    /// Whether nothing is held here.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.starts.is_empty() && self.parked.is_empty() && self.overrides.is_empty()
    }

    /// How many running activations wait for a call to be let through.
    pub fn held_calls(&self) -> usize {
        if self.calls.is_empty() { 0 } else { self.calling().len() }
    }

    /// How many running activations wait for the end of the stop, or for a child run that does.
    fn waiting(&self) -> usize {
        let calling = self.calling();
        calling.len() + self.children.values().filter(|key| !calling.contains(key)).count()
    }

    fn calling(&self) -> FxHashSet<&Key> {
        // A node that was dropped meanwhile does not wait any more.
        let waiting = self.calls.iter().filter(|call| !call.open.is_closed());
        waiting.map(|call| &call.key).collect()
    }

    /// What the journal leaves. The tree, or the branch, stands still if it did in this run.
    pub fn restore(restored: RestoredStops, plan: &Plan, debugger: &Debugger, run: &RunId) -> Self {
        let RestoredStops { breakpoints, stops: open, left, overrides, .. } = restored;
        if !breakpoints.is_empty() && debugger.breakpoints().is_empty() {
            debugger.set_breakpoints(breakpoints);
        }
        let open = OpenStops::restore(&open, debugger, run);
        let facts = ActivationFacts::new(debugger.spending());
        let mut stops = Self { open, left, facts, ..Self::default() };
        for (point, port, value) in overrides {
            if let Some(node) = plan.find(&point.node) {
                let key = ((node, point.epoch), point.side);
                stops.overrides.entry(key).or_default().insert(port, value);
            }
        }
        stops
    }

    /// Whether this run's flow has breakpoints.
    pub fn is_armed(&self) -> bool {
        !self.armed.is_empty()
    }

    /// Notes what follows from other events: a loop that has ended is the next place to stop at.
    pub fn note_derived(&mut self, plan: &Plan, event: &Event) {
        self.ended_loops.extend(ended_loop(plan, event));
        self.note_sources(plan, event);
    }

    /// Notes where the inputs of an activation come from that is ready. Before the breakpoints are set, of all.
    fn note_sources(&mut self, plan: &Plan, event: &Event) {
        if let Event::Node(at, NodeEvent::Ready { inputs }) = event
            && (self.armed.follows_edges() || self.edits == 0)
            && let Some(node) = plan.find(&at.node)
        {
            self.sources.insert((node, at.epoch.clone()), inputs.clone());
        }
    }

    /// Adds what an event says was spent, while nothing else of it is of interest.
    pub fn count(&self, event: &Event) {
        self.facts.count(event);
    }

    /// An activation is about to call these tools.
    pub fn note_tools(&mut self, plan: &Plan, at: &Activation, tools: &ToolRound) {
        if let Some(node) = plan.find(&at.node) {
            self.facts.note_tools(&(node, at.epoch.clone()), tools.sends_untrusted, &tools.granted);
        }
    }

    /// Notes what an event says of an open activation.
    pub fn note(&mut self, plan: &Plan, event: &Event) {
        self.facts.note(plan, event);
        if let Event::Child(at, ChildEvent::Started { run }) = event
            && let Some(node) = plan.find(&at.node)
        {
            let key = (node, at.epoch.clone());
            // One attempt of an activation has one child, and the one before waits for nobody any more.
            self.children.retain(|_, of| *of != key);
            self.children.insert(run.clone(), key);
        }
    }

    /// The same for an event of the journal, in which activations end.
    pub fn note_recorded(&mut self, plan: &Plan, event: &Event) {
        self.note(plan, event);
        self.note_sources(plan, event);
        if let Event::Node(at, NodeEvent::Finished { .. } | NodeEvent::Failed { .. }) = event
            && let Some(node) = plan.find(&at.node)
        {
            self.close(&(node, at.epoch.clone()));
        }
    }

    /// Forgets an activation that has ended.
    pub fn close(&mut self, key: &Key) {
        self.facts.remove(key);
        if !self.sources.is_empty() {
            self.sources.remove(key);
        }
        if !self.overrides.is_empty() {
            self.overrides.retain(|(of, _), _| of != key);
        }
        if !self.children.is_empty() {
            self.children.retain(|_, of| of != key);
        }
    }

    /// Forgets what is held of activations that were closed with the iteration around them.
    pub fn forget_closed(&mut self, scheduler: &Scheduler) {
        let is_open = |node: NodeIx, epoch: &Epoch| scheduler.is_open(node, epoch);
        for starts in [&mut self.starts, &mut self.parked] {
            starts.retain(|Start { node, epoch, .. }| {
                is_open(*node, epoch) || scheduler.ready_start(*node, epoch).is_some()
            });
        }
        self.dones.retain(|done| is_open(done.attempt.node, &done.attempt.epoch));
        self.calls.retain(|call| is_open(call.key.0, &call.key.1));
    }

    /// Forgets everything that is held: the run is canceled.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.parked.clear();
        self.dones.clear();
        self.calls.clear();
        self.step = None;
    }
}

impl Driver {
    /// Whether there is something to stop at, or anything is held or changed.
    pub(super) fn is_debugged(&self) -> bool {
        self.host.debugger.is_active() || !self.stops.is_empty()
    }

    /// Whether the tree holds this run.
    pub(super) fn is_held(&self) -> bool {
        self.host.debugger.holds(&self.run.info.run)
    }

    /// Whether only a person can make the run go on, since it stands still.
    pub(super) fn is_standing(&self, running: usize) -> bool {
        if !self.stops.open.branches.is_empty() && !self.is_held() {
            return running <= self.stops.waiting();
        }
        self.is_held()
            && self.stops.step.is_none()
            && self.stops.reentering == 0
            && running <= self.stops.waiting() + self.sleeping
    }

    /// The next activation to start, where there is something to stop at.
    /// `has_room` says whether another one may run, `running` how many do that wait for nobody.
    pub(super) async fn next_start_or_stop(
        &mut self,
        has_room: bool,
        running: usize,
    ) -> Result<Option<Start>, Fault> {
        self.follow_tree().await?;
        self.end_step_if_over().await?;
        if !has_room {
            return Ok(None);
        }
        if self.is_held() {
            if self.stops.reentering > 0 {
                self.stops.reentering -= 1;
                if let Some(start) = self.restart_queue.pop() {
                    return Ok(Some(self.with_changed_inputs(start)));
                }
            }
            if self.stops.step.is_none() {
                self.stop_where_child_begins().await?;
                return Ok(None);
            }
        }
        while let Some((key, outputs)) = self.stops.ended_loops.pop_front() {
            let point = self.point(&key, 1, Side::After);
            if let Some((cause, _)) = self.reached(&key, &point, Values::Outputs(&outputs)).await? {
                if !self.stop(cause, Some(point), outputs.clone()).await? {
                    self.stops.ended_loops.push_front((key, outputs));
                }
                return Ok(None);
            }
        }
        loop {
            let Some(start) = self.next_released() else {
                if self.stops.step.is_some() && running == 0 && !self.has_ended() {
                    // What it covers waits for a person: nothing else is kept back by it.
                    self.stop(StopCause::Step, None, NodeOutputs::new()).await?;
                }
                return Ok(None);
            };
            let start = self.with_changed_inputs(start);
            if let Some(start) = self.hold_start(start).await? {
                return Ok(Some(start));
            }
            // In a step, what is put aside with its branch keeps nothing else back.
            if self.is_held() && self.stops.step.is_none() {
                return Ok(None);
            }
        }
    }

    /// Takes what is to start, unless it is held, with the whole tree or with its branch alone.
    async fn hold_start(&mut self, start: Start) -> Result<Option<Start>, Fault> {
        let key = (start.node, start.epoch.clone());
        if self.is_in_parked_loop(&key) {
            self.stops.parked.push_back(start);
            return Ok(None);
        }
        for (of_loop, point) in self.armed_loops_that_begin(&key) {
            if let Some(reached) = self.reached(&of_loop, &point, Values::None).await? {
                let values = input_values(&start.inputs);
                self.stop_before_start(reached, point, start, values, Some(of_loop)).await?;
                return Ok(None);
            }
            // It has begun: what else starts in its first iteration is no such place.
            self.stops.left.insert(point);
        }
        if !self.has_breakpoint(&key, Side::Before) {
            return Ok(Some(start));
        }
        let point = self.point(&key, start.attempt, Side::Before);
        let values = input_values(&start.inputs);
        let Some(reached) = self.reached(&key, &point, Values::Inputs(&values)).await? else {
            return Ok(Some(start));
        };
        self.stop_before_start(reached, point, start, values, None).await?;
        Ok(None)
    }

    /// Whether there is a breakpoint on a side of an activation. The test of a loop's condition is none of its places.
    fn has_breakpoint(&self, (node, epoch): &Key, side: Side) -> bool {
        if self.stops.is_parked_at(&self.plan, (*node, epoch), side) {
            return true;
        }
        self.stops.armed.is_on(*node, side) && !self.plan.is_test(*node, epoch)
    }

    /// The next activation that may start: any, or one that the step under way covers.
    fn next_released(&mut self) -> Option<Start> {
        let Some(step) = &self.stops.step else {
            let start = self.stops.starts.pop_front().or_else(|| self.restart_queue.pop());
            return start.or_else(|| self.scheduler.next_ready());
        };
        let covers = |node: NodeIx, epoch: &Epoch| step.covers(&self.plan, &(node, epoch.clone()));
        if let Some(at) = self.stops.starts.iter().position(|start| covers(start.node, &start.epoch)) {
            return self.stops.starts.remove(at);
        }
        if let Some(at) = self.restart_queue.iter().rposition(|start| covers(start.node, &start.epoch)) {
            return Some(self.restart_queue.remove(at));
        }
        self.scheduler.next_ready_where(covers)
    }

    /// Takes an outcome that is to be delivered, unless it is held.
    pub(super) async fn hold_delivery(&mut self, done: Done) -> Result<Option<Done>, Fault> {
        let done = self.with_changed_outputs(done);
        let key = (done.attempt.node, done.attempt.epoch.clone());
        let has_ended = matches!(done.outcome, Outcome::Finished { .. } | Outcome::Failed(_));
        let is_delivered = |step: &Step| step.delivers(&self.plan, &key, has_ended);
        if self.is_held() && !self.stops.step.as_ref().is_some_and(is_delivered) {
            let had_child = self.stops.children.values().any(|of| *of == key);
            let is_end_of_step = self.stops.step.as_ref().is_some_and(|step| step.is_of(&key))
                || had_child && !self.is_held_by_self();
            // It does not wait for the child any more.
            self.stops.children.retain(|_, of| *of != key);
            let point = self.point(&key, done.attempt.number, Side::After);
            let values = output_values(&done.outcome);
            self.stops.dones.push_back(done);
            if is_end_of_step {
                self.stop(StopCause::Step, Some(point), values).await?;
            }
            return Ok(None);
        }
        if !has_ended || !self.has_breakpoint(&key, Side::After) {
            return Ok(Some(done));
        }
        if let Outcome::Finished { written, .. } = &done.outcome {
            let contexts = written.changes.iter().map(|(context, _)| context);
            self.stops.facts.note_changes(&key, contexts, written.memory.is_some());
        }
        let point = self.point(&key, done.attempt.number, Side::After);
        let Some(reached) = self.reached(&key, &point, outcome_values(&done.outcome)).await? else {
            return Ok(Some(done));
        };
        let values = output_values(&done.outcome);
        match reached.1 {
            StopScope::Tree => self.stops.dones.push_front(done),
            StopScope::Branch => self.stops.dones.push_back(done),
        }
        self.stop_at(reached, point, values).await?;
        Ok(None)
    }

    /// An activation is about to call a model or a tool: lets it, or holds the call.
    pub(super) async fn hold_call(
        &mut self,
        at: &Activation,
        call: String,
        open: oneshot::Sender<()>,
    ) -> Result<(), Fault> {
        let Some(node) = self.plan.find(&at.node) else { return Ok(()) };
        let key = (node, at.epoch.clone());
        let attempt = self.scheduler.attempt(node, &at.epoch).unwrap_or(1);
        let point = StopPoint { call: Some(call), ..self.point(&key, attempt, Side::Call) };
        let step = self.stops.step.as_ref();
        if self.is_held() && !step.is_some_and(|step| step.calls(&self.plan, &key)) {
            let is_end_of_step = step.is_some_and(|step| step.is_of(&key));
            self.stops.calls.push(HeldCall { key, point: point.clone(), open });
            if is_end_of_step {
                self.stop(StopCause::Step, Some(point), NodeOutputs::new()).await?;
            }
            return Ok(());
        }
        match self.reached(&key, &point, Values::None).await? {
            None => {
                // A node that was dropped meanwhile does not listen.
                let _ = open.send(());
            }
            Some(reached) => {
                self.stops.calls.push(HeldCall { key, point: point.clone(), open });
                self.stop_at(reached, point, NodeOutputs::new()).await?;
            }
        }
        Ok(())
    }

    fn is_held_by_self(&self) -> bool {
        self.host.debugger.held_by().is_some_and(|run| run == self.run.info.run)
    }

    fn point(&self, key: &Key, attempt: u32, side: Side) -> StopPoint {
        let Activation { node, epoch } = self.activation(key.0, &key.1);
        StopPoint { node, epoch, attempt, side, call: None }
    }
}

/// The values of the place after an activation.
fn outcome_values(outcome: &Outcome) -> Values<'_> {
    match outcome {
        Outcome::Finished { output, .. } => Values::Outputs(&output.outputs),
        Outcome::Failed(fault) => Values::Error(fault),
        Outcome::Paused(_) | Outcome::Retrying { .. } | Outcome::RetryDue | Outcome::Stopped => Values::None,
    }
}

/// The values that an outcome would deliver, by port.
fn output_values(outcome: &Outcome) -> NodeOutputs {
    match outcome {
        Outcome::Finished { output, .. } => output.outputs.clone(),
        _ => NodeOutputs::new(),
    }
}
