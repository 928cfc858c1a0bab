//! The account of one model call: the tokens that Plait counted, the provider's report, the cost.
//!
//! It is computed once, with the reply, and journaled with it: the price of that day stays the price of that call.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::id::ContextId;
use plait_llm::models::ModelConfig;
use plait_llm::models::{CalibrationSample, Correction, ModelOverrides, TokenUsage, is_exact};
use plait_llm::stream_pace::StreamPace;

/// What one model call comes to, beside the usage in its reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallAccount {
    /// The context it was made in.
    pub context_id: ContextId,
    /// Who was asked.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// What Plait had counted the prompt to, before any correction.
    #[ts(type = "number")]
    pub counted: u64,
    /// Whether the reply's usage is Plait's own count: the provider reported none, or nonsense.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub estimated: bool,
    /// What the provider did report, where that was nonsense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub disbelieved: Option<TokenUsage>,
    /// What the call costs, in billionths of a US dollar; absent where the model's price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub cost_nano_usd: Option<u64>,
    /// When the parts of the reply arrived, if it was streamed.
    #[serde(default, skip_serializing_if = "StreamPace::is_empty")]
    #[ts(optional, as = "Option<StreamPace>")]
    pub pace: StreamPace,
}

/// A report that exceeds the count by this factor and these tokens is invalid. Wide enough for the parts that providers
/// add to prompts: instructions for tools, files, search results.
const MAX_REPORT_FACTOR: u64 = 100;
const MAX_REPORT_EXCESS_TOKENS: u64 = 100_000;

impl CallAccount {
    /// The account of a call, and the usage to go by: as reported, or as counted where the report can't be.
    pub fn of(
        context_id: ContextId,
        config: &ModelConfig,
        book: &ModelOverrides,
        counted: TokenUsage,
        reported: Option<TokenUsage>,
    ) -> (Self, TokenUsage) {
        let believed = reported.filter(|reported| is_sane(reported, &counted));
        // Without a report, the prompt is likely to be what its count is corrected to.
        let own = TokenUsage::new(config.correction.apply(counted.input), counted.output);
        let usage = believed.map_or(own, consistent);
        let account = Self {
            context_id,
            provider: config.provider.clone(),
            model: config.model.clone(),
            counted: counted.input,
            estimated: believed.is_none(),
            disbelieved: reported.filter(|_| believed.is_none()),
            cost_nano_usd: book.price(&config.provider, &config.model).map(|price| price.nano_usd(&usage)),
            pace: StreamPace::default(),
        };
        (account, usage)
    }

    /// What the call teaches of Plait's counts, given the usage in its reply.
    pub fn learned(&self, usage: TokenUsage) -> Option<CalibrationSample> {
        if self.estimated || is_exact(&self.provider, &self.model) {
            return None;
        }
        let correction = Correction::from_report(self.counted, usage.input)?;
        Some(CalibrationSample { model: ModelOverrides::key(&self.provider, &self.model), correction })
    }
}

fn is_sane(reported: &TokenUsage, counted: &TokenUsage) -> bool {
    let most =
        |counted: u64| counted.saturating_mul(MAX_REPORT_FACTOR).saturating_add(MAX_REPORT_EXCESS_TOKENS);
    // Nothing in for a prompt, or nothing out for a reply, is a field that was not filled in.
    reported.input > 0
        && (reported.output > 0 || counted.output == 0)
        && reported.input <= most(counted.input)
        // Hidden reasoning may be far longer than the visible reply.
        && reported.output <= most(counted.output)
}

/// The same usage, its parts no larger than the whole.
fn consistent(usage: TokenUsage) -> TokenUsage {
    let cached_input = usage.cached_input.min(usage.input);
    TokenUsage {
        cached_input,
        cache_write: usage.cache_write.min(usage.input - cached_input),
        reasoning: usage.reasoning.min(usage.output),
        ..usage
    }
}

#[cfg(test)]
mod tests;
