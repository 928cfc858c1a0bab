//! The fold of the `debug.*` events of a journal.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::overrides::{Override, changes_of_way};
use plait_core::id::{Activation, PortName, RunId};
use plait_journal::{Breakpoint, DebugEvent, Side, StopCause, StopPoint, StopScope};

/// Where a journal leaves its run.
#[derive(Default)]
pub(in crate::driver) struct RestoredStops {
    pub breakpoints: Arc<[Breakpoint]>,
    /// The number of the event that says that the run stands still, if it does.
    pub stopped: Option<u64>,
    /// The activation that is held.
    pub current: Option<StopPoint>,
    /// How much it holds.
    pub scope: StopScope,
    /// Whether a person paused it under way, so that it has not come to its place yet.
    pub is_awaited: bool,
    /// The run that is held, if it is another one.
    pub elsewhere: Option<RunId>,
    /// Values that persons changed.
    pub overrides: Vec<(StopPoint, PortName, Override)>,
    /// The trials that persons made and dropped, in order.
    pub trials: Vec<DebugEvent>,
    /// Places that were left.
    pub left: FxHashSet<StopPoint>,
}

impl RestoredStops {
    pub fn apply(&mut self, event: &DebugEvent, seq: u64) {
        match event {
            DebugEvent::Breakpoints { breakpoints } => self.breakpoints = Arc::clone(breakpoints),
            DebugEvent::Stopped { cause, scope, point, values, error, .. } => {
                let is_end = point.as_ref().is_some_and(|point| point.side == Side::After);
                let has_ended = !values.is_empty() || error.is_some();
                self.is_awaited = *cause == StopCause::Pause && is_end && !has_ended;
                self.stopped = Some(seq);
                self.scope = *scope;
                self.current.clone_from(point);
                self.elsewhere = match cause {
                    StopCause::Elsewhere { run } => Some(run.clone()),
                    _ => None,
                };
            }
            DebugEvent::Continued { .. } => {
                self.stopped = None;
                self.elsewhere = None;
                self.left.extend(self.current.take());
            }
            DebugEvent::Overridden { point, port, value, .. } => {
                self.overrides.push((point.clone(), port.clone(), Override::Value(Arc::clone(value))));
            }
            DebugEvent::Rerouted { point, from, to, was, values } => {
                let changes = changes_of_way(from, to, was, values).into_iter();
                self.overrides.extend(changes.map(|(port, change)| (point.clone(), port, change)));
            }
            DebugEvent::TrialMade { .. } | DebugEvent::TrialDropped { .. } => self.trials.push(event.clone()),
            DebugEvent::Logged { .. } => {}
        }
    }

    /// A person dropped what came of an activation, and so what was changed of it.
    pub fn drop_outcome(&mut self, Activation { node, epoch }: &Activation) {
        let is_of = |point: &StopPoint| point.node == *node && point.epoch == *epoch;
        self.overrides.retain(|(point, ..)| !is_of(point) || point.side != Side::After);
    }
}
