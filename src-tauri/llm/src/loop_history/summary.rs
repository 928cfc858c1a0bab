//! The summary of a history: when it is due, what it condenses, and whether what a model wrote may stand in its place.
//!
//! A summary is kept and extended: it covers the oldest turns, and the next one is written from it and the turns after
//! it. Pinned turns are never condensed. If no summary can be written, the turns are left out by the bounds alone.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{HistoryBounds, HistoryManagement, HistoryStrategy, LoopHistory};
use crate::context::{Message, Role, SharedMessage};
use plait_core::error::Fault;
use plait_core::id::Activation;
use plait_core::origin::Origins;

/// A summary of the oldest turns.
#[derive(Clone, Debug, PartialEq)]
pub struct HistorySummary {
    /// It, as a turn of the assistant.
    pub message: SharedMessage,
    /// How many of the oldest turns it covers.
    pub covered: usize,
}

/// How an attempt to write a summary ended, as the run keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "attempt", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SummaryAttempt {
    /// It is written, and covers the turns before this position.
    Written {
        text: String,
        tokens: u32,
        covered: usize,
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        origins: Origins,
    },
    /// None was written of the turns before this position.
    Failed { through: usize, error: Fault },
}

/// Why what a model wrote cannot be the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RejectedSummary {
    /// It says nothing.
    #[error("it is empty")]
    Empty,
    /// It takes as many tokens as what it would replace, or more.
    #[error("it has {tokens} tokens, and what it would replace has {replaced}")]
    TooLong { tokens: u64, replaced: u64 },
    /// It alone exceeds the most tokens that turns may take.
    #[error("it has {tokens} tokens, and `max_tokens` is {max_tokens}")]
    ExceedsBound { tokens: u64, max_tokens: u64 },
}

/// What the next summary condenses.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryPlan {
    /// The turns that it condenses, oldest first.
    pub turns: Vec<SharedMessage>,
    /// The positions that they lie between. What lies between them and is not one of them is pinned.
    pub range: Range<usize>,
    /// The summary so far, which it replaces.
    pub previous: Option<SharedMessage>,
    /// The tokens of what it replaces.
    pub replaced_tokens: u64,
    /// The most tokens that it may have.
    max_tokens: Option<u64>,
}

impl HistorySummary {
    /// The summary that an attempt wrote.
    pub fn of(attempt: &SummaryAttempt, author: &Activation) -> Option<Self> {
        let SummaryAttempt::Written { text, tokens, covered, origins } = attempt else { return None };
        let id = format!("{author}/summary").into();
        let message = Message::plain(id, Role::Assistant, text.as_str(), author.clone(), *tokens);
        let message = Message { origins: origins.clone(), ..message };
        Some(Self { message: Arc::new(message), covered: *covered })
    }
}

impl SummaryPlan {
    /// The turns to condense now, if there are any: the bounds are exceeded, and there are at least two turns that a
    /// summary may take. `failed` is the position through which the last attempt failed, after which the next one waits
    /// until there is twice as much to condense.
    pub fn new(
        history: &LoopHistory,
        summary: Option<&HistorySummary>,
        failed: Option<usize>,
        management: &HistoryManagement,
        bounds: HistoryBounds,
    ) -> Option<Self> {
        if management.strategy != HistoryStrategy::Summarize {
            return None;
        }
        let turns = history.messages();
        let covered = summary.map_or(0, |summary| summary.covered.min(turns.len()));
        let previous = summary.map(|summary| Arc::clone(&summary.message));
        let (mut tokens, mut count) = (0, 0);
        let mut add = |message: &Message| {
            tokens += u64::from(message.tokens);
            count += 1;
        };
        if let Some(message) = &previous {
            add(message);
        }
        let earlier = history.pinned().take_while(|at| *at < covered);
        for message in earlier.filter_map(|at| turns.get(at)) {
            add(message);
        }
        let mut pinned = history.pinned().skip_while(|at| *at < covered).peekable();
        let mut free = Vec::new();
        for (at, message) in (covered..).zip(turns.focus().narrow(covered..)) {
            add(message);
            if pinned.next_if_eq(&at).is_none() {
                free.push((at, message));
            }
        }
        let exceeds = bounds.max_tokens.is_some_and(|bound| tokens > bound)
            || bounds.max_turns.is_some_and(|bound| count > bound);
        if !exceeds || free.len() < 2 {
            return None;
        }
        let condensed = proportion(free.len(), management.ratio());
        let end = free[condensed - 1].0 + 1;
        if failed.is_some_and(|failed| end - covered < failed.saturating_sub(covered).saturating_mul(2)) {
            return None;
        }
        let turns: Vec<SharedMessage> =
            free[..condensed].iter().map(|(_, message)| Arc::clone(message)).collect();
        let replaced = previous.iter().chain(&turns).map(|message| u64::from(message.tokens)).sum();
        Some(Self {
            turns,
            range: covered..end,
            previous,
            replaced_tokens: replaced,
            max_tokens: bounds.max_tokens,
        })
    }

    /// Where it comes from.
    pub fn origins(&self) -> Origins {
        Origins::union(self.previous.iter().chain(&self.turns).map(|message| &message.origins))
    }

    /// Whether `text`, with these tokens as a message, may be the summary.
    pub fn accept(
        &self,
        text: &str,
        tokens: u32,
        origins: Origins,
    ) -> Result<SummaryAttempt, RejectedSummary> {
        let text = text.trim();
        if text.is_empty() {
            return Err(RejectedSummary::Empty);
        }
        let size = u64::from(tokens);
        if size >= self.replaced_tokens {
            return Err(RejectedSummary::TooLong { tokens: size, replaced: self.replaced_tokens });
        }
        if let Some(max_tokens) = self.max_tokens.filter(|max_tokens| size > *max_tokens) {
            return Err(RejectedSummary::ExceedsBound { tokens: size, max_tokens });
        }
        Ok(SummaryAttempt::Written { text: text.to_owned(), tokens, covered: self.range.end, origins })
    }

    /// That no summary was written.
    pub fn failed(&self, error: Fault) -> SummaryAttempt {
        SummaryAttempt::Failed { through: self.range.end, error }
    }

    /// The most tokens that a summary may have to be accepted.
    pub fn max_summary_tokens(&self) -> u64 {
        let shorter = self.replaced_tokens.saturating_sub(1);
        self.max_tokens.map_or(shorter, |max_tokens| max_tokens.min(shorter))
    }
}

/// How many of `count` turns a ratio is: at least one, and never all.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a history has far fewer turns than 2^52, and the ratio is positive"
)]
fn proportion(count: usize, ratio: f64) -> usize {
    ((count as f64 * ratio).ceil() as usize).clamp(1, count.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests;
