//! The table of windows and prices (`catalog.json`), which `cargo xtask models` refreshes, by the model's name. Compiled in;
//! nothing is fetched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use plait_core::attachment::AttachmentKind;

use super::names::{candidate_names, find_longest_prefix, is_dated, is_edition};
use super::price::Price;

/// What the table says of one model.
#[derive(Default, Deserialize)]
pub(super) struct CatalogEntry {
    /// Tokens of prompt and reply together.
    pub(super) window: Option<u64>,
    pub(super) price: Option<Price>,
    /// Whether it takes images, where the source says that it does not.
    images: Option<bool>,
    /// The same for PDFs.
    pdf: Option<bool>,
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

/// Whether a provider's model takes attachments of this kind, where the table says so. Text files are text to every
/// model; a model that takes no images takes no PDFs, since their pages are images.
pub fn takes(provider: &str, model: &str, kind: AttachmentKind) -> Option<bool> {
    let of_entry = |entry: &CatalogEntry| match kind {
        AttachmentKind::Image => entry.images,
        AttachmentKind::Pdf => entry.pdf.or(entry.images),
        AttachmentKind::Text => Some(true),
    };
    candidate_names(provider, model).find_map(|name| {
        let table = models();
        let listed = table.get(&name);
        let edition = || find_longest_prefix(table, &name).filter(|(_, _, rest)| is_edition(rest));
        listed.or_else(|| edition().map(|(_, entry, _)| entry)).and_then(of_entry)
    })
}

/// The date of the table, as `2026-08-06`.
pub fn prices_date() -> &'static str {
    &CATALOG.date
}

#[cfg(test)]
mod tests;
