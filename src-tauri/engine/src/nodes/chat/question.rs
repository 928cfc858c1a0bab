//! What a chat asks: from its template, its inputs, or what the node before it said; and whether the conversation has
//! heard it already.

use serde_json::Value;
use std::sync::Arc;

use super::super::asking::QUESTION;
use crate::context::{ContextHandle, ContextRecord, Role, SharedMessage};
use crate::error::Fault;
use crate::id::MessageId;
use crate::node::{Cx, Inputs, as_text};
use crate::nodes::templating;
use crate::template::Template;

/// The user's message of a turn.
pub(super) struct Question {
    /// The message.
    pub(super) message: SharedMessage,
    /// Whether it is the last message of the history already, so that it must not be added again.
    pub(super) stored: bool,
}

/// The question of a chat with this template and these inputs.
pub(super) fn question(
    prompt: Option<&Template>,
    inputs: &Inputs,
    handle: &ContextHandle,
    context: &ContextRecord,
    cx: &Cx,
    model: &str,
) -> Result<Question, Fault> {
    let (text, id) = match prompt {
        Some(prompt) => (written(prompt, inputs, handle)?, None),
        None => given(inputs, handle).ok_or_else(nothing)?,
    };
    let last = context.message_history.last();
    if let Some(last) = last.filter(|last| last.role == Role::User && Some(&last.id) == id.as_ref()) {
        return Ok(Question { message: Arc::clone(last), stored: true });
    }
    if text.trim().is_empty() {
        return Err(nothing());
    }
    Ok(Question { message: Arc::new(cx.message(QUESTION, Role::User, text, model)), stored: false })
}

/// The template, written out. What came along the context edge stands in for a missing `message`.
fn written(prompt: &Template, inputs: &Inputs, handle: &ContextHandle) -> Result<String, Fault> {
    let mut values = templating::values(prompt, inputs);
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
    Fault::new("chat.no_message", "There is nothing to say to the model.")
        .hint("Feed `message`, write a prompt, or put a `userInput` before this node on the context edge.")
}
