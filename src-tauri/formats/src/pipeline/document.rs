//! The format of pipelines, as types. The reader takes the keys of each part from their schemas, and `plait schema
//! --pipeline` publishes the same schemas, so editors and the reader accept the same.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::yaml::below;
use plait_core::flow::{FlowSettings, Position};
use plait_core::quota::{FallbackModel, OnExceeded, Quota};
use plait_run::http_tool::HttpTool;
use plait_run::loop_history::{AiTurnSource, HistoryInit, HistoryManagement};

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

/// A model with its instructions and settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(super) struct Agent {
    /// The provider, for example `offline`. Without one, that of the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) provider: Option<String>,
    /// The provider's name for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// System instructions, sent once in every call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_prompt: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub(super) temperature: Option<f64>,
    /// Maximum tokens of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<NonZeroU32>,
    /// JSON Schema that replies must match. The output of the step is then the parsed reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_schema: Option<Value>,
    /// Maximum rounds of tool calls before the model must answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tool_rounds: Option<u32>,
    /// The model's context window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_window: Option<NonZeroU32>,
    /// Provider-specific options. For the offline simulator's model `script`, its replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) options: Option<Map<String, Value>>,
    /// The tools that it may call: names, or `auto` for all that change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Tools>,
    /// MCP servers whose tools it may call: names, or mappings with a `server`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mcp_servers: Option<Vec<McpServerRef>>,
    /// Tools that send an HTTP request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) http_tools: Option<Vec<DeclaredTool>>,
}

/// An HTTP tool as it is declared, with the names of the node type `tools`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct DeclaredTool(Value);

impl<'de> Deserialize<'de> for DeclaredTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let declared = Value::deserialize(deserializer)?;
        // Kept as it is written: what is not set stays so.
        HttpTool::deserialize(&declared).map_err(serde::de::Error::custom)?;
        Ok(Self(declared))
    }
}

impl JsonSchema for DeclaredTool {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HttpTool".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        HttpTool::json_schema(generator)
    }
}

/// An MCP server whose tools an agent may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an MCP server is its name, or a mapping with `server`, `tools`, `prefix`, `instructions`, `send_context` and \
        `policy`"
)]
pub(super) enum McpServerRef {
    /// All of its tools.
    Name(String),
    Settings(Box<McpServer>),
}

/// An MCP server, and how its tools are offered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct McpServer {
    /// The name of the server, as it is under *MCP servers*.
    pub(super) server: String,
    /// The tools to offer, by name. Without any, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<String>,
    /// A text before the name of each tool. It keeps tools of two servers apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) prefix: String,
    /// Instructions for a tool's use, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) instructions: BTreeMap<String, String>,
    /// Whether the server gets what its tools may know of the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) send_context: bool,
    /// How its tools are called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<CallPolicy>,
}

/// How the tools of a server are called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CallPolicy {
    /// The longest time a call may take, in milliseconds; 60,000 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub(super) timeout_ms: Option<u64>,
    /// How often a call is tried, if it fails with an error that may pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub(super) attempts: Option<u32>,
    /// Whether a person is asked before each call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) approval: bool,
}

/// What model calls may use: tokens, money, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(super) struct StepQuota {
    /// Tokens of prompts and replies together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(super) tokens: Option<u64>,
    /// US dollars. A call of a model without a known price is not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usd: Option<f64>,
    /// What happens to a call that would exceed it: `stop` fails it, `ask` asks the person, `fallback` calls a cheaper model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) on_exceeded: Option<OnExceeded>,
    /// The model that is called instead, for `fallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fallback: Option<FallbackModel>,
}

impl StepQuota {
    /// The quota as nodes have it.
    pub(super) fn to_quota(&self) -> Quota {
        let Self { tokens, usd, on_exceeded, fallback } = self.clone();
        Quota { tokens, usd, on_exceeded: on_exceeded.unwrap_or_default(), fallback }
    }

    /// The quota of a node as pipelines have it.
    pub(super) fn of(quota: &Quota) -> Self {
        let Quota { tokens, usd, on_exceeded, fallback } = quota.clone();
        let on_exceeded = Some(on_exceeded).filter(|action| *action != OnExceeded::default());
        Self { tokens, usd, on_exceeded, fallback }
    }
}

/// The tools of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Tools {
    /// All of Plait's own tools that change nothing and read nothing personal.
    All(AllTools),
    /// These.
    Names(Vec<String>),
}

/// The keyword for all tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) enum AllTools {
    #[serde(rename = "auto")]
    Auto,
}

/// An agent: a name under `agents`, or its definition.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "`agent` is the name of an agent under `agents`, or a mapping with its settings"
)]
pub(super) enum AgentRef {
    Name(String),
    Inline(Box<Agent>),
}

/// The steps of a pipeline, a body or a branch. The reader reads them one by one.
#[derive(Debug, Default)]
pub(super) struct Steps;

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl JsonSchema for Steps {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Steps".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let step = generator.subschema_for::<StepSchema>();
        json_schema!({ "type": "array", "items": step, "minItems": 1 })
    }
}

/// A step.
#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "lowercase", rename = "Step")]
#[expect(
    dead_code,
    reason = "only its schema is used: each kind is read by itself, so that all problems are found"
)]
enum StepSchema {
    /// A message to a model, and its reply.
    Step(AgentStep),
    /// Steps that are repeated.
    Loop(LoopStep),
    /// Branches that run at the same time.
    Parallel(ParallelStep),
    /// Branches of which one runs.
    Conditional(ConditionalStep),
    /// A question to a person.
    Hitl(HitlStep),
}

/// The values of `kind`.
pub(super) const KINDS: &[&str] = &["step", "loop", "parallel", "conditional", "hitl"];

/// The names of steps: one, or a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`after` is the name of a step, or a list of names")]
pub(super) enum StepNames {
    One(String),
    Several(Vec<String>),
}

impl Default for StepNames {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl StepNames {
    /// Each name with its place, for names at `pointer`.
    pub(super) fn with_places(&self, pointer: &str) -> Vec<(&str, String)> {
        match self {
            Self::One(name) => vec![(name, pointer.to_owned())],
            Self::Several(names) => {
                let places = names.iter().enumerate();
                places.map(|(index, name)| (name.as_str(), below(pointer, index))).collect()
            }
        }
    }
}

/// A message to a model, and its reply.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct AgentStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(super) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(super) after: StepNames,
    /// The agent: a name under `agents`, or its settings. Without one, the default agent of the flow or the settings.
    #[serde(default)]
    pub(super) agent: Option<AgentRef>,
    /// The message, as a template. `{{previous}}` is the previous output, `{{input}}` the input of the run, and the name of an
    /// earlier step its output; in a loop `{{index}}` and `{{item}}`. Without one, the message is the previous output.
    #[serde(default)]
    pub(super) prompt: Option<String>,
    /// Whether the step gets the history of the loop around it, if that has `conversation: true`.
    #[serde(default)]
    pub(super) use_history: Option<bool>,
    /// Whether what the step says is always sent with the history of the loop around it, despite its bounds.
    #[serde(default)]
    pub(super) pinned: Option<bool>,
    /// How to retry after a failure that a retry could fix.
    #[serde(default)]
    pub(super) retry: Option<Retry>,
    /// After how many milliseconds a call fails.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(super) timeout_ms: Option<u64>,
    /// What its model calls may use in a run; in a loop, each time the loop runs.
    #[serde(default)]
    pub(super) quota: Option<StepQuota>,
    /// Further settings of the `chat` node, by their names in `*.flow.json`, for example `knowledge` or `memory`.
    #[serde(default)]
    pub(super) config: Map<String, Value>,
}

/// How often and after which delays to retry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(super) struct Retry {
    /// The maximum number of attempts, including the first.
    #[schemars(range(min = 1))]
    pub(super) attempts: u32,
    /// The delay before the second attempt, in milliseconds. It doubles with each further attempt.
    pub(super) backoff_ms: u64,
    /// The maximum delay, in milliseconds.
    pub(super) max_backoff_ms: u64,
    /// The share of each delay that is random, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) jitter: f64,
}

impl Default for Retry {
    fn default() -> Self {
        let plait_core::flow::RetryPolicy { attempts, backoff_ms, max_backoff_ms, jitter, extra: _ } =
            plait_core::flow::RetryPolicy::default();
        Self { attempts, backoff_ms, max_backoff_ms, jitter }
    }
}

/// Steps that are repeated.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct LoopStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(super) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(super) after: StepNames,
    /// How often, what is remembered, and what is repeated.
    #[serde(rename = "loop")]
    #[schemars(with = "Loop")]
    pub(super) _loop: IgnoredAnyClone,
}

/// What is in the `loop` of a loop.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Loop {
    /// The steps that are repeated.
    #[serde(rename = "body")]
    pub(super) _body: Steps,
    /// With `kind: forEach`, the items. Without them, the previous output, which must be a list.
    #[serde(default)]
    pub(super) items: Option<Vec<Value>>,
    /// How it is repeated: while a condition holds, a number of times, or for each item.
    #[serde(default)]
    pub(super) kind: LoopKind,
    /// With `kind: while`, a condition in CEL on `index`, `previous` (the output of the iteration before), `input` and
    /// `hitl_history` (what people answered). Without
    /// one, it is always true.
    #[serde(default, rename = "condition")]
    pub(super) _condition: Option<String>,
    /// With `kind: times`, how often.
    #[serde(default, rename = "times")]
    pub(super) _times: Option<u32>,
    /// With `kind: forEach`, how many items are worked on at once.
    #[serde(default, rename = "concurrency")]
    #[schemars(range(min = 1))]
    pub(super) _concurrency: Option<u32>,
    /// With `kind: forEach`, what a failed item does: `stop` fails the loop, `continue` puts the error into its place.
    #[serde(default, rename = "on_error")]
    pub(super) _on_error: Option<OnError>,
    /// The maximum number of iterations; 100 by default.
    #[serde(default, rename = "max_iterations")]
    #[schemars(range(min = 1))]
    pub(super) _max_iterations: Option<u32>,
    /// What the model calls of the body may use, each time the loop runs.
    #[serde(default)]
    pub(super) quota: Option<StepQuota>,
    /// Whether the steps of the body get the history of the loop's conversation.
    #[serde(default, rename = "conversation")]
    pub(super) _conversation: bool,
    /// What happens to a history that becomes long.
    #[serde(default)]
    pub(super) history_management: HistoryManagement,
    /// Which outputs are turns of the assistant: that of the last agent step of the body, of all, or of those in `named_steps`.
    #[serde(default)]
    pub(super) ai_turn_source: AiTurnSource,
    /// The steps that `ai_turn_source: named_steps` means.
    #[serde(default)]
    pub(super) named_steps: Vec<String>,
    /// Which outputs are turns of the user: `hitl` for all answers of people, `named_steps`, or names of steps.
    #[serde(default)]
    pub(super) user_turn_sources: Vec<String>,
    /// For models without chat messages: how the history is written, as a template of `history`, a list of `role` and `content`.
    #[serde(default, rename = "history_template")]
    pub(super) _history_template: Option<String>,
    /// What the history begins with.
    #[serde(default, rename = "init")]
    pub(super) _init: HistoryInit,
}

/// How a loop is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum LoopKind {
    #[default]
    While,
    Times,
    ForEach,
}

/// What a failed item does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnError {
    Stop,
    Continue,
}

/// Branches that run at the same time. Their output is an object with that of each branch, or as text all of them in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ParallelStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(super) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(super) after: StepNames,
    /// What separates the outputs where they are used as one text; a line break by default.
    #[serde(default)]
    pub(super) separator: Option<String>,
    /// The branches by name. Each gets the previous output.
    #[serde(rename = "branches")]
    #[schemars(with = "BTreeMap<String, Steps>")]
    pub(super) _branches: IgnoredAnyClone,
}

/// Branches of which one runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ConditionalStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(super) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(super) after: StepNames,
    /// An expression in CEL on `value`, the previous output. The branch that is named like its result runs. Without one, the
    /// branch that is named like the previous output.
    #[serde(default)]
    pub(super) condition: Option<String>,
    /// The branches by name: `true` and `false`, or texts. `default` runs if no other does; without it, the value is passed on.
    #[serde(rename = "branches")]
    #[schemars(with = "BTreeMap<String, Steps>")]
    pub(super) _branches: IgnoredAnyClone,
}

/// A question to a person.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct HitlStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(super) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(super) after: StepNames,
    /// The question, in Markdown, as a template: variables as in the prompt of a step. Without one, the previous output.
    #[serde(default)]
    pub(super) prompt: Option<String>,
    /// The placeholder of the answer field.
    #[serde(default)]
    pub(super) placeholder: Option<String>,
    /// JSON Schema of the answer. Without one, any text that is not blank.
    #[serde(default)]
    pub(super) schema: Option<Value>,
    /// Whether the answer is always sent with the history of the loop around the step, despite its bounds.
    #[serde(default)]
    pub(super) pinned: Option<bool>,
}

/// [`IgnoredAny`] for types that are cloned.
#[derive(Clone, Debug, Default)]
pub(super) struct IgnoredAnyClone;

impl<'de> Deserialize<'de> for IgnoredAnyClone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
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
