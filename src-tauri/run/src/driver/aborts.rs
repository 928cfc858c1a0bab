//! Stopping what still runs in an iteration of a loop that has ended.

use futures::future::{BoxFuture, FutureExt};

use super::Driver;
use super::attempt::Done;
use crate::plan::NodeIx;
use plait_core::id::Epoch;

impl Driver {
    /// An attempt, or a wait before one, that is stopped if the iteration ends that it is part of. `was_sleeping` says whether it only
    /// lets time pass.
    pub(super) fn stoppable<'p>(
        &mut self,
        key: (NodeIx, Epoch),
        attempt: BoxFuture<'p, Done>,
        was_sleeping: bool,
    ) -> BoxFuture<'p, Done> {
        if !self.plan.is_in_loop(key.0) {
            return attempt;
        }
        let (attempt, stop) = futures::future::abortable(attempt);
        let (node, epoch) = key.clone();
        self.aborts.insert(key, stop);
        Box::pin(attempt.map(move |done| done.unwrap_or_else(|_| Done::stopped(node, epoch, was_sleeping))))
    }

    /// Stops what still runs though the iteration that it is part of has ended.
    pub(super) fn stop_closed(&mut self) {
        let scheduler = &self.scheduler;
        self.aborts.retain(|(node, epoch), stop| {
            let is_open = scheduler.is_open(*node, epoch);
            if !is_open {
                stop.abort();
            }
            is_open
        });
        // One that starts again first may have ended the iteration of another.
        self.restart_queue.retain(|start| scheduler.is_open(start.node, &start.epoch));
        self.stops.forget_closed(scheduler);
        let plan = &self.plan;
        self.questions
            .retain(|at, _| plan.find(&at.node).is_some_and(|node| scheduler.is_asking(node, &at.epoch)));
    }
}
