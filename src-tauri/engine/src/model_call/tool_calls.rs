//! The tools of a turn: collecting them from the inputs, and running the model's calls.
//!
//! A failing tool does not end the turn: the model gets the error and may do something else.

use serde_json::{Value, json};
use std::collections::HashSet;

use crate::context::ToolCall;
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::journal::{CallEvent, Event, MAX_NESTING_DEPTH, is_too_deep};
use crate::node::{Inputs, NodeContext};
use crate::tool::{ToolInvocation, ToolSpec};

/// The tools on the `tools` input, each once.
pub(crate) fn collect_tools(inputs: &Inputs) -> Result<Vec<ToolSpec>, Fault> {
    let mut tools: Vec<ToolSpec> = Vec::new();
    for datum in inputs.all("tools") {
        let bundle: Vec<ToolSpec> = serde::Deserialize::deserialize(&*datum.value).map_err(|error| {
            Fault::new(ErrorCode::InputType, format!("The value on `tools` is not a list of tools: {error}."))
        })?;
        for tool in bundle {
            match tools.iter().find(|known| known.name == tool.name) {
                None => tools.push(tool),
                Some(known) if *known == tool => {}
                Some(_) => {
                    let message = format!("Two different tools are called `{}`.", tool.name);
                    return Err(Fault::new(ErrorCode::ToolsDuplicate, message)
                        .hint("Connect only one of them to this node."));
                }
            }
        }
    }
    Ok(tools)
}

/// Runs the tool calls of a turn.
pub(super) struct ToolCaller<'a> {
    node_context: &'a NodeContext,
    tools: &'a [ToolSpec],
    /// The call ids used so far.
    ids: HashSet<String>,
}

impl<'a> ToolCaller<'a> {
    pub(super) fn new(node_context: &'a NodeContext, tools: &'a [ToolSpec]) -> Self {
        Self { node_context, tools, ids: HashSet::new() }
    }

    /// How many calls there were so far.
    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    /// The calls of a reply, each with an id that is unique in the turn: some models send none, or the same one twice.
    pub(super) fn assign_ids(&mut self, calls: &[ToolCall], step: u32) -> Vec<ToolCall> {
        let numbered = calls.iter().enumerate().map(|(index, call)| {
            let mut call = call.clone();
            if call.id.is_empty() || !self.ids.insert(call.id.clone()) {
                call.id = format!("call_{step}_{index}");
                // The model may have used this id itself.
                while !self.ids.insert(call.id.clone()) {
                    call.id.push('_');
                }
            }
            call
        });
        numbered.collect()
    }

    /// The result of a call, or its error, as text for the model. If the reply that requests it was bought by an earlier run, so
    /// was the result: what the tool did is not done again.
    pub(super) async fn run(
        &self,
        step: u32,
        call: &ToolCall,
        reply_is_reused: bool,
    ) -> Result<String, Fault> {
        let earlier = self.node_context.earlier().filter(|_| reply_is_reused);
        let earlier_outcome =
            || earlier.and_then(|run| run.tool_outcome(&self.node_context.activation, step, call));
        let outcome = if let Some(outcome) = self.recorded_outcome(step, &call.id) {
            outcome
        } else {
            self.node_context.note(CallEvent::ToolCalled { step, call: call.clone() });
            let (outcome, reused) = match earlier_outcome() {
                Some((outcome, event)) => (outcome, Some(event)),
                None => (self.invoke(call).await, None),
            };
            let (result, error) = (outcome.as_ref().ok().cloned(), outcome.as_ref().err().cloned());
            let event = CallEvent::ToolFinished { step, call_id: call.id.clone(), result, error, reused };
            self.node_context.record(event).await?;
            outcome
        };
        Ok(match outcome {
            Ok(result) => as_text(&result),
            Err(fault) => json!({ "error": fault.message, "code": fault.code }).to_string(),
        })
    }

    async fn invoke(&self, call: &ToolCall) -> Result<Value, Fault> {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) {
            let invocation = ToolInvocation {
                folder: self.node_context.run.folder.clone(),
                ..ToolInvocation::new(tool.clone(), call.arguments.clone())
            };
            self.node_context.host.tools.call(invocation).await.and_then(check_depth)
        } else {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("There is no tool `{}`; there are: {}.", call.name, names.join(", "));
            Err(Fault::new(ErrorCode::ToolNotOffered, message))
        }
    }

    fn recorded_outcome(&self, wanted_step: u32, id: &str) -> Option<Result<Value, Fault>> {
        self.node_context.recorded.iter().find_map(|event| match event {
            Event::Call(_, CallEvent::ToolFinished { step, call_id, result, error, .. })
                if *step == wanted_step && call_id == id =>
            {
                Some(match error {
                    Some(error) => Err(error.clone()),
                    None => Ok(result.clone().unwrap_or_default()),
                })
            }
            _ => None,
        })
    }
}

/// Refuses a result that nests too deep for a journal to be read back.
fn check_depth(result: Value) -> Result<Value, Fault> {
    if is_too_deep(&result) {
        let message = format!(
            "The result nests lists and objects deeper than {MAX_NESTING_DEPTH} levels; request less of it."
        );
        return Err(Fault::new(ErrorCode::ToolTooDeep, message));
    }
    Ok(result)
}
