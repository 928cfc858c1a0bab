//! How cautiously tokens are counted for a model without a public tokenizer, until its vendor has reported usage: a
//! table by vendor (`caution.json`), each entry with what the vendor publishes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::correction::is_exact;
use super::names::candidate_names;

/// The factor of a model that is counted exactly, in thousandths.
pub const EXACT_PERMILLE: u64 = 1_000;

#[derive(Default, Deserialize)]
struct Table {
    default: u64,
    vendors: BTreeMap<String, Vendor>,
}

#[derive(Deserialize)]
struct Vendor {
    permille: u64,
}

// The file is compiled in and a test parses it, so the default is never used.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("caution.json")).unwrap_or_default());

/// How many tokens the model may count for 1,000 that Plait counts, before anything is known from reports.
pub fn caution_permille(provider: &str, model: &str) -> u64 {
    if is_exact(provider, model) {
        return EXACT_PERMILLE;
    }
    let of_name = |name: String| {
        TABLE.vendors.iter().find(|(prefix, _)| name.starts_with(*prefix)).map(|(_, vendor)| vendor.permille)
    };
    let found = candidate_names(provider, model).skip(1).find_map(of_name);
    found.unwrap_or(TABLE.default).max(EXACT_PERMILLE)
}

#[cfg(test)]
mod tests;
