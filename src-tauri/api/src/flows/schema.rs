//! The JSON Schema of flow files, with the schema of each node type's config.

use plait_core::config;
use plait_core::flow::Flow;
use plait_run::node::Registry;
use serde_json::{Map, Value, json};

/// The schema. A node of an unknown type is valid with any config, because a newer version of Plait may have written it.
pub fn flow_schema(registry: &Registry) -> Value {
    let mut schema = schemars::schema_for!(Flow).to_value();
    let mut settings = config::flow_settings_schema();
    if let Some(settings) = settings.as_object_mut() {
        settings.remove("$schema");
    }
    schema["$defs"]["FlowSettings"] = settings;
    schema["$id"] = json!("urn:plait:flow:1");
    schema["title"] = json!("Plait flow");
    let mut configs = Map::new();
    let mut cases = Vec::new();
    for node_type in registry.descriptors() {
        let name = format!("config.{}", node_type.node_type);
        let mut config = node_type.config_schema.clone();
        if let Some(config) = config.as_object_mut() {
            config.remove("$schema");
        }
        rebase(&mut config, &format!("#/$defs/{name}/$defs/"));
        cases.push(json!({
            "if": { "properties": { "type": { "const": node_type.node_type } }, "required": ["type"] },
            "then": { "properties": { "config": { "$ref": format!("#/$defs/{name}") } } },
        }));
        configs.insert(name, config);
    }
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        if let Some(node) = definitions.get_mut("Node") {
            node["allOf"] = Value::Array(cases);
        }
        definitions.extend(configs);
    }
    schema
}

/// Moves references to a schema's own definitions to the new place of the definitions.
fn rebase(value: &mut Value, definitions: &str) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                match inner {
                    Value::String(reference) if key == "$ref" => {
                        if let Some(name) = reference.strip_prefix("#/$defs/") {
                            *reference = format!("{definitions}{name}");
                        }
                    }
                    other => rebase(other, definitions),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rebase(item, definitions)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
