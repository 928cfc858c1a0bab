//! What a turn leaves in its conversation: question and answer together, or nothing. It tells who watches of a turn that
//! has begun and of one that was given up.

use std::sync::Arc;

use super::Turn;
use crate::context::{ContextManager, Message, Role};
use crate::id::MessageId;
use crate::journal::ContextEvent;
use crate::model_call::ANSWER;
use crate::provider::ModelReply;

impl<'a> Turn<'a> {
    /// From here on question and answer are to enter this conversation.
    pub(crate) fn begin(&mut self, conversation: &'a ContextManager) {
        self.cx.note(ContextEvent::TurnStarted { context_id: conversation.id().clone() });
        self.conversation = Some(conversation);
    }

    /// Gives the turn up. Of what was streamed the conversation gets nothing.
    pub(crate) fn discard(self) {
        if let Some(conversation) = self.conversation {
            let (context_id, partial) = (conversation.id().clone(), self.partial);
            self.cx.note(ContextEvent::TurnDiscarded { context_id, partial });
        }
    }

    /// Writes the question, unless it is there already, and `reply` to the conversation, where they are to enter one.
    /// Gives the answer's id.
    pub(crate) fn commit(&self, reply: &ModelReply) -> Option<MessageId> {
        let conversation = self.conversation?;
        let answer = Arc::new(Message {
            reasoning: reply.reasoning.clone(),
            ..self.cx.message(ANSWER, Role::Assistant, reply.text.clone(), &self.model.model)
        });
        let id = answer.id.clone();
        let asked = (!self.question.stored).then(|| Arc::clone(&self.question.message));
        conversation.commit_turn(asked.into_iter().chain([answer]).collect(), self.spent.learned.clone());
        Some(id)
    }
}
