//! Stops that hold one activation while everything goes on that does not depend on it. The activation is put aside: since it has not
//! started, has not called or is not delivered, nothing that follows from it comes up, and the scheduler needs no other rule.
//!
//! A run may have many such stops at once. The runs above say that branches below them stand still, so that a person finds them from the
//! root.

use super::{Driver, Key, Running, Start, Stops, is_inside};
use crate::codes;
use crate::debugger::{Debugger, HeldActivation};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId, RunId};
use plait_journal::view::StopView;
use plait_journal::{DebugVerb, NodeOutputs, Side, StopCause, StopPoint, StopScope};

/// A branch stands still, and the rest goes on.
pub(super) struct BranchStop {
    /// The number of the event that says so.
    pub number: u64,
    pub held: HeldBranch,
    /// A person paused the activation while it was under way: its next call or its end is the place where it is held.
    is_awaited: bool,
    /// The time limit of what started this run stands still as well.
    _starter: Option<HeldActivation>,
}

/// Where a branch stands still.
pub(super) enum HeldBranch {
    /// At an activation of this run.
    Here(StopPoint),
    /// In a child run.
    Below(RunId),
}

impl BranchStop {
    fn new(number: u64, held: HeldBranch, debugger: &Debugger) -> Self {
        Self { number, held, is_awaited: false, _starter: debugger.hold_starter() }
    }

    /// What the journal leaves. None if the stop holds the whole tree.
    pub fn restore(stop: &StopView, debugger: &Debugger) -> Option<Self> {
        if stop.scope.is_tree() {
            return None;
        }
        let held = match (&stop.at, stop.elsewhere()) {
            (Some(at), _) => HeldBranch::Here(at.clone()),
            (None, Some(run)) => {
                // Until that run says what it holds itself.
                debugger.hold_branch(run);
                HeldBranch::Below(run.clone())
            }
            (None, None) => return None,
        };
        let is_end = stop.at.as_ref().is_some_and(|at| at.side == Side::After);
        let has_ended = !stop.values.is_empty() || stop.error.is_some();
        let is_awaited = stop.cause == StopCause::Pause && is_end && !has_ended;
        Some(Self { is_awaited, ..Self::new(stop.number, held, debugger) })
    }

    /// The activation of this run that is held.
    pub fn point(&self) -> Option<&StopPoint> {
        match &self.held {
            HeldBranch::Here(point) => Some(point),
            HeldBranch::Below(_) => None,
        }
    }

    fn is_at_activation(&self, node: &NodeId, epoch: &Epoch) -> bool {
        self.point().is_some_and(|held| held.node == *node && held.epoch == *epoch)
    }

    /// Whether this is the place where it is held, or the one that it comes to.
    fn holds(&self, point: &StopPoint) -> bool {
        self.point() == Some(point) || self.is_awaited && self.is_at_activation(&point.node, &point.epoch)
    }
}

impl Stops {
    /// What was put aside may start, or is held at its place once more.
    pub fn unpark(&mut self) {
        self.parked_loops.clear();
        while let Some(start) = self.parked.pop_back() {
            self.starts.push_front(start);
        }
    }

    /// Whether a side of an activation is a place at which its branch is held.
    pub fn is_parked_at(&self, plan: &Plan, (node, epoch): (NodeIx, &Epoch), side: Side) -> bool {
        self.open
            .branches
            .iter()
            .filter_map(BranchStop::point)
            .any(|held| held.side == side && held.epoch == *epoch && plan.find(&held.node) == Some(node))
    }

    /// Whether this is a place at which its branch is held.
    pub fn is_parked_point(&self, point: &StopPoint) -> bool {
        self.open.branches.iter().any(|branch| branch.holds(point))
    }
}

impl Driver {
    /// Stops at a place, with the whole tree or with the branch of the place alone.
    pub(super) async fn stop_at(
        &mut self,
        (cause, scope): (StopCause, StopScope),
        point: StopPoint,
        values: NodeOutputs,
    ) -> Result<(), Fault> {
        if scope.is_tree() {
            return self.stop(cause, Some(point), values).await.map(drop);
        }
        let is_known = |branch: &BranchStop| !branch.is_awaited && branch.point() == Some(&point);
        if self.stops.open.branches.iter().any(is_known) {
            return Ok(());
        }
        // Where one is that was paused under way, with what it holds, is known only now.
        self.stops.open.branches.retain(|branch| !branch.is_at_activation(&point.node, &point.epoch));
        self.stop_branch(cause, point, values, false).await
    }

    async fn stop_branch(
        &mut self,
        cause: StopCause,
        point: StopPoint,
        values: NodeOutputs,
        is_awaited: bool,
    ) -> Result<(), Fault> {
        let number = self.record_stopped(cause, StopScope::Branch, Some(&point), values)?;
        let branch = BranchStop::new(number, HeldBranch::Here(point), &self.host.debugger);
        self.stops.open.branches.push(BranchStop { is_awaited, ..branch });
        self.host.debugger.hold_branch(&self.run.info.run);
        self.recorder.flush().await
    }

    /// The same before a start, which is that of a loop if it is the first one inside.
    pub(super) async fn stop_before_start(
        &mut self,
        reached: (StopCause, StopScope),
        point: StopPoint,
        start: Start,
        values: NodeOutputs,
        of_loop: Option<Key>,
    ) -> Result<(), Fault> {
        match reached.1 {
            StopScope::Tree => self.stops.starts.push_front(start),
            StopScope::Branch => {
                self.stops.parked.push_back(start);
                self.stops.parked_loops.extend(of_loop);
            }
        }
        self.stop_at(reached, point, values).await
    }

    /// Pauses the branch of a node that runs, in one iteration or in the first one in which it does and is not paused. What is under way
    /// ends and is held. Fault `debug.cannot_pause`.
    pub(super) async fn pause_branch(
        &mut self,
        node: &NodeId,
        epoch: Option<&Epoch>,
    ) -> Result<Result<(), Fault>, Fault> {
        if self.stops.open.whole.is_some() {
            let message = "The whole run stands still already.";
            return Ok(Err(Fault::new(codes::DEBUG_CANNOT_PAUSE, message).hint("Continue it first.")));
        }
        let found = self.plan.find(node).filter(|node| self.plan.nodes[*node].body.is_none());
        let begun = found.map(|node| self.scheduler.begun(node)).unwrap_or_default();
        let runs = |start: &Start| {
            epoch.is_none_or(|epoch| *epoch == start.epoch)
                && self.scheduler.is_open(start.node, &start.epoch)
                && !self.stops.open.branches.iter().any(|branch| branch.is_at_activation(node, &start.epoch))
        };
        let Some(start) = begun.into_iter().find(runs) else {
            let message =
                format!("`{node}` does not run now, or is paused, so its branch can't be paused there.");
            return Ok(Err(Fault::new(codes::DEBUG_CANNOT_PAUSE, message)
                .hint("Name a node that runs, or set a breakpoint that holds its branch.")));
        };
        let point = self.point(&(start.node, start.epoch), start.attempt, Side::After);
        self.stop_branch(StopCause::Pause, point, NodeOutputs::new(), true).await?;
        Ok(Ok(()))
    }

    /// Whether an activation is inside of a loop that does not begin because its branch is held.
    pub(super) fn is_in_parked_loop(&self, key: &Key) -> bool {
        self.stops.parked_loops.iter().any(|of_loop| is_inside(&self.plan, key, of_loop))
    }

    /// Takes over what became of the branches that stand still, and of those of child runs.
    pub(super) async fn follow_branches(&mut self) -> Result<(), Fault> {
        if self.stops.open.branches.is_empty() && !self.host.debugger.holds_branches() {
            return Ok(());
        }
        let over: Vec<u64> = self
            .stops
            .open
            .branches
            .iter()
            .filter(|stop| self.is_over(stop))
            .map(|stop| stop.number)
            .collect();
        for number in over {
            self.leave_branch(number).await?;
        }
        let below = |branch: &BranchStop, run: &RunId| matches!(&branch.held, HeldBranch::Below(known) if known == run);
        let is_new = |run: &&RunId| {
            self.host.debugger.holds_branches_of(run)
                && !self.stops.open.branches.iter().any(|branch| below(branch, run))
        };
        let mut new: Vec<RunId> = self.stops.children.keys().filter(is_new).cloned().collect();
        new.sort();
        for run in new {
            let cause = StopCause::Elsewhere { run: run.clone() };
            let number = self.record_stopped(cause, StopScope::Branch, None, NodeOutputs::new())?;
            let branch = BranchStop::new(number, HeldBranch::Below(run), &self.host.debugger);
            self.stops.open.branches.push(branch);
            self.host.debugger.hold_branch(&self.run.info.run);
            self.recorder.flush().await?;
        }
        Ok(())
    }

    /// Whether a branch goes on: a person continued it elsewhere, or the iteration around it has ended without it.
    fn is_over(&self, stop: &BranchStop) -> bool {
        if !self.host.debugger.holds_branches_of(&self.run.info.run) {
            return true;
        }
        match &stop.held {
            HeldBranch::Below(run) => {
                !self.host.debugger.holds_branches_of(run) || !self.stops.children.contains_key(run)
            }
            HeldBranch::Here(point) => {
                !self.key_of(point).is_some_and(|(node, epoch)| self.scheduler.is_unfinished(node, &epoch))
            }
        }
    }

    /// Lets a branch go on that stands still.
    pub(super) async fn continue_branch(
        &mut self,
        number: u64,
        running: &mut Running<'_>,
    ) -> Result<(), Fault> {
        self.leave_branch(number).await?;
        self.deliver_released(running).await
    }

    async fn leave_branch(&mut self, number: u64) -> Result<(), Fault> {
        let below = self.stops.open.branch(number).and_then(|branch| match &branch.held {
            HeldBranch::Below(run) => Some(run.clone()),
            HeldBranch::Here(_) => None,
        });
        self.record_continued(number, DebugVerb::Continue, None)?;
        self.stops.unpark();
        self.recorder.flush().await?;
        if let Some(run) = below {
            self.host.debugger.release_branches(&run);
        }
        self.release_branches_if_none();
        Ok(())
    }

    /// Says to the tree that no branch of this run stands still, if that is so. Wakes this run as well, which then delivers what was held.
    fn release_branches_if_none(&self) {
        if self.stops.open.branches.is_empty() {
            self.host.debugger.release_branches(&self.run.info.run);
        }
    }

    /// A step begins at a stop. Where only a branch stands still there, the others stay where they are, as at any other step.
    pub(super) fn leave_by_step(
        &mut self,
        number: u64,
        verb: DebugVerb,
        point: Option<StopPoint>,
    ) -> Result<(), Fault> {
        let is_of_branch = self.stops.open.branch(number).is_some();
        self.record_continued(number, verb, point)?;
        if is_of_branch {
            self.stops.unpark();
            self.host.debugger.hold(&self.run.info.run);
            self.release_branches_if_none();
        }
        Ok(())
    }
}
