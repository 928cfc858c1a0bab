//! What model calls used and cost, as one sum: over a run, a conversation, a day, a model.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Cost, Fact, TokenUsage};

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
    /// What a fact says was spent: only a model's reply does.
    pub fn of(fact: &Fact) -> Option<Self> {
        let Fact::ModelReplied { reply, account, .. } = fact else { return None };
        // A call of a time when no accounts were kept has no price that anybody knows.
        let cost = Cost::of_call(account.as_ref().and_then(|account| account.cost_nano_usd));
        Some(Self { calls: 1, tokens: reply.usage.unwrap_or_default(), cost })
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
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::id::Epoch;
    use crate::provider::ModelReply;
    use crate::run::CallAccount;

    fn replied(usage: Option<TokenUsage>, account: Option<CallAccount>) -> Fact {
        let reply = ModelReply { usage, ..ModelReply::default() };
        let account = account.map(Arc::new);
        Fact::ModelReplied { node: "chat".into(), epoch: Epoch::root(), step: 0, reply, account }
    }

    fn account(cost_nano_usd: Option<u64>) -> CallAccount {
        CallAccount {
            context_id: "main".into(),
            provider: "openai".to_owned(),
            model: "gpt-4o".to_owned(),
            counted: 1,
            estimated: false,
            disbelieved: None,
            cost_nano_usd,
        }
    }

    #[test]
    fn calls_tokens_and_money_add_up_and_what_has_no_price_is_counted() {
        let usage = TokenUsage { input: 10, output: 5, cached_input: 4, cache_write: 3, reasoning: 2 };
        let waiting = Fact::RunWaiting { on: Vec::new() };
        let facts = [
            replied(Some(usage), Some(account(Some(1_000)))),
            waiting,
            replied(Some(usage), Some(account(Some(500)))),
            replied(None, Some(account(None))),
            // Of a time when no accounts were kept.
            replied(None, None),
        ];
        let spent: Spending = facts.iter().filter_map(Spending::of).sum();
        let tokens = TokenUsage { input: 20, output: 10, cached_input: 8, cache_write: 6, reasoning: 4 };
        assert_eq!(spent, Spending { calls: 4, tokens, cost: Cost { nano_usd: 1_500, unpriced: 2 } });
    }
}
