//! What a retry reuses and what it buys again, as far as that is known before it runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{EarlierRun, RecordedToolCall};
use crate::journal::{CallEvent, Entry, Event, RunEvent, Spending};
use crate::models::{Cost, ModelOverrides, TokenUsage};
use crate::prompt_record::PromptRecord;
use crate::tool::SamplingRef;
use plait_core::id::{Activation, RunId};

/// What a retry of a run does with what that run recorded. What follows on that is not known before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RetryForecast {
    /// The replies that are reused, as long as the requests for them stay the same, and what they cost when they were bought.
    pub replies: Spending,
    /// The results of tools that are reused.
    #[ts(type = "number")]
    pub tool_results: u64,
    /// The answers of people that are reused.
    #[ts(type = "number")]
    pub answers: u64,
    /// The calls that are made again, because they got no reply or one that the run failed by. Their tokens and their cost are
    /// those of their prompts alone: nobody knows how long a reply will be.
    pub bought: Spending,
}

impl RetryForecast {
    /// What a retry does with what one run recorded; the runs that it started are not counted.
    pub fn of(earlier: &EarlierRun, entries: &[Entry]) -> Self {
        let mut forecast = Self::default();
        for recorded in earlier.activations.values() {
            for (_, bought) in recorded.replies.values() {
                let account = bought.account.as_ref();
                forecast.replies += Spending {
                    calls: 1,
                    tokens: bought.reply.usage.unwrap_or_default(),
                    cost: Cost::of_call(account.and_then(|account| account.cost_nano_usd)),
                };
            }
            let results = recorded.tool_calls.iter().filter_map(RecordedToolCall::reusable);
            forecast.tool_results += results.count() as u64;
            forecast.answers += recorded.answers.len() as u64;
        }
        forecast.bought = unanswered(earlier, entries);
        forecast
    }
}

impl std::ops::AddAssign for RetryForecast {
    fn add_assign(&mut self, other: Self) {
        self.replies += other.replies;
        self.tool_results = self.tool_results.saturating_add(other.tool_results);
        self.answers = self.answers.saturating_add(other.answers);
        self.bought += other.bought;
    }
}

impl EarlierRun {
    /// The child runs that a fork takes over: the last one of each activation that started some.
    pub fn children(&self) -> impl Iterator<Item = &RunId> {
        self.activations.values().filter_map(|recorded| recorded.child.as_ref())
    }
}

/// The model calls that were about to be made and have no reply to reuse.
fn unanswered(earlier: &EarlierRun, entries: &[Entry]) -> Spending {
    let mut prompts: BTreeMap<(&Activation, (u32, Option<SamplingRef>)), &PromptRecord> = BTreeMap::new();
    let unchanged = ModelOverrides::default();
    let mut models = &unchanged;
    for entry in entries {
        match &entry.event {
            Event::Run(RunEvent::Started { models: known, .. }) => models = known,
            Event::Call(activation, CallEvent::PromptRendered { step, prompt, sampling }) => {
                let recorded = earlier.activations.get(activation);
                let call = (*step, sampling.clone());
                if recorded.is_none_or(|recorded| !recorded.replies.contains_key(&call)) {
                    prompts.insert((activation, call), prompt);
                }
            }
            _ => {}
        }
    }
    let of_prompt = |prompt: &PromptRecord| {
        let tokens = TokenUsage::new(prompt.tokens, 0);
        let price = models.price(&prompt.provider, &prompt.model);
        Spending { calls: 1, tokens, cost: Cost::of_call(price.map(|price| price.nano_usd(&tokens))) }
    };
    prompts.into_values().map(of_prompt).sum()
}
