//! The conversation of a new run: one that it continues, or a new one with what was said before.

use std::sync::Arc;

use plait_core::flow::Flow;
use plait_core::id::{Activation, ConversationId, Epoch, NodeId};
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;
use plait_llm::context::conversation::message_id;
use plait_llm::context::{Conversation, ConversationRef, MAIN, Message, Role};
use plait_llm::tokens::count_u32;
use plait_run::plan::{Plan, PlanNode};
use plait_store::NewConversation;
use plait_store::conversation::record::flow_key;

use super::Launch;
use crate::ErrorReply;
use crate::codes;
use crate::runs::request::{SaidMessage, Speaker};

impl Launch {
    /// The conversation of a new run in its current state, if there is one. `conversation.has_history`, `conversation.no_context`,
    /// `conversation.other_user`, `conversation.unknown`.
    pub(super) fn past_of_new(
        &self,
        plan: &Plan,
        flow: &Flow,
        path: Option<&str>,
        user: &UserName,
        past: (Option<ConversationId>, Option<Vec<SaidMessage>>),
    ) -> Result<Option<Conversation>, ErrorReply> {
        let id = match past {
            (None, None) => return Ok(None),
            (Some(id), None) => id,
            (Some(_), Some(_)) => return Err(has_history()),
            (None, Some(said)) => self.begin_conversation(plan, flow, path, user, said)?,
        };
        self.start_conversation(plan, &id, user).map(Some)
    }

    /// A new conversation with what was said before this run.
    fn begin_conversation(
        &self,
        plan: &Plan,
        flow: &Flow,
        path: Option<&str>,
        user: &UserName,
        said: Vec<SaidMessage>,
    ) -> Result<ConversationId, ErrorReply> {
        let author = Activation { node: main_context(plan)?, epoch: Epoch::root() };
        let messages = (0..).zip(said).map(|(place, SaidMessage { role, text })| {
            let role = match role {
                Speaker::User => Role::User,
                Speaker::Assistant => Role::Assistant,
            };
            // The model may be another one by the time that it is sent.
            let tokens = count_u32("", &text);
            let message = Message::plain(message_id(place), role, text, author.clone(), tokens);
            Arc::new(Message { origins: Origins::of(Origin::Person), ..message })
        });
        let (flow, flow_name) = (flow_key(path, &flow.name), flow.name.clone());
        let new = NewConversation { flow, flow_name, user: user.to_string(), at: self.host.clock.now_ms() };
        Ok(self.store.create_conversation_with(new, &self.run, messages.collect())?.id)
    }

    /// The conversation that a new run continues, in its current state.
    fn start_conversation(
        &self,
        plan: &Plan,
        id: &ConversationId,
        user: &UserName,
    ) -> Result<Conversation, ErrorReply> {
        main_context(plan)?;
        let record = self.store.conversation(id)?;
        if record.user != user.as_str() {
            let owner = &record.user;
            let message =
                format!("Conversation {id} belongs to the user `{owner}`, and the run to `{user}`.");
            return Err(ErrorReply::new(codes::CONVERSATION_OTHER_USER, message)
                .hint(format!("Run the flow as that user: --user {owner}")));
        }
        let memory = self.store.past(id)?.memory()?;
        let at = ConversationRef { memory, ..record.at() };
        self.open_conversation(&Arc::new(at))
    }

    pub(super) fn open_conversation(&self, at: &Arc<ConversationRef>) -> Result<Conversation, ErrorReply> {
        Ok(Conversation { at: Arc::clone(at), past: Arc::new(self.store.past(&at.id)?) })
    }
}

/// The node that makes the context which a conversation continues. `conversation.no_context`.
fn main_context(plan: &Plan) -> Result<NodeId, ErrorReply> {
    let makes_main = |node: &&PlanNode| {
        let behavior = node.node.behavior();
        behavior.makes_context && behavior.context_id.as_deref() == Some(MAIN)
    };
    plan.nodes.iter().find(makes_main).map(|node| node.id.clone()).ok_or_else(|| {
        let message = "This flow cannot continue a conversation: it has no context `main`.";
        ErrorReply::new(codes::CONVERSATION_NO_CONTEXT, message)
            .hint("Add a `contextStart` whose `contextId` is `main`, or run the flow without a conversation.")
    })
}

fn has_history() -> ErrorReply {
    let message = "A conversation has a history of its own, so none can be given for it.";
    ErrorReply::new(codes::CONVERSATION_HAS_HISTORY, message)
        .hint("Leave out `conversation` or `saidBefore`.")
}
