//! How far Plait's count of a prompt is off for a model whose vendor publishes no tokenizer, learned from what the provider
//! reports.
//!
//! A correction is two sums, tokens counted and tokens reported for the same prompts, so that what was learned in one place
//! and in another simply adds up. The order matters only where the sums have grown so large that they are halved. Whole
//! numbers only: the same reports in the same order give the same prompts everywhere.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::names::names;

/// Counted and reported tokens of the same prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// What Plait counted.
    #[ts(type = "number")]
    pub counted: u64,
    /// What the provider reported.
    #[ts(type = "number")]
    pub reported: u64,
}

/// What was learned of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationSample {
    /// The model, as `provider/model`.
    pub model: String,
    /// Counted and reported tokens.
    #[serde(flatten)]
    pub correction: Correction,
}

/// Prompts below this many counted tokens teach nothing: what a provider adds to every prompt outweighs them.
const LEAST_COUNTED: u64 = 200;
/// A report more than so many times off, either way, is a mistake of the provider's and teaches nothing.
const MOST_OFF: u64 = 4;
/// Every model begins as if so many tokens had been counted right: one odd prompt changes little.
const PRIOR: u64 = 1_000;
/// Beyond this many counted tokens both sums are halved: what was learned lately counts more.
const MEMORY: u64 = 1_000_000;
/// The least and the most a count is corrected to, in thousandths.
const BOUNDS: std::ops::RangeInclusive<u64> = 500..=3_000;

impl Correction {
    /// What one prompt teaches; nothing where the report makes no sense.
    pub fn of(counted: u64, reported: u64) -> Option<Self> {
        let sane = counted >= LEAST_COUNTED
            && reported >= counted / MOST_OFF
            && reported <= counted.saturating_mul(MOST_OFF);
        sane.then_some(Self { counted, reported })
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let counted = self.counted.saturating_add(other.counted);
        let reported = self.reported.saturating_add(other.reported);
        if counted > MEMORY {
            Self { counted: counted / 2, reported: reported / 2 }
        } else {
            Self { counted, reported }
        }
    }

    /// By how much a count is to be corrected, in thousandths: 1,000 is as counted.
    pub fn permille(self) -> u64 {
        let counted = u128::from(self.counted) + u128::from(PRIOR);
        let reported = u128::from(self.reported) + u128::from(PRIOR);
        let rounded = (reported * 1_000 + counted / 2) / counted;
        u64::try_from(rounded).unwrap_or(u64::MAX).clamp(*BOUNDS.start(), *BOUNDS.end())
    }

    /// What so many counted tokens are likely to be, rounded up.
    pub fn apply(self, counted: u64) -> u64 {
        let corrected = (u128::from(counted) * u128::from(self.permille())).div_ceil(1_000);
        u64::try_from(corrected).unwrap_or(u64::MAX)
    }

    /// How many counted tokens there is room for in so many real ones.
    pub fn room(self, tokens: u64) -> u64 {
        let counted = u128::from(tokens) * 1_000 / u128::from(self.permille());
        u64::try_from(counted).unwrap_or(u64::MAX)
    }
}

/// Whether counts for this model are the vendor's own: `OpenAI` publishes its tokenizers, and the simulators count with
/// them. There is nothing to learn then.
pub fn is_exact(provider: &str, model: &str) -> bool {
    provider == super::OFFLINE
        || names(provider, model).skip(1).any(|name| {
            let reasoner = ["o1", "o3", "o4"].iter().filter_map(|family| name.strip_prefix(family));
            name.starts_with("gpt-")
                || name.starts_with("chatgpt-")
                || reasoner.into_iter().any(|rest| !rest.starts_with(char::is_alphanumeric))
        })
}

#[cfg(test)]
mod tests;
