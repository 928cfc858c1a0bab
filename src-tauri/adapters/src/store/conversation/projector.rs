//! Projects what a run says onto its conversation: the turns of its main context, and the summaries it created.
//!
//! A turn is a question and its answer. If the question was already in the history (added by an earlier node), it is taken
//! from there. Other messages that a flow adds to the history are added again in every run, so they are not stored. Changes
//! are queued together with the entry they result from.
//!
//! Usage and cost of a run's model calls are added to the conversation with the next of these changes, or at the end of the
//! run. Child runs add their spending, and nothing else.

use plait_engine::context::conversation::{Summary, SummaryRef};
use plait_engine::context::{ContextChange, MAIN, Message, Role, SharedMessage};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::{ContextId, RunId};
use plait_engine::journal::{ContextEvent, Entry, Event, RunEvent, Spending};

use super::record::{ConversationRecord, Row, title_of};
use super::{ConversationKey, HeadCache, head, json, key_of, rows};
use crate::store::key::{self, Space};
use crate::store::record::RunRecord;
use crate::store::store_core::StoreCore;
use crate::store::writer::{Change, Write};

/// Projects the events of one run onto its conversation.
pub(in crate::store) struct ConversationProjector {
    key: ConversationKey,
    run: RunId,
    /// Whether the run's turns are added to the conversation. Otherwise only its spending is.
    adds_turns: bool,
    /// The last message of the main context, if it is the user's and not answered yet.
    asked: Option<SharedMessage>,
    /// Spending that is not part of the conversation's record yet.
    pending_spending: Spending,
}

/// What one event adds to the conversation.
struct ConversationDelta {
    messages: Vec<SharedMessage>,
    summary: Option<(SummaryRef, Summary)>,
    spent: Spending,
}

impl ConversationProjector {
    /// The projector of a run in a conversation, or of a child run of one; None for other runs.
    pub(in crate::store) fn of(record: &RunRecord) -> Result<Option<Self>, Fault> {
        let Some(id) = record.conversation.as_ref().or(record.paid_by.as_ref()) else { return Ok(None) };
        Ok(Some(Self {
            key: key_of(id)?,
            run: record.run.clone(),
            adds_turns: record.conversation.is_some(),
            asked: None,
            pending_spending: Spending::default(),
        }))
    }

    /// Replays an entry that was written before the run was resumed.
    pub(in crate::store) fn replay(&mut self, entry: &Entry) {
        self.delta(&entry.event);
    }

    /// The changes of the conversation that result from the entries. Queue them together with the entries, then call
    /// [`ConversationUpdate::cache_record`]. The conversation must still exist. Faults `conversation.unknown`, `store.*`.
    pub(in crate::store) fn project(
        &mut self,
        core: &StoreCore,
        heads: &mut HeadCache,
        entries: &[Entry],
    ) -> Result<Option<ConversationUpdate>, Fault> {
        let mut update: Option<ConversationUpdate> = None;
        for entry in entries {
            let ConversationDelta { messages, summary, spent } = self.delta(&entry.event);
            let has_changes = !messages.is_empty() || summary.is_some() || spent != Spending::default();
            let starts = matches!(entry.event, Event::Run(RunEvent::Started { .. }));
            if !has_changes && !starts {
                continue;
            }
            let update = match &mut update {
                Some(update) => update,
                none => none.insert(ConversationUpdate {
                    key: self.key,
                    record: match head(core, heads, self.key) {
                        // A run that only adds spending continues without the conversation.
                        Err(gone) if !self.adds_turns && gone.code == ErrorCode::ConversationUnknown => {
                            continue;
                        }
                        read => read?,
                    },
                    changes: Vec::new(),
                    changed: false,
                }),
            };
            update.changed |= has_changes;
            update.record.spent += spent;
            for message in messages {
                update.add(&message, &self.run, entry.at)?;
            }
            if let Some((summary, text)) = summary {
                update.changes.push((rows::summary_key(self.key, &summary)?, Some(json(&text)?)));
                let known = update.record.summary.as_ref().map_or(0, |known| known.places);
                if summary.places > known {
                    update.record.summary = Some(summary);
                }
            }
        }
        Ok(update.filter(|update| update.changed))
    }

    /// What an event adds to the conversation.
    fn delta(&mut self, event: &Event) -> ConversationDelta {
        self.pending_spending += Spending::of(event).unwrap_or_default();
        let messages = if self.adds_turns { self.turn(event) } else { Vec::new() };
        let summary = self.summary(event).filter(|_| self.adds_turns);
        let ends = event.is_terminal();
        // Spending alone does not cause a write for each call.
        let pays = ends || summary.is_some() || !messages.is_empty();
        let spent = if pays { std::mem::take(&mut self.pending_spending) } else { Spending::default() };
        ConversationDelta { messages, summary, spent }
    }

    /// The messages of the turn that the event commits in the main context.
    fn turn(&mut self, event: &Event) -> Vec<SharedMessage> {
        let is_main = |id: &ContextId| id.as_str() == MAIN;
        match event {
            Event::Context(_, ContextEvent::Changed { context_id, change, .. }) if is_main(context_id) => {
                match change {
                    ContextChange::Messages { messages } => {
                        self.asked = messages.last().filter(|last| last.role == Role::User).cloned();
                    }
                    ContextChange::Recalled(_) | ContextChange::Reset => self.asked = None,
                    _ => {}
                }
                Vec::new()
            }
            Event::Context(_, ContextEvent::TurnCommitted { context_id, messages, .. })
                if is_main(context_id) =>
            {
                let asked = self.asked.take();
                let starts = messages.first().is_some_and(|first| first.role == Role::User);
                let asked = asked.filter(|_| !starts);
                let spoken = messages.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant));
                asked.into_iter().chain(spoken.cloned()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The summary that this run created, if the event recalls by it.
    fn summary(&self, event: &Event) -> Option<(SummaryRef, Summary)> {
        let Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) =
            event
        else {
            return None;
        };
        let summary = recalled.summary.clone().filter(|summary| summary.run == self.run)?;
        let message = recalled.messages.first().filter(|first| first.role == Role::System)?;
        Some((summary, Summary { text: message.content.text(), tokens: message.tokens }))
    }
}

/// Changes of a conversation to be queued with the journal's entries.
pub(in crate::store) struct ConversationUpdate {
    key: ConversationKey,
    record: ConversationRecord,
    /// Changes of messages and summaries.
    changes: Vec<Change>,
    /// Whether anything has to be written.
    changed: bool,
}

impl ConversationUpdate {
    fn add(&mut self, message: &Message, run: &RunId, at: u64) -> Result<(), Fault> {
        let record = &mut self.record;
        if record.title.is_empty() && message.role == Role::User {
            record.title = title_of(&message.content.text());
        }
        self.changes.push((rows::key_at(self.key, record.messages), Some(json(&Row::of(message, run, at))?)));
        record.messages += 1;
        record.tokens += u64::from(message.tokens);
        record.updated_at = at;
        Ok(())
    }

    /// Adds the changes to `write`, so that they are in the same batch.
    pub(in crate::store) fn add_to(&mut self, write: &mut Write) -> Result<(), Fault> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.push((key::of(Space::Conversation, &self.key), Some(json(&self.record)?)));
        write.extra_changes = Some((self.record.id.as_str().into(), changes));
        Ok(())
    }

    /// Caches the record after the changes were queued in this generation of the writer.
    pub(in crate::store) fn cache_record(self, heads: &mut HeadCache, generation: u64) {
        heads.0.insert(self.key, (generation, self.record));
    }
}
