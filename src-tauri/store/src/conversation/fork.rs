//! Forks a conversation at one of its messages. The fork has its own copies of the messages, so either conversation can be
//! deleted without the other.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::ConversationId;
use plait_run::context::Role;
use plait_run::journal::Spending;
use plait_run::memory::{MemoryChange, MemoryTurn};

use super::projector::ConversationUpdate;
use super::record::{ConversationRecord, ForkOrigin};
use super::{Conversations, NewConversation, key_of, new_record, unknown};
use crate::codes;

/// A fork, and the question it was forked from.
pub struct ConversationFork {
    pub record: ConversationRecord,
    /// The text of the message, if it is the user's. The fork does not contain it, so that it can be asked again.
    pub asked: Option<String>,
}

impl Conversations {
    /// Forks at a message. It becomes the fork's last message, unless it is the user's: then the fork ends before it. On disk
    /// when this returns.
    pub(crate) fn fork(&self, id: &ConversationId, message: u64, at: u64) -> Result<ConversationFork, Fault> {
        let mut state = self.lock();
        let file = self.file(&mut state, key_of(id)?)?.ok_or_else(|| unknown(id.as_str()))?;
        let origin = file.record().clone();
        if message >= origin.messages {
            let count = origin.messages;
            return Err(Fault::new(
                codes::CONVERSATION_NO_MESSAGE,
                format!("Conversation `{id}` has no message {message}."),
            )
            .hint(format!(
                "It has {count} messages, numbered from 0; `plait conversations show {id}` numbers them."
            )));
        }
        let last = file.message(message)?;
        let asked = (last.role == Role::User).then(|| last.content.text());
        let copied = message + u64::from(asked.is_none());
        let new = NewConversation { flow: origin.flow, flow_name: origin.flow_name, user: origin.user, at };
        let mut record = new_record(new, Some(ForkOrigin { conversation: id.clone(), message }));
        record.title =
            if origin.title.is_empty() { String::new() } else { format!("{} (fork)", origin.title) };
        let key = key_of(&record.id)?;
        let mut updates = Vec::new();
        for place in 0..copied {
            let message = file.message(place)?;
            updates.push(ConversationUpdate {
                conversation: key,
                // The copies are the fork's own: no run adds them again.
                run_key: key,
                seq: place,
                run: message.run.clone(),
                at: message.created_at,
                messages: vec![Arc::new(message.into_message())],
                summary: None,
                memory: None,
                spent: Spending::default(),
            });
        }
        // A summary also applies to the fork if the fork contains all summarized messages.
        if let Some(of) = origin.summary.filter(|summary| summary.places <= copied) {
            let text = file.summary(&of)?;
            updates.push(ConversationUpdate {
                conversation: key,
                run_key: key,
                seq: copied,
                run: of.run.clone(),
                at,
                messages: Vec::new(),
                summary: Some((of, text)),
                memory: None,
                spent: Spending::default(),
            });
        }
        // What the workflow remembers is that of the end. A fork from an earlier message begins without.
        let memory = file.memory().for_next_run();
        if !memory.is_empty() && copied == origin.messages {
            let turns = memory.turns.iter().map(|turn| MemoryTurn::clone(turn)).collect();
            let summary = memory.summary.as_deref().cloned();
            updates.push(ConversationUpdate {
                conversation: key,
                run_key: key,
                seq: copied + 1,
                run: last.run.clone(),
                at,
                messages: Vec::new(),
                summary: None,
                memory: Some(Arc::new(MemoryChange { turns, summary, ..MemoryChange::default() })),
                spent: Spending::default(),
            });
        }
        let record = self.insert(&mut state, &record, &updates)?;
        Ok(ConversationFork { record, asked })
    }
}
