//! The settings, and what makes them invalid.

use std::collections::BTreeMap;

use plait_adapters::redaction::RedactionSettings;
use plait_adapters::telemetry::TelemetrySettings;
use plait_adapters::{ProviderSettings, ToolSettings};
use plait_core::config;
use plait_core::config::{ConfigValues, Layer, check_values};
use plait_core::error::Fault;
use plait_core::flow::{SummarizerSettings, TreeLimits};
use plait_core::quota::{DefaultQuotas, Quota};
use plait_llm::models::{ModelOverride, Price};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::codes;

/// The color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// The settings of the application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub theme: Theme,
    /// Turns animations off.
    pub reduced_motion: bool,
    /// Layout of the panels, in a format that the window defines.
    #[ts(type = "unknown")]
    pub panels: Value,
    /// The model providers, by name. The built-in ones are always present.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Context windows and prices that override the built-in tables, by `provider/model` or, for every provider, `model`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, ModelOverride>>")]
    pub models: BTreeMap<String, ModelOverride>,
    /// What a run and all runs below it may use together, where the flow does not say.
    #[serde(skip_serializing_if = "TreeLimits::is_default")]
    #[ts(optional, as = "Option<TreeLimits>")]
    pub limits: TreeLimits,
    /// What model calls may use, per run, conversation and day.
    #[serde(skip_serializing_if = "DefaultQuotas::is_default")]
    #[ts(optional, as = "Option<DefaultQuotas>")]
    pub quotas: DefaultQuotas,
    /// The model that summarizes a workflow's memory where neither the node nor the flow sets one. If empty, the model of the
    /// node's context does.
    #[serde(skip_serializing_if = "SummarizerSettings::is_empty")]
    #[ts(optional, as = "Option<SummarizerSettings>")]
    pub summarizer: SummarizerSettings,
    /// What holds for runs whose flows leave it open, by key: the default agent, retries, bounds of histories, …
    #[serde(skip_serializing_if = "ConfigValues::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub config: ConfigValues,
    /// What the person allows tools: hosts and secrets.
    #[serde(skip_serializing_if = "ToolSettings::is_default")]
    #[ts(optional, as = "Option<ToolSettings>")]
    pub tools: ToolSettings,
    /// What is redacted besides keys and values of the environment.
    #[serde(skip_serializing_if = "RedactionSettings::is_empty")]
    #[ts(optional, as = "Option<RedactionSettings>")]
    pub redaction: RedactionSettings,
    /// Where the spans of runs are sent.
    #[serde(skip_serializing_if = "TelemetrySettings::is_default")]
    #[ts(optional, as = "Option<TelemetrySettings>")]
    pub telemetry: TelemetrySettings,
    /// Other state that the window stores.
    #[ts(type = "unknown")]
    pub ui: Value,
}

impl Settings {
    /// The values of the configuration that these settings set, by key.
    pub fn values(&self) -> ConfigValues {
        let of =
            |settings: &Self| config::settings_values(&serde_json::to_value(settings).unwrap_or_default());
        let default = of(&Self::default());
        let mut values = of(self);
        // Some are always written.
        values.retain(|name, value| default.get(name) != Some(value));
        values
    }

    /// Checks what the types cannot express. `settings.price` for an invalid price, `settings.limits` for a limit of 0, `quota.bad`,
    /// `settings.bad_value`, `settings.unknown_key` and `settings.wrong_layer` for a value of the configuration, `settings.tools` for an
    /// invalid host or secret, `settings.redaction` for a pattern that cannot be used, `settings.telemetry` and
    /// `telemetry.bad_endpoint` for the export.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if let Some(key) = self.limits.zero() {
            return Err(zero_limit(key));
        }
        check_quotas(&self.quotas)?;
        for (_, checked) in check_values(&self.config, Layer::Settings) {
            checked.map_err(Fault::from)?;
        }
        self.tools.check()?;
        self.telemetry.check()?;
        if let Some(fault) = self.redaction.problems().into_iter().next() {
            return Err(fault);
        }
        for (model, overrides) in &self.models {
            if let Some(problem) = overrides.price.as_ref().and_then(Price::problem) {
                return Err(Fault::new(codes::SETTINGS_PRICE, format!("The price of `{model}`: {problem}."))
                    .hint("Enter US dollars per million tokens, or leave the price out."));
            }
        }
        Ok(())
    }
}

/// `quota.bad` for a quota that allows nothing.
fn check_quotas(quotas: &DefaultQuotas) -> Result<(), Fault> {
    quotas.entries().try_for_each(|(key, quota)| check_quota(key, quota))
}

pub(super) fn check_quota(key: &str, quota: &Quota) -> Result<(), Fault> {
    let Some((field, message)) = quota.problem() else { return Ok(()) };
    Err(Fault::new(codes::QUOTA_BAD, format!("`quotas.{key}.{field}`: {message}")).hint(
        "Set `tokens`, `usd` or both to more than 0; with `onExceeded: fallback`, name a model in `fallback`.",
    ))
}

pub(super) fn zero_limit(key: &str) -> Fault {
    Fault::new(codes::SETTINGS_LIMITS, format!("The limit `{key}` is 0, so nothing could run."))
        .hint("Enter a number from 1, or remove the limit to use the default.")
}
