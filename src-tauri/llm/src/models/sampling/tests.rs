use serde_json::json;

use super::{sampling_parameters, takes_sampling};

#[test]
fn table_is_read() {
    assert_eq!(sampling_parameters(), ["temperature", "top_p", "top_k"]);
}

#[test]
fn models_that_refuse_sampling_are_known_by_every_name() {
    for (provider, model) in [
        ("anthropic", "claude-opus-4-7"),
        ("anthropic", "claude-opus-4-7-20260416"),
        ("anthropic", "claude-opus-4-8"),
        ("anthropic", "claude-sonnet-5-5"),
        ("bedrock", "us.anthropic.claude-opus-4-7"),
        ("openrouter", "anthropic/claude-opus-4.7"),
        ("openai", "o3-mini"),
        ("openai", "o1-2024-12-17"),
        ("openai", "gpt-5"),
        ("openai", "gpt-5-mini-2025-08-07"),
        ("openai", "gpt-5.5"),
        ("openai", "gpt-5.1-codex"),
        ("openai", "gpt-6.1-sol"),
    ] {
        assert!(!takes_sampling(provider, model, &json!({})), "{provider}/{model}");
    }
}

#[test]
fn other_models_take_sampling() {
    for (provider, model) in [
        ("anthropic", "claude-opus-4-6"),
        ("anthropic", "claude-sonnet-4-6"),
        ("anthropic", "claude-3-5-sonnet-20241022"),
        ("anthropic", "claude-opus-4-20250514"),
        ("openai", "gpt-4o"),
        ("openai", "gpt-5-chat-latest"),
        ("openai", "gpt-50"),
        ("ollama", "o12-something"),
        ("offline", "echo"),
    ] {
        assert!(takes_sampling(provider, model, &json!({})), "{provider}/{model}");
    }
}

#[test]
fn some_models_take_sampling_while_they_do_not_reason() {
    for options in
        [json!({}), json!({ "reasoning_effort": "none" }), json!({ "reasoning": { "effort": null } })]
    {
        assert!(takes_sampling("openai", "gpt-5.1-2025-11-13", &options), "{options}");
    }
    for options in [json!({ "reasoning_effort": "low" }), json!({ "reasoning": { "effort": "high" } })] {
        assert!(!takes_sampling("openai", "gpt-5.1", &options), "{options}");
        assert!(takes_sampling("openai", "gpt-4o", &options), "{options}");
    }
}
