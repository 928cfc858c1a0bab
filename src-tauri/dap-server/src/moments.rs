//! Going back and forth in what was recorded.
//!
//! A moment is a number of events of one run. The runs above are seen as they were when they started it. The moments that a person goes
//! to are those before a node starts, as at a step, and those at which the run stood still.

use plait_core::id::{Activation, NodeId, RunId};
use plait_journal::{ChildEvent, DebugEvent, Entry, Event, NodeEvent, StopPoint};

use crate::tree::Tree;

/// A run after a number of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) run: RunId,
    pub(crate) events: usize,
}

/// Where journals are read from.
pub(crate) trait Journals {
    fn entries(&self, run: &RunId) -> &[Entry];
    fn parent(&self, run: &RunId) -> Option<&(RunId, Activation)>;
}

impl Journals for Tree {
    fn entries(&self, run: &RunId) -> &[Entry] {
        self.log(run).map_or(&[], |log| &log.entries)
    }

    fn parent(&self, run: &RunId) -> Option<&(RunId, Activation)> {
        self.log(run)?.parent.as_ref()
    }
}

impl Moment {
    fn of(run: &RunId, events: usize) -> Self {
        Self { run: run.clone(), events }
    }

    /// What a person sees there: what the run stood still at, or else what starts next.
    pub(crate) fn activation(&self, journals: &impl Journals) -> Option<Activation> {
        let entries = journals.entries(&self.run);
        for entry in entries[..self.events.min(entries.len())].iter().rev() {
            match &entry.event {
                Event::Debug(DebugEvent::Stopped { point: Some(point), .. }) => {
                    return Some(point.activation());
                }
                Event::Debug(DebugEvent::Stopped { .. } | DebugEvent::Continued { .. })
                | Event::Node(_, NodeEvent::Started { .. }) => break,
                // What came in meanwhile, or was changed there.
                _ => {}
            }
        }
        entries.get(self.events).and_then(started).cloned()
    }

    /// The moment before the node started that started last, in this run or in those above.
    pub(crate) fn back(&self, journals: &impl Journals) -> Option<Self> {
        self.find_back(journals, |entry, _| started(entry).is_some())
    }

    /// The same as far back as the run stood still or `is_breakpoint` says that it would have now; the beginning if it did nowhere.
    pub(crate) fn back_to_stop(
        &self,
        journals: &impl Journals,
        is_breakpoint: impl Fn(&RunId, &NodeId) -> bool,
    ) -> Option<Self> {
        let found = self.find_back(journals, |entry, run| {
            stop_point(entry).is_some() || started(entry).is_some_and(|at| is_breakpoint(run, &at.node))
        });
        found.or_else(|| {
            let mut first = self.back(journals)?;
            while let Some(earlier) = first.back(journals) {
                first = earlier;
            }
            Some(first)
        })
    }

    fn find_back(&self, journals: &impl Journals, fits: impl Fn(&Entry, &RunId) -> bool) -> Option<Self> {
        let here = self.activation(journals);
        let (mut run, mut end) = (self.run.clone(), self.events);
        loop {
            let entries = journals.entries(&run);
            for at in (0..end.min(entries.len())).rev() {
                if !fits(&entries[at], &run) {
                    continue;
                }
                // A stop is seen once it has happened.
                let events = if stop_point(&entries[at]).is_some() { at + 1 } else { at };
                let found = Self::of(&run, events);
                // The start of what the run stood still before, and that stop, are one place.
                let is_same = found == *self
                    || (run == self.run
                        && here.is_some()
                        && found.activation(journals) == here
                        && !entries[events..self.events.min(entries.len())]
                            .iter()
                            .any(|entry| started(entry).is_some()));
                if !is_same {
                    return Some(found);
                }
            }
            let (parent, at) = journals.parent(&run)?.clone();
            end = began(journals.entries(&parent), &at, &run)?;
            run = parent;
        }
    }

    /// The moment before the next node starts, in this run or after it in those above. None: the present.
    pub(crate) fn over(&self, journals: &impl Journals) -> Option<Self> {
        let (mut run, mut from) = (self.run.clone(), self.next_event(journals));
        loop {
            let entries = journals.entries(&run);
            let next = (from..entries.len()).find(|at| started(&entries[*at]).is_some());
            if let Some(at) = next {
                return Some(Self::of(&run, at));
            }
            (run, from) = above(journals, &run)?;
        }
    }

    /// The moment before the first node starts in the sub-flow that starts here; otherwise as [`Self::over`].
    pub(crate) fn inside(&self, journals: &impl Journals) -> Option<Self> {
        let entries = journals.entries(&self.run);
        let here = self.activation(journals);
        let child =
            entries.get(self.events..).unwrap_or_default().iter().find_map(|entry| match &entry.event {
                Event::Child(at, ChildEvent::Started { run }) if Some(at) == here.as_ref() => Some(run),
                _ => None,
            });
        let first = child.and_then(|child| {
            let at = journals.entries(child).iter().position(|entry| started(entry).is_some())?;
            Some(Self::of(child, at))
        });
        first.or_else(|| self.over(journals))
    }

    /// The moment before the next node starts after this run, in those above. None: the present.
    pub(crate) fn out(&self, journals: &impl Journals) -> Option<Self> {
        let (run, events) = above(journals, &self.run)?;
        let above = Self::of(&run, events);
        match journals.entries(&run).get(events).and_then(started) {
            Some(_) => Some(above),
            None => above.over(journals),
        }
    }

    /// The next moment at which the run stood still, or `is_breakpoint` says that it would have now. None: the present.
    pub(crate) fn on_to_stop(
        &self,
        journals: &impl Journals,
        is_breakpoint: impl Fn(&RunId, &NodeId) -> bool,
    ) -> Option<Self> {
        let (mut run, mut from) = (self.run.clone(), self.next_event(journals));
        loop {
            let entries = journals.entries(&run);
            for (at, entry) in entries.iter().enumerate().skip(from) {
                if stop_point(entry).is_some() {
                    return Some(Self::of(&run, at + 1));
                }
                if started(entry).is_some_and(|at| is_breakpoint(&run, &at.node)) {
                    return Some(Self::of(&run, at));
                }
            }
            (run, from) = above(journals, &run)?;
        }
    }

    /// The first event that is later than this place: the start of what is held here is not.
    fn next_event(&self, journals: &impl Journals) -> usize {
        let entries = journals.entries(&self.run);
        let here = self.activation(journals);
        let own = entries
            .iter()
            .enumerate()
            .skip(self.events)
            .find_map(|(at, entry)| started(entry).map(|it| (at, it)));
        match own {
            Some((at, activation)) if Some(activation) == here.as_ref() => at + 1,
            _ => self.events,
        }
    }
}

/// Where a run above goes on after this one has ended.
fn above(journals: &impl Journals, run: &RunId) -> Option<(RunId, usize)> {
    let (parent, at) = journals.parent(run)?;
    let entries = journals.entries(parent);
    let from = began(entries, at, run)?;
    let ended = |entry: &Entry| matches!(&entry.event, Event::Node(of, NodeEvent::Finished { .. } | NodeEvent::Failed { .. }) if of == at);
    let end = entries.iter().skip(from).position(ended)?;
    Some((parent.clone(), from + end))
}

/// The number of events of a run when it began a child run: what it knew then.
pub(crate) fn began(entries: &[Entry], at: &Activation, child: &RunId) -> Option<usize> {
    let begins = |entry: &Entry| matches!(&entry.event, Event::Child(of, ChildEvent::Started { run }) if of == at && run == child);
    entries.iter().position(begins).map(|at| at + 1)
}

fn started(entry: &Entry) -> Option<&Activation> {
    match &entry.event {
        Event::Node(at, NodeEvent::Started { .. }) => Some(at),
        _ => None,
    }
}

/// What a run stood still at, if it is its own activation.
fn stop_point(entry: &Entry) -> Option<&StopPoint> {
    match &entry.event {
        Event::Debug(DebugEvent::Stopped { point, .. }) => point.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
