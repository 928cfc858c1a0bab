//! Settings and calibrations of models that come before the built-in tables.
//!
//! They are fixed when a run starts and are part of its first event, so that a resumed run sends the same prompts after
//! any change.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Correction, Price, price, window};
use plait_core::flow::SummarizerSettings;
use plait_core::offline::{OFFLINE, PROMPT};

/// The largest context window of a model, in tokens.
pub const MAX_CONTEXT_WINDOW: NonZeroU32 = NonZeroU32::MAX;

/// The settings of one model.
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
    /// Whether it takes a single prompt, and no messages before it: the history of a loop is then written as text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub prompt_only: bool,
}

/// Settings and calibrations of models, by `provider/model` or, for every provider, `model`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelOverrides {
    /// The settings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ModelOverride>>")]
    pub notes: BTreeMap<String, ModelOverride>,
    /// Calibrations of token counts from earlier runs, by `provider/model`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, Correction>>")]
    pub corrections: BTreeMap<String, Correction>,
    /// In journals of earlier versions, the summarizer of the settings; `config` of the run has it since.
    #[serde(skip_serializing_if = "SummarizerSettings::is_empty")]
    #[ts(optional, as = "Option<SummarizerSettings>")]
    pub summarizer: SummarizerSettings,
}

impl ModelOverrides {
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.corrections.is_empty() && self.summarizer.is_empty()
    }

    /// The window of a model: from the settings, else from the table.
    pub fn window(&self, provider: &str, model: &str) -> u64 {
        let set = self.find(provider, model, |note| note.context_window);
        set.map_or_else(|| window(provider, model), |set| set.get().into())
    }

    /// The price of a model, if known: from the settings, else from the table.
    pub fn price(&self, provider: &str, model: &str) -> Option<&Price> {
        self.find(provider, model, |note| note.price.as_ref()).or_else(|| price(provider, model))
    }

    /// Whether a model takes a single prompt, and no messages before it.
    pub fn is_prompt_only(&self, provider: &str, model: &str) -> bool {
        let is_marked = self.find(provider, model, |note| note.prompt_only.then_some(())).is_some();
        is_marked || (provider, model) == (OFFLINE, PROMPT)
    }

    /// The calibration of a model before this run.
    pub fn correction(&self, provider: &str, model: &str) -> Correction {
        self.corrections.get(&Self::key(provider, model)).copied().unwrap_or_default()
    }

    pub fn key(provider: &str, model: &str) -> String {
        format!("{provider}/{model}")
    }

    /// A setting of a model: of this provider's, else of any provider's model of that name.
    fn find<'a, T>(
        &'a self,
        provider: &str,
        model: &str,
        select: impl Fn(&'a ModelOverride) -> Option<T>,
    ) -> Option<T> {
        let of_provider = self.notes.get(&Self::key(provider, model)).and_then(&select);
        of_provider.or_else(|| self.notes.get(model).and_then(select))
    }
}

#[cfg(test)]
mod tests;
