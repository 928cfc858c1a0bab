//! What a chat asks: from its template, its inputs, or what the node before it said.

use serde_json::Value;

use crate::context::{ContextHandle, ContextRecord};
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::expression::template::Template;
use crate::id::MessageId;
use crate::model_call::Question;
use crate::node::template_inputs;
use crate::node::{Inputs, NodeContext};

/// The question of a chat with this template and these inputs.
pub(super) fn question(
    prompt: Option<&Template>,
    inputs: &Inputs,
    handle: &ContextHandle,
    context: &ContextRecord,
    cx: &NodeContext,
    model: &str,
) -> Result<Question, Fault> {
    let (text, id) = match prompt {
        Some(prompt) => (written(prompt, inputs, handle)?, None),
        None => given(inputs, handle).ok_or_else(nothing)?,
    };
    let says_nothing = text.trim().is_empty();
    let question = Question::new(context, text, id.as_ref(), cx, model);
    if says_nothing && !question.stored { Err(nothing()) } else { Ok(question) }
}

/// The template, written out. What came along the context edge stands in for a missing `message`.
fn written(prompt: &Template, inputs: &Inputs, handle: &ContextHandle) -> Result<String, Fault> {
    let mut values = template_inputs::values(prompt, inputs);
    let wanted = prompt.variables().iter().find(|variable| variable.name == "message");
    if let Some(variable) = wanted.filter(|_| !values.contains_key("message")) {
        match &handle.current_output {
            Some(said) => {
                values.insert("message".to_owned(), said.clone());
            }
            None if variable.optional => {}
            None => return Err(nothing()),
        }
    }
    prompt.render(values)
}

/// What is given, and the message of the conversation it is, where it is one.
fn given(inputs: &Inputs, handle: &ContextHandle) -> Option<(String, Option<MessageId>)> {
    let fed = inputs.datum("message").or_else(|| inputs.datum("data"));
    if let Some(datum) = fed {
        return Some((as_text(&datum.value), datum.message.clone()));
    }
    let said: &Value = handle.current_output.as_ref()?;
    Some((as_text(said), handle.message_id.clone()))
}

fn nothing() -> Fault {
    Fault::new(ErrorCode::ChatNoMessage, "There is nothing to say to the model.")
        .hint("Feed `message`, write a prompt, or put a `userInput` before this node on the context edge.")
}
