//! The user message of a chat: from its template, its inputs, or the last output on the context edge.

use crate::codes;
use crate::model_call::{Incoming, UserMessage};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::expression::template::Template;
use plait_core::id::{MessageId, PortName};
use plait_llm::context::{ContextHandle, ContextRecord};
use plait_run::node::{Inputs, NodeContext, template_inputs};

/// The text of the user message of a chat with this template and these inputs, and what it comes from.
pub(super) struct Prepared {
    text: String,
    /// What was said elsewhere and is the message, or is contained in it.
    pub(super) incoming: Option<Incoming>,
    /// The inputs that it is made of.
    inputs: Vec<PortName>,
    is_template: bool,
}

/// Builds the text of the user message.
pub(super) async fn prepare(
    prompt: Option<&Template>,
    inputs: &Inputs,
    handle: &ContextHandle,
    node_context: &NodeContext,
) -> Result<Prepared, Fault> {
    let Some(prompt) = prompt else {
        let (port, text, message) = input_message(inputs, handle).ok_or_else(no_message)?;
        let incoming = Some(Incoming { port, text: text.clone(), message, in_template: false });
        return Ok(Prepared { text, incoming, inputs: vec![port.into()], is_template: false });
    };
    let text = render(prompt, inputs, handle, node_context).await?;
    let has_message = prompt.variables().iter().any(|variable| variable.name == "message");
    let incoming = has_message.then(|| partner_message(inputs, handle)).flatten();
    let incoming = incoming.map(|(port, text, message)| Incoming { port, text, message, in_template: true });
    Ok(Prepared { text, incoming, inputs: template_sources(prompt, inputs), is_template: true })
}

impl Prepared {
    /// In a conversational loop, what was received is the turn that it is there, also if nodes have passed it on meanwhile.
    pub(super) fn identify(&mut self, node_context: &NodeContext) {
        let Some((incoming, conversation)) = self.incoming.as_mut().zip(node_context.conversation.as_ref())
        else {
            return;
        };
        let own = conversation.own_turn(incoming.port, incoming.message.as_ref(), &incoming.text);
        if let Some(turn) = own.and_then(|at| conversation.turns.messages().get(at)) {
            incoming.message = Some(turn.id.clone());
        }
    }

    /// What a search for the message is about: what was received, or else the prompt.
    pub(super) fn question(&self) -> &str {
        self.incoming.as_ref().map_or(&self.text, |incoming| &incoming.text)
    }

    /// The user message. `incoming` is the message that it repeats, if it repeats one.
    pub(super) fn build(
        &self,
        context: &ContextRecord,
        node_context: &NodeContext,
        incoming: Option<&MessageId>,
        model: &str,
    ) -> Result<UserMessage, Fault> {
        let text = self.text.clone();
        let message = if self.is_template {
            UserMessage::of_template(text, incoming, node_context, model)
        } else {
            UserMessage::new(context, text, incoming, node_context, model)
        };
        if self.text.trim().is_empty() && !message.in_history {
            return Err(no_message());
        }
        Ok(message.made_of(self.inputs.clone()))
    }
}

/// Renders the template. The last output on the context edge replaces a missing `message`.
async fn render(
    prompt: &Template,
    inputs: &Inputs,
    handle: &ContextHandle,
    node_context: &NodeContext,
) -> Result<String, Fault> {
    let mut values = template_inputs::values(prompt, inputs, node_context);
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
    prompt.render(values, &*node_context.host.evaluator).await
}

/// The inputs that a template reads. A `message` that no edge brings is the last output on the context edge.
fn template_sources(prompt: &Template, inputs: &Inputs) -> Vec<PortName> {
    let ports = prompt.variables().iter().map(|variable| variable.name.as_str());
    let ports =
        ports.map(|name| if name == "message" && inputs.get(name).is_none() { "context" } else { name });
    ports.filter(|name| !inputs.all(name).is_empty()).map(PortName::from).collect()
}

/// The value of `{{message}}` in a template, if it is live: the input that has it, its text, and the id of the message if it is
/// one.
fn partner_message(
    inputs: &Inputs,
    handle: &ContextHandle,
) -> Option<(&'static str, String, Option<MessageId>)> {
    match inputs.datum("message") {
        Some(datum) => Some(("message", as_text(&datum.value), datum.message.clone())),
        None => Some(("context", as_text(handle.current_output.as_ref()?), handle.message_id.clone())),
    }
}

/// The input that has the message (one of its own, or the context edge), the text, and the id of the message if it is one.
fn input_message(
    inputs: &Inputs,
    handle: &ContextHandle,
) -> Option<(&'static str, String, Option<MessageId>)> {
    let own = ["message", "data"].into_iter().find_map(|port| Some((port, inputs.datum(port)?)));
    if let Some((port, datum)) = own {
        return Some((port, as_text(&datum.value), datum.message.clone()));
    }
    Some(("context", as_text(handle.current_output.as_ref()?), handle.message_id.clone()))
}

fn no_message() -> Fault {
    Fault::new(codes::CHAT_NO_MESSAGE, "There is no message for the model.")
        .hint("Connect `message`, write a prompt, or put a `userInput` before this node on the context edge.")
}
