use std::num::NonZeroU32;

use super::*;
use crate::context::ContextType;
use crate::models::ModelOverride;

fn context() -> ContextRecord {
    ContextRecord::new("main".into(), ContextType::Main, "openai", "gpt-4o")
}

fn resolve(overrides: CallOverrides<'_>) -> Result<ModelConfig, Fault> {
    resolve_model_config(
        &context(),
        overrides,
        RunModelSettings { flow_window: None, models: &ModelOverrides::default() },
    )
}

#[test]
fn model_defaults_to_the_context() {
    let config = resolve(CallOverrides::default()).unwrap();
    assert_eq!((config.provider.as_str(), config.model.as_str()), ("openai", "gpt-4o"));
    assert_eq!(config.window, 128_000);
}

#[test]
fn model_override_has_its_own_window() {
    let overrides = CallOverrides { model: Some("gpt-4"), max_tokens: Some(100), ..CallOverrides::default() };
    let config = resolve(overrides).unwrap();
    assert_eq!((config.model.as_str(), config.window, config.max_tokens), ("gpt-4", 8_192, Some(100)));
}

#[test]
fn window_precedence_is_node_flow_settings_table() {
    let note = ModelOverride { context_window: NonZeroU32::new(3_000), ..Default::default() };
    let models = ModelOverrides { notes: [("gpt-4o".to_owned(), note)].into(), ..ModelOverrides::default() };
    let window = |node, flow, models: &ModelOverrides| {
        let overrides = CallOverrides { window: node, ..CallOverrides::default() };
        resolve_model_config(&context(), overrides, RunModelSettings { flow_window: flow, models })
            .unwrap()
            .window
    };
    assert_eq!(window(Some(1_000), Some(2_000), &models), 1_000);
    assert_eq!(window(None, Some(2_000), &models), 2_000);
    assert_eq!(window(None, None, &models), 3_000);
    assert_eq!(window(None, None, &ModelOverrides::default()), 128_000);
}

#[test]
fn context_calibration_adds_to_settings() {
    let learned = Correction { counted: 10_000, reported: 12_000 };
    let key = ModelOverrides::key("anthropic", "claude-opus-5");
    let mut context = ContextRecord::new("main".into(), ContextType::Main, "anthropic", "claude-opus-5");
    let models = ModelOverrides { corrections: [(key.clone(), learned)].into(), ..ModelOverrides::default() };
    let settings = RunModelSettings { flow_window: None, models: &models };
    let resolved =
        |context: &ContextRecord| resolve_model_config(context, CallOverrides::default(), settings).unwrap();
    assert_eq!(resolved(&context).correction, learned);
    context.corrections.insert(key, learned);
    assert_eq!(resolved(&context).correction, learned.plus(learned));
}

#[test]
fn model_is_not_inherited_by_another_provider() {
    let overrides = CallOverrides { provider: Some("anthropic"), ..CallOverrides::default() };
    assert_eq!(resolve(overrides).unwrap_err().code, "model.none");
    let overrides = CallOverrides { provider: Some(OFFLINE), ..CallOverrides::default() };
    assert_eq!(resolve(overrides).unwrap().model, ECHO);
    let overrides = CallOverrides { provider: Some("openai"), ..CallOverrides::default() };
    assert_eq!(resolve(overrides).unwrap().model, "gpt-4o");
}
