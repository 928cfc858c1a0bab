//! Which turns are sent: the newest that fit the bounds, besides the summary and the pinned turns, which always are.

use std::ops::Range;
use std::sync::Arc;

use super::{HistoryBounds, HistorySummary, Insertion, LoopHistory};
use crate::context::{History, SharedMessage};

/// Why turns were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundReason {
    /// They exceed `max_tokens`.
    Tokens,
    /// They exceed `max_turns`.
    Turns,
    /// They exceed the model's window.
    Window,
    /// They are part of the summary.
    Summarized,
    /// It is the message that the node sends.
    OwnMessage,
}

/// Turns that were left out, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutTurns {
    pub reason: BoundReason,
    /// Their positions lie between these two; pinned turns between them are not left out.
    pub range: Range<usize>,
    /// How many they are.
    pub count: usize,
}

/// The sent part of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundedHistory {
    /// The summary, then the pinned turns that are older than the newest ones, then the newest ones with what stands among them.
    pub messages: History,
    /// The positions in `messages` of those that are no turns, ascending.
    pub inserted: Vec<usize>,
    /// The tokens of all of it.
    pub tokens: u64,
    /// Whether the first message is the summary.
    pub has_summary: bool,
    /// The pinned turns before `newest`.
    pub pinned: Vec<usize>,
    /// The newest turns that are sent; among them may be the node's own message, which is not.
    pub newest: Range<usize>,
    pub left_out: Vec<LeftOutTurns>,
}

/// The part of `history` to send within `bounds`, with the insertions that stand among the newest turns. `own` is the turn that the node sends as its message anyway.
pub fn bound_history(
    history: &LoopHistory,
    insertions: &[Insertion],
    summary: Option<&HistorySummary>,
    own: Option<usize>,
    bounds: HistoryBounds,
) -> BoundedHistory {
    let turns = history.messages();
    let covered = summary.map_or(0, |summary| summary.covered.min(turns.len()));
    let pinned: Vec<usize> = history.pinned().filter(|at| own != Some(*at)).collect();
    let mut used = Used { tokens: 0, turns: 0 };
    for message in summary.map(|summary| &summary.message).into_iter().chain(at(turns, &pinned)) {
        used.add(message.tokens);
    }
    let mut inserted = insertions;
    let (start, stopped) = used.add_newest(history, &mut inserted, covered, own, bounds);
    let inserted = &insertions[inserted.len()..];
    let older: Vec<usize> = pinned.into_iter().take_while(|at| *at < start).collect();
    let mut left_out = Vec::new();
    let mut leave_out = |reason, range: Range<usize>| {
        let inside = |at: &&usize| range.contains(at);
        let own = own.iter().filter(inside).count();
        let count = range.len() - older.iter().filter(inside).count() - own;
        if count > 0 {
            left_out.push(LeftOutTurns { reason, range, count });
        }
    };
    leave_out(BoundReason::Summarized, 0..covered);
    if let Some(reason) = stopped {
        leave_out(reason, covered..start);
    }
    if let Some(own) = own.filter(|own| *own < turns.len()) {
        left_out.push(LeftOutTurns { reason: BoundReason::OwnMessage, range: own..own + 1, count: 1 });
    }
    let first = summary.map(|summary| &summary.message).into_iter().chain(at(turns, &older));
    let mut messages: History = first.cloned().collect();
    let mut newest = turns.suffix(start);
    let own = own.filter(|own| (start..turns.len()).contains(own));
    if let Some(own) = own {
        newest.remove(own - start);
    }
    let mut places = Vec::with_capacity(inserted.len());
    let mut merged = 0;
    for Insertion { at, message } in inserted {
        let before = at.saturating_sub(start) - usize::from(own.is_some_and(|own| own < *at));
        messages.append(newest.slice(merged..before.max(merged)));
        merged = before.max(merged);
        places.push(messages.len());
        messages.extend([Arc::clone(message)]);
    }
    messages.append(newest.suffix(merged));
    BoundedHistory {
        messages,
        inserted: places,
        tokens: used.tokens,
        has_summary: summary.is_some(),
        pinned: older,
        newest: start..turns.len(),
        left_out,
    }
}

fn at<'a>(turns: &'a History, positions: &'a [usize]) -> impl Iterator<Item = &'a SharedMessage> {
    positions.iter().filter_map(|at| turns.get(*at))
}

/// The part to send so far.
struct Used {
    tokens: u64,
    turns: usize,
}

impl Used {
    fn add(&mut self, tokens: u32) {
        self.tokens += u64::from(tokens);
        self.turns += 1;
    }

    /// Adds the newest turns from `covered` on, as long as they fit. The pinned ones are added already. Returns the position of
    /// the first that fits, and why the one before it does not.
    fn add_newest(
        &mut self,
        history: &LoopHistory,
        insertions: &mut &[Insertion],
        covered: usize,
        own: Option<usize>,
        bounds: HistoryBounds,
    ) -> (usize, Option<BoundReason>) {
        let mut pinned = history.pinned().rev().peekable();
        let mut first = history.len();
        for chunk in history.messages().stats_newest_first() {
            first -= chunk.len();
            for (at, stats) in chunk.iter().enumerate().rev() {
                let position = first + at;
                if let Some(reason) = self.add_insertions(insertions, position + 1, bounds) {
                    return (position + 1, Some(reason));
                }
                if position < covered {
                    return (position + 1, None);
                }
                if pinned.next_if_eq(&position).is_some() || own == Some(position) {
                    continue;
                }
                if let Some(reason) = self.exceeds(stats.tokens, bounds) {
                    return (position + 1, Some(reason));
                }
                self.add(stats.tokens);
            }
        }
        let stopped = self.add_insertions(insertions, 0, bounds);
        (0, stopped)
    }

    /// Adds the last insertions with at least `at` turns before them, as long as they fit. They count as tokens, and not as turns.
    fn add_insertions(
        &mut self,
        insertions: &mut &[Insertion],
        at: usize,
        bounds: HistoryBounds,
    ) -> Option<BoundReason> {
        while let Some((last, rest)) = insertions.split_last().filter(|(last, _)| last.at >= at) {
            if let Some(reason) = self.exceeds_tokens(last.message.tokens, bounds) {
                return Some(reason);
            }
            self.tokens += u64::from(last.message.tokens);
            *insertions = rest;
        }
        None
    }

    /// Why another turn of this size does not fit.
    fn exceeds(&self, tokens: u32, bounds: HistoryBounds) -> Option<BoundReason> {
        let too_many = bounds.max_turns.is_some_and(|bound| self.turns >= bound);
        too_many.then_some(BoundReason::Turns).or_else(|| self.exceeds_tokens(tokens, bounds))
    }

    /// Why no more of this size fits, however many messages it is.
    fn exceeds_tokens(&self, tokens: u32, bounds: HistoryBounds) -> Option<BoundReason> {
        let tokens = self.tokens + u64::from(tokens);
        let over = |bound: Option<u64>| bound.is_some_and(|bound| tokens > bound);
        if over(bounds.max_tokens) {
            Some(BoundReason::Tokens)
        } else {
            over(bounds.window_room).then_some(BoundReason::Window)
        }
    }
}

#[cfg(test)]
mod tests;
