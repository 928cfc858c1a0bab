//! The description of a node type for people, the editor and planning.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use ts_rs::TS;

use super::{Card, EditorTraits};
use crate::host::subflow::ChildFlow;
use plait_core::flow::MemoryUse;
use plait_core::id::{NodeId, PortName};
use plait_core::port::Ports;
use plait_llm::loop_history::ConversationSettings;
use plait_llm::needs::NodeNeed;

/// The palette's sections, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    Contexts,
    /// Input from people.
    People,
    /// Model calls.
    Models,
    /// Tools for models.
    Tools,
    /// Values.
    Data,
    /// Branching, timing and nesting.
    Control,
    /// Results, portals and comments.
    Wiring,
}

/// An example of a node type. Each one runs as a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Example {
    /// What it demonstrates.
    pub title: String,
    /// The node's config.
    #[ts(type = "Record<string, unknown>")]
    pub config: Value,
    /// Values on its inputs.
    #[ts(as = "BTreeMap<PortName, Value>")]
    pub inputs: BTreeMap<PortName, Value>,
    /// The person's answer, if the node pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub answer: Option<Value>,
    /// The expected live outputs. All others are dead. Null if they depend on the environment, such as a clock.
    #[ts(type = "Record<string, unknown> | null")]
    pub outputs: Value,
}

impl Example {
    /// An example with an empty config, no inputs and no live outputs.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            config: Value::Object(Map::new()),
            inputs: BTreeMap::new(),
            answer: None,
            outputs: Value::Object(Map::new()),
        }
    }

    /// Sets the config.
    #[must_use]
    pub fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// Sets the value of an input. On a `many` port the value is the list of the values of its edges.
    #[must_use]
    pub fn input(mut self, port: &str, value: Value) -> Self {
        self.inputs.insert(port.into(), value);
        self
    }

    /// Sets the answer to the node's question.
    #[must_use]
    pub fn answer(mut self, answer: Value) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Sets the expected live outputs; null if they depend on the environment.
    #[must_use]
    pub fn outputs(mut self, outputs: Value) -> Self {
        self.outputs = outputs;
        self
    }
}

/// The description of a node type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeDescriptor {
    /// Its name in flow files, for example `userInput`.
    #[serde(rename = "type")]
    pub node_type: String,
    /// Alternative names in flow files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub aliases: Vec<String>,
    /// Its name in the UI.
    pub title: String,
    /// One line for the palette.
    pub summary: String,
    /// What it does, in Markdown, for the help.
    pub description: String,
    /// The palette's section.
    pub category: Category,
    /// Its lucide icon, in kebab case.
    pub icon: String,
    /// The one-line summary on a node's card.
    pub card: Card,
    /// How the editor treats its nodes, beyond what their ports say.
    pub editor: EditorTraits,
    /// More search terms.
    pub terms: Vec<String>,
    /// JSON Schema of its config. The inspector's form is drawn from it.
    #[ts(type = "Record<string, unknown>")]
    pub config_schema: Value,
    /// Its ports with its default config.
    pub ports: Ports,
    /// Runnable examples.
    pub examples: Vec<Example>,
}

impl NodeDescriptor {
    /// The settings of its config with their schemas, by path: `history_management.max_turns`, `cases[].name` of the items of a
    /// list, `perTool.NAME.attempts` of a table.
    pub fn settings(&self) -> Vec<(String, &Value)> {
        let mut settings = Vec::new();
        collect_settings("", &self.config_schema, &mut settings);
        settings
    }
}

fn collect_settings<'s>(path: &str, schema: &'s Value, settings: &mut Vec<(String, &'s Value)>) {
    let variants = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    for part in std::iter::once(schema).chain(variants) {
        for (name, field) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let own = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            settings.push((own.clone(), field));
            collect_settings(&own, field, settings);
        }
        for (key, items) in [("items", "[]"), ("additionalProperties", ".NAME")] {
            if let Some(inner) = part.get(key).filter(|inner| inner.is_object()) {
                collect_settings(&format!("{path}{items}"), inner, settings);
            }
        }
    }
}

/// What planning needs to know about a node with a certain config.
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a node type")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behavior {
    /// It pauses for a person, and so bounds every cycle that contains it.
    pub pauses: bool,
    /// It reads or writes the history of the context on its `context` input, and so takes part in the turn order there.
    pub uses_context: bool,
    /// Like `uses_context`, for a context named in its config.
    pub uses_context_id: Option<String>,
    /// Like `uses_context`, for a context named at run time by the value of this data input.
    pub uses_context_from: Option<&'static str>,
    /// It clears the context that it works in, or changes its instructions or model.
    pub changes_context: bool,
    /// It creates the context on its `context` output.
    pub makes_context: bool,
    /// The id of the context it creates, if that is not the node's id (with its epoch inside a cycle).
    pub context_id: Option<String>,
    /// What it does with the workflow's memory, and so whether it takes part in the turn order there.
    pub memory: MemoryUse,
    /// It never runs: a comment on the canvas.
    pub inert: bool,
    /// Its live outputs are outputs of the flow.
    pub is_output: bool,
    /// It is one end of a portal. Planning connects the ends of each channel.
    pub portal: Option<Portal>,
    /// It takes a value from a node that its config names. Planning adds the edge.
    pub config_edge: Option<ConfigEdge>,
    /// Its work has retries of its own. The node itself is retried only if its retry policy is set explicitly.
    pub has_inner_retries: bool,
    /// What a person has to allow it before it runs.
    pub needs: Vec<NodeNeed>,
    /// It runs this flow.
    pub calls: Option<ChildFlow>,
    /// It takes one of these outputs. At a stop, a person can take another one.
    pub ways: Vec<PortName>,
    /// The output that has the name of the way.
    pub way_output: Option<&'static str>,
    /// The inputs of that flow that it gives values to.
    pub gives: Vec<(NodeId, PortName)>,
    /// It is a container that repeats the nodes inside.
    pub repeats: Option<LoopSpec>,
    /// The conversation of its iterations, if it is a container that has one.
    pub conversation: Option<Arc<ConversationSettings>>,
    /// It is an agent: what it outputs is said by a model.
    pub is_agent: bool,
    /// It may call a tool, or a model although it is no agent.
    pub calls_tools: bool,
    /// The branches that meet in it get equal parts of what is left of quotas.
    pub splits_quota: bool,
    /// The most model calls of one execution.
    pub call_limit: CallLimit,
    /// It is an agent that does not get the history of a conversational loop around it.
    pub ignores_loop_history: bool,
    /// Whether the model that its config sets, for itself or for the context that it makes, takes a single prompt. `None` if it sets
    /// no model.
    pub takes_prompt_only: Option<bool>,
    /// What it says in a loop with a conversation is pinned there.
    pub pins_turns: bool,
    /// It delivers the values of its pin and is not executed.
    pub is_pinned: bool,
    /// Its pin has values for single iterations.
    pub has_pinned_iterations: bool,
    /// It only waits for time to pass, and so does not count against the concurrency limit.
    pub is_timer: bool,
    /// A required setting that is not made yet, as JSON pointer and message. The node is valid on the canvas, but its flow
    /// cannot run.
    pub missing_setting: Option<(&'static str, &'static str)>,
    /// It stands for something that Plait has no node for, with the message that says so. Its flow cannot run.
    pub placeholder: Option<String>,
}

impl Behavior {
    /// Whether it may call a model or a tool.
    pub fn calls_outside(&self) -> bool {
        self.is_agent || self.calls_tools
    }

    /// Whether it gets the history of a conversational loop around it.
    pub fn gets_loop_history(&self) -> bool {
        self.is_agent && !self.ignores_loop_history
    }

    /// The MCP servers that it names.
    pub fn server_names(&self) -> Vec<String> {
        let names = self.needs.iter().filter_map(|need| match need {
            NodeNeed::Server { name, .. } => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }
}

/// How many model calls an execution may make, beside the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallLimit {
    /// To correct a reply that cannot be used.
    pub repairs: u32,
    /// After the results of tools, if it is offered any.
    pub tool_rounds: u32,
}

/// How a container repeats the nodes inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSpec {
    /// When it repeats.
    pub kind: LoopKind,
    /// Whether the condition reads the result of an iteration or the input.
    pub reads_results: bool,
    /// Whether the container executes before each iteration, also if it has no condition: to summarize its history.
    pub prepares: bool,
    /// The greatest number of iterations, at least 1; with one more to come, it ends with a warning.
    pub max_iterations: u32,
}

/// When a container repeats the nodes inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// As long as its condition holds.
    While {
        /// Whether it has one, to be tested before each iteration. Without one, it always holds.
        tests: bool,
    },
    /// So many times.
    Times(u32),
    /// Once for each item of a list.
    ForEach {
        /// How many iterations may be open at once, at least 1.
        concurrency: u32,
        /// Whether an iteration that fails leaves its error in the results, instead of failing the loop.
        continues_on_error: bool,
    },
}

impl LoopKind {
    /// Whether iterations may be open beside each other, so that none sees what another changes.
    pub fn is_for_each(self) -> bool {
        matches!(self, Self::ForEach { .. })
    }

    /// The same with one iteration open at a time. A run to a node inside needs that: else it would depend on timing in which
    /// iteration the node finishes first.
    pub(crate) fn one_by_one(self) -> Self {
        match self {
            Self::ForEach { continues_on_error, .. } => Self::ForEach { concurrency: 1, continues_on_error },
            other => other,
        }
    }
}

/// An edge that is defined by a config instead of on the canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigEdge {
    /// The node it comes from.
    pub node: NodeId,
    /// The output. If absent, the first data output.
    pub output: Option<PortName>,
    /// The input it feeds.
    pub input: &'static str,
    /// The config setting that names it, as a JSON pointer.
    pub setting: &'static str,
}

/// One end of a portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Portal {
    /// Its input comes out at every `Out` of the same channel.
    In(String),
    /// See `In`.
    Out(String),
}
