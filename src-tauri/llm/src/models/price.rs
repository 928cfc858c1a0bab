//! Prices of models, and what a call costs at one.
//!
//! A price applies to the editions of one model only. Every other model has no price, which is not a price of 0: a displayed
//! sum says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::models::TokenUsage;

/// US dollars per million tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// For prompt tokens.
    pub input: f64,
    /// For reply tokens, including reasoning.
    pub output: f64,
    /// For prompt tokens read from the provider's cache; by default the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cached_input: Option<f64>,
    /// For prompt tokens written to the provider's cache; by default the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cache_write: Option<f64>,
    /// The prices of a whole call with a long prompt, by ascending length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PriceStep>>")]
    pub above: Vec<PriceStep>,
}

/// The price of calls with a long prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PriceStep {
    /// Applies to prompts of more than this many tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// For prompt tokens.
    pub input: f64,
    /// For reply tokens, including reasoning.
    pub output: f64,
    /// For prompt tokens read from the provider's cache; by default the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cached_input: Option<f64>,
    /// For prompt tokens written to the provider's cache; by default the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cache_write: Option<f64>,
}

/// Far above any real price, and small enough that no sum overflows.
pub const MAX_USD_PER_MILLION_TOKENS: f64 = 1_000_000.0;

impl Price {
    /// The cost of a call with this usage, in billionths of a US dollar.
    pub fn nano_usd(&self, usage: &TokenUsage) -> u64 {
        let step = self.above.iter().filter(|step| usage.input > step.tokens).max_by_key(|step| step.tokens);
        let (input, output, cached, write) = match step {
            Some(step) => (step.input, step.output, step.cached_input, step.cache_write),
            None => (self.input, self.output, self.cached_input, self.cache_write),
        };
        let cached_input = usage.cached_input.min(usage.input);
        let cache_write = usage.cache_write.min(usage.input - cached_input);
        let plain = usage.input - cached_input - cache_write;
        let pico = [
            (plain, input),
            (cached_input, cached.unwrap_or(input)),
            (cache_write, write.unwrap_or(input)),
            (usage.output, output),
        ]
        .into_iter()
        .fold(0_u128, |sum, (tokens, price)| sum + u128::from(tokens) * pico_dollars(price));
        u64::try_from((pico + 500) / 1_000).unwrap_or(u64::MAX)
    }

    /// The error in it, if any, for a message.
    pub fn problem(&self) -> Option<String> {
        let steps = self
            .above
            .iter()
            .map(|step| [Some(step.input), Some(step.output), step.cached_input, step.cache_write]);
        let all = steps
            .chain([[Some(self.input), Some(self.output), self.cached_input, self.cache_write]])
            .flatten()
            .flatten();
        let wrong = all.into_iter().find(|price| !(0.0..=MAX_USD_PER_MILLION_TOKENS).contains(price))?;
        Some(format!(
            "{wrong} is no price: one is from 0 to {MAX_USD_PER_MILLION_TOKENS} US dollars per million tokens"
        ))
    }
}

/// Dollars per million tokens as trillionths of a dollar per token, which is an integer for every listed price.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded below and above")]
fn pico_dollars(price: f64) -> u128 {
    // NaN becomes 0.
    (price.clamp(0.0, MAX_USD_PER_MILLION_TOKENS) * 1e6).round() as u128
}

#[cfg(test)]
mod tests;
