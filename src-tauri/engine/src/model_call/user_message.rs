//! The user message of a turn, and whether the conversation contains it already.

use std::sync::Arc;

use super::USER_MESSAGE_INDEX;
use crate::context::{ContextRecord, Role, SharedMessage};
use crate::id::MessageId;
use crate::node::NodeContext;

/// The user message of a turn.
pub(crate) struct UserMessage {
    /// The message.
    pub(crate) message: SharedMessage,
    /// Whether it is already the last message of the history, and so must not be added again.
    pub(crate) in_history: bool,
}

impl UserMessage {
    /// `text` as the user message in `context`. `id` is the id of the message that the text comes from, if any.
    pub(crate) fn new(
        context: &ContextRecord,
        text: String,
        id: Option<&MessageId>,
        node_context: &NodeContext,
        model: &str,
    ) -> Self {
        let last = context.message_history.last();
        if let Some(last) = last.filter(|last| last.role == Role::User && Some(&last.id) == id) {
            return Self { message: Arc::clone(last), in_history: true };
        }
        let message = node_context.message(USER_MESSAGE_INDEX, Role::User, text, model);
        Self { message: Arc::new(message), in_history: false }
    }
}
