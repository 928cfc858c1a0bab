//! The journal of an earlier run as a fork reads it. Most of its events say what nodes computed, which a fork computes again: they are not
//! decoded. Owns which those are.

use std::borrow::Cow;

use plait_core::id::{Activation, NodeId, RunId};
use plait_journal::{ActivationEvent as _, ChildEvent, Entry, Event, JournalLines, LineHead, NodeEvent};

/// The events that count, in order.
pub(super) struct EarlierJournal<'r> {
    /// What a fork reads of them: what nodes bought, asked and called, and that they finished, without their outputs.
    entries: Cow<'r, [Entry]>,
    /// The positions and times of all events that count.
    places: Vec<(u64, u64)>,
}

impl<'r> EarlierJournal<'r> {
    pub(super) fn of_entries(entries: &'r [Entry]) -> Self {
        let places = entries.iter().filter_map(|entry| Some((entry.seq?, entry.at))).collect();
        Self { entries: Cow::Borrowed(entries), places }
    }

    /// Lines that can't be read do not count.
    pub(super) fn of_lines(lines: &dyn JournalLines) -> Self {
        let mut places = Vec::with_capacity(lines.count());
        let mut entries = Vec::new();
        for index in 0..lines.count() {
            let (place, entry) = match LineHead::read(lines.line(index)) {
                Some(head) if is_computed_again(head.event) => ((head.seq, head.time), finished(head)),
                _ => {
                    let Some(entry) = lines.entry(index) else { continue };
                    let Some(seq) = entry.seq else { continue };
                    ((seq, entry.at), Some(entry))
                }
            };
            places.push(place);
            entries.extend(entry);
        }
        Self { entries: Cow::Owned(entries), places }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many events count.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The position behind the last event.
    pub(super) fn end(&self) -> u64 {
        self.places.last().map_or(0, |(seq, _)| seq + 1)
    }

    /// When the last event happened.
    pub(super) fn last_time(&self) -> Option<u64> {
        self.places.last().map(|(_, time)| *time)
    }

    /// Leaves the first `count` events.
    pub(super) fn leave_first(&mut self, count: u64) {
        self.retain(|seq, _| seq < count);
    }

    /// Leaves what had happened by then.
    pub(super) fn leave_until(&mut self, time: u64) {
        self.retain(|_, at| at <= time);
    }

    /// Leaves what a run did before the end of this child run of it, which came at `until`, led to anything.
    pub(super) fn leave_before_end_of(&mut self, child: &RunId, until: u64) {
        let start = self.entries.iter().position(
            |entry| matches!(&entry.event, Event::Child(_, ChildEvent::Started { run }) if run == child),
        );
        let Some((entry, later)) = start.and_then(|start| self.entries.get(start..)?.split_first()) else {
            return;
        };
        let Event::Child(starter, _) = &entry.event else { return };
        let ends_starter = |entry: &&Entry| match &entry.event {
            Event::Node(
                activation,
                NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Retrying { .. },
            ) => activation == starter,
            _ => false,
        };
        let ended = later.iter().find(ends_starter).and_then(|entry| entry.seq);
        let passed = self.places.iter().find(|(seq, time)| entry.seq < Some(*seq) && *time > until);
        let first_left_out = ended.into_iter().chain(passed.map(|(seq, _)| *seq)).min();
        if let Some(seq) = first_left_out {
            self.leave_first(seq);
        }
    }

    fn retain(&mut self, counts: impl Fn(u64, u64) -> bool) {
        let all = self.places.len();
        self.places.retain(|(seq, time)| counts(*seq, *time));
        if self.places.len() < all {
            let entries = self.entries.to_mut();
            entries.retain(|entry| entry.seq.is_some_and(|seq| counts(seq, entry.at)));
        }
    }
}

/// Whether a fork takes nothing over of events of this type but that they happened.
fn is_computed_again(event: &str) -> bool {
    matches!(event, "node.ready" | "node.started" | "node.finished")
}

/// That an activation finished, if the line says so.
fn finished(head: LineHead<'_>) -> Option<Entry> {
    let (node, epoch) = head.at.filter(|_| head.event == "node.finished")?;
    let activation = Activation { node: NodeId::from(&*node), epoch };
    let (outputs, messages, metadata) = Default::default();
    let event = NodeEvent::Finished { outputs, messages, metadata }.of(activation);
    Some(Entry { seq: Some(head.seq), at: head.time, event, interrupted_ms: 0 })
}

#[cfg(test)]
mod tests;
