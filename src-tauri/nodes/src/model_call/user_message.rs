//! The user message of a turn, and whether the conversation contains it already.

use std::sync::Arc;

use super::USER_MESSAGE_INDEX;
use super::attachments::attach;
use plait_core::attachment::{Attachment, AttachmentKind};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::id::{MessageId, PortName};
use plait_llm::context::{Content, ContextHandle, ContextRecord, Message, Question, Role, SharedMessage};
use plait_llm::tokens;
use plait_run::node::NodeContext;

pub(crate) struct UserMessage {
    pub(crate) message: SharedMessage,
    /// Whether it is already in the history, and so must not be added again.
    pub(crate) in_history: bool,
    /// The inputs of the node that it is made of.
    pub(crate) inputs: Vec<PortName>,
}

impl UserMessage {
    /// `text` as the user message in `context`. `id` is the id of the message that the text comes from, if any. A message keeps its
    /// identity: what was said in the context is not added to it again.
    pub(crate) fn new(
        context: &ContextRecord,
        text: String,
        id: Option<&MessageId>,
        node_context: &NodeContext,
        model: &str,
    ) -> Self {
        let last = context.message_history.last();
        if let Some(last) = last.filter(|last| last.role == Role::User && Some(&last.id) == id) {
            return Self { message: Arc::clone(last), in_history: true, inputs: Vec::new() };
        }
        let message = node_context.message(USER_MESSAGE_INDEX, Role::User, text, model);
        let repeats = id.filter(|id| **id != message.id).cloned();
        let in_history = repeats.as_ref().is_some_and(|id| {
            let (text, reader) = (message.content.text(), &message.author.epoch);
            context.message_history.position_of_said(id, &text, reader).is_some()
        });
        Self { message: Arc::new(Message { repeats, ..message }), in_history, inputs: Vec::new() }
    }

    /// The last output on a context edge, which no node has answered yet. Nothing if there is none, or if it says nothing.
    pub(crate) fn pending(
        context: &ContextRecord,
        handle: &ContextHandle,
        node_context: &NodeContext,
    ) -> Option<Self> {
        let text = as_text(handle.current_output.as_ref()?);
        let message = Self::new(context, text, handle.message_id.as_ref(), node_context, &context.model);
        message.says_something().then_some(message)
    }

    /// Whether it is more than blank text.
    pub(crate) fn says_something(&self) -> bool {
        let content = &self.message.content;
        content.attachments().next().is_some() || !content.text().trim().is_empty()
    }

    /// What the turn answers.
    pub(crate) fn question(&self) -> Question {
        if self.in_history { Question::InHistory } else { Question::New(Arc::clone(&self.message)) }
    }

    /// A prompt of a node's own that contains what another node said in the message `id`. It is a message of its own.
    pub(crate) fn of_template(
        text: String,
        id: Option<&MessageId>,
        node_context: &NodeContext,
        model: &str,
    ) -> Self {
        let message = node_context.message(USER_MESSAGE_INDEX, Role::User, text, model);
        let repeats = id.filter(|id| **id != message.id).cloned();
        Self { message: Arc::new(Message { repeats, ..message }), in_history: false, inputs: Vec::new() }
    }

    /// The same with images and files, some of which may be on a message of the history already. This call sends that
    /// message with the others; the history does not change. Fault `attachment.missing`.
    pub(crate) async fn attach(
        self,
        mut attachments: Vec<Attachment>,
        node_context: &NodeContext,
        model: &str,
    ) -> Result<Self, Fault> {
        let own = &self.message.content;
        let has = |attachment: &Attachment| own.attachments().any(|known| known.hash == attachment.hash);
        // A text file of a message in the history is a part of its text.
        let is_text = |attachment: &Attachment| attachment.kind() == AttachmentKind::Text;
        attachments.retain(|attachment| !(has(attachment) || self.in_history && is_text(attachment)));
        if attachments.is_empty() {
            return Ok(self);
        }
        let content = match own {
            Content::Text(text) => attach(text.clone(), attachments, node_context).await?,
            Content::Parts(_) => {
                let known = own.attachments().cloned();
                attach(own.text(), known.chain(attachments).collect(), node_context).await?
            }
        };
        let tokens = tokens::count_message(model, &content);
        let message = Arc::new(Message { content, tokens, ..Message::clone(&self.message) });
        Ok(Self { message, ..self })
    }

    /// The same, made of these inputs.
    #[must_use]
    pub(crate) fn made_of(self, inputs: Vec<PortName>) -> Self {
        Self { inputs, ..self }
    }
}
