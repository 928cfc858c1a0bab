//! What a provider says it counted. Owns what is believed of it: nonsense is as if it had said nothing, and never costs a
//! reply.

use plait_engine::run::TokenUsage;
use serde_json::Value;

/// No window is nearly as large; what claims to have used more is no count.
const MOST: u64 = u32::MAX as u64;

/// A number of tokens, where it is one: whole, not negative, and not absurd.
pub(crate) fn count(said: Option<&Value>) -> Option<u64> {
    let said = said?;
    // Some write whole numbers with a point.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in bounds and whole")]
    let whole = || {
        let float = said.as_f64()?;
        (float.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&float)).then_some(float as u64)
    };
    said.as_u64().or_else(whole).filter(|count| *count <= MOST)
}

/// A usage, where both sides of it are counts and not both nothing: no call is that cheap.
pub(crate) fn usage(input: Option<u64>, output: Option<u64>) -> Option<TokenUsage> {
    let usage = TokenUsage::new(input?, output?);
    (usage != TokenUsage::default()).then_some(usage)
}

/// The same usage with its parts, each no larger than what it is part of.
pub(crate) fn with_parts(
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
