//! The user's message of a turn, and whether the conversation has heard it already.

use std::sync::Arc;

use super::QUESTION;
use crate::context::{ContextRecord, Role, SharedMessage};
use crate::id::MessageId;
use crate::node::NodeContext;

/// The user's message of a turn.
pub(crate) struct Question {
    /// The message.
    pub(crate) message: SharedMessage,
    /// Whether it is the last message of the history already, so that it must not be added again.
    pub(crate) stored: bool,
}

impl Question {
    /// `text` as the user's message in `context`; `id` is that of the message it is, where it is one.
    pub(crate) fn new(
        context: &ContextRecord,
        text: String,
        id: Option<&MessageId>,
        cx: &NodeContext,
        model: &str,
    ) -> Self {
        let last = context.message_history.last();
        match last.filter(|last| last.role == Role::User && Some(&last.id) == id) {
            Some(last) => Self { message: Arc::clone(last), stored: true },
            None => Self { message: Arc::new(cx.message(QUESTION, Role::User, text, model)), stored: false },
        }
    }
}
