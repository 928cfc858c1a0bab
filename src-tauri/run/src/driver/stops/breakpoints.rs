//! Whether a place is one to stop at: the breakpoints of this run's flow.

use std::sync::Arc;

use super::{Driver, Key};
use crate::breakpoint::{Armed, Reached, Values, holds_no_branch, loops_that_begin, variables_of};
use crate::journal::{DebugEvent, Event, Side, StopCause, StopPoint, StopScope};
use plait_core::error::Fault;

impl Driver {
    /// Takes over the breakpoints of the tree if they were changed.
    pub(in crate::driver) fn arm(&mut self) {
        let edits = self.host.debugger.edits();
        if self.stops.edits == edits {
            return;
        }
        self.stops.edits = edits;
        self.stops.armed.clear();
        let all = self.host.debugger.breakpoints();
        for breakpoint in all.iter().filter(|breakpoint| self.host.debugger.is_own(breakpoint)) {
            // A node that the flow does not have holds nothing.
            if let Some(node) = self.plan.find(&breakpoint.node) {
                let mut armed = Armed::from(breakpoint);
                if holds_no_branch(&self.plan, node, breakpoint) {
                    armed.scope = StopScope::Tree;
                }
                self.stops.armed.entry(node).or_default().push(armed);
            }
        }
    }

    /// Why to stop at a place and how much, if there is a reason. Notes the texts of breakpoints that have one.
    pub(super) async fn reached(
        &mut self,
        key: &Key,
        point: &StopPoint,
        values: Values<'_>,
    ) -> Result<Option<(StopCause, StopScope)>, Fault> {
        if self.stops.is_parked_point(point) {
            return Ok(Some((StopCause::Pause, StopScope::Branch)));
        }
        let Some(armed) = self.stops.armed.get(&key.0).filter(|_| !self.stops.left.contains(point)) else {
            return Ok(None);
        };
        let mut variables = None;
        let mut texts = Vec::new();
        let mut cause = None;
        for breakpoint in armed.iter().filter(|breakpoint| breakpoint.is_on(point.side)) {
            let variables = &*variables
                .get_or_insert_with(|| Arc::new(variables_of(point, values, self.stops.facts.get(key))));
            // Boxed, so that runs without conditions do not carry its state.
            match Box::pin(breakpoint.judge(values, variables, &*self.host.evaluator)).await {
                Ok(Reached::No) => {}
                Ok(Reached::Text(text)) => texts.push((breakpoint.id.clone(), text)),
                Ok(Reached::Stop) => {
                    cause = Some((StopCause::Breakpoint { id: breakpoint.id.clone() }, breakpoint.scope));
                }
                Err(error) => {
                    cause =
                        Some((StopCause::Condition { id: breakpoint.id.clone(), error }, breakpoint.scope));
                }
            }
            if cause.is_some() {
                break;
            }
        }
        let scope = match cause {
            // In a step, everything else is held anyway.
            Some((_, scope)) if self.host.debugger.held_by().is_none() => scope,
            _ => StopScope::Tree,
        };
        let is_noted = match scope {
            StopScope::Tree => self.stops.noted.contains(point),
            // What is held there comes up again when another stop is over.
            StopScope::Branch => !self.stops.noted.insert(point.clone()),
        };
        for (id, text) in texts.into_iter().filter(|_| !is_noted) {
            let logged = DebugEvent::Logged { id, point: point.clone(), text: text.into() };
            self.recorder.append([Event::Debug(logged)])?;
        }
        Ok(cause.map(|(cause, _)| (cause, scope)))
    }

    /// The loops with breakpoints that begin with an activation, and the places before them. The outermost comes first.
    pub(super) fn armed_loops_that_begin(&self, key: &Key) -> Vec<(Key, StopPoint)> {
        if self.stops.armed.is_empty() && self.stops.branch.is_none() {
            return Vec::new();
        }
        let begin = loops_that_begin(&self.plan, key).into_iter();
        let armed = begin.filter(|of_loop| self.has_breakpoint(of_loop, Side::Before));
        armed.map(|of_loop| (of_loop.clone(), self.point(&of_loop, 1, Side::Before))).collect()
    }
}
