//! Step 1: which model is called, with how large a window and how much of it kept for the reply.

use super::reserve::reserve;
use crate::context::ContextRecord;
use crate::error::{ErrorCode, Fault};
use crate::models::{Correction, ModelOverrides, is_exact};

/// The provider of a context that names none: a simulator, it needs no key and no network.
pub const OFFLINE: &str = "offline";
/// The offline provider's model that says back what it is told.
pub const ECHO: &str = "echo";

/// What one call wants otherwise than its context has it. Never sticks to the context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides<'a> {
    /// The provider.
    pub provider: Option<&'a str>,
    /// The provider's name for the model.
    pub model: Option<&'a str>,
    /// The most tokens of reply.
    pub max_tokens: Option<u32>,
    /// The window, in tokens.
    pub window: Option<u64>,
}

/// What a run brings to each of its calls.
#[derive(Clone, Copy, Debug)]
pub struct RunModelSettings<'a> {
    /// The window that the flow's settings give every call, in tokens.
    pub flow_window: Option<u64>,
    /// What is set and was learnt of models.
    pub models: &'a ModelOverrides,
}

/// Which model is called, and the room there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// The provider.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// The most tokens of reply, where set.
    pub max_tokens: Option<u32>,
    /// The window, in tokens of prompt and reply together.
    pub window: u64,
    /// What of it is kept free for the reply.
    pub reserve: u64,
    /// How far counts are off for this model.
    pub correction: Correction,
}

/// The model of a call in `context` with these overrides. Its window is the call's own, else the flow's, else what the
/// settings say of the model, else the table's, else 128,000.
pub fn resolve_model_config(
    context: &ContextRecord,
    overrides: Overrides<'_>,
    settings: RunModelSettings<'_>,
) -> Result<ModelConfig, Fault> {
    let (provider, model) =
        who_answers(Some((&context.provider, &context.model)), overrides.provider, overrides.model)?;
    let window = overrides
        .window
        .or(settings.flow_window)
        .unwrap_or_else(|| settings.models.window(&provider, &model));
    let reserve = reserve(window, overrides.max_tokens);
    let correction = if is_exact(&provider, &model) {
        Correction::default()
    } else {
        let here = context.corrections.get(&ModelOverrides::key(&provider, &model));
        settings.models.correction(&provider, &model).plus(here.copied().unwrap_or_default())
    };
    Ok(ModelConfig { provider, model, max_tokens: overrides.max_tokens, window, reserve, correction })
}

/// Provider and model from a base and what is wanted otherwise. One provider's model means nothing to another, so a model
/// is only inherited together with its provider.
pub fn who_answers(
    base: Option<(&str, &str)>,
    provider: Option<&str>,
    model: Option<&str>,
) -> Result<(String, String), Fault> {
    let chosen = provider.or(base.map(|(provider, _)| provider)).unwrap_or(OFFLINE);
    let inherited = base.filter(|(provider, _)| *provider == chosen).map(|(_, model)| model);
    let model = model.or(inherited).or((chosen == OFFLINE).then_some(ECHO)).ok_or_else(|| {
        Fault::new(ErrorCode::ModelNone, format!("No model is set for the provider `{chosen}`."))
            .hint("Set a model beside the provider.")
    })?;
    Ok((chosen.to_owned(), model.to_owned()))
}

#[cfg(test)]
mod tests;
