//! Whether a place is one to stop at: the breakpoints of this run's flow.

use super::{Driver, Key};
use crate::breakpoint::{Armed, Place, Reached, Values, loops_that_begin};
use crate::plan::NodeIx;
use plait_core::error::Fault;
use plait_journal::{DebugEvent, Event, Side, StopCause, StopPoint, StopScope};

/// The breakpoints of a run's flow. Where an activation passes no breakpoint, a look at them is all that it pays for the others.
#[derive(Default)]
pub(super) struct ArmedBreakpoints {
    /// Those at nodes, in the order of the nodes.
    at_nodes: Vec<Armed>,
    /// For each node, where its own begin in `at_nodes`; then where the last ones end.
    begins: Vec<usize>,
    /// Those at every node.
    everywhere: Vec<Armed>,
    /// For each node, on which of its sides there is any. The only thing that most activations have read.
    sides: Vec<Sides>,
    follows_edges: bool,
}

/// Whether there is a breakpoint, by [`Side`].
type Sides = [bool; 3];

impl ArmedBreakpoints {
    /// `all` are those at a node or, without one, at every node. The flow has this many nodes.
    fn new(all: impl IntoIterator<Item = (Option<NodeIx>, Armed)>, nodes: usize) -> Self {
        let mut at_nodes = Vec::new();
        let mut armed = Self::default();
        for (node, breakpoint) in all {
            armed.follows_edges |= breakpoint.follows_edges();
            match node {
                Some(node) => at_nodes.push((node, breakpoint)),
                None => armed.everywhere.push(breakpoint),
            }
        }
        at_nodes.sort_by_key(|(node, _)| *node);
        armed.sides = vec![sides_of(&armed.everywhere); nodes];
        armed.begins.reserve(nodes + 1);
        for (node, breakpoint) in at_nodes {
            armed.begins.resize(node + 1, armed.at_nodes.len());
            add_sides(&mut armed.sides[node], &breakpoint);
            armed.at_nodes.push(breakpoint);
        }
        armed.begins.resize(nodes + 1, armed.at_nodes.len());
        armed
    }

    pub fn is_empty(&self) -> bool {
        self.at_nodes.is_empty() && self.everywhere.is_empty()
    }

    /// Whether one has to know over which edge a value comes.
    pub fn follows_edges(&self) -> bool {
        self.follows_edges
    }

    /// Whether there is one on a side of a node.
    pub fn is_on(&self, node: NodeIx, side: Side) -> bool {
        self.sides.get(node).is_some_and(|sides| sides[side as usize])
    }

    /// Those at a node.
    pub fn at(&self, node: NodeIx) -> impl Iterator<Item = &Armed> {
        let own = match self.begins.get(node..=node + 1) {
            Some(&[begin, end]) => &self.at_nodes[begin..end],
            _ => &[],
        };
        own.iter().chain(&self.everywhere)
    }
}

fn sides_of(breakpoints: &[Armed]) -> Sides {
    let mut sides = Sides::default();
    for breakpoint in breakpoints {
        add_sides(&mut sides, breakpoint);
    }
    sides
}

fn add_sides(sides: &mut Sides, breakpoint: &Armed) {
    for side in [Side::Before, Side::Call, Side::After] {
        sides[side as usize] |= breakpoint.is_on(side);
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
        let all = self.host.debugger.breakpoints();
        let own = all.iter().enumerate().filter(|(_, breakpoint)| self.host.debugger.is_own(breakpoint));
        let armed = own.filter_map(|(at, breakpoint)| {
            let node = match &breakpoint.node {
                None => None,
                // A node that the flow does not have holds nothing.
                Some(node) => Some(self.plan.find(node)?),
            };
            Some((node, Armed::new(&all, at, &self.plan, node)))
        });
        let armed = ArmedBreakpoints::new(armed, self.plan.nodes.len());
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
                Ok(Reached::Text(text)) => texts.push((breakpoint.id().to_owned(), text)),
                Ok(Reached::Stop) => {
                    cause =
                        Some((StopCause::Breakpoint { id: breakpoint.id().to_owned() }, breakpoint.scope));
                }
                Err(error) => {
                    cause = Some((
                        StopCause::Condition { id: breakpoint.id().to_owned(), error: Box::new(error) },
                        breakpoint.scope,
                    ));
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
        // What is held there may come up again when another stop is over.
        let is_noted = match cause {
            Some(_) => !self.stops.noted.insert(point.clone()),
            None => self.stops.noted.contains(point),
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
        if self.stops.armed.is_empty() && self.stops.open.branches.is_empty() {
            return Vec::new();
        }
        let begin = loops_that_begin(&self.plan, key).into_iter();
        let armed = begin.filter(|of_loop| self.has_breakpoint(of_loop, Side::Before));
        armed.map(|of_loop| (of_loop.clone(), self.point(&of_loop, 1, Side::Before))).collect()
    }
}
