//! How many tokens a model's window holds: a table (`windows.json`) by the longest matching beginning of the model's
//! name, 128,000 for a model that is not in it.
//!
//! The offline provider's simulators have 8,192, small enough that trimming can be watched in a short conversation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    default: u64,
    /// What stands before a model's own name in some catalogues; taken off, as often as it goes.
    vendors: Vec<String>,
    windows: BTreeMap<String, u64>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    // The file is part of the program, and a test reads it; an empty table keeps this total.
    serde_json::from_str(include_str!("windows.json")).unwrap_or_else(|_| Table {
        default: 128_000,
        vendors: Vec::new(),
        windows: BTreeMap::new(),
    })
});

/// The window of a provider's model, in tokens of prompt and reply together.
pub fn window(provider: &str, model: &str) -> u64 {
    let table = &*TABLE;
    let full = format!("{provider}/{model}").to_lowercase();
    let mut name = full.as_str();
    loop {
        if let Some(window) = longest_match(table, name) {
            return window;
        }
        let vendor = table.vendors.iter().find_map(|vendor| name.strip_prefix(vendor.as_str()));
        name = match vendor.or_else(|| name.split_once('/').map(|(_, rest)| rest)) {
            Some(rest) => rest,
            None => return table.default,
        };
    }
}

fn longest_match(table: &Table, name: &str) -> Option<u64> {
    let matching = table.windows.iter().filter(|(key, _)| starts(name, key));
    matching.max_by_key(|(key, _)| key.len()).map(|(_, window)| *window)
}

/// Whether `name` begins with `key`, and not in the middle of a word: `o1` is no beginning of `o12`.
fn starts(name: &str, key: &str) -> bool {
    let Some(rest) = name.strip_prefix(key) else { return false };
    key.ends_with('/') || !rest.starts_with(|next: char| next.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_counts() {
        for (provider, model, expected) in [
            ("openai", "gpt-4o-mini", 128_000),
            ("openai", "gpt-4", 8_192),
            ("openai", "gpt-4-0613", 8_192),
            ("openai", "gpt-4.1-nano", 1_047_576),
            ("openai", "gpt-5.1", 400_000),
            ("openai", "gpt-5-chat-latest", 128_000),
            ("openai", "o3-mini", 200_000),
            ("anthropic", "claude-sonnet-4-5", 200_000),
            ("openrouter", "anthropic/claude-2.0", 100_000),
            ("openrouter", "google/gemini-2.5-pro", 1_048_576),
            ("bedrock", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", 200_000),
            ("bedrock", "meta.llama3-1-70b-instruct-v1:0", 131_072),
            ("together", "meta-llama/Meta-Llama-3.1-8B-Instruct", 131_072),
            ("ollama", "llama3.2:3b", 131_072),
            ("ollama", "llama3:8b", 8_192),
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

    #[test]
    fn the_table_is_readable_and_sensible() {
        assert!(TABLE.windows.len() > 100);
        assert!(TABLE.windows.values().all(|window| (2_048..=10_485_760).contains(window)));
        assert!(TABLE.windows.keys().all(|key| *key == key.to_lowercase()));
    }
}
