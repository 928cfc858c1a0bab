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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_counts_are_counts() {
        for (said, expected) in [
            (json!(0), Some(0)),
            (json!(7), Some(7)),
            (json!(7.0), Some(7)),
            (json!(u32::MAX), Some(MOST)),
            (json!(7.5), None),
            (json!(-1), None),
            (json!(-1.0), None),
            (json!(u64::MAX), None),
            (json!(1e300), None),
            (json!("7"), None),
            (json!(null), None),
            (json!([7]), None),
            (json!({"n": 7}), None),
        ] {
            assert_eq!(count(Some(&said)), expected, "{said}");
        }
        assert_eq!(count(None), None);
    }

    #[test]
    fn parts_are_no_larger_than_the_whole() {
        let parts = with_parts(TokenUsage::new(10, 5), Some(8), Some(9), Some(6));
        assert_eq!(parts, TokenUsage { input: 10, output: 5, cached_input: 8, cache_write: 2, reasoning: 5 });
        assert_eq!(with_parts(TokenUsage::new(10, 5), None, None, None), TokenUsage::new(10, 5));
        assert_eq!(usage(Some(0), Some(0)), None);
        assert_eq!(usage(Some(1), None), None);
    }
}
