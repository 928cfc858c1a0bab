//! Token counts reported by providers. Implausible values are ignored, as if the provider had reported none; they never
//! fail a reply.

use plait_llm::models::TokenUsage;
use serde_json::Value;

/// No context window is nearly as large; a larger number is not a count.
const MAX_TOKENS: u64 = u32::MAX as u64;

/// A token count: whole, not negative, and at most [`MAX_TOKENS`].
pub(crate) fn token_count(reported: Option<&Value>) -> Option<u64> {
    let reported = reported?;
    // Some servers write whole numbers with a decimal point.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in bounds and whole")]
    let whole = || {
        let float = reported.as_f64()?;
        (float.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&float)).then_some(float as u64)
    };
    reported.as_u64().or_else(whole).filter(|count| *count <= MAX_TOKENS)
}

/// The usage, if both counts are known and not both zero: no call is that cheap.
pub(crate) fn usage(input: Option<u64>, output: Option<u64>) -> Option<TokenUsage> {
    let usage = TokenUsage::new(input?, output?);
    (usage != TokenUsage::default()).then_some(usage)
}

/// Adds the breakdown to a usage; no part is larger than the count it belongs to.
pub(crate) fn with_breakdown(
    usage: TokenUsage,
    cached_input: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
) -> TokenUsage {
    let cached_input = cached_input.unwrap_or_default().min(usage.input);
    TokenUsage {
        cached_input,
        cache_write: cache_write.unwrap_or_default().min(usage.input - cached_input),
        reasoning: reasoning.unwrap_or_default().min(usage.output),
        ..usage
    }
}

#[cfg(test)]
mod tests;
