//! What model calls used and cost, as one sum: over a run, a conversation, a day, a model.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallEvent, Event};
use plait_core::quota::Amount;
use plait_llm::models::{Cost, TokenUsage};

/// Calls, tokens and money. Adds up over anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Spending {
    /// Model calls that were answered.
    #[ts(type = "number")]
    pub calls: u64,
    /// What they used.
    pub tokens: TokenUsage,
    /// What they cost.
    pub cost: Cost,
}

impl Spending {
    /// What an event says was spent: a model's reply does, unless an earlier run bought it, and a call that failed after it may
    /// have been billed, with a cost that nobody knows.
    pub fn of(event: &Event) -> Option<Self> {
        if let Event::Call(_, CallEvent::ModelFailed { .. }) = event {
            return Some(Self { cost: Cost::of_call(None), ..Self::default() });
        }
        let Event::Call(_, CallEvent::ModelReplied { reply, account, reused: None, .. }) = event else {
            return None;
        };
        // A call of a time when no accounts were kept has no price that anybody knows.
        let cost = Cost::of_call(account.as_ref().and_then(|account| account.cost_nano_usd));
        Some(Self { calls: 1, tokens: reply.usage.unwrap_or_default(), cost })
    }
}

impl From<Spending> for Amount {
    fn from(spending: Spending) -> Self {
        let tokens = spending.tokens.input.saturating_add(spending.tokens.output);
        Self { tokens, nano_usd: spending.cost.nano_usd }
    }
}

impl std::ops::AddAssign for Spending {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens += other.tokens;
        self.cost += other.cost;
    }
}

impl std::iter::Sum for Spending {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

#[cfg(test)]
mod tests;
