//! Stops that hold one activation while everything goes on that does not depend on it. The activation is put aside: since it has not
//! started, has not called or is not delivered, nothing that follows from it comes up, and the scheduler needs no other rule.
//!
//! A run has one such stop at a time. Further places that are reached meanwhile are held as well, and come up one after the other. The runs
//! above say that a branch below them stands still, so that a person finds it from the root.

use super::{Driver, Key, Running, Start, Stops, is_inside};
use crate::codes;
use crate::debugger::{Debugger, HeldActivation};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId, RunId};
use plait_journal::{DebugVerb, NodeOutputs, Side, StopCause, StopPoint, StopScope};

/// A branch stands still, and the rest goes on.
pub(super) struct BranchStop {
    /// The child run that it is in, at any depth. None: an activation of this run is held.
    below: Option<RunId>,
    /// A person paused the activation while it was under way: its next call or its end is the place where it is held.
    is_awaited: bool,
    /// The time limit of what started this run stands still as well.
    _starter: Option<HeldActivation>,
}

impl BranchStop {
    fn new(below: Option<RunId>, debugger: &Debugger) -> Self {
        Self { below, is_awaited: false, _starter: debugger.hold_starter() }
    }

    /// What the journal leaves: a branch stands still if there is a stop that holds one.
    pub fn restore(
        stopped: Option<u64>,
        is_awaited: bool,
        below: Option<&RunId>,
        debugger: &Debugger,
        run: &RunId,
    ) -> Option<Self> {
        if stopped.is_none() {
            debugger.release_branch(run);
            return None;
        }
        debugger.hold_branch(run, below);
        Some(Self { is_awaited, ..Self::new(below.cloned(), debugger) })
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
        self.parked_point() == Some(point) || self.is_awaited_at(point)
    }

    /// Whether an activation comes here that was paused while it was under way.
    fn is_awaited_at(&self, point: &StopPoint) -> bool {
        let is_awaited = self.branch.as_ref().is_some_and(|branch| branch.is_awaited);
        let held = self.parked_point().filter(|_| is_awaited);
        held.is_some_and(|held| (&held.node, &held.epoch) == (&point.node, &point.epoch))
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
            // Where it is, with what it holds, is known only now.
            StopScope::Branch if self.stops.is_awaited_at(&point) => {
                if let Some(branch) = &mut self.stops.branch {
                    branch.is_awaited = false;
                }
                self.record_stopped(cause, scope, Some(point), values)?;
                self.recorder.flush().await
            }
            // It is that stop, or comes up when that one is over.
            StopScope::Branch if self.stops.stopped.is_some() => Ok(()),
            StopScope::Branch => {
                self.stops.branch = Some(BranchStop::new(None, &self.host.debugger));
                self.record_stopped(cause, scope, Some(point), values)?;
                self.host.debugger.hold_branch(&self.info.run, None);
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

    /// Pauses the branch of a node that runs, in one iteration or in the first one in which it does. What is under way ends and is held.
    /// Fault `debug.cannot_pause`.
    pub(super) async fn pause_branch(
        &mut self,
        node: &NodeId,
        epoch: Option<&Epoch>,
    ) -> Result<Result<(), Fault>, Fault> {
        if self.stops.stopped.is_some() {
            let message = "The run stands still already, or a branch of it.";
            return Ok(Err(Fault::new(codes::DEBUG_CANNOT_PAUSE, message)
                .hint("Continue it first, or pause the whole run.")));
        }
        let found = self.plan.find(node).filter(|node| self.plan.nodes[*node].body.is_none());
        let begun = found.map(|node| self.scheduler.begun(node)).unwrap_or_default();
        let runs = |start: &Start| {
            epoch.is_none_or(|epoch| *epoch == start.epoch)
                && self.scheduler.is_open(start.node, &start.epoch)
        };
        let Some(start) = begun.into_iter().find(runs) else {
            let message = format!("`{node}` does not run now, so its branch can't be paused there.");
            return Ok(Err(Fault::new(codes::DEBUG_CANNOT_PAUSE, message)
                .hint("Name a node that runs, or set a breakpoint that holds its branch.")));
        };
        let point = self.point(&(start.node, start.epoch), start.attempt, Side::After);
        let branch = BranchStop::new(None, &self.host.debugger);
        self.stops.branch = Some(BranchStop { is_awaited: true, ..branch });
        self.record_stopped(StopCause::Pause, StopScope::Branch, Some(point), NodeOutputs::new())?;
        self.host.debugger.hold_branch(&self.info.run, None);
        self.recorder.flush().await?;
        Ok(Ok(()))
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
        let cause = StopCause::Elsewhere { run: run.clone() };
        self.record_stopped(cause, StopScope::Branch, None, NodeOutputs::new())?;
        self.host.debugger.hold_branch(&self.info.run, Some(&run));
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
