//! Projects what a run says onto its conversation: the turns of its main context, the summaries it created, and its changes
//! of the workflow's memory.
//!
//! A turn is a question and its answer. If the question was already in the history (added by an earlier node), it is taken
//! from there. Other messages that a flow adds to the history are added again in every run, so they are not stored. The result
//! depends on the run's journal alone, so that it can be had again after a crash.
//!
//! What is said in an iteration of a loop is part of the conversation when the run says that it counts (`context.merged`).
//!
//! Usage and cost of a run's model calls are added to the conversation with the next of these changes, or at the end of the
//! run. Child runs add their spending, and nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, RunId};
use plait_journal::{ContextEvent, Entry, Event, MemoryEvent, Spending};
use plait_llm::context::conversation::{Summary, SummaryRef};
use plait_llm::context::{ContextChange, EditedMessage, MAIN, Role, SharedMessage};
use plait_llm::memory::MemoryChange;

use super::key_of;
use crate::log_file::Key;
use crate::record::RunRecord;

/// Projects the events of one run onto its conversation.
pub(crate) struct ConversationProjector {
    key: Key,
    run_key: Key,
    run: RunId,
    /// Whether the run's turns are added to the conversation. Otherwise only its spending is.
    adds_turns: bool,
    /// Whether turns and memories that the run took over from another one are added as well.
    adds_reused: bool,
    /// The messages of the user in the main context that are not answered yet.
    asked: Vec<SharedMessage>,
    /// What was said and remembered in iterations of loops, until it counts or is discarded.
    pending: BTreeMap<Activation, Vec<Event>>,
    /// Spending that is not part of the conversation's record yet.
    pending_spending: Spending,
}

/// What one event adds to the conversation.
struct ConversationDelta {
    messages: Vec<SharedMessage>,
    summary: Option<(SummaryRef, Summary)>,
    memory: Option<Arc<MemoryChange>>,
    spent: Spending,
}

impl ConversationProjector {
    /// The projector of a run in a conversation, or of a child run of one; None for other runs.
    pub(crate) fn of(run_key: Key, record: &RunRecord) -> Result<Option<Self>, Fault> {
        let Some(id) = record.conversation.as_ref().or(record.paid_by.as_ref()) else { return Ok(None) };
        Ok(Some(Self {
            key: key_of(id)?,
            run_key,
            run: record.run.clone(),
            adds_turns: record.conversation.is_some(),
            adds_reused: false,
            asked: Vec::new(),
            pending: BTreeMap::new(),
            pending_spending: Spending::default(),
        }))
    }

    /// The projector of a forked run onto the conversation `key` that keeps it, all of it: no other run adds anything there.
    pub(crate) fn of_kept(key: Key, run: RunId) -> Self {
        Self {
            key,
            run_key: key,
            run,
            adds_turns: true,
            adds_reused: true,
            asked: Vec::new(),
            pending: BTreeMap::new(),
            pending_spending: Spending::default(),
        }
    }

    /// What results from a whole journal, numbered from `first`.
    pub(crate) fn project_all(mut self, entries: &[Entry], first: u64) -> Vec<ConversationUpdate> {
        let updates = entries.iter().filter_map(|entry| self.project(entry));
        (first..).zip(updates).map(|(seq, update)| ConversationUpdate { seq, ..update }).collect()
    }

    /// What results from an entry. Every entry of the run must be passed, in order.
    pub(crate) fn project(&mut self, entry: &Entry) -> Option<ConversationUpdate> {
        let ConversationDelta { messages, summary, memory, spent } = self.delta(&entry.event);
        let has_changes =
            !messages.is_empty() || summary.is_some() || memory.is_some() || spent != Spending::default();
        has_changes.then(|| ConversationUpdate {
            conversation: self.key,
            run_key: self.run_key,
            run: self.run.clone(),
            seq: entry.seq.unwrap_or_default(),
            at: entry.at,
            messages,
            summary,
            memory,
            spent,
        })
    }

    pub(crate) fn conversation(&self) -> Key {
        self.key
    }

    /// Whether the run's turns are added to the conversation.
    pub(crate) fn adds_turns(&self) -> bool {
        self.adds_turns
    }

    /// What an event adds to the conversation.
    fn delta(&mut self, event: &Event) -> ConversationDelta {
        self.pending_spending += Spending::of(event).unwrap_or_default();
        let counting = if self.adds_turns { self.counting(event) } else { Vec::new() };
        let mut messages = Vec::new();
        let mut summary = None;
        let mut memory: Option<Arc<MemoryChange>> = None;
        for event in &counting {
            messages.append(&mut self.turn(event));
            summary = self.summary(event).or(summary);
            // The run that a fork is forked from has added what the fork takes over.
            if let Event::Memory(_, MemoryEvent::Appended { change, reused, .. }) = &**event
                && (reused.is_none() || self.adds_reused)
            {
                memory = Some(match memory {
                    None => Arc::clone(change),
                    Some(before) => Arc::new(Arc::unwrap_or_clone(before).and(change)),
                });
            }
        }
        let ends = event.is_terminal();
        // Spending alone does not cause a write for each call.
        let pays = ends || summary.is_some() || memory.is_some() || !messages.is_empty();
        let spent = if pays { std::mem::take(&mut self.pending_spending) } else { Spending::default() };
        ConversationDelta { messages, summary, memory, spent }
    }

    /// The events that count with this one: itself, nothing while its loop goes on, or those that its end names.
    fn counting<'e>(&mut self, event: &'e Event) -> Vec<Cow<'e, Event>> {
        match event {
            Event::Context(
                at,
                ContextEvent::Changed { pending: true, .. }
                | ContextEvent::TurnCommitted { pending: true, .. },
            )
            | Event::Memory(at, MemoryEvent::Appended { pending: true, .. }) => {
                self.pending.entry(at.clone()).or_default().push(event.clone());
                Vec::new()
            }
            Event::Context(_, ContextEvent::Merged { activations }) => {
                let merged = activations.iter().filter_map(|at| self.pending.remove(at));
                merged.flatten().map(Cow::Owned).collect()
            }
            Event::Context(_, ContextEvent::Discarded { activations }) => {
                self.pending.retain(|at, _| !activations.contains(at));
                Vec::new()
            }
            event => vec![Cow::Borrowed(event)],
        }
    }

    /// The messages of the turn that the event commits in the main context.
    fn turn(&mut self, event: &Event) -> Vec<SharedMessage> {
        let is_main = |id: &ContextId| id.as_str() == MAIN;
        match event {
            Event::Context(_, ContextEvent::Changed { context_id, change, .. }) if is_main(context_id) => {
                match change {
                    ContextChange::Messages { messages } => {
                        for message in messages {
                            match message.role {
                                Role::User => self.asked.push(Arc::clone(message)),
                                Role::Assistant => self.asked.clear(),
                                Role::System | Role::Tool => {}
                            }
                        }
                    }
                    // The conversation keeps the turns that it has. A question without a reply is kept as the edit left it.
                    ContextChange::Edited { edits } => {
                        for EditedMessage { message, by } in edits {
                            let Some(at) = self.asked.iter().position(|asked| asked.id == *message) else {
                                continue;
                            };
                            match by {
                                Some(by) => self.asked[at] = Arc::clone(by),
                                None => drop(self.asked.remove(at)),
                            }
                        }
                    }
                    ContextChange::Recalled(_) | ContextChange::Reset => self.asked.clear(),
                    _ => {}
                }
                Vec::new()
            }
            Event::Context(_, ContextEvent::TurnCommitted { context_id, messages, reused, .. })
                if is_main(context_id) =>
            {
                let asked = std::mem::take(&mut self.asked);
                if reused.is_some() && !self.adds_reused {
                    // The run that this one is forked from has added it.
                    return Vec::new();
                }
                let starts = messages.first().is_some_and(|first| first.role == Role::User);
                let asked = if starts { Vec::new() } else { asked };
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
        Some((
            summary,
            Summary {
                text: message.content.text(),
                tokens: message.tokens,
                origins: message.origins.clone(),
            },
        ))
    }
}

/// What an event adds to a conversation, to be applied once the event is on disk.
#[derive(Clone, Debug)]
pub(crate) struct ConversationUpdate {
    pub(crate) conversation: Key,
    pub(crate) run_key: Key,
    pub(crate) run: RunId,
    /// The event, by which it is applied once.
    pub(crate) seq: u64,
    pub(crate) at: u64,
    pub(crate) messages: Vec<SharedMessage>,
    pub(crate) summary: Option<(SummaryRef, Summary)>,
    pub(crate) memory: Option<Arc<MemoryChange>>,
    pub(crate) spent: Spending,
}
