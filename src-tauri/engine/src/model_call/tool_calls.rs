//! The tools of a turn: which it offers, and carrying out a call the model makes. What goes wrong in a tool is told to the
//! model, which may then do otherwise; it does not end the turn.

use serde_json::{Value, json};
use std::collections::HashSet;

use super::turn::Turn;
use crate::context::{Message, Role, ToolCall};
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::journal::{CallEvent, Event, MAX_NESTING_DEPTH, is_too_deep};
use crate::node::Inputs;
use crate::tool::{ToolInvocation, ToolSpec};

/// The tools on the tools edges, each once.
pub(crate) fn offered(inputs: &Inputs) -> Result<Vec<ToolSpec>, Fault> {
    let mut tools: Vec<ToolSpec> = Vec::new();
    for datum in inputs.all("tools") {
        let bundle: Vec<ToolSpec> = serde::Deserialize::deserialize(&*datum.value).map_err(|error| {
            Fault::new(ErrorCode::InputType, format!("What came in on `tools` is no list of tools: {error}."))
        })?;
        for tool in bundle {
            match tools.iter().find(|known| known.name == tool.name) {
                None => tools.push(tool),
                Some(known) if *known == tool => {}
                Some(_) => {
                    let message = format!("Two different tools are called `{}`.", tool.name);
                    return Err(Fault::new(ErrorCode::ToolsDuplicate, message)
                        .hint("Offer only one of them to this chat."));
                }
            }
        }
    }
    Ok(tools)
}

/// The calls of a reply, each with an id that no other call of the turn has: some models give none, or the same twice.
pub(super) fn with_ids(calls: &[ToolCall], step: u32, used: &mut HashSet<String>) -> Vec<ToolCall> {
    let numbered = calls.iter().enumerate().map(|(index, call)| {
        let mut call = call.clone();
        if call.id.is_empty() || !used.insert(call.id.clone()) {
            call.id = format!("call_{step}_{index}");
            // The model may have thought of the same one.
            while !used.insert(call.id.clone()) {
                call.id.push('_');
            }
        }
        call
    });
    numbered.collect()
}

impl Turn<'_> {
    /// The message that tells the model what its call gave.
    pub(super) async fn call_tool(&mut self, step: u32, call: ToolCall) -> Result<Message, Fault> {
        let outcome = match self.recorded_outcome(step, &call.id) {
            Some(outcome) => outcome,
            None => self.carry_out(step, &call).await?,
        };
        let text = match outcome {
            Ok(result) => as_text(&result),
            Err(fault) => json!({ "error": fault.message, "code": fault.code }).to_string(),
        };
        let message = self.next_message(Role::Tool, text);
        Ok(Message { tool_call_id: Some(call.id), ..message })
    }

    async fn carry_out(&self, step: u32, call: &ToolCall) -> Result<Result<Value, Fault>, Fault> {
        self.cx.note(CallEvent::ToolCalled { step, call: call.clone() });
        let outcome = if self.tools.iter().any(|tool| tool.name == call.name) {
            let invocation = ToolInvocation {
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                folder: self.cx.run.folder.clone(),
            };
            self.cx.host.tools.call(invocation).await.and_then(readable)
        } else {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("There is no tool `{}`; there are: {}.", call.name, names.join(", "));
            Err(Fault::new(ErrorCode::ToolNotOffered, message))
        };
        let (result, error) = (outcome.as_ref().ok().cloned(), outcome.as_ref().err().cloned());
        let event = CallEvent::ToolFinished { step, call_id: call.id.clone(), result, error };
        self.cx.record(event).await?;
        Ok(outcome)
    }

    fn recorded_outcome(&self, wanted: u32, id: &str) -> Option<Result<Value, Fault>> {
        self.cx.recorded.iter().find_map(|event| match event {
            Event::Call(_, CallEvent::ToolFinished { step, call_id, result, error, .. })
                if *step == wanted && call_id == id =>
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

/// The result, if a journal that holds it can be read back.
fn readable(result: Value) -> Result<Value, Fault> {
    if is_too_deep(&result) {
        let told = format!(
            "The result is nested deeper than {MAX_NESTING_DEPTH} lists and objects; ask for less of it."
        );
        return Err(Fault::new(ErrorCode::ToolTooDeep, told));
    }
    Ok(result)
}
