//! The user message of a chat: from its template, its inputs, or the last output on the context edge.

use crate::context::{ContextHandle, ContextRecord};
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::expression::evaluation::Evaluator;
use crate::expression::template::Template;
use crate::id::MessageId;
use crate::model_call::UserMessage;
use crate::node::{Inputs, NodeContext, template_inputs};

/// The user message of a chat with this template and these inputs.
pub(super) async fn build(
    prompt: Option<&Template>,
    inputs: &Inputs,
    handle: &ContextHandle,
    context: &ContextRecord,
    node_context: &NodeContext,
    model: &str,
) -> Result<UserMessage, Fault> {
    let (text, id) = match prompt {
        Some(prompt) => (render(prompt, inputs, handle, &*node_context.host.evaluator).await?, None),
        None => input_message(inputs, handle).ok_or_else(no_message)?,
    };
    let is_blank = text.trim().is_empty();
    let message = UserMessage::new(context, text, id.as_ref(), node_context, model);
    if is_blank && !message.in_history { Err(no_message()) } else { Ok(message) }
}

/// Renders the template. The last output on the context edge replaces a missing `message`.
async fn render(
    prompt: &Template,
    inputs: &Inputs,
    handle: &ContextHandle,
    evaluator: &dyn Evaluator,
) -> Result<String, Fault> {
    let mut values = template_inputs::values(prompt, inputs);
    let variable = prompt.variables().iter().find(|variable| variable.name == "message");
    if let Some(variable) = variable.filter(|_| !values.contains_key("message")) {
        match &handle.current_output {
            Some(output) => {
                values.insert("message".to_owned(), output.clone());
            }
            None if variable.optional => {}
            None => return Err(no_message()),
        }
    }
    prompt.render(values, evaluator).await
}

/// The text of the inputs or of the context edge, and the id of its message if it is one.
fn input_message(inputs: &Inputs, handle: &ContextHandle) -> Option<(String, Option<MessageId>)> {
    if let Some(datum) = inputs.datum("message").or_else(|| inputs.datum("data")) {
        return Some((as_text(&datum.value), datum.message.clone()));
    }
    Some((as_text(handle.current_output.as_ref()?), handle.message_id.clone()))
}

fn no_message() -> Fault {
    Fault::new(ErrorCode::ChatNoMessage, "There is no message for the model.")
        .hint("Connect `message`, write a prompt, or put a `userInput` before this node on the context edge.")
}
