//! Tokens taken and given.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Tokens taken and given, as the provider reported them (or as counted, for the offline provider).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// Tokens of the prompt, those of the provider's cache included.
    #[ts(type = "number")]
    pub input: u64,
    /// Tokens of the reply, reasoning included.
    #[ts(type = "number")]
    pub output: u64,
    /// Of `input`: what the provider had in its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub cached_input: u64,
    /// Of `input`: what the provider put into its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub cache_write: u64,
    /// Of `output`: what went into reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<u32>")]
    pub reasoning: u64,
}

impl TokenUsage {
    /// That much of prompt and reply, and nothing known of caches and reasoning.
    pub fn new(input: u64, output: u64) -> Self {
        Self { input, output, ..Self::default() }
    }

    /// This sum, `before` in it replaced by `after`.
    #[must_use]
    pub fn replaced(mut self, before: Self, after: Self) -> Self {
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
