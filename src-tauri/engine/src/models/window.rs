//! How many tokens a model's window holds: a table (`windows.json`) by the longest matching beginning of the model's
//! name, 128,000 for a model that is not in it.
//!
//! A window below 128,000 is believed only for a variant of the very model it stands for. A name that merely begins
//! alike gets 128,000: a window that is too small makes a model forget what it could have kept, and nothing reports it.
//! The offline provider's simulators have 8,192, small enough that trimming can be watched in a short conversation.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::names::{is_variant, longest, names, window_in_name};

/// The window of a model that nothing is known of: what most models that are offered today have at least.
pub const DEFAULT_WINDOW: u64 = 128_000;

#[derive(Default, Deserialize)]
struct Table {
    windows: BTreeMap<String, u64>,
}

// The file is part of the program, and a test reads it; an empty table keeps this total.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("windows.json")).unwrap_or_default());

/// The window of a provider's model by the table, in tokens of prompt and reply together.
pub fn window(provider: &str, model: &str) -> u64 {
    let found = names(provider, model).find_map(|name| {
        let (key, &window, rest) = longest(&TABLE.windows, &name)?;
        let believed = key.ends_with('/') || window >= DEFAULT_WINDOW || is_variant(rest);
        let named = if key.ends_with('/') { None } else { window_in_name(rest) };
        Some(named.unwrap_or(if believed { window } else { DEFAULT_WINDOW }))
    });
    found.or_else(|| window_in_name(&model.to_lowercase())).unwrap_or(DEFAULT_WINDOW)
}

#[cfg(test)]
mod tests;
