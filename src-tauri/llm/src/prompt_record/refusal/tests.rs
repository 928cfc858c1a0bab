use serde_json::json;

use super::RefusedPrompt;
use crate::codes;
use crate::models::{Correction, ModelConfig, caution_permille, reserve};
use plait_core::error::Fault;

fn config(provider: &str, model: &str) -> ModelConfig {
    ModelConfig {
        provider: provider.to_owned(),
        model: model.to_owned(),
        max_tokens: None,
        window: 10_000,
        reserve: reserve(10_000, None),
        correction: Correction::default(),
        caution: caution_permille(provider, model),
        prompt_only: false,
    }
}

fn refusal(details: serde_json::Value, counted: u64) -> RefusedPrompt {
    let fault = Fault::new(codes::PROVIDER_CONTEXT_EXCEEDED, "Too long.").details(details);
    RefusedPrompt::of(&fault, counted).unwrap()
}

/// How many counted tokens fit.
fn room(config: &ModelConfig) -> u64 {
    config.correction.to_counted_cautiously(config.window - config.reserve, config.caution)
}

#[test]
fn named_tokens_become_the_factor() {
    let mut config = config("x", "unknown");
    let refused = refusal(json!({ "tokens": 12_000, "limit": 10_000 }), 6_000);
    refused.apply_to(&mut config);
    assert_eq!((config.caution, config.window), (2_000, 10_000));
    assert!(room(&config) * 2 <= 10_000 - config.reserve);
    let sample = refused.sample(&config).unwrap();
    assert_eq!(
        (sample.model.as_str(), sample.correction),
        ("x/unknown", Correction { counted: 6_000, reported: 12_000 })
    );
}

#[test]
fn named_limit_becomes_the_window() {
    let mut config = config("x", "unknown");
    refusal(json!({ "limit": 4_096 }), 6_000).apply_to(&mut config);
    assert_eq!((config.window, config.caution), (4_096, 1_300));
    assert!(config.reserve < 4_096 / 2);
}

#[test]
fn refusal_without_numbers_takes_a_quarter_away() {
    let mut config = config("x", "unknown");
    let before = room(&config);
    refusal(json!(null), before).apply_to(&mut config);
    let after = room(&config);
    assert!(after <= before * 3 / 4 + 2 && after > before / 2, "{after} of {before}");
}

#[test]
fn other_fault_is_no_refusal() {
    let fault = Fault::new(codes::PROVIDER_BAD_REQUEST, "No.").details(json!({ "tokens": 1 }));
    assert_eq!(RefusedPrompt::of(&fault, 10), None);
    // Exact counts teach nothing.
    let exact = config("openai", "gpt-4o");
    assert_eq!(refusal(json!({ "tokens": 12_000 }), 9_000).sample(&exact), None);
}
