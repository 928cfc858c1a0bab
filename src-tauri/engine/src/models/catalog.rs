//! The table of windows and prices (`catalog.json`), which `cargo xtask models` refreshes, by the model's name. Compiled in;
//! nothing is fetched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::names::{candidate_names, find_longest_prefix, is_dated, is_edition};
use super::price::Price;

/// What the table says of one model.
#[derive(Default, Deserialize)]
pub(super) struct CatalogEntry {
    /// Tokens of prompt and reply together.
    pub(super) window: Option<u64>,
    pub(super) price: Option<Price>,
}

#[derive(Default, Deserialize)]
struct Catalog {
    date: String,
    models: BTreeMap<String, CatalogEntry>,
}

// The file is compiled in and a test parses it, so the default is never used.
static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| serde_json::from_str(include_str!("catalog.json")).unwrap_or_default());

/// The models by name, in lower case.
pub(super) fn models() -> &'static BTreeMap<String, CatalogEntry> {
    &CATALOG.models
}

/// Providers on the person's own machine, which cost nothing per token.
const FREE_PROVIDERS: [&str; 5] = ["offline", "ollama", "lmstudio", "llamacpp", "vllm"];

static FREE: Price =
    Price { input: 0.0, output: 0.0, cached_input: None, cache_write: None, above: Vec::new() };

/// The price of a provider's model in the table, if listed.
pub fn price(provider: &str, model: &str) -> Option<&'static Price> {
    if FREE_PROVIDERS.contains(&provider.to_lowercase().as_str()) {
        return Some(&FREE);
    }
    candidate_names(provider, model).find_map(|name| price_of_name(&name))
}

fn price_of_name(name: &str) -> Option<&'static Price> {
    let table = models();
    if let Some(listed) = table.get(name) {
        return listed.price.as_ref();
    }
    // Only the longest prefix counts: a shorter one is another model.
    let (key, entry, rest) = find_longest_prefix(table, name)?;
    let price = entry.price.as_ref().filter(|_| is_edition(rest))?;
    // Vendors have changed prices from one dated edition to the next. Where they did, another date says nothing.
    let is_known = !is_dated(rest) || !has_editions_of_other_prices(key, price);
    is_known.then_some(price)
}

/// Whether the table lists a dated edition of a model with another price.
fn has_editions_of_other_prices(key: &str, price: &Price) -> bool {
    let listed = models().range(key.to_owned()..).take_while(|(name, _)| name.starts_with(key));
    let mut dated = listed.filter(|(name, _)| {
        let rest = &name[key.len()..];
        is_edition(rest) && is_dated(rest)
    });
    dated.any(|(_, entry)| {
        entry.price.as_ref().is_some_and(|other| (other.input, other.output) != (price.input, price.output))
    })
}

/// The date of the table, as `2026-08-06`.
pub fn prices_date() -> &'static str {
    &CATALOG.date
}

#[cfg(test)]
mod tests;
