//! Stops that hold one activation while everything goes on that does not depend on it. The activation is put aside: since it has not
//! started, has not called or is not delivered, nothing that follows from it comes up, and the scheduler needs no other rule.
//!
//! A run has one such stop at a time. Further places that are reached meanwhile are held as well, and come up one after the other. The runs
//! above say that a branch below them stands still, so that a person finds it from the root.

use super::{Driver, Key, Running, Start, Stops, is_inside};
use crate::debugger::{Debugger, HeldActivation};
use crate::journal::{DebugVerb, NodeOutputs, Side, StopCause, StopPoint, StopScope};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::id::{Epoch, RunId};

/// A branch stands still, and the rest goes on.
pub(super) struct BranchStop {
    /// The child run that it is in, at any depth. None: an activation of this run is held.
    below: Option<RunId>,
    /// The time limit of what started this run stands still as well.
    _starter: Option<HeldActivation>,
}

impl BranchStop {
    fn new(below: Option<RunId>, debugger: &Debugger) -> Self {
        Self { below, _starter: debugger.hold_starter() }
    }

    /// What the journal leaves: a branch stands still if there is a stop that holds one.
    pub fn restore(
        stopped: Option<u64>,
        below: Option<&RunId>,
        debugger: &Debugger,
        run: &RunId,
    ) -> Option<Self> {
        if stopped.is_none() {
            debugger.release_branch(run);
            return None;
        }
        // What the run below says of itself counts once it is resumed.
        std::iter::once(run).chain(below).for_each(|run| debugger.hold_branch(run));
        Some(Self::new(below.cloned(), debugger))
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

    /// Whether a side of an activation is the place at which its branch is held.
    pub fn is_parked_at(&self, plan: &Plan, (node, epoch): (NodeIx, &Epoch), side: Side) -> bool {
        self.parked_point().is_some_and(|held| {
            held.side == side && held.epoch == *epoch && plan.find(&held.node) == Some(node)
        })
    }

    /// Whether this is the place at which its branch is held.
    pub fn is_parked_point(&self, point: &StopPoint) -> bool {
        self.parked_point() == Some(point)
    }

    fn parked_point(&self) -> Option<&StopPoint> {
        self.branch.as_ref().filter(|branch| branch.below.is_none())?;
        self.current.as_ref()
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
        match scope {
            StopScope::Tree => self.stop(cause, Some(point), values).await,
            // It is that stop, or comes up when that one is over.
            StopScope::Branch if self.stops.stopped.is_some() => Ok(()),
            StopScope::Branch => {
                self.stops.branch = Some(BranchStop::new(None, &self.host.debugger));
                self.record_stopped(cause, scope, Some(point), values)?;
                self.host.debugger.hold_branch(&self.info.run);
                self.recorder.flush().await
            }
        }
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

    /// Whether an activation is inside of a loop that does not begin because its branch is held.
    pub(super) fn is_in_parked_loop(&self, key: &Key) -> bool {
        self.stops.parked_loops.iter().any(|of_loop| is_inside(&self.plan, key, of_loop))
    }

    /// Takes over what became of the branch that stands still. Returns whether it still does.
    pub(super) async fn follow_branch(&mut self) -> Result<bool, Fault> {
        if self.is_held() {
            // The whole tree stands still now. The branch comes up again when that is over.
            self.stops.branch = None;
            self.stops.stopped = None;
            self.stops.current = None;
            self.stops.unpark();
            self.host.debugger.release_branch(&self.info.run);
            return Ok(false);
        }
        let below = self.stops.branch.as_ref().and_then(|branch| branch.below.as_ref());
        let held = below.unwrap_or(&self.info.run);
        let is_gone = self.stops.current.as_ref().is_some_and(|point| {
            let key = self.key_of(point);
            !key.is_some_and(|(node, epoch)| self.scheduler.is_unfinished(node, &epoch))
        });
        if self.host.debugger.holds_branch(held) && !is_gone {
            return Ok(true);
        }
        // A person continued it elsewhere, or the iteration around it has ended without it.
        self.leave_branch().await.map(|()| true)
    }

    /// A branch of a child run stands still.
    pub(super) async fn follow_branch_below(&mut self) -> Result<(), Fault> {
        if !self.host.debugger.holds_branches() {
            return Ok(());
        }
        let mut held = self.stops.children.keys().filter(|run| self.host.debugger.holds_branch(run));
        let Some(run) = held.next().cloned() else { return Ok(()) };
        self.stops.branch = Some(BranchStop::new(Some(run.clone()), &self.host.debugger));
        let cause = StopCause::Elsewhere { run };
        self.record_stopped(cause, StopScope::Branch, None, NodeOutputs::new())?;
        self.host.debugger.hold_branch(&self.info.run);
        self.recorder.flush().await
    }

    /// Lets the branch go on that stands still.
    pub(super) async fn continue_branch(&mut self, running: &mut Running<'_>) -> Result<(), Fault> {
        if let Some(BranchStop { below: Some(run), .. }) = &self.stops.branch {
            self.host.debugger.release_branch(run);
        }
        self.leave_branch().await?;
        self.deliver_released(running).await
    }

    async fn leave_branch(&mut self) -> Result<(), Fault> {
        self.record_continued(DebugVerb::Continue, None)?;
        self.stops.unpark();
        self.recorder.flush().await?;
        // Wakes this run as well, which then delivers what else was held.
        self.host.debugger.release_branch(&self.info.run);
        Ok(())
    }

    /// A step begins where only a branch stands still: the others stay where they are, as at any other step.
    pub(super) fn hold_tree_for_step(&mut self) {
        if self.stops.branch.take().is_some() {
            self.stops.unpark();
            self.host.debugger.hold(&self.info.run);
        }
    }
}
