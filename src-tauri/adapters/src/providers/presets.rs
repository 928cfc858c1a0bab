//! Ready-made settings for servers that speak a known protocol (`presets.json`). Data only: a provider that is added from a
//! preset has a copy of its settings and no further tie to it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ProviderSettings;

/// Ready-made settings of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderPreset {
    /// The usual name of the provider.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its settings. In the base URL, words in capitals are to be replaced.
    pub settings: ProviderSettings,
    /// What a person has to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// The page of the vendor's documentation that it is taken from.
    pub source: String,
    /// Further pages, by the setting that they explain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, String>>")]
    pub sources: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
struct Table {
    presets: Vec<ProviderPreset>,
}

// The file is compiled in and a test parses it, so the default is never used.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("presets.json")).unwrap_or_default());

/// All presets, in the order of the file.
pub fn presets() -> &'static [ProviderPreset] {
    &TABLE.presets
}

impl ProviderPreset {
    pub fn find(name: &str) -> Option<&'static Self> {
        presets().iter().find(|preset| preset.name == name)
    }

    /// The words in the base URL that a person has to replace, such as `RESOURCE`.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        let words = self.settings.base_url.as_deref().unwrap_or_default();
        let words = words.split(|char: char| !char.is_ascii_alphanumeric());
        words.filter(|word| word.len() > 1 && word.chars().all(|char| char.is_ascii_uppercase()))
    }
}

#[cfg(test)]
mod tests;
