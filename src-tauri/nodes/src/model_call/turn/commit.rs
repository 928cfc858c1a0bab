//! What a turn leaves in its conversation: user message and reply together, or nothing.

use std::sync::Arc;

use super::Turn;
use crate::model_call::{Interruption, reply_message};
use plait_core::error::Fault;
use plait_journal::ContextEvent;
use plait_llm::context::{Content, ContextManager, Message};
use plait_llm::provider::ModelReply;
use plait_run::node::NodeOutput;

impl<'a> Turn<'a> {
    /// Makes the turn one of this conversation: a commit writes to it.
    pub(crate) fn begin(&mut self, conversation: &'a ContextManager) {
        self.node_context.note(ContextEvent::TurnStarted { context_id: conversation.id().clone() });
        self.conversation = Some(conversation);
    }

    /// Discards the turn, and returns what its node returns. Nothing of it enters the conversation.
    pub(crate) fn interrupt(self, interruption: Interruption) -> Result<NodeOutput, Fault> {
        if let Some(conversation) = self.conversation {
            let (context_id, partial) = (conversation.id().clone(), self.partial);
            self.node_context.note(ContextEvent::TurnDiscarded { context_id, partial });
        }
        interruption.into_output()
    }

    /// Writes the user message (unless it is in the history already) and `reply` to the conversation, if the turn belongs to
    /// one.
    pub(crate) fn commit(&self, reply: &ModelReply) {
        let Some(conversation) = self.conversation else { return };
        let content = Content::with_attachments(reply.text.clone(), reply.attachments.iter().cloned());
        let reply_message = Arc::new(Message {
            reasoning: reply.reasoning.clone(),
            truncated: reply.stop_reason.is_truncated(),
            ..reply_message(self.node_context, content, &self.model.model)
        });
        conversation.commit_turn(self.user_message.question(), reply_message, self.usage.calibration.clone());
    }
}
