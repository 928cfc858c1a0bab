//! Step 1: which model is called, with how large a window and how much of it kept for the reply.

use super::reserve::reserve;
use super::window::window;
use crate::context::ContextRecord;
use crate::error::Fault;

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
}

/// The model of a call in `context` with these overrides.
pub fn resolve_model_config(context: &ContextRecord, overrides: Overrides<'_>) -> Result<ModelConfig, Fault> {
    let (provider, model) =
        who_answers(Some((&context.provider, &context.model)), overrides.provider, overrides.model)?;
    let window = overrides.window.unwrap_or_else(|| window(&provider, &model));
    let reserve = reserve(window, overrides.max_tokens);
    Ok(ModelConfig { provider, model, max_tokens: overrides.max_tokens, window, reserve })
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
        Fault::new("model.none", format!("No model is set for the provider `{chosen}`."))
            .hint("Set a model beside the provider.")
    })?;
    Ok((chosen.to_owned(), model.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ContextType;

    fn context() -> ContextRecord {
        ContextRecord::new("main".into(), ContextType::Main, "openai", "gpt-4o")
    }

    #[test]
    fn without_overrides_the_context_decides() {
        let config = resolve_model_config(&context(), Overrides::default()).unwrap();
        assert_eq!((config.provider.as_str(), config.model.as_str()), ("openai", "gpt-4o"));
        assert_eq!(config.window, 128_000);
    }

    #[test]
    fn overrides_win_and_bring_their_own_window() {
        let overrides = Overrides { model: Some("gpt-4"), max_tokens: Some(100), ..Overrides::default() };
        let config = resolve_model_config(&context(), overrides).unwrap();
        assert_eq!((config.model.as_str(), config.window, config.max_tokens), ("gpt-4", 8_192, Some(100)));
        let overrides = Overrides { window: Some(1_000), ..overrides };
        assert_eq!(resolve_model_config(&context(), overrides).unwrap().window, 1_000);
    }

    #[test]
    fn another_provider_does_not_inherit_the_model() {
        let overrides = Overrides { provider: Some("anthropic"), ..Overrides::default() };
        assert_eq!(resolve_model_config(&context(), overrides).unwrap_err().code, "model.none");
        let overrides = Overrides { provider: Some(OFFLINE), ..Overrides::default() };
        assert_eq!(resolve_model_config(&context(), overrides).unwrap().model, ECHO);
        let overrides = Overrides { provider: Some("openai"), ..Overrides::default() };
        assert_eq!(resolve_model_config(&context(), overrides).unwrap().model, "gpt-4o");
    }
}
