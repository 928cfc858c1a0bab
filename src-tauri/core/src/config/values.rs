//! The values of the configuration that runs read, and the values of the settings by key.

use serde_json::Value;

use super::key::ConfigKey;
use super::keys::{DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_UNATTENDED_EPOCHS, keys};
use super::{ConfigValues, json};
use crate::flow::SummarizerAgent;
use crate::flow::SummarizerSettings;
use crate::flow::{FlowSettings, TreeLimits};

/// The values that settings of the application set, by key.
pub fn settings_values(settings: &Value) -> ConfigValues {
    let values = keys().iter().filter_map(|key| {
        let value = json::get(settings, &key.settings_pointer()?)?;
        Some((key.name.to_owned(), value.clone()))
    });
    values.collect()
}

impl ConfigKey {
    /// Sets the value in settings of the application; null removes it. Without effect for a key that is not set there.
    pub fn write_settings(&self, settings: &mut Value, value: Value) {
        let Some(pointer) = self.settings_pointer() else { return };
        if !value.is_null() {
            return json::set(settings, &pointer, value);
        }
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(parent)) = settings.pointer_mut(parent) {
            parent.remove(name);
        }
    }
}

/// The values that runs depend on. A run keeps them in its first event.
pub fn run_values(values: &ConfigValues) -> ConfigValues {
    let is_kept = |name: &str| keys().iter().any(|key| key.name == name && key.is_kept_by_runs());
    values
        .iter()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// How many activations of a run may be executed at once.
pub fn max_concurrency(flow: &FlowSettings) -> usize {
    flow.max_concurrency.unwrap_or(DEFAULT_MAX_CONCURRENCY) as usize
}

/// After how many unattended epochs a cycle without a bound of its own ends.
pub fn max_unattended_epochs(flow: &FlowSettings) -> u32 {
    flow.max_unattended_epochs.unwrap_or(DEFAULT_MAX_UNATTENDED_EPOCHS)
}

/// The limits of the run tree of a flow, under these settings of the application.
pub fn tree_limits(flow: Option<TreeLimits>, settings: &ConfigValues) -> TreeLimits {
    let of_settings = |name: &str| settings.get(name).and_then(Value::as_u64);
    flow.unwrap_or_default().or(&TreeLimits {
        max_runs: of_settings("limits.maxRuns"),
        max_model_calls: of_settings("limits.maxModelCalls"),
        max_events: of_settings("limits.maxEvents"),
        ..TreeLimits::default()
    })
}

/// The agent that summarizes histories of loops that name none: the summarizer of the flow, else the default agent. `None` if
/// neither is set: then the model of the context `main` does.
pub fn default_summarizer(flow: &FlowSettings) -> Option<SummarizerAgent> {
    let text = |key: &str| flow.config.get(key).and_then(Value::as_str).map(str::to_owned);
    let agent = SummarizerSettings { provider: text("agent.provider"), model: text("agent.model") };
    let own = flow.memory.as_ref().map(|memory| memory.summarizer.clone()).unwrap_or_default();
    let summarizer = narrower_summarizer(own, &agent);
    (!summarizer.is_empty()).then(|| SummarizerAgent {
        provider: summarizer.provider,
        model: summarizer.model,
        ..SummarizerAgent::default()
    })
}

/// An agent that summarizes, with the model of the default one where it sets none.
pub fn summarizer_with_default(agent: SummarizerAgent, default: Option<&SummarizerAgent>) -> SummarizerAgent {
    let Some(default) = default else { return agent };
    let own = SummarizerSettings { provider: agent.provider.clone(), model: agent.model.clone() };
    let outer = SummarizerSettings { provider: default.provider.clone(), model: default.model.clone() };
    let SummarizerSettings { provider, model } = narrower_summarizer(own, &outer);
    SummarizerAgent { provider, model, ..agent }
}

/// The summarizer of a narrower layer, completed by the summarizer of a wider one. A model follows its provider.
pub fn narrower_summarizer(own: SummarizerSettings, outer: &SummarizerSettings) -> SummarizerSettings {
    let keeps_provider = own.provider.is_none() || own.provider == outer.provider;
    let inherited = outer.model.clone().filter(|_| keeps_provider);
    SummarizerSettings {
        model: own.model.or(inherited),
        provider: own.provider.or_else(|| outer.provider.clone()),
    }
}
