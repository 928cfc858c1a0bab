//! A quota as a flow or the application's settings set it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::share::Share;

/// A quota: tokens, money, or both. What is not set is not limited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Quota {
    /// Tokens of prompts and replies together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1), extend("x-rank" = 1))]
    pub tokens: Option<u64>,
    /// US dollars. A call of a model without a known price is not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(title = "US dollars", range(min = 0.000_001), extend("x-rank" = 2))]
    pub usd: Option<f64>,
    /// What happens to a call that would exceed it.
    #[serde(default, skip_serializing_if = "OnExceeded::is_default")]
    #[schemars(title = "When exceeded", extend("x-shown-if" = {"tokens": null, "usd": null}))]
    #[ts(optional, as = "Option<OnExceeded>")]
    pub on_exceeded: OnExceeded,
    /// The model that is called instead, for `fallback`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(title = "Cheaper model", extend("x-shown-if" = {"onExceeded": "fallback"}))]
    #[ts(optional)]
    pub fallback: Option<FallbackModel>,
}

/// What happens to a call that would exceed a quota. It is not sent in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum OnExceeded {
    /// The call fails.
    #[default]
    Stop,
    /// The person is asked whether as much again may be used.
    #[schemars(title = "Ask me")]
    Ask,
    /// A cheaper model is called instead. If that would exceed the quota as well, the call fails.
    #[schemars(title = "Use a cheaper model")]
    Fallback,
}

impl OnExceeded {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::Stop
    }
}

/// A model that takes the place of a more expensive one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FallbackModel {
    /// The provider; by default that of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "provider", "x-unset" = "that of the call"))]
    #[ts(optional)]
    pub provider: Option<String>,
    #[schemars(extend("format" = "model"))]
    pub model: String,
}

/// The quotas of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlowQuotas {
    /// For each run with all runs below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Quota>")]
    pub run: Option<Arc<Quota>>,
    /// For each conversation, over all of its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Quota>")]
    pub conversation: Option<Arc<Quota>>,
}

/// The quotas of the application's settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultQuotas {
    /// For each run, where its flow does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Quota>")]
    pub run: Option<Arc<Quota>>,
    /// For each conversation, where its flow does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Quota>")]
    pub conversation: Option<Arc<Quota>>,
    /// For all runs of a day together. No flow can raise it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Quota>")]
    pub day: Option<Arc<Quota>>,
}

impl Quota {
    /// What it allows.
    pub fn share(&self) -> Share {
        Share { tokens: self.tokens, nano_usd: self.usd.map(nano_usd) }
    }

    /// The problem with it: the key, and a sentence.
    pub fn problem(&self) -> Option<(&'static str, String)> {
        if self.tokens == Some(0) {
            return Some(("tokens", "A quota of 0 tokens allows no call.".to_owned()));
        }
        if let Some(usd) = self.usd.filter(|usd| !usd.is_finite() || nano_usd(*usd) == 0) {
            return Some(("usd", format!("A quota of {usd} US dollars allows no call.")));
        }
        if self.tokens.is_none() && self.usd.is_none() {
            return Some(("tokens", "A quota has to set `tokens`, `usd` or both.".to_owned()));
        }
        let names_model = self.fallback.as_ref().is_some_and(|fallback| !fallback.model.trim().is_empty());
        match self.on_exceeded {
            OnExceeded::Fallback if !names_model => {
                Some(("fallback", "`onExceeded` is `fallback`, but no model is named.".to_owned()))
            }
            OnExceeded::Stop | OnExceeded::Ask if self.fallback.is_some() => {
                Some(("fallback", "A fallback model is used only if `onExceeded` is `fallback`.".to_owned()))
            }
            _ => None,
        }
    }
}

impl FlowQuotas {
    /// Whether none is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The quotas that are set, with their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Quota)> {
        [("run", &self.run), ("conversation", &self.conversation)]
            .into_iter()
            .filter_map(|(key, quota)| Some((key, quota.as_deref()?)))
    }
}

impl DefaultQuotas {
    /// Whether none is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The quotas that are set, with their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Quota)> {
        [("run", &self.run), ("conversation", &self.conversation), ("day", &self.day)]
            .into_iter()
            .filter_map(|(key, quota)| Some((key, quota.as_deref()?)))
    }
}

/// US dollars as billionths; None for an invalid amount.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates at both ends")]
fn nano_usd(usd: f64) -> u64 {
    (usd * 1e9).round() as u64
}

#[cfg(test)]
mod tests;
