//! What happens between breakpoints, at the price of a look: where nothing is held and no breakpoint is at an activation, it starts and is
//! delivered as in a run without a debugger.

use super::{Done, Driver, Side, Start};

impl Driver {
    /// The next activation to start, if no place to stop at can be there. One that has to be looked at stays the next one.
    pub(in crate::driver) fn next_passing(&mut self) -> Option<Start> {
        if !self.is_passing() {
            return None;
        }
        let start = self.restart_queue.pop().or_else(|| self.scheduler.next_ready())?;
        let node = &self.plan.nodes[start.node];
        // Loops begin with what starts first inside, and their tests are no places.
        if !self.plan.is_in_loop(start.node)
            && node.body.is_none()
            && !self.stops.armed.is_on(start.node, Side::Before)
        {
            return Some(start);
        }
        self.stops.starts.push_back(start);
        None
    }

    /// Whether an outcome is delivered without a look at what is held.
    pub(in crate::driver) fn is_delivery_passing(&self, done: &Done) -> bool {
        self.is_passing() && !self.stops.armed.is_on(done.attempt.node, Side::After)
    }

    /// Whether nothing is held here or in the tree, and nothing about it has changed.
    fn is_passing(&self) -> bool {
        let stops = &self.stops;
        let is_anything_held =
            !stops.is_empty() || !stops.dones.is_empty() || !stops.calls.is_empty() || stops.step.is_some();
        let debugger = &self.host.debugger;
        !is_anything_held
            && stops.ended_loops.is_empty()
            && stops.edits == debugger.edits()
            && debugger.held_by().is_none()
            && !debugger.holds_branches()
    }
}
