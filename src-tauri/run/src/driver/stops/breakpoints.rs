//! Whether a place is one to stop at: the breakpoints of this run's flow.

use rustc_hash::FxHashMap;

use super::{Driver, Key};
use crate::breakpoint::{Armed, Place, Reached, Values, loops_that_begin};
use crate::plan::NodeIx;
use plait_core::error::Fault;
use plait_journal::{DebugEvent, Event, Side, StopCause, StopPoint, StopScope};

/// The breakpoints of a run's flow.
#[derive(Default)]
pub(super) struct ArmedBreakpoints {
    by_node: FxHashMap<NodeIx, Vec<Armed>>,
    /// Those at every node.
    everywhere: Vec<Armed>,
    follows_edges: bool,
}

impl ArmedBreakpoints {
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty() && self.everywhere.is_empty()
    }

    /// Whether one has to know over which edge a value comes.
    pub fn follows_edges(&self) -> bool {
        self.follows_edges
    }

    /// Those at a node.
    pub fn at(&self, node: NodeIx) -> impl Iterator<Item = &Armed> {
        // Most runs have none at every node, and most nodes have one.
        self.by_node.get(&node).into_iter().flatten().chain(&self.everywhere)
    }

    fn add(&mut self, node: Option<NodeIx>, armed: Armed) {
        self.follows_edges |= armed.follows_edges();
        match node {
            Some(node) => self.by_node.entry(node).or_default().push(armed),
            None => self.everywhere.push(armed),
        }
    }
}

impl Driver {
    /// Takes over the breakpoints of the tree if they were changed.
    pub(in crate::driver) fn arm(&mut self) {
        let edits = self.host.debugger.edits();
        if self.stops.edits == edits {
            return;
        }
        self.stops.edits = edits;
        let mut armed = ArmedBreakpoints::default();
        let all = self.host.debugger.breakpoints();
        for breakpoint in all.iter().filter(|breakpoint| self.host.debugger.is_own(breakpoint)) {
            let node = match &breakpoint.node {
                None => None,
                Some(node) => match self.plan.find(node) {
                    // A node that the flow does not have holds nothing.
                    None => continue,
                    found => found,
                },
            };
            armed.add(node, Armed::new(breakpoint, &self.plan, node));
        }
        if !armed.follows_edges() {
            self.stops.sources.clear();
        }
        self.stops.armed = armed;
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
        if self.stops.left.contains(point) {
            self.stops.facts.leave_place(key);
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut cause = None;
        let stops = &self.stops;
        let sources = stops.sources.get(key).filter(|_| point.side == Side::Before);
        let place = Place::new(&self.plan, key.0, point, values, stops.facts.get(key), sources);
        for breakpoint in stops.armed.at(key.0).filter(|breakpoint| breakpoint.is_on(point.side)) {
            // Boxed, so that runs without conditions do not carry its state.
            match Box::pin(breakpoint.judge(&place, &*self.host.evaluator)).await {
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
        if cause.is_none() {
            self.stops.facts.leave_place(key);
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
