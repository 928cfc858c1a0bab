//! Context windows of models: those that the table of single models (`catalog.json`) lists by name, else that of its family
//! (`windows.json`), by the longest matching prefix of the name; 128,000 tokens for a model that is in neither.
//!
//! A window below 128,000 applies only to variants of the listed model. A name that only has the same prefix gets 128,000:
//! too small a window silently drops history that would have fit. The offline provider's simulators have 8,192, small
//! enough to observe trimming in a short conversation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::catalog;
use super::names::{candidate_names, find_longest_prefix, is_variant, window_in_name};

/// The window of an unknown model: the minimum of most current models.
pub const DEFAULT_WINDOW: u64 = 128_000;

#[derive(Default, Deserialize)]
struct Table {
    windows: BTreeMap<String, u64>,
}

// The file is compiled in and a test parses it, so the default is never used.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("windows.json")).unwrap_or_default());

/// The window of a provider's model according to the table, in tokens of prompt and reply together.
pub fn window(provider: &str, model: &str) -> u64 {
    let found = candidate_names(provider, model).find_map(|name| {
        let listed = catalog::models().get(&name).and_then(|entry| entry.window);
        if let Some(listed) = TABLE.windows.get(&name).copied().or(listed) {
            return Some(listed);
        }
        let (key, &window, rest) = find_longest_prefix(&TABLE.windows, &name)?;
        let applies = key.ends_with('/') || window >= DEFAULT_WINDOW || is_variant(rest);
        let named = if key.ends_with('/') { None } else { window_in_name(rest) };
        Some(named.unwrap_or(if applies { window } else { DEFAULT_WINDOW }))
    });
    found.or_else(|| window_in_name(&model.to_lowercase())).unwrap_or(DEFAULT_WINDOW)
}

#[cfg(test)]
mod tests;
