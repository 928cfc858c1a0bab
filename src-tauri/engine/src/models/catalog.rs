//! The table of windows and prices (`catalog.json`), which `cargo xtask models` refreshes. Compiled in; nothing is fetched.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Price;

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

/// The date of the table, as `2026-08-06`.
pub(super) fn date() -> &'static str {
    &CATALOG.date
}
