//! Corrects Plait's token counts for models without a public tokenizer, from the counts that providers report.
//!
//! A correction is two sums, tokens counted and tokens reported for the same prompts, so corrections from several
//! places can be added. The order matters only once the sums are large enough to be halved. Integers only: the same
//! reports in the same order give the same prompts on every machine.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::names::candidate_names;

/// The sums of counted and reported tokens of the same prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// Tokens counted by Plait.
    #[ts(type = "number")]
    pub counted: u64,
    /// Tokens reported by the provider.
    #[ts(type = "number")]
    pub reported: u64,
}

/// A correction of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationSample {
    /// The model, as `provider/model`.
    pub model: String,
    /// Counted and reported tokens.
    #[serde(flatten)]
    pub correction: Correction,
}

/// Smaller prompts are ignored: the tokens that a provider adds to every prompt would dominate.
const MIN_COUNTED_TOKENS: u64 = 200;
/// A report that differs by more than this factor is an error of the provider and is ignored.
const MAX_FACTOR: u64 = 4;
/// Every model starts as if this many tokens had been counted correctly, so that one odd prompt changes little.
const PRIOR_TOKENS: u64 = 1_000;
/// Beyond this many counted tokens both sums are halved, so that later reports weigh more.
pub const MAX_COUNTED_TOKENS: u64 = 1_000_000;
/// The range of the correction factor, in thousandths.
const PERMILLE_RANGE: std::ops::RangeInclusive<u64> = 500..=3_000;

impl Correction {
    /// The correction from one prompt; `None` if the report is implausible.
    pub fn from_report(counted: u64, reported: u64) -> Option<Self> {
        let plausible = counted >= MIN_COUNTED_TOKENS
            && reported >= counted / MAX_FACTOR
            && reported <= counted.saturating_mul(MAX_FACTOR);
        plausible.then_some(Self { counted, reported })
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let counted = self.counted.saturating_add(other.counted);
        let reported = self.reported.saturating_add(other.reported);
        if counted > MAX_COUNTED_TOKENS {
            Self { counted: counted / 2, reported: reported / 2 }
        } else {
            Self { counted, reported }
        }
    }

    /// The correction factor in thousandths: 1,000 changes nothing.
    pub fn permille(self) -> u64 {
        self.permille_from(1_000)
    }

    /// The same if every model starts with the factor `start_permille`, until its reports weigh more.
    fn permille_from(self, start_permille: u64) -> u64 {
        let counted = u128::from(self.counted) + u128::from(PRIOR_TOKENS);
        let prior = u128::from(PRIOR_TOKENS) * u128::from(start_permille) / 1_000;
        let reported = u128::from(self.reported) + prior;
        let rounded = (reported * 1_000 + counted / 2) / counted;
        u64::try_from(rounded).unwrap_or(u64::MAX).clamp(*PERMILLE_RANGE.start(), *PERMILLE_RANGE.end())
    }

    /// The estimate of real tokens for counted ones, rounded up.
    pub fn apply(self, counted: u64) -> u64 {
        self.apply_cautiously(counted, 1_000)
    }

    /// The same for a model with estimates that start with the factor `start_permille`.
    pub fn apply_cautiously(self, counted: u64, start_permille: u64) -> u64 {
        let permille = u128::from(self.permille_from(start_permille));
        u64::try_from((u128::from(counted) * permille).div_ceil(1_000)).unwrap_or(u64::MAX)
    }

    /// How many counted tokens fit into `tokens` real ones, rounded down, for a model with estimates that start with
    /// the factor `start_permille`.
    pub fn to_counted_cautiously(self, tokens: u64, start_permille: u64) -> u64 {
        let counted = u128::from(tokens) * 1_000 / u128::from(self.permille_from(start_permille));
        u64::try_from(counted).unwrap_or(u64::MAX)
    }
}

/// Whether Plait counts with the model's own tokenizer, so that no correction is needed: `OpenAI` publishes its tokenizers,
/// and the simulators count with them.
pub fn is_exact(provider: &str, model: &str) -> bool {
    provider == plait_core::offline::OFFLINE
        || candidate_names(provider, model).skip(1).any(|name| {
            let reasoner = ["o1", "o3", "o4"].iter().filter_map(|family| name.strip_prefix(family));
            name.starts_with("gpt-")
                || name.starts_with("chatgpt-")
                || reasoner.into_iter().any(|rest| !rest.starts_with(char::is_alphanumeric))
        })
}

#[cfg(test)]
mod tests;
