//! The model of a call, its window, and the reserve for the reply.

use plait_core::error::Fault;
use plait_core::offline::{ECHO, OFFLINE};

use super::ContextRecord;
use crate::codes;
use crate::models::{
    Correction, ModelConfig, ModelOverrides, RunModelSettings, caution_permille, is_exact, reserve,
};

/// The settings of one call that differ from its context. They do not change the context.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallOverrides<'a> {
    pub provider: Option<&'a str>,
    /// The provider's name for the model.
    pub model: Option<&'a str>,
    /// Maximum tokens of the reply.
    pub max_tokens: Option<u32>,
    /// The window, in tokens.
    pub window: Option<u64>,
}

/// The model of a call in `context` with these overrides. Its window is the first that is set of: the call's, the flow's,
/// the settings' for the model, the built-in table's, 128,000.
pub fn resolve_model_config(
    context: &ContextRecord,
    overrides: CallOverrides<'_>,
    settings: RunModelSettings<'_>,
) -> Result<ModelConfig, Fault> {
    let (provider, model) = resolve_provider_and_model(
        Some((&context.provider, &context.model)),
        overrides.provider,
        overrides.model,
    )?;
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
    let caution = caution_permille(&provider, &model);
    let prompt_only = settings.models.is_prompt_only(&provider, &model);
    let max_tokens = overrides.max_tokens;
    Ok(ModelConfig { provider, model, max_tokens, window, reserve, correction, caution, prompt_only })
}

/// Provider and model from a base and overrides. A model is inherited only together with its provider, since model names
/// of one provider mean nothing to another.
pub fn resolve_provider_and_model(
    base: Option<(&str, &str)>,
    provider: Option<&str>,
    model: Option<&str>,
) -> Result<(String, String), Fault> {
    let chosen = provider.or(base.map(|(provider, _)| provider)).unwrap_or(OFFLINE);
    let inherited = base.filter(|(provider, _)| *provider == chosen).map(|(_, model)| model);
    let model = model.or(inherited).or((chosen == OFFLINE).then_some(ECHO)).ok_or_else(|| {
        Fault::new(codes::MODEL_NONE, format!("No model is set for the provider `{chosen}`."))
            .hint("Set a model along with the provider.")
    })?;
    Ok((chosen.to_owned(), model.to_owned()))
}

#[cfg(test)]
mod tests;
