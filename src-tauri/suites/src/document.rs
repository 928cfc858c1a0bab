//! The document of a suite, `NAME.tests.yaml` or `NAME.tests.json`, as types. Its JSON Schema is made from them.

use std::collections::BTreeMap;

use plait_core::id::{NodeId, PortName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use ts_rs::TS;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The most rows of a dataset that become cases.
pub(crate) const MAX_ROWS: usize = 10_000;

fn version() -> u32 {
    VERSION
}

/// The tests of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suite {
    /// The version of the format.
    #[serde(default = "version")]
    #[ts(as = "Option<u32>", optional)]
    pub version: u32,
    /// The flow, relative to the suite. Without it, the one of the same name: `review.flow.json` or `review.yaml` beside
    /// `review.tests.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flow: Option<String>,
    /// Checks of every case, before its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Check>>")]
    pub checks: Vec<Check>,
    /// How often live cases run, unless they say it. Once by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1, max = 1000))]
    pub repeats: Option<u32>,
    /// Which part of the repeats has to pass, unless a case says it: 0.8 for four of five. All by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pass_rate: Option<f64>,
    /// What live cases are run with, each with each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub matrix: Option<Matrix>,
    pub cases: Vec<TestCase>,
}

/// Models and settings that live cases are run with: every combination of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Matrix {
    /// Models, as `PROVIDER/MODEL`, for all nodes that name or inherit one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub models: Vec<String>,
    /// Values of settings, by `NODE.SETTING`, for example `draft.temperature`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, Vec<Value>>>")]
    pub parameters: BTreeMap<String, Vec<Value>>,
}

/// One run of the flow, and what has to hold of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestCase {
    /// Its name, unique in the suite.
    pub name: String,
    /// A file whose rows are cases: what follows, once for each row, with the row's cells in the place of `{{column}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dataset: Option<Dataset>,
    /// The text input of the run; of a replay, in place of the recorded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<String>,
    /// Values for input ports without an edge, by node and port; of a replay, in place of the recorded ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>")]
    pub set: BTreeMap<NodeId, BTreeMap<PortName, Value>>,
    /// Answers to the questions that the run asks people. A replay takes the recorded ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<TestAnswer>>")]
    pub answers: Vec<TestAnswer>,
    /// The recording that models, tools, people and the clock are taken from, relative to the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub recording: Option<String>,
    /// Call models and tools each time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub live: bool,
    /// How often it runs, if it is live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1, max = 1000))]
    pub repeats: Option<u32>,
    /// Which part of the repeats has to pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub pass_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Check>>")]
    pub checks: Vec<Check>,
}

/// A file of rows beside the suite: CSV with a header, or JSON Lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// The file, relative to the suite, in its folder or below it: `.csv`, `.tsv` or `.jsonl`.
    pub file: String,
    /// The column that names the rows. Without it, they are named by their numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<String>,
    /// Only this many rows, from the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: Option<u32>,
    /// The columns of a CSV file whose cells are JSON: numbers, lists, objects. The others are texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub json: Vec<String>,
    /// What separates the cells of a CSV file. A comma by default, a tab in `.tsv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub separator: Option<char>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct TestAnswer {
    /// The node that asks. Without it, the first question that no other answer names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    #[ts(type = "unknown")]
    pub value: Value,
}

/// What has to hold of a run. That it finished is always checked.
///
/// Outputs are named `NODE.PORT`, in a sub-flow `SUBFLOW/NODE.PORT`; of a node that ran several times, the last time counts. Without a
/// name, it is the only output of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Check {
    /// An output has this value.
    Equals(ValueCheck),
    /// An output contains this text; of a value that is no text, its JSON.
    Contains(TextCheck),
    /// An output matches this regular expression somewhere.
    Regex(PatternCheck),
    /// An output matches this JSON Schema.
    Schema(SchemaCheck),
    /// A `JSONPath` (RFC 9535) selects something of an output, or exactly these values.
    JsonPath(JsonPathCheck),
    /// An output is the same as in the recording.
    Unchanged(OutputCheck),
    /// A CEL condition holds after each time that a node has ended. It reads what a breakpoint there reads.
    Condition(ConditionCheck),
    /// All model calls together use at most this many tokens, those of a recording included.
    MaxTokens(u64),
    /// They cost at most this many US dollars. A call without a known price fails the check.
    MaxCost(f64),
    /// The run takes at most this many seconds, without waits for people.
    MaxSeconds(f64),
    /// A prompt of a node contains this text.
    Prompt(PromptCheck),
    /// A tool was called.
    Tool(ArgumentsCheck),
    /// A model judges an output.
    Rubric(RubricCheck),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ValueCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    #[ts(type = "unknown")]
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct TextCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct PatternCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    pub pattern: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct SchemaCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    #[ts(type = "Record<string, unknown>")]
    pub schema: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct JsonPathCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    pub path: String,
    /// The values that it has to select, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Vec<Value>>")]
    pub values: Option<Vec<Value>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct OutputCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ConditionCheck {
    /// The node: `NODE`, in a sub-flow `SUBFLOW/NODE`.
    pub node: String,
    pub when: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct PromptCheck {
    /// The node: `NODE`, in a sub-flow `SUBFLOW/NODE`.
    pub node: String,
    pub contains: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ArgumentsCheck {
    /// The name of the tool.
    pub name: String,
    /// Only calls by this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<String>,
    /// Only calls with these arguments, and any others beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub arguments: Option<Value>,
    /// How often; 0 for never. At least once without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub times: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct RubricCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<String>,
    /// What has to be true of the output, for a model to read.
    pub text: String,
    /// The model that judges, as `PROVIDER/MODEL`.
    pub model: String,
}

impl Suite {
    /// The checks of a case: those of the suite and its own, in order.
    pub fn checks_of<'s>(&'s self, case: &'s TestCase) -> impl Iterator<Item = &'s Check> {
        self.checks.iter().chain(&case.checks)
    }

    /// How often a case runs.
    pub fn repeats_of(&self, case: &TestCase) -> u32 {
        if case.live { case.repeats.or(self.repeats).unwrap_or(1) } else { 1 }
    }

    /// Which part of its repeats has to pass.
    pub fn pass_rate_of(&self, case: &TestCase) -> f64 {
        case.pass_rate.or(self.pass_rate).filter(|_| case.live).unwrap_or(1.0)
    }

    /// Whether running a case may cost something: it is live, or a model judges it.
    pub fn may_buy(&self, case: &TestCase) -> bool {
        case.live || self.checks_of(case).any(|check| matches!(check, Check::Rubric(_)))
    }
}

impl Dataset {
    /// How its name ends, in small letters.
    pub(crate) fn extension(&self) -> String {
        self.file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
    }

    /// Whether it has an object in each line.
    pub(crate) fn is_json_lines(&self) -> bool {
        matches!(&*self.extension(), "jsonl" | "ndjson")
    }
}

impl Check {
    /// What is checked, for people: `contains out.text`.
    pub fn label(&self) -> String {
        let of = |kind: &str, output: &Option<String>| match output {
            Some(output) => format!("{kind} {output}"),
            None => kind.to_owned(),
        };
        match self {
            Self::Equals(check) => of("equals", &check.output),
            Self::Contains(check) => of("contains", &check.output),
            Self::Regex(check) => of("regex", &check.output),
            Self::Schema(check) => of("schema", &check.output),
            Self::JsonPath(check) => of("jsonPath", &check.output),
            Self::Unchanged(check) => of("unchanged", &check.output),
            Self::Condition(check) => format!("condition {}", check.node),
            Self::MaxTokens(_) => "maxTokens".to_owned(),
            Self::MaxCost(_) => "maxCost".to_owned(),
            Self::MaxSeconds(_) => "maxSeconds".to_owned(),
            Self::Prompt(check) => format!("prompt {}", check.node),
            Self::Tool(check) => format!("tool {}", check.name),
            Self::Rubric(check) => of("rubric", &check.output),
        }
    }

    /// The node that it is about, if it is about one.
    pub fn node(&self) -> Option<&str> {
        let node_of = |output: &'_ Option<String>| -> Option<usize> { output.as_ref()?.rfind('.') };
        match self {
            Self::Equals(ValueCheck { output, .. })
            | Self::Contains(TextCheck { output, .. })
            | Self::Regex(PatternCheck { output, .. })
            | Self::Schema(SchemaCheck { output, .. })
            | Self::JsonPath(JsonPathCheck { output, .. })
            | Self::Unchanged(OutputCheck { output })
            | Self::Rubric(RubricCheck { output, .. }) => output.as_ref()?.get(..node_of(output)?),
            Self::Condition(ConditionCheck { node, .. }) | Self::Prompt(PromptCheck { node, .. }) => {
                Some(node)
            }
            Self::Tool(check) => check.node.as_deref(),
            Self::MaxTokens(_) | Self::MaxCost(_) | Self::MaxSeconds(_) => None,
        }
    }
}

/// The JSON Schema of suites.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Suite).to_value();
    schema["$id"] = json!("urn:plait:suite:1");
    schema["title"] = json!("Plait suite");
    schema
}
