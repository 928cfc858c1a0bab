//! Where the run stands still, and which stop a request of the editor is about: that of its thread.

use plait_api::ErrorReply;
use plait_core::id::{Activation, RunId};
use plait_journal::view::StopView;

use super::{Debuggee, Session};
use crate::codes;
use crate::moments::Moment;
use crate::stack::{IDLE_THREAD, Place};

/// A stop of a run of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) run: RunId,
    /// The number of its event.
    pub(super) number: u64,
    /// The activation that it holds.
    pub(super) at: Option<Activation>,
    /// Whether it holds the whole run.
    pub(super) is_whole: bool,
}

impl Stop {
    pub(super) fn new(run: RunId, view: &StopView) -> Self {
        let at = view.at.as_ref().map(plait_journal::StopPoint::activation);
        Self { run, number: view.number, at, is_whole: view.scope.is_tree() }
    }

    pub(super) fn place(&self) -> Option<Place> {
        Some(Place { run: self.run.clone(), at: self.at.clone()? })
    }
}

impl Debuggee {
    /// The stop that came last.
    pub(super) fn newest_stop(&self) -> Option<&Stop> {
        self.stops.last()
    }

    /// The stop that holds a place.
    pub(super) fn stop_at(&self, place: &Place) -> Option<&Stop> {
        self.stops.iter().rev().find(|stop| stop.run == place.run && stop.at.as_ref() == Some(&place.at))
    }

    /// A stop as its journal says. None if it is over.
    pub(super) fn view_of(&self, stop: &Stop) -> Option<&StopView> {
        let outline = &self.tree.as_ref()?.log(&stop.run)?.outline;
        outline.stops.iter().find(|view| view.number == stop.number)
    }

    /// Takes out the stops of which the journals say that they are over.
    pub(super) fn take_left(&mut self) -> Vec<Stop> {
        let (open, left) =
            std::mem::take(&mut self.stops).into_iter().partition(|stop| self.view_of(stop).is_some());
        self.stops = open;
        left
    }

    /// The present, where the run stands still or has ended.
    pub(super) fn present(&self) -> Option<Moment> {
        let tree = self.tree.as_ref()?;
        let run = match self.newest_stop() {
            Some(stop) => stop.run.clone(),
            None if self.has_ended => tree.root.clone(),
            None => return None,
        };
        let events = tree.log(&run)?.entries.len();
        Some(Moment { run, events })
    }
}

impl Session {
    /// The stops that can be gone on from. `dap.past`, `dap.not_stopped`.
    fn live_stops(&mut self) -> Result<&[Stop], ErrorReply> {
        let debuggee = self.running()?;
        if debuggee.past.is_some() {
            return Err(ErrorReply::new(
                codes::DAP_PAST,
                "The session looks at the past of the run, which can't be changed.",
            )
            .hint("Continue to the present first."));
        }
        if debuggee.stops.is_empty() { Err(not_stopped()) } else { Ok(&debuggee.stops) }
    }

    /// The stop of a place, if it holds one, else the newest. `dap.past`, `dap.not_stopped`.
    pub(super) fn live_stop(&mut self, place: Option<&Place>) -> Result<Stop, ErrorReply> {
        self.live_stops()?;
        let debuggee = self.running()?;
        let of_place = place.and_then(|place| debuggee.stop_at(place));
        of_place.or_else(|| debuggee.newest_stop()).cloned().ok_or_else(not_stopped)
    }

    /// The stop that a request for a thread is about: its own, that of the whole run, or the only one. `dap.past`, `dap.not_stopped`.
    pub(super) fn live_stop_of(&mut self, thread: i64) -> Result<Stop, ErrorReply> {
        let place = match thread {
            IDLE_THREAD => None,
            thread => Some(self.numbers.place(thread)?.clone()),
        };
        let stops = self.live_stops()?;
        let at_place = |stop: &&Stop| place.is_some() && stop.place() == place;
        let found = stops.iter().rev().find(at_place).or_else(|| stops.iter().find(|stop| stop.is_whole));
        match (found, stops) {
            (Some(stop), _) | (None, [stop]) => Ok(stop.clone()),
            _ => Err(ErrorReply::new(
                codes::DAP_NOT_STOPPED,
                "This thread does not stand still: other branches of the run do.",
            )
            .hint("Choose the thread of one of them.")),
        }
    }
}

pub(super) fn not_stopped() -> ErrorReply {
    ErrorReply::new(codes::DAP_NOT_STOPPED, "The run does not stand still.")
        .hint("Pause it, or wait for a breakpoint.")
}
