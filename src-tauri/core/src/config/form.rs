//! What forms are drawn from: the label, help, bounds, unit and default of each key, and where it stands. The window draws the forms of the
//! settings and of the flow from [`forms`]; the schemas of node types are completed from the table, so that the forms of loops and nodes say
//! the same.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};
use ts_rs::TS;

use super::key::{BuiltIn, ConfigKey, ValueKind};
use super::keys::keys;
use crate::flow::{FlowSettings, Limits, RetryPolicy};

/// All that forms of configuration are drawn from.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConfigForms {
    /// The sections of the settings that have keys, in their order.
    pub sections: &'static [ConfigSection],
    /// The keys, in the order of forms.
    pub fields: Vec<ConfigField>,
    /// The JSON Schema of `limits` of nodes.
    #[ts(type = "Record<string, unknown>")]
    pub limits: Value,
    /// The JSON Schema of `retry` of nodes.
    #[ts(type = "Record<string, unknown>")]
    pub retry: Value,
}

/// A section of the settings.
#[derive(Clone, Copy, Debug, Serialize, TS)]
pub struct ConfigSection {
    /// Other parts of the window lead to a section by it.
    pub id: &'static str,
    pub title: &'static str,
    /// What its keys have in common.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub help: &'static str,
}

/// A key as forms show it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ConfigField {
    pub key: &'static str,
    /// The JSON Schema of its values, with what forms need: `title` is the label, `description` the help.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Value,
    /// The section of the settings that it stands in, if they set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub section: Option<&'static str>,
    /// Where it stands in the settings of the application, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub settings: Option<String>,
    /// Where it stands in the settings of a flow, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flow: Option<String>,
    /// Where it stands in a node, as a JSON pointer, by the type of the node.
    pub nodes: BTreeMap<&'static str, &'static str>,
}

#[rustfmt::skip]
static SECTIONS: &[ConfigSection] = &[
    ConfigSection { id: "appearance", title: "Appearance", help: "" },
    ConfigSection { id: "agent", title: "Default agent", help: "Used by pipeline steps without an agent, by nodes that start a conversation and set none, and for summaries of loops without a summarizer." },
    ConfigSection { id: "runDefaults", title: "Defaults for runs", help: "Used where a flow, its loops and its nodes leave the value empty." },
    ConfigSection { id: "runLimits", title: "Run limits", help: "For a run and all runs of its sub-flows together. A flow’s own limits take precedence. Changes apply to runs that start or resume." },
    ConfigSection { id: "quotas", title: "Quotas", help: "A model call that would exceed a quota is not sent. A flow can set its own quotas for runs and conversations, but none for the day." },
    ConfigSection { id: "memory", title: "Memory summaries", help: "Summarizes the memory of a workflow, unless the node or the flow sets another model." },
    ConfigSection { id: "telemetry", title: "OpenTelemetry", help: "Spans of runs are sent there while they run. Empty: nothing is sent." },
];

/// What the forms of the settings, of flows and of nodes are drawn from.
pub fn forms() -> ConfigForms {
    let field = |key: &ConfigKey| ConfigField {
        key: key.name,
        schema: key.schema(),
        section: key.section,
        settings: key.settings_pointer(),
        flow: key.flow_pointer(),
        nodes: key.node_types().collect(),
    };
    let (limits, retry) = (inline_schema::<Limits>(), inline_schema::<RetryPolicy>());
    let mut node = json!({ "properties": { "limits": limits, "retry": retry } });
    complete_node(&mut node, "", |_| true);
    let [limits, retry] = ["limits", "retry"].map(|name| node["properties"][name].take());
    ConfigForms { sections: SECTIONS, fields: keys().iter().map(field).collect(), limits, retry }
}

/// The schema of the config of a node type without references, so that a form can be drawn from it directly. The table says what its fields
/// take that stand in other places, too.
pub fn node_schema<C: JsonSchema>(node_type: &str) -> Value {
    let mut schema = inline_schema::<C>().to_value();
    complete_node(&mut schema, "/config", |name| name == node_type);
    schema
}

/// The schema of `settings` of a flow without references.
pub fn flow_settings_schema() -> Value {
    let mut schema = inline_schema::<FlowSettings>().to_value();
    let config = &mut schema["properties"]["config"];
    config["properties"] = keys()
        .iter()
        .filter(|key| key.is_in_flow_config())
        .map(|key| (key.name.to_owned(), key.schema()))
        .collect();
    config["additionalProperties"] = json!(false);
    for key in keys().iter().filter(|key| !key.is_in_flow_config()) {
        if let Some(field) = key.flow_pointer().and_then(|pointer| property(&mut schema, &pointer)) {
            key.complete(field, key.label);
        }
    }
    schema
}

/// Completes the schema of a part of nodes of some types: what stands below `prefix`.
fn complete_node(schema: &mut Value, prefix: &str, is_of: impl Fn(&str) -> bool) {
    // Nodes with an agent of their own say what theirs is: they inherit the default one only without it.
    let has_own_meaning = |key: &ConfigKey| key.in_node.iter().any(|place| place.without_context);
    for key in keys().iter().filter(|key| !has_own_meaning(key)) {
        for (_, pointer) in key.node_types().filter(|(name, _)| is_of(name)) {
            if let Some(field) = pointer.strip_prefix(prefix).and_then(|pointer| property(schema, pointer)) {
                key.complete(field, key.short_label.unwrap_or(key.label));
            }
        }
    }
}

/// The property at a pointer. An optional object is one of two alternatives.
fn property<'s>(schema: &'s mut Value, pointer: &str) -> Option<&'s mut Value> {
    pointer.split('/').skip(1).try_fold(schema, |at, name| {
        let object = if at.get("properties").is_some() { at } else { at.get_mut("anyOf")?.get_mut(0)? };
        object.get_mut("properties")?.get_mut(name)
    })
}

fn inline_schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

impl ConfigKey {
    /// Its name for people, with the unit: "Timeout (ms)". It says what the value is about also where it stands alone.
    pub fn label(&self) -> String {
        self.with_unit(self.label)
    }

    /// The JSON Schema of its values, with what people need to set one.
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        schema["title"] = json!(self.label());
        schema["description"] = json!(self.help);
        if let Some(format) = self.format {
            schema["format"] = json!(format);
        }
        if let Some(example) = self.example {
            schema["examples"] = json!([example]);
        }
        self.add_built_in(&mut schema);
        schema
    }

    /// Completes the schema of a field that takes its values.
    fn complete(&self, field: &mut Value, label: &str) {
        field["title"] = json!(self.with_unit(label));
        field["description"] = json!(self.help);
        // The built-in choice can be chosen, too: it holds then where a wider layer sets another one.
        if field["default"].is_null() && !matches!(self.kind, ValueKind::Choice(_)) {
            self.add_built_in(field);
        }
        let values = self.kind.schema();
        for bound in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if let Some(value) = values.get(bound) {
                field[bound] = value.clone();
            }
        }
        if let ValueKind::Choice(choices) = self.kind {
            label_choices(field, choices);
        }
    }

    fn add_built_in(&self, schema: &mut Value) {
        match self.built_in {
            BuiltIn::Value(value) => schema["default"] = value(),
            // What an empty field means, in words.
            BuiltIn::Depends(what) => schema["x-unset"] = json!(what),
        }
    }

    fn with_unit(&self, label: &str) -> String {
        self.unit.map_or_else(|| label.to_owned(), |unit| format!("{label} ({unit})"))
    }
}

/// Labels the words that a schema lists, at any depth: a word may be one of several alternatives.
fn label_choices(schema: &mut Value, choices: &[(&str, &str)]) {
    let word = schema.get("const").and_then(Value::as_str);
    if let Some((_, label)) = choices.iter().find(|(choice, _)| word == Some(*choice)) {
        schema["title"] = json!(label);
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(Value::Array(alternatives)) = schema.get_mut(alternatives) {
            for one in alternatives {
                label_choices(one, choices);
            }
        }
    }
}
