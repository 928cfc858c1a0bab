//! The variants of a case: each combination of what the matrix lists, as an edit of the flow.

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use serde_json::{Map, Value, json};

use crate::{Matrix, Suite, TestCase};

/// The parameter that chooses the model.
const MODEL: &str = "model";
/// The types of nodes that begin a context, which have a model although their config may name none.
const CONTEXTS: [&str; 2] = ["contextStart", "newContext"];
/// The settings of nodes that name a model, with those of its provider.
const MODEL_SETTINGS: [(&str, &str); 2] = [("provider", "model"), ("overrideProvider", "overrideModel")];

/// The most variants of a case.
pub(crate) const MAX_VARIANTS: usize = 1000;

/// What a case runs with: the model as `model`, settings as `NODE.SETTING`. Empty for one without a matrix.
pub type Variant = BTreeMap<String, Value>;

/// The variants of a case, in the order of the matrix. Replays have one, without changes.
pub fn variants(suite: &Suite, case: &TestCase) -> Vec<Variant> {
    let mut variants = vec![Variant::new()];
    let Some(Matrix { models, parameters }) = suite.matrix.as_ref().filter(|_| case.live) else {
        return variants;
    };
    let models: Vec<Value> = models.iter().map(|model| json!(model)).collect();
    let axes = (!models.is_empty()).then_some((MODEL, &models));
    for (name, values) in
        axes.into_iter().chain(parameters.iter().map(|(name, values)| (name.as_str(), values)))
    {
        let with = |variant: &Variant, value: &Value| {
            let mut variant = variant.clone();
            variant.insert(name.to_owned(), value.clone());
            variant
        };
        variants = variants
            .iter()
            .flat_map(|variant| values.iter().map(move |value| with(variant, value)).collect::<Vec<_>>())
            .collect();
    }
    variants
}

/// How many variants a matrix makes.
pub(crate) fn count(Matrix { models, parameters }: &Matrix) -> usize {
    let axes = parameters.values().map(Vec::len);
    axes.fold(models.len().max(1), usize::saturating_mul)
}

/// Changes a flow as a variant says. The error names what the flow does not have.
pub fn apply(variant: &Variant, flow: &mut Flow) -> Result<(), String> {
    for (name, value) in variant {
        match (name.as_str(), value.as_str()) {
            (MODEL, Some(model)) => set_model(flow, model)?,
            _ => set_parameter(flow, name, value)?,
        }
    }
    Ok(())
}

/// The provider and the model of `PROVIDER/MODEL`.
pub fn split_model(model: &str) -> Result<(&str, &str), String> {
    let parts = model.split_once('/').filter(|(provider, model)| !provider.is_empty() && !model.is_empty());
    parts.ok_or_else(|| format!("`{model}` is no model: write `PROVIDER/MODEL`, for example `offline/echo`."))
}

fn set_model(flow: &mut Flow, name: &str) -> Result<(), String> {
    let (provider, model) = split_model(name)?;
    for node in flow.nodes.values_mut() {
        for (provider_key, model_key) in MODEL_SETTINGS {
            let begins_context = CONTEXTS.contains(&node.node_type.as_str()) && model_key == MODEL;
            if begins_context || node.config.contains_key(model_key) {
                node.config.insert(provider_key.to_owned(), json!(provider));
                node.config.insert(model_key.to_owned(), json!(model));
            }
        }
    }
    for (key, value) in [("agent.provider", provider), ("agent.model", model)] {
        flow.settings.config.insert(key.to_owned(), json!(value));
    }
    Ok(())
}

fn set_parameter(flow: &mut Flow, name: &str, value: &Value) -> Result<(), String> {
    let problem = || format!("The flow has no node for the parameter `{name}`: write `NODE.SETTING`.");
    // Names of nodes may have dots: the longest one counts.
    let (node, setting) = flow
        .nodes
        .keys()
        .filter_map(|node| {
            Some((node.clone(), name.strip_prefix(node.as_str())?.strip_prefix('.')?.to_owned()))
        })
        .max_by_key(|(node, _)| node.as_str().len())
        .ok_or_else(problem)?;
    let Some(node) = flow.nodes.get_mut(&node) else { return Err(problem()) };
    let mut keys = setting.split('.').peekable();
    let mut config: &mut Map<String, Value> = &mut node.config;
    while let Some(key) = keys.next() {
        if keys.peek().is_none() {
            config.insert(key.to_owned(), value.clone());
            break;
        }
        let inner = config.entry(key).or_insert_with(|| json!({}));
        config =
            inner.as_object_mut().ok_or_else(|| format!("`{key}` of `{name}` is no group of settings."))?;
    }
    Ok(())
}
