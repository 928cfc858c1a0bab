//! The conversation of a loop in the calls of a model node.

use super::attachments::is_supported;
use crate::prompt::LoopTurns;
use plait_core::attachment::Attachment;
use plait_core::id::MessageId;
use plait_llm::models::ModelConfig;
use plait_llm::provider::Provider;
use plait_run::node::NodeContext;

/// The conversation of the innermost conversational loop around the node, if there is one, for calls of `model`. `used` says
/// whether the node takes the history; `incoming` is what the node received: the input, the text, and the message that it is, if it
/// is one. Files in the turns that the model is known not to take are named in the text: other nodes of the loop may have asked for
/// them.
pub(crate) fn loop_turns<'a>(
    node_context: &'a NodeContext,
    used: bool,
    incoming: Option<(&str, &str, Option<&MessageId>)>,
    model: &ModelConfig,
    provider: &dyn Provider,
) -> Option<LoopTurns<'a>> {
    let conversation = node_context.conversation.as_deref()?;
    let own = incoming.and_then(|(port, text, message)| conversation.own_turn(port, message, text));
    let takes = |attachment: &Attachment| !model.prompt_only && is_supported(attachment, model, provider);
    Some(LoopTurns::new(conversation, used, own, &model.model, takes))
}
