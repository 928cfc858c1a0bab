//! One flow as one tool: the client gives its input and the answers to its questions, and gets its outputs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use plait_api::ErrorReply;
use plait_api::runs::{RunRequest, RunState};
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use rmcp::model::{CallToolRequestParams, JsonObject, Tool};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::codes;
use crate::reply::{self, Reply};
use crate::running::{Runner, check_input, takes_input};

/// The flow that is served.
pub struct ServedFlow {
    pub flow: Flow,
    /// Its file, if it has one.
    pub path: Option<String>,
    /// The name of the tool, if the flow has no name that could be one.
    pub name: String,
    /// Whether its runs cost together at most what may be spent. Otherwise only the quotas of the flow and the settings hold.
    pub is_limited: bool,
}

/// How long a tool is waited for: long enough for any flow that a client waits for.
const MAX_WAIT: Duration = Duration::from_hours(24);
/// How long a canceled run is waited for.
const CANCEL_WAIT: Duration = Duration::from_secs(30);
/// The most characters of a tool's name.
const MAX_NAME: usize = 64;

pub(crate) struct FlowTool {
    served: ServedFlow,
    tool: Tool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    answers: VecDeque<String>,
}

impl FlowTool {
    pub(crate) fn new(served: ServedFlow) -> Self {
        let asks = served.flow.nodes.values().any(|node| node.node_type == "userInput");
        let mut properties = serde_json::Map::new();
        if takes_input(&served.flow) {
            let input = json!({ "type": "string", "description": "The text input of the flow." });
            properties.insert("input".to_owned(), input);
        }
        if asks {
            let about = "Answers to the questions of the flow, in their order.";
            let answers = json!({ "type": "array", "items": { "type": "string" }, "description": about });
            properties.insert("answers".to_owned(), answers);
        }
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("additionalProperties".to_owned(), json!(false));
        let name = [&served.flow.name, &served.name].into_iter().map(|name| tool_name(name));
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "flow".to_owned());
        let description = match served.flow.description.trim() {
            "" => format!("Runs the flow “{}” and returns its outputs.", served.flow.name),
            description => description.to_owned(),
        };
        Self { tool: Tool::new(name, description, Arc::new(schema)), served }
    }

    pub(crate) fn tool(&self) -> Tool {
        self.tool.clone()
    }

    pub(crate) fn instructions(&self) -> String {
        format!("`{}` runs the flow “{}” in Plait.", self.tool.name, self.served.flow.name)
    }

    /// Runs the flow to its end. `command.arguments`, the errors of `run.start`, and how it stands if it fails, asks what the arguments
    /// do not answer, or is given up by the client: then it is canceled.
    pub(crate) async fn call(
        &self,
        runner: &Runner,
        request: CallToolRequestParams,
        given_up: CancellationToken,
    ) -> Reply {
        let wrong = |message: String| ErrorReply::new(codes::COMMAND_ARGUMENTS, message);
        if request.name != self.tool.name {
            let message = format!("There is no tool `{}`, only `{}`.", request.name, self.tool.name);
            return Err(wrong(message).into());
        }
        let arguments: Arguments =
            serde_json::from_value(Value::Object(request.arguments.unwrap_or_default()))
                .map_err(|error| wrong(format!("Wrong arguments of `{}`: {error}.", self.tool.name)))?;
        check_input(&self.served.flow, arguments.input.as_deref())?;
        let request = RunRequest {
            flow: self.served.flow.clone(),
            path: self.served.path.clone(),
            input: arguments.input,
            ..RunRequest::default()
        };
        let run = if self.served.is_limited {
            runner.begin(request, None).await?
        } else {
            runner.begin_unlimited(request).await?
        };
        let state = tokio::select! {
            state = drive(runner, &run, arguments.answers) => state?,
            // Nobody else would end it: this client has no other tool.
            () = given_up.cancelled() => {
                runner.cancel(&run).await?;
                runner.state_after(&run, CANCEL_WAIT).await?
            }
        };
        match state.status {
            RunStatus::Finished => outputs(&state),
            _ => reply::failed(&state),
        }
    }
}

/// Answers the questions of a run in their order, until it ends or no answer is left.
async fn drive(runner: &Runner, run: &RunId, mut answers: VecDeque<String>) -> Result<RunState, ErrorReply> {
    loop {
        let state = runner.state_after(run, MAX_WAIT).await?;
        let first = state.questions.first().map(|question| &question.node);
        let (Some(node), Some(answer)) = (first, answers.pop_front()) else { return Ok(state) };
        runner.answer(run, Some(node), &answer).await?;
    }
}

/// The only output as it is, or all of them by node and port.
fn outputs(state: &RunState) -> Reply {
    let values: Vec<&Value> =
        state.outputs.as_object().into_iter().flat_map(|nodes| nodes.values()).collect();
    let ports = |value: &&Value| value.as_object().map(|ports| ports.values().cloned().collect::<Vec<_>>());
    match values.iter().filter_map(ports).flatten().collect::<Vec<_>>().as_slice() {
        [only] => reply::value(only),
        _ => reply::value(&state.outputs),
    }
}

/// A name as tools have it: letters, digits, `_` and `-`.
fn tool_name(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_").chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_have_letters_digits_and_underscores() {
        assert_eq!(tool_name("Draft & critique, v2"), "draft_critique_v2");
        assert_eq!(tool_name("目次"), "");
        assert_eq!(tool_name(&"a".repeat(100)).len(), MAX_NAME);
    }
}
