//! Parameters of sampling that a flow sets for models that refuse them. Calls are sent without them, so these are warnings.

use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::flow::Flow;
use plait_llm::models::{sampling_parameters, takes_sampling};
use serde_json::{Map, Value};

use super::never_runs::MODEL_NODES;
use crate::codes;

/// The nodes that name the model of a context, and so of the nodes after them.
const CONTEXT_MAKERS: [&str; 3] = ["contextStart", "newContext", "setContext"];

/// A provider and its model, as a config names them.
type NamedModel<'a> = (&'a str, &'a str);

/// A warning for each parameter that no model takes which its node may call.
pub(super) fn refused_sampling(flow: &Flow) -> Vec<Diagnostic> {
    let makers = flow.nodes.values().filter(|node| CONTEXT_MAKERS.contains(&node.node_type.as_str()));
    let of_contexts: Vec<NamedModel<'_>> =
        makers.filter_map(|node| named_model(&node.config, "provider", "model")).collect();
    let mut found = Vec::new();
    for (id, node) in flow.nodes.iter().filter(|(_, node)| MODEL_NODES.contains(&node.node_type.as_str())) {
        let own = named_model(&node.config, "overrideProvider", "overrideModel");
        let models = own.map_or_else(|| of_contexts.clone(), |own| vec![own]);
        for pointer in refused(&node.config, &models) {
            let names: Vec<String> = models.iter().map(|(_, model)| format!("`{model}`")).collect();
            let message = format!("{} takes no such parameter. Calls are sent without it.", names.join(", "));
            let place = format!("/nodes/{}/config{pointer}", escape(id.as_str()));
            let warning = Diagnostic::error(codes::MODEL_NO_SAMPLING, place, message).warning().node(id);
            found.push(warning.hint("Remove it, or use another model."));
        }
    }
    found
}

fn named_model<'a>(config: &'a Map<String, Value>, provider: &str, model: &str) -> Option<NamedModel<'a>> {
    let text = |key: &str| config.get(key).and_then(Value::as_str).map(str::trim);
    Some((text(provider).unwrap_or_default(), text(model).filter(|model| !model.is_empty())?))
}

/// Where in a config a parameter stands that all these models refuse.
fn refused(config: &Map<String, Value>, models: &[NamedModel<'_>]) -> Vec<String> {
    let options = config.get("options").unwrap_or(&Value::Null);
    if models.is_empty() || models.iter().any(|(provider, model)| takes_sampling(provider, model, options)) {
        return Vec::new();
    }
    let own = config.get("temperature").filter(|value| !value.is_null()).map(|_| "/temperature".to_owned());
    let is_set = |name: &&String| options.get(name.as_str()).is_some();
    let in_options = sampling_parameters().iter().filter(is_set).map(|name| format!("/options/{name}"));
    own.into_iter().chain(in_options).collect()
}

#[cfg(test)]
mod tests;
