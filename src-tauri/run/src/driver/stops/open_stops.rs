//! The stops that nobody has continued: one of the whole tree, and one for each branch that stands still alone. Each has the number of its
//! event, by which persons name it.

use super::branch::BranchStop;
use super::{Driver, Stops};
use crate::debugger::Debugger;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::view::StopView;
use plait_journal::{DebugEvent, DebugVerb, Event, NodeOutputs, StopCause, StopPoint, StopScope};

#[derive(Default)]
pub(super) struct OpenStops {
    /// That of the whole tree, while it stands still.
    pub whole: Option<WholeStop>,
    /// Those of branches, in the order in which they came.
    pub branches: Vec<BranchStop>,
}

/// The whole tree stands still.
pub(super) struct WholeStop {
    number: u64,
    /// The activation of this run that is held by it.
    at: Option<StopPoint>,
    /// The other run that stopped, if it is not this one.
    elsewhere: Option<RunId>,
}

impl OpenStops {
    /// What the journal leaves. The tree, or a branch, stands still if it did in this run.
    pub fn restore(stops: &[StopView], debugger: &Debugger, run: &RunId) -> Self {
        let whole = stops.iter().find(|stop| stop.scope.is_tree());
        if let Some(stop) = whole
            && debugger.held_by().is_none()
        {
            debugger.hold(stop.elsewhere().unwrap_or(run));
        }
        let branches: Vec<BranchStop> =
            stops.iter().filter_map(|stop| BranchStop::restore(stop, debugger)).collect();
        if branches.is_empty() {
            debugger.release_branches(run);
        } else {
            debugger.hold_branch(run);
        }
        let whole = whole.map(|stop| WholeStop {
            number: stop.number,
            at: stop.at.clone(),
            elsewhere: stop.elsewhere().cloned(),
        });
        Self { whole, branches }
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.branches.is_empty()
    }

    /// Whether a stop has this number.
    pub fn has(&self, number: u64) -> bool {
        self.is_whole(number) || self.branch(number).is_some()
    }

    /// The stop of a branch that has this number.
    pub fn branch(&self, number: u64) -> Option<&BranchStop> {
        self.branches.iter().find(|branch| branch.number == number)
    }

    /// The activation of this run that is held by the stop with this number.
    pub fn place_of(&self, number: u64) -> Option<&StopPoint> {
        if self.is_whole(number) {
            return self.whole.as_ref()?.at.as_ref();
        }
        self.branch(number)?.point()
    }

    fn is_whole(&self, number: u64) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole.number == number)
    }

    fn remove(&mut self, number: u64, verb: DebugVerb) {
        self.branches.retain(|branch| branch.number != number);
        // Time passes in a step, until the next stop of the tree.
        if verb != DebugVerb::Continue || self.is_whole(number) {
            self.whole = None;
        }
    }
}

impl Stops {
    fn leave(&mut self, number: u64, verb: DebugVerb) {
        if let Some(left) = self.open.place_of(number).cloned() {
            self.noted.remove(&left);
            self.left.insert(left);
        }
        self.open.remove(number, verb);
    }
}

impl Driver {
    /// The tree stands still from now on, because of this run, and its journal says so. Not if another run has
    /// stopped it meanwhile: what was to be held here is held with the tree, and comes up again when that goes on. Returns whether this
    /// run stopped.
    pub(super) async fn stop(
        &mut self,
        cause: StopCause,
        at: Option<StopPoint>,
        values: NodeOutputs,
    ) -> Result<bool, Fault> {
        self.stops.step = None;
        let (run, debugger) = (self.run.info.run.clone(), self.host.debugger.clone());
        let is_stopped = debugger.stop(&run, || self.stop_whole(cause, at, values))?;
        if is_stopped {
            self.recorder.flush().await?;
        }
        Ok(is_stopped)
    }

    fn stop_whole(
        &mut self,
        cause: StopCause,
        at: Option<StopPoint>,
        values: NodeOutputs,
    ) -> Result<(), Fault> {
        let elsewhere = match &cause {
            StopCause::Elsewhere { run } => Some(run.clone()),
            _ => None,
        };
        let number = self.record_stopped(cause, StopScope::Tree, at.as_ref(), values)?;
        self.stops.open.whole = Some(WholeStop { number, at, elsewhere });
        Ok(())
    }

    /// Says in the journal that the run stands still, or a branch of it. Returns the number of the stop.
    pub(super) fn record_stopped(
        &mut self,
        cause: StopCause,
        scope: StopScope,
        at: Option<&StopPoint>,
        values: NodeOutputs,
    ) -> Result<u64, Fault> {
        let number = self.recorder.next_seq();
        let ways = at.map(|at| self.other_ways(at, &values)).unwrap_or_default();
        let error = at.and_then(|at| self.held_failure(at)).cloned().map(Box::new);
        let stopped = DebugEvent::Stopped { cause, scope, point: at.cloned(), values, ways, error };
        self.recorder.append([Event::Debug(stopped)])?;
        Ok(number)
    }

    /// Says in the journal that the run goes on from a stop, by a step of the activation at a place if one is given.
    pub(super) fn record_continued(
        &mut self,
        number: u64,
        verb: DebugVerb,
        point: Option<StopPoint>,
    ) -> Result<(), Fault> {
        self.stops.leave(number, verb);
        self.recorder.append([Event::Debug(DebugEvent::Continued { verb, stop: Some(number), point })])
    }

    /// Takes over what other runs of the tree, or persons, have changed.
    pub(super) async fn follow_tree(&mut self) -> Result<(), Fault> {
        self.arm();
        let held_by = self.host.debugger.held_by();
        if self.stops.step.is_some() {
            if held_by.as_ref() == Some(&self.run.info.run) {
                return Ok(());
            }
            // A place inside of what the step covers was reached, or everything goes on.
            self.stops.step = None;
        }
        self.follow_branches().await?;
        let Some(run) = held_by.filter(|_| self.is_held()) else {
            return match &self.stops.open.whole {
                Some(whole) => self.record_continued(whole.number, self.host.debugger.verb(), None),
                None => Ok(()),
            };
        };
        let is_known = match &self.stops.open.whole {
            // The other run may have gone on, and a third one stopped, before this one looked.
            Some(WholeStop { elsewhere: Some(known), .. }) => *known == run || run == self.run.info.run,
            Some(_) => true,
            None => false,
        };
        if is_known {
            return Ok(());
        }
        self.stop_whole(StopCause::Elsewhere { run }, None, NodeOutputs::new())?;
        self.recorder.flush().await
    }
}
