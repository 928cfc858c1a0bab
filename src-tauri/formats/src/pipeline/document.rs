//! The format of pipelines, as types. The reader takes the keys of each part from their schemas, and `plait schema
//! --pipeline` publishes the same schemas, so editors and the reader accept the same.

mod agent;
mod steps;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use plait_core::flow::{FlowSettings, Frame, Position};
use plait_core::id::FrameId;

pub(super) use agent::*;
pub(super) use steps::*;

/// The version of the format.
pub const VERSION: &str = "0.1";

/// A pipeline.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Pipeline")]
pub(super) struct Document {
    /// The version of the format.
    #[serde(rename = "version")]
    #[schemars(with = "Version")]
    pub(super) _version: IgnoredAny,
    /// The name that people see.
    #[serde(default)]
    pub(super) name: String,
    /// What it is for, in Markdown.
    #[serde(default)]
    pub(super) description: String,
    /// The text that the first step gets if a run is started without an input.
    #[serde(default)]
    pub(super) input: String,
    /// Agents by name. Steps and loops refer to them.
    #[serde(default, rename = "agents")]
    #[schemars(with = "BTreeMap<String, Agent>")]
    pub(super) _agents: IgnoredAny,
    /// What is done, one after the other.
    #[serde(rename = "steps")]
    pub(super) _steps: Steps,
    /// Settings of the whole flow, as in `*.flow.json`.
    #[serde(default)]
    pub(super) settings: FlowSettings,
    /// Where the editor shows steps, by their names. Those that are not listed are arranged.
    #[serde(default)]
    pub(super) layout: BTreeMap<String, Position>,
    /// Boxes that the editor draws around steps, as in `*.flow.json`. Their nodes are those that steps become.
    #[serde(default)]
    pub(super) frames: BTreeMap<FrameId, Frame>,
}

/// The version in the schema: a text, or the number that YAML makes of one without quotes.
struct Version;

impl JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [VERSION, 0.1] })
    }
}

/// The order in which keys are written.
pub(super) struct KeyOrder {
    pub(super) agent: &'static [&'static str],
    pub(super) loop_config: &'static [&'static str],
}

/// The order in which keys are written.
pub(super) const PIPELINE_KEYS: KeyOrder = KeyOrder {
    agent: &[
        "provider",
        "model",
        "system_prompt",
        "temperature",
        "max_tokens",
        "response_schema",
        "max_tool_rounds",
        "context_window",
        "tools",
        "mcp_servers",
        "http_tools",
        "options",
    ],
    loop_config: &[
        "kind",
        "condition",
        "times",
        "concurrency",
        "on_error",
        "max_iterations",
        "quota",
        "conversation",
        "init",
        "history_management",
        "ai_turn_source",
        "named_steps",
        "user_turn_sources",
        "history_template",
    ],
};

/// The JSON Schema of pipelines.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Document).to_value();
    schema["$id"] = json!("urn:plait:pipeline:0.1");
    schema["title"] = json!("Plait pipeline");
    schema
}
