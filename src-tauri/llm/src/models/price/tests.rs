use super::*;
use crate::models::price;

fn usage(input: u64, output: u64, cached_input: u64, cache_write: u64) -> TokenUsage {
    TokenUsage { cached_input, cache_write, ..TokenUsage::new(input, output) }
}

#[test]
fn each_kind_of_token_has_its_price() {
    let listed = price("anthropic", "claude-sonnet-4-6").unwrap();
    // 1,000 × $3 + 2,000 × $0.30 + 500 × $3.75 + 100 × $15, per million.
    assert_eq!(listed.nano_usd(&usage(3_500, 100, 2_000, 500)), 3_000_000 + 600_000 + 1_875_000 + 1_500_000);
    let nano = price("openai", "gpt-4.1-nano").unwrap();
    assert_eq!(nano.nano_usd(&usage(1, 0, 1, 0)), 25, "$0.025 per million is 25 billionths a token");
    assert_eq!(nano.nano_usd(&usage(0, 0, 0, 0)), 0);
}

#[test]
fn cached_input_defaults_to_the_input_price() {
    let price = Price { input: 2.0, output: 1.0, ..Price::default() };
    assert_eq!(price.nano_usd(&usage(10, 0, 4, 3)), 10 * 2_000);
    // More cached than sent tokens never make the cost negative.
    assert_eq!(price.nano_usd(&usage(10, 0, 40, 30)), 10 * 2_000);
}

#[test]
fn long_prompt_price_applies_to_the_whole_call() {
    let listed = price("google", "gemini-2.5-pro").unwrap();
    assert_eq!(listed.nano_usd(&usage(200_000, 0, 0, 0)), 250_000_000);
    assert_eq!(listed.nano_usd(&usage(200_001, 0, 0, 0)), 500_002_500);
}

#[test]
fn negative_price_is_a_problem_and_costs_nothing() {
    let negative = Price { input: -1.0, ..Price::default() };
    assert!(negative.problem().is_some());
    assert_eq!(negative.nano_usd(&usage(5, 5, 0, 0)), 0);
}
