//! Fits text that a run is writing into the stream of its events: each piece once, in order, and none before the events that it follows
//! or after those that have it whole.

use std::collections::{BTreeMap, VecDeque};

use plait_core::id::Activation;
use plait_host_store::LiveText;
use plait_journal::{Entry, Event, NodeEvent};

/// How many pieces are kept that came before the events which they follow.
const MAX_EARLY_PIECES: usize = 256;

/// How much of a text was shown.
#[derive(Clone, Copy, Default)]
struct Shown {
    text: u64,
    reasoning: u64,
}

pub(crate) struct TextCursor {
    /// The number of the next event.
    next: u64,
    shown: BTreeMap<Activation, Shown>,
    /// Pieces whose events have not come.
    early: VecDeque<LiveText>,
}

impl TextCursor {
    pub(crate) fn at(next: u64) -> Self {
        Self { next, shown: BTreeMap::new(), early: VecDeque::new() }
    }

    /// A piece that has come, as far as it is to be shown now.
    pub(crate) fn take(&mut self, piece: &LiveText) -> Option<Entry> {
        if piece.after > self.next {
            if self.early.len() == MAX_EARLY_PIECES {
                self.early.pop_front();
            }
            self.early.push_back(piece.clone());
            return None;
        }
        // What came later has the whole of it.
        if piece.after < self.next {
            return None;
        }
        let shown = self.shown.entry(piece.activation.clone()).or_default();
        let (text, reasoning) = (
            rest(&piece.text, piece.text_before, shown.text)?,
            rest(&piece.reasoning, piece.reasoning_before, shown.reasoning)?,
        );
        if text.is_empty() && reasoning.is_empty() {
            return None;
        }
        shown.text += text.len() as u64;
        shown.reasoning += reasoning.len() as u64;
        let delta = NodeEvent::Delta { text: text.to_owned(), reasoning: reasoning.to_owned() };
        Some(Entry {
            seq: None,
            at: piece.at,
            event: Event::Node(piece.activation.clone(), delta),
            interrupted_ms: 0,
        })
    }

    /// Goes on behind events that were shown. Gives the pieces that follow them.
    pub(crate) fn pass(&mut self, entries: &[Entry], next: u64) -> Vec<Entry> {
        self.next = next;
        for entry in entries {
            if let Event::Node(
                activation,
                NodeEvent::Finished { .. }
                | NodeEvent::Failed { .. }
                | NodeEvent::Skipped { .. }
                | NodeEvent::Retrying { .. },
            ) = &entry.event
            {
                self.shown.remove(activation);
            }
        }
        let early = std::mem::take(&mut self.early);
        early.iter().filter_map(|piece| self.take(piece)).collect()
    }
}

/// The part of a piece behind what was shown. `None` if there is a gap between.
fn rest(piece: &str, before: u64, shown: u64) -> Option<&str> {
    let known = usize::try_from(shown.checked_sub(before)?).ok()?;
    Some(piece.get(known..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
