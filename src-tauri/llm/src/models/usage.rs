//! Token usage of model calls.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Tokens of prompts and replies, as the provider reported them (for the offline provider, as Plait counted them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// Tokens of the prompt, including those from the provider's cache.
    #[ts(type = "number")]
    pub input: u64,
    /// Tokens of the reply, including reasoning.
    #[ts(type = "number")]
    pub output: u64,
    /// The part of `input` that was read from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub cached_input: u64,
    /// The part of `input` that was written to the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub cache_write: u64,
    /// The part of `output` that is reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub reasoning: u64,
}

impl TokenUsage {
    /// Usage without details of caches and reasoning.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, ..Self::default() }
    }

    /// This sum with the part `before` replaced by `after`.
    #[must_use]
    pub fn replace_part(mut self, before: Self, after: Self) -> Self {
        self += after;
        self.input = self.input.saturating_sub(before.input);
        self.output = self.output.saturating_sub(before.output);
        self.cached_input = self.cached_input.saturating_sub(before.cached_input);
        self.cache_write = self.cache_write.saturating_sub(before.cache_write);
        self.reasoning = self.reasoning.saturating_sub(before.reasoning);
        self
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached_input = self.cached_input.saturating_add(other.cached_input);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}
