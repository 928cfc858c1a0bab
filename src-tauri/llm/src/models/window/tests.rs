use super::*;

#[test]
fn longest_prefix_decides_the_window() {
    for (provider, model, expected) in [
        ("openai", "gpt-4o-mini", 128_000),
        ("openai", "gpt-4", 8_192),
        ("openai", "gpt-4-0613", 8_192),
        ("openai", "gpt-4.1-nano", 1_047_576),
        ("openai", "gpt-5.1", 400_000),
        ("openai", "gpt-5-chat-latest", 128_000),
        ("openai", "gpt-5.5-2026-04-23", 1_050_000),
        ("openai", "o3-mini", 200_000),
        ("openai", "ft:gpt-4o-mini-2024-07-18:acme::x", 128_000),
        ("anthropic", "claude-sonnet-4-5", 200_000),
        ("anthropic", "claude-opus-4-8", 1_000_000),
        ("openrouter", "anthropic/claude-2.0", 100_000),
        ("openrouter", "google/gemini-2.5-pro", 1_048_576),
        ("bedrock", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200_000),
        ("bedrock", "meta.llama3-1-70b-instruct-v1:0", 128_000),
        ("together", "meta-llama/Meta-Llama-3.1-8B-Instruct", 131_072),
        ("mistral", "mistral-large-2411", 131_072),
        ("mistral", "mistral-large-latest", 262_144),
        ("xai", "grok-4-fast-reasoning", 2_000_000),
        ("deepseek", "deepseek-v4-pro", 1_000_000),
        ("qwen", "qwen3.7-max", 1_000_000),
        ("ollama", "llama3.2:3b", 131_072),
        ("ollama", "llama3:8b", 8_192),
        ("ollama", "llama3:8b-instruct-q4_K_M", 8_192),
        ("ollama", "Qwen2.5-Coder:7b", 32_768),
        ("fireworks", "accounts/fireworks/models/deepseek-v3", 131_072),
        ("offline", "echo", 8_192),
        ("offline", "gpt-4o", 8_192),
        ("someone", "a-model-nobody-knows", 128_000),
        ("someone", "o1x", 128_000),
        ("", "", 128_000),
    ] {
        assert_eq!(window(provider, model), expected, "{provider}/{model}");
    }
}

/// A lookup that takes any matching prefix would give a model with a window of a million tokens the 8,192 of `gpt-4`.
#[test]
fn prefix_never_shrinks_the_window_of_another_model() {
    for (model, at_least) in [
        ("gpt-4.1", 1_000_000),
        ("gpt-4.1-mini-2025-04-14", 1_000_000),
        ("gpt-4-turbo", 128_000),
        // Models that are in no table yet.
        ("gpt-4.9-million", 128_000),
        ("gpt-4-ultra", 128_000),
        ("llama3.9:70b", 128_000),
        ("llama-3-ultra-405b", 128_000),
        ("gemini-pro-3", 128_000),
        ("gemma-4-31b", 128_000),
        ("qwen3.9-plus", 128_000),
        ("phi-4-mini-instruct", 128_000),
        ("deepseek-coder-v9", 128_000),
        ("llama3-gradient:8b-instruct-1048k", 1_000_000),
        ("qwen2.5-7b-instruct-1m", 1_000_000),
    ] {
        for provider in ["openai", "ollama", "openrouter/meta-llama", ""] {
            assert!(window(provider, model) >= at_least, "{provider}/{model}: {}", window(provider, model));
        }
    }
}

#[test]
fn every_key_is_found_by_its_own_name() {
    for (key, window_of_key) in &TABLE.windows {
        assert_eq!(window("", key), *window_of_key, "{key}");
        assert_eq!(window("anyone", &format!("{key}-2031-01-15")), *window_of_key, "{key}, dated");
    }
}

#[test]
fn window_table_is_valid() {
    assert!(TABLE.windows.len() > 150);
    assert!(TABLE.windows.values().all(|window| (2_048..=10_485_760).contains(window)));
    assert!(TABLE.windows.keys().all(|key| *key == key.to_lowercase()));
}
