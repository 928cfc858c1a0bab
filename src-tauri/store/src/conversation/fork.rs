//! Forks a conversation: at one of its messages, or to keep what a forked run said. The fork has its own copies of the messages, so
//! either conversation can be deleted without the other.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};
use plait_journal::{Entry, Spending};
use plait_llm::context::{ConversationRef, Role};
use plait_llm::memory::{MemoryChange, MemoryTurn, WorkflowMemory};

use super::file::ConversationFile;
use super::projector::{ConversationProjector, ConversationUpdate};
use super::record::{ConversationRecord, ForkOrigin};
use super::{Conversations, NewConversation, key_of, new_record, unknown};
use crate::codes;
use crate::log_file::Key;
use crate::record::RunRecord;

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
        let mut record =
            record_of_fork(&origin, ForkOrigin { conversation: id.clone(), message, run: None }, at);
        let key = key_of(&record.id)?;
        let mut updates = copy_beginning(file, key, copied, at)?;
        // What the workflow remembers is that of the end. A fork from an earlier message begins without.
        if copied == origin.messages {
            updates.extend(copy_memory(&file.memory().for_next_run(), key, copied + 1, &last.run, at));
        }
        record = self.insert(&mut state, &record, &updates)?;
        Ok(ConversationFork { record, asked })
    }

    /// The conversation that keeps what a forked run said: a copy of the one that it began in, as it was then, and the run's own turns.
    /// `entries` is the run's journal, `began` where it began. The one that was made before, if there is one. On disk when this
    /// returns.
    pub(crate) fn keep_run(
        &self,
        run: &RunRecord,
        began: &ConversationRef,
        entries: &[Entry],
        at: u64,
    ) -> Result<ConversationRecord, Fault> {
        let mut state = self.lock();
        let keeps = |record: &&ConversationRecord| {
            record.forked_from.as_ref().is_some_and(|from| from.run.as_ref() == Some(&run.run))
        };
        if let Some(kept) = state.records().find(keeps) {
            return Ok(kept.clone());
        }
        let file = self.file(&mut state, key_of(&began.id)?)?.ok_or_else(|| unknown(began.id.as_str()))?;
        let origin = file.record().clone();
        let message = began.messages;
        let from = ForkOrigin { conversation: began.id.clone(), message, run: Some(run.run.clone()) };
        let record = record_of_fork(&origin, from, at);
        let key = key_of(&record.id)?;
        let mut updates = copy_beginning(file, key, message, at)?;
        if let Some(memory) = &began.memory {
            updates.extend(copy_memory(memory, key, message + 1, &run.run, at));
        }
        let said = ConversationProjector::of_kept(key, run.run.clone());
        updates.extend(said.project_all(entries, message + 2));
        self.insert(&mut state, &record, &updates)
    }
}

fn record_of_fork(origin: &ConversationRecord, from: ForkOrigin, at: u64) -> ConversationRecord {
    let ConversationRecord { flow, flow_name, user, .. } = origin.clone();
    let mut record = new_record(NewConversation { flow, flow_name, user, at }, Some(from));
    if !origin.title.is_empty() {
        record.title = format!("{} (fork)", origin.title);
    }
    record
}

/// The first messages of a conversation, and the summary of some of them, for another one. The copies are its own: no run adds them
/// again.
fn copy_beginning(
    file: &mut ConversationFile,
    key: Key,
    copied: u64,
    at: u64,
) -> Result<Vec<ConversationUpdate>, Fault> {
    let mut updates = Vec::new();
    for place in 0..copied {
        let message = file.message(place)?;
        let (run, at) = (message.run.clone(), message.created_at);
        let messages = vec![Arc::new(message.into_message())];
        updates.push(ConversationUpdate { messages, ..own_update(key, place, run, at) });
    }
    // A summary also applies to the fork if the fork contains all summarized messages.
    if let Some(of) = file.record().summary.clone().filter(|summary| summary.places <= copied) {
        let text = file.summary(&of)?;
        let run = of.run.clone();
        updates.push(ConversationUpdate { summary: Some((of, text)), ..own_update(key, copied, run, at) });
    }
    Ok(updates)
}

/// What the workflow remembers, for another conversation.
fn copy_memory(
    memory: &WorkflowMemory,
    key: Key,
    seq: u64,
    run: &RunId,
    at: u64,
) -> Option<ConversationUpdate> {
    if memory.is_empty() {
        return None;
    }
    let turns = memory.turns.iter().map(|turn| MemoryTurn::clone(turn)).collect();
    let summary = memory.summary.as_deref().cloned();
    let change = Arc::new(MemoryChange { turns, summary, ..MemoryChange::default() });
    Some(ConversationUpdate { memory: Some(change), ..own_update(key, seq, run.clone(), at) })
}

/// A change of a conversation that no run adds again.
pub(super) fn own_update(key: Key, seq: u64, run: RunId, at: u64) -> ConversationUpdate {
    ConversationUpdate {
        conversation: key,
        run_key: key,
        run,
        seq,
        at,
        messages: Vec::new(),
        summary: None,
        memory: None,
        spent: Spending::default(),
    }
}
