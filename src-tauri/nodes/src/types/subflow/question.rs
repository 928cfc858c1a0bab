//! What a child run answers in the conversation of its node: the message that the child gets as its input.

use super::VALUE;
use super::config::{Config, InputSource, Mapped, MappingTarget};
use crate::model_call::UserMessage;
use plait_core::expression::as_text;
use plait_llm::context::{ContextHandle, ContextRecord, Question};
use plait_run::node::{Datum, Inputs, NodeContext};

/// The question of the child, if it is asked anything.
pub(super) fn find(
    config: &Config,
    inputs: &Inputs,
    handle: &ContextHandle,
    context: &ContextRecord,
    node_context: &NodeContext,
) -> Option<Question> {
    let pending = || UserMessage::pending(context, handle, node_context);
    let said = |datum: &Datum| message(&[datum], context, node_context);
    let asked = match config.input_source {
        InputSource::LastMessage if handle.current_output.is_none() => {
            return (!context.message_history.is_empty()).then_some(Question::InHistory);
        }
        InputSource::LastMessage => pending(),
        InputSource::NodeOutput => inputs.datum(VALUE).and_then(said),
        InputSource::Mapping => {
            let mapped = |mapped: &&Mapped| matches!(mapped.target(), Some(MappingTarget::Text));
            let text = config.mapping.iter().find(mapped).and_then(|text| inputs.datum(text.from.as_str()));
            let values = || config.mapping.iter().filter_map(|mapped| inputs.datum(mapped.from.as_str()));
            text.and_then(said)
                .or_else(pending)
                .or_else(|| message(&values().collect::<Vec<_>>(), context, node_context))
        }
    };
    asked.map(|asked| asked.question())
}

/// These values as a message.
fn message(values: &[&Datum], context: &ContextRecord, node_context: &NodeContext) -> Option<UserMessage> {
    let id = values.first().filter(|_| values.len() == 1).and_then(|datum| datum.message.as_ref());
    let text = values.iter().map(|datum| as_text(&datum.value)).collect::<Vec<_>>().join("\n\n");
    let message = UserMessage::new(context, text, id, node_context, &context.model);
    message.says_something().then_some(message)
}
