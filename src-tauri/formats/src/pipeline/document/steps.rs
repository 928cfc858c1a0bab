//! The kinds of steps.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::agent::{AgentRef, StepQuota};
use crate::pipeline::yaml::below;
use plait_llm::loop_history::{AiTurnSource, HistoryInit, HistoryManagement};

/// The steps of a pipeline, a body or a branch. The reader reads them one by one.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct Steps;

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
pub(in crate::pipeline) const KINDS: &[&str] = &["step", "loop", "parallel", "conditional", "hitl"];

/// The names of steps: one, or a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`after` is the name of a step, or a list of names")]
pub(in crate::pipeline) enum StepNames {
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
    pub(in crate::pipeline) fn with_places(&self, pointer: &str) -> Vec<(&str, String)> {
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
pub(in crate::pipeline) struct AgentStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(in crate::pipeline) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(in crate::pipeline) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(in crate::pipeline) after: StepNames,
    /// The agent: a name under `agents`, or its settings. Without one, the default agent of the flow or the settings.
    #[serde(default)]
    pub(in crate::pipeline) agent: Option<AgentRef>,
    /// The message, as a template. `{{previous}}` is the previous output, `{{input}}` the input of the run, and the name of an
    /// earlier step its output; in a loop `{{index}}` and `{{item}}`. Without one, the message is the previous output.
    #[serde(default)]
    pub(in crate::pipeline) prompt: Option<String>,
    /// Whether the step gets the history of the loop around it, if that has `conversation: true`.
    #[serde(default)]
    pub(in crate::pipeline) use_history: Option<bool>,
    /// Whether what the step says is always sent with the history of the loop around it, despite its bounds.
    #[serde(default)]
    pub(in crate::pipeline) pinned: Option<bool>,
    /// How to retry after a failure that a retry could fix.
    #[serde(default)]
    pub(in crate::pipeline) retry: Option<Retry>,
    /// After how many milliseconds a call fails.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(in crate::pipeline) timeout_ms: Option<u64>,
    /// What its model calls may use in a run; in a loop, each time the loop runs.
    #[serde(default)]
    pub(in crate::pipeline) quota: Option<StepQuota>,
    /// Further settings of the `chat` node, by their names in `*.flow.json`, for example `knowledge` or `memory`.
    #[serde(default)]
    pub(in crate::pipeline) config: Map<String, Value>,
}

/// How often and after which delays to retry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct Retry {
    /// The maximum number of attempts, including the first.
    #[schemars(range(min = 1))]
    pub(in crate::pipeline) attempts: u32,
    /// The delay before the second attempt, in milliseconds. It doubles with each further attempt.
    pub(in crate::pipeline) backoff_ms: u64,
    /// The maximum delay, in milliseconds.
    pub(in crate::pipeline) max_backoff_ms: u64,
    /// The share of each delay that is random, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(in crate::pipeline) jitter: f64,
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
pub(in crate::pipeline) struct LoopStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(in crate::pipeline) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(in crate::pipeline) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(in crate::pipeline) after: StepNames,
    /// How often, what is remembered, and what is repeated.
    #[serde(rename = "loop")]
    #[schemars(with = "Loop")]
    pub(in crate::pipeline) _loop: IgnoredAnyClone,
}

/// What is in the `loop` of a loop.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct Loop {
    /// The steps that are repeated.
    #[serde(rename = "body")]
    pub(in crate::pipeline) _body: Steps,
    /// With `kind: forEach`, the items. Without them, the previous output, which must be a list.
    #[serde(default)]
    pub(in crate::pipeline) items: Option<Vec<Value>>,
    /// How it is repeated: while a condition holds, a number of times, or for each item.
    #[serde(default)]
    pub(in crate::pipeline) kind: LoopKind,
    /// With `kind: while`, a condition in CEL on `index`, `previous` (the output of the iteration before), `input` and
    /// `hitl_history` (what people answered). Without
    /// one, it is always true.
    #[serde(default, rename = "condition")]
    pub(in crate::pipeline) _condition: Option<String>,
    /// With `kind: times`, how often.
    #[serde(default, rename = "times")]
    pub(in crate::pipeline) _times: Option<u32>,
    /// With `kind: forEach`, how many items are worked on at once.
    #[serde(default, rename = "concurrency")]
    #[schemars(range(min = 1))]
    pub(in crate::pipeline) _concurrency: Option<u32>,
    /// With `kind: forEach`, what a failed item does: `stop` fails the loop, `continue` puts the error into its place.
    #[serde(default, rename = "on_error")]
    pub(in crate::pipeline) _on_error: Option<OnError>,
    /// The maximum number of iterations; 100 by default.
    #[serde(default, rename = "max_iterations")]
    #[schemars(range(min = 1))]
    pub(in crate::pipeline) _max_iterations: Option<u32>,
    /// What the model calls of the body may use, each time the loop runs.
    #[serde(default)]
    pub(in crate::pipeline) quota: Option<StepQuota>,
    /// Whether the steps of the body get the history of the loop's conversation.
    #[serde(default, rename = "conversation")]
    pub(in crate::pipeline) _conversation: bool,
    /// What happens to a history that becomes long.
    #[serde(default)]
    pub(in crate::pipeline) history_management: HistoryManagement,
    /// Which outputs are turns of the assistant: that of the last agent step of the body, of all, or of those in `named_steps`.
    #[serde(default)]
    pub(in crate::pipeline) ai_turn_source: AiTurnSource,
    /// The steps that `ai_turn_source: named_steps` means.
    #[serde(default)]
    pub(in crate::pipeline) named_steps: Vec<String>,
    /// Which outputs are turns of the user: `hitl` for all answers of people, `named_steps`, or names of steps.
    #[serde(default)]
    pub(in crate::pipeline) user_turn_sources: Vec<String>,
    /// For models without chat messages: how the history is written, as a template of `history`, a list of `role` and `content`.
    #[serde(default, rename = "history_template")]
    pub(in crate::pipeline) _history_template: Option<String>,
    /// What the history begins with.
    #[serde(default, rename = "init")]
    pub(in crate::pipeline) _init: HistoryInit,
}

/// How a loop is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::pipeline) enum LoopKind {
    #[default]
    While,
    Times,
    ForEach,
}

/// What a failed item does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::pipeline) enum OnError {
    Stop,
    Continue,
}

/// Branches that run at the same time. Their output is an object with that of each branch, or as text all of them in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct ParallelStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(in crate::pipeline) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(in crate::pipeline) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(in crate::pipeline) after: StepNames,
    /// What separates the outputs where they are used as one text; a line break by default.
    #[serde(default)]
    pub(in crate::pipeline) separator: Option<String>,
    /// The branches by name. Each gets the previous output.
    #[serde(rename = "branches")]
    #[schemars(with = "BTreeMap<String, Steps>")]
    pub(in crate::pipeline) _branches: IgnoredAnyClone,
}

/// Branches of which one runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct ConditionalStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(in crate::pipeline) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(in crate::pipeline) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(in crate::pipeline) after: StepNames,
    /// An expression in CEL on `value`, the previous output. The branch that is named like its result runs. Without one, the
    /// branch that is named like the previous output.
    #[serde(default)]
    pub(in crate::pipeline) condition: Option<String>,
    /// The branches by name: `true` and `false`, or texts. `default` runs if no other does; without it, the value is passed on.
    #[serde(rename = "branches")]
    #[schemars(with = "BTreeMap<String, Steps>")]
    pub(in crate::pipeline) _branches: IgnoredAnyClone,
}

/// A question to a person.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct HitlStep {
    /// The name, unique in the pipeline.
    #[serde(rename = "name")]
    pub(in crate::pipeline) _name: String,
    /// The title that people see, in place of the name.
    #[serde(default)]
    pub(in crate::pipeline) title: Option<String>,
    /// Steps that are done before this one, by name, though it takes nothing from them. It is skipped if none of them ran.
    #[serde(default)]
    pub(in crate::pipeline) after: StepNames,
    /// The question, in Markdown, as a template: variables as in the prompt of a step. Without one, the previous output.
    #[serde(default)]
    pub(in crate::pipeline) prompt: Option<String>,
    /// The placeholder of the answer field.
    #[serde(default)]
    pub(in crate::pipeline) placeholder: Option<String>,
    /// JSON Schema of the answer. Without one, any text that is not blank.
    #[serde(default)]
    pub(in crate::pipeline) schema: Option<Value>,
    /// Whether the answer is always sent with the history of the loop around the step, despite its bounds.
    #[serde(default)]
    pub(in crate::pipeline) pinned: Option<bool>,
}

/// [`IgnoredAny`] for types that are cloned.
#[derive(Clone, Debug, Default)]
pub(in crate::pipeline) struct IgnoredAnyClone;

impl<'de> Deserialize<'de> for IgnoredAnyClone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}
