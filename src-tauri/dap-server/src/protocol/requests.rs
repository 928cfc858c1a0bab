//! The arguments of requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How an editor counts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeArguments {
    #[serde(default = "yes", rename = "linesStartAt1")]
    pub(crate) lines_start_at_1: bool,
    #[serde(default = "yes", rename = "columnsStartAt1")]
    pub(crate) columns_start_at_1: bool,
    #[serde(default)]
    pub(crate) supports_invalidated_event: bool,
}

fn yes() -> bool {
    true
}

/// The settings of a session that runs a flow.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LaunchArguments {
    /// The flow file or pipeline, or the id of an example flow.
    pub(crate) program: String,
    /// The text input of the run.
    #[serde(default)]
    pub(crate) input: Option<String>,
    /// Values for inputs that no edge feeds, by node and port.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, BTreeMap<String, Value>>,
    /// Answers to questions, as `TEXT` or `NODE=TEXT`.
    #[serde(default)]
    pub(crate) answers: Vec<String>,
    /// What the run may cost at most, in US dollars.
    #[serde(default)]
    pub(crate) max_usd: Option<f64>,
    /// The node to run to.
    #[serde(default)]
    pub(crate) to: Option<String>,
    /// Whether pinned nodes are executed.
    #[serde(default)]
    pub(crate) ignore_pins: bool,
    /// Whether the run stops before its first node.
    #[serde(default)]
    pub(crate) stop_on_entry: bool,
    /// Whether it runs without breakpoints.
    #[serde(default)]
    pub(crate) no_debug: bool,
}

/// The settings of a session with a run of the store.
#[derive(Debug, Deserialize)]
pub(crate) struct AttachArguments {
    /// The run's id, how it begins, or `last`.
    pub(crate) run: String,
    /// Answers to questions, as `TEXT` or `NODE=TEXT`.
    #[serde(default)]
    pub(crate) answers: Vec<String>,
}

/// A file, or a text that only the adapter has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Source {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The number of a text that only the adapter has.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "sourceReference")]
    pub(crate) reference: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SetBreakpointsArguments {
    pub(crate) source: Source,
    #[serde(default)]
    pub(crate) breakpoints: Vec<SourceBreakpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceBreakpoint {
    pub(crate) line: i64,
    #[serde(default)]
    pub(crate) condition: Option<String>,
    #[serde(default)]
    pub(crate) hit_condition: Option<String>,
    #[serde(default)]
    pub(crate) log_message: Option<String>,
    /// The side of the node: `before`, `call` or `after`.
    #[serde(default)]
    pub(crate) mode: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SetFunctionBreakpointsArguments {
    #[serde(default)]
    pub(crate) breakpoints: Vec<FunctionBreakpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionBreakpoint {
    /// A breakpoint as it is written on the command line.
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) condition: Option<String>,
    #[serde(default)]
    pub(crate) hit_condition: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetExceptionBreakpointsArguments {
    #[serde(default)]
    pub(crate) filters: Vec<String>,
    #[serde(default)]
    pub(crate) filter_options: Vec<ExceptionFilterOptions>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExceptionFilterOptions {
    pub(crate) filter_id: String,
    #[serde(default)]
    pub(crate) condition: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataBreakpointInfoArguments {
    #[serde(default)]
    pub(crate) variables_reference: Option<i64>,
    pub(crate) name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SetDataBreakpointsArguments {
    #[serde(default)]
    pub(crate) breakpoints: Vec<DataBreakpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataBreakpoint {
    pub(crate) data_id: String,
    #[serde(default)]
    pub(crate) condition: Option<String>,
    #[serde(default)]
    pub(crate) hit_condition: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadArguments {
    pub(crate) thread_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackTraceArguments {
    pub(crate) thread_id: i64,
    #[serde(default)]
    pub(crate) start_frame: Option<i64>,
    #[serde(default)]
    pub(crate) levels: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameArguments {
    pub(crate) frame_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VariablesArguments {
    pub(crate) variables_reference: i64,
    /// `indexed` or `named`; all if left out.
    #[serde(default)]
    pub(crate) filter: Option<String>,
    #[serde(default)]
    pub(crate) start: Option<i64>,
    #[serde(default)]
    pub(crate) count: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetVariableArguments {
    pub(crate) variables_reference: i64,
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvaluateArguments {
    pub(crate) expression: String,
    #[serde(default)]
    pub(crate) frame_id: Option<i64>,
    /// `repl` for what is typed into the console.
    #[serde(default)]
    pub(crate) context: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceArguments {
    #[serde(default)]
    pub(crate) source: Option<Source>,
    #[serde(default)]
    pub(crate) source_reference: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisconnectArguments {
    #[serde(default)]
    pub(crate) terminate_debuggee: Option<bool>,
}

/// Of `plait/answer`, which no other adapter has.
#[derive(Debug, Deserialize)]
pub(crate) struct AnswerArguments {
    /// `TEXT`, or `NODE=TEXT`.
    pub(crate) answer: String,
}
