//! Which stops of a run nobody has left: one of the whole tree, and one for each branch that stands still alone.

use std::sync::Arc;

use super::StopView;
use crate::{DebugEvent, DebugVerb, StopCause};
use plait_core::id::RunId;

impl StopView {
    /// Whether two stops hold the same: the whole tree, one activation, or a branch of one child run.
    fn holds_what(&self, other: &Self) -> bool {
        if self.scope.is_tree() || other.scope.is_tree() {
            return self.scope == other.scope;
        }
        match (&self.at, &other.at) {
            (Some(at), Some(other)) => (&at.node, &at.epoch) == (&other.node, &other.epoch),
            (None, None) => self.elsewhere() == other.elsewhere(),
            _ => false,
        }
    }

    /// The run that stands still, if this one does because of it.
    pub fn elsewhere(&self) -> Option<&RunId> {
        match &self.cause {
            StopCause::Elsewhere { run } => Some(run),
            _ => None,
        }
    }
}

/// Takes in an event of the debugger with its number and time. The newest stop is the last one.
pub fn apply_to_stops(stops: &mut Vec<StopView>, event: &DebugEvent, number: u64, at: u64) {
    match event {
        DebugEvent::Stopped { cause, scope, point, values, ways, error } => {
            let stop = StopView {
                number,
                cause: cause.clone(),
                scope: *scope,
                at: point.clone(),
                values: values.clone(),
                ways: ways.clone(),
                error: error.as_deref().cloned(),
                since: at,
            };
            // Of what is held, the latest word counts: a branch that was paused under way has come to its place.
            stops.retain(|other| !stop.holds_what(other));
            stops.push(stop);
        }
        DebugEvent::Continued { stop: None, .. } => stops.clear(),
        DebugEvent::Continued { stop: Some(left), verb, .. } => {
            let is_step = *verb != DebugVerb::Continue;
            stops.retain(|stop| stop.number != *left && !(is_step && stop.scope.is_tree()));
        }
        DebugEvent::Overridden { point, port, value, .. } => {
            for stop in stops.iter_mut().filter(|stop| stop.at.as_ref() == Some(point)) {
                stop.values.insert(port.clone(), Arc::clone(value));
            }
        }
        DebugEvent::Rerouted { point, from, to, values, .. } => {
            for stop in stops.iter_mut().filter(|stop| stop.at.as_ref() == Some(point)) {
                stop.values.clone_from(values);
                for way in stop.ways.iter_mut().filter(|way| *way == to) {
                    way.clone_from(from);
                }
            }
        }
        DebugEvent::Breakpoints { .. }
        | DebugEvent::TrialMade { .. }
        | DebugEvent::TrialDropped { .. }
        | DebugEvent::Logged { .. } => {}
    }
}
