//! The fold of the `debug.*` events of a journal.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::overrides::{Override, changes_of_way};
use plait_core::id::{Activation, PortName};
use plait_journal::view::{StopView, apply_to_stops};
use plait_journal::{Breakpoint, DebugEvent, Side, StopPoint};

/// Where a journal leaves its run.
#[derive(Default)]
pub(in crate::driver) struct RestoredStops {
    pub breakpoints: Arc<[Breakpoint]>,
    /// Where the run stands still.
    pub stops: Vec<StopView>,
    /// Values that persons changed.
    pub overrides: Vec<(StopPoint, PortName, Override)>,
    /// The trials that persons made and dropped, in order.
    pub trials: Vec<DebugEvent>,
    /// Places that were left.
    pub left: FxHashSet<StopPoint>,
}

impl RestoredStops {
    pub fn apply(&mut self, event: &DebugEvent, seq: u64, at: u64) {
        if let DebugEvent::Continued { stop, .. } = event {
            let is_left = |of: &&StopView| stop.is_none_or(|stop| of.number == stop);
            self.left.extend(self.stops.iter().filter(is_left).filter_map(|stop| stop.at.clone()));
        }
        apply_to_stops(&mut self.stops, event, seq, at);
        match event {
            DebugEvent::Breakpoints { breakpoints } => self.breakpoints = Arc::clone(breakpoints),
            DebugEvent::Overridden { point, port, value, .. } => {
                self.overrides.push((point.clone(), port.clone(), Override::Value(Arc::clone(value))));
            }
            DebugEvent::Rerouted { point, from, to, was, values } => {
                let changes = changes_of_way(from, to, was, values).into_iter();
                self.overrides.extend(changes.map(|(port, change)| (point.clone(), port, change)));
            }
            DebugEvent::TrialMade { .. } | DebugEvent::TrialDropped { .. } => self.trials.push(event.clone()),
            DebugEvent::Stopped { .. } | DebugEvent::Continued { .. } | DebugEvent::Logged { .. } => {}
        }
    }

    /// A person dropped what came of an activation, and so what was changed of it.
    pub fn drop_outcome(&mut self, Activation { node, epoch }: &Activation) {
        let is_of = |point: &StopPoint| point.node == *node && point.epoch == *epoch;
        self.overrides.retain(|(point, ..)| !is_of(point) || point.side != Side::After);
    }
}
