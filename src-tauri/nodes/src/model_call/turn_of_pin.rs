//! What a pinned model node leaves in its conversation and in the workflow's memory: the turn that it would have left with the pinned
//! reply. No model is called, also not for summaries; the next turn makes those.

use std::sync::Arc;

use super::{MemoryAccess, REPLY_INDEX, UserMessage, reply_message};
use crate::codes;
use plait_core::error::Fault;
use plait_journal::ContextEvent;
use plait_llm::context::ContextManager;
use plait_llm::memory::MemoryChange;
use plait_run::node::NodeContext;

/// Writes the user message (unless it is in the history already) and the pinned reply to the conversation.
pub(crate) fn commit_turn_of_pin(
    conversation: &ContextManager,
    user_message: &UserMessage,
    reply: &str,
    node_context: &NodeContext,
    model: &str,
) {
    node_context.note(ContextEvent::TurnStarted { context_id: conversation.id().clone() });
    let reply = Arc::new(reply_message(node_context, reply, model));
    conversation.commit_turn(user_message.question(), reply, None);
}

/// Adds what the node received and its pinned reply to the workflow's memory, if it may.
pub(crate) fn remember_turn_of_pin(memory: &MemoryAccess<'_>, reply: &str, model: &str) {
    if memory.mode().writes() {
        let said = memory.turn(None, reply.to_owned(), Some(REPLY_INDEX), model);
        let turns = memory.new_turn().into_iter().chain([said]).collect();
        memory.change(MemoryChange { turns, ..MemoryChange::default() });
    }
}

/// The notice of a pinned node without a question that its reply could follow.
pub(crate) fn no_turn_of_pin(node_context: &NodeContext, fault: &Fault) -> Fault {
    let node = &node_context.activation.node;
    let message =
        format!("`{node}` is pinned, so it added no turn to the history of its context: {}", fault.message);
    Fault::new(codes::PIN_NOT_REMEMBERED, message)
        .hint("Give the node a message, as it would need without its pin, or unpin it.")
}
