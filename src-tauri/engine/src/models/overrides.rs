//! What a run knows of models beyond the tables: what a person has set, and what earlier runs have learned.
//!
//! It is fixed when a run starts and stands in its first event, so that a resumed run sends the prompts it would
//! have sent, whatever was set or learned meanwhile.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Correction, Price, price, window};

/// What a person has set of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelOverride {
    /// Its window in tokens, in place of the table's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context_window: Option<NonZeroU32>,
    /// Its price, in place of the table's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub price: Option<Price>,
}

/// What is known of models beyond the tables, each under `provider/model` or, for every provider, `model`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelOverrides {
    /// What a person has set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ModelOverride>>")]
    pub notes: BTreeMap<String, ModelOverride>,
    /// What earlier runs have learned of Plait's counts, under `provider/model`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, Correction>>")]
    pub corrections: BTreeMap<String, Correction>,
}

impl ModelOverrides {
    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.corrections.is_empty()
    }

    /// The window of a model: as set, else by the table.
    pub fn window(&self, provider: &str, model: &str) -> u64 {
        let set = self.note(provider, model, |note| note.context_window);
        set.map_or_else(|| window(provider, model), |set| set.get().into())
    }

    /// The price of a model: as set, else by the table, if it is known.
    pub fn price(&self, provider: &str, model: &str) -> Option<&Price> {
        self.note(provider, model, |note| note.price.as_ref()).or_else(|| price(provider, model))
    }

    /// What was learned of a model before this run.
    pub fn correction(&self, provider: &str, model: &str) -> Correction {
        self.corrections.get(&Self::key(provider, model)).copied().unwrap_or_default()
    }

    /// Under which name a model stands in the book.
    pub fn key(provider: &str, model: &str) -> String {
        format!("{provider}/{model}")
    }

    /// What is set of a model: of this provider's, else of any provider's of that name.
    fn note<'a, T>(
        &'a self,
        provider: &str,
        model: &str,
        what: impl Fn(&'a ModelOverride) -> Option<T>,
    ) -> Option<T> {
        let of_provider = self.notes.get(&Self::key(provider, model)).and_then(&what);
        of_provider.or_else(|| self.notes.get(model).and_then(what))
    }
}

#[cfg(test)]
mod tests;
