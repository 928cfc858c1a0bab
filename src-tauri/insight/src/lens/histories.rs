//! All messages that the histories of a run ever had, so that a range of a prompt can be read again.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use plait_core::id::{Activation, ContextId, Epoch, MessageId};
use plait_journal::{ContextEvent, Event, LoopEvent, NodeEvent};
use plait_llm::context::{ContextChange, EditedMessage, History, SharedMessage, with_edits};
use plait_llm::loop_history::{HistorySummary, SummaryAttempt};
use plait_run::node::SUMMARY;

/// The messages of each context in the order in which they were added. What was cleared stays: earlier prompts had it.
#[derive(Default)]
pub(super) struct Histories {
    contexts: HashMap<ContextId, Vec<SharedMessage>>,
    /// Where the history of each context begins, as it is now.
    starts: HashMap<ContextId, usize>,
    /// Where each message is. A copied context has the messages of another one.
    places: HashMap<MessageId, Vec<(ContextId, usize)>>,
    /// The turns of each loop with a conversation, in order.
    loops: HashMap<Activation, Vec<SharedMessage>>,
    /// The summaries of these turns, by the iteration before which the loop wrote them.
    summaries: HashMap<Activation, SharedMessage>,
}

/// Which turns of a loop's conversation a prompt has, besides summary and those of the iteration under way.
pub(super) struct TurnRange<'a> {
    /// The loop, in its own epoch.
    pub(super) of: Activation,
    pub(super) pinned: &'a [u32],
    /// The position of the first of the newest turns.
    pub(super) first: u32,
    /// The one of them that is left out, since it is the user message.
    pub(super) own: Option<u32>,
    /// How many of the newest there are.
    pub(super) newest: u64,
}

impl Histories {
    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::Context(_, ContextEvent::Created { context }) => {
                self.begin(&context.context_id);
                let messages: Vec<SharedMessage> = context.message_history.iter().cloned().collect();
                self.add(&context.context_id, &messages);
            }
            Event::Context(_, ContextEvent::Changed { context_id, change, .. }) => match change {
                ContextChange::Messages { messages } | ContextChange::Turn { messages, .. } => {
                    self.add(context_id, messages);
                }
                ContextChange::Recalled(recalled) => self.add(context_id, &recalled.messages),
                ContextChange::Edited { edits } => self.edit(context_id, edits),
                ContextChange::Reset => self.begin(context_id),
                ContextChange::SystemInstructions { .. } | ContextChange::ProviderModel { .. } => {}
            },
            Event::Context(_, ContextEvent::TurnCommitted { context_id, messages, .. }) => {
                self.add(context_id, messages);
            }
            Event::Loop(of, LoopEvent::HistoryAppended { turns, .. }) => {
                self.loops.entry(of.clone()).or_default().extend(turns.iter().cloned());
            }
            Event::Node(at, NodeEvent::Finished { outputs, .. }) => {
                let attempt =
                    outputs.get(SUMMARY).and_then(|value| SummaryAttempt::deserialize(&**value).ok());
                let summary = attempt.and_then(|attempt| HistorySummary::of(&attempt, at));
                self.summaries.extend(summary.map(|summary| (at.clone(), summary.message)));
            }
            _ => {}
        }
    }

    /// The summary that a loop wrote before an iteration.
    pub(super) fn summary(&self, of: &Activation) -> Option<&SharedMessage> {
        self.summaries.get(of)
    }

    /// These turns, if the journal has all of them.
    pub(super) fn turns(&self, range: &TurnRange<'_>) -> Option<Vec<SharedMessage>> {
        let newest = (range.first..).filter(|position| Some(*position) != range.own);
        let newest = newest.take(usize::try_from(range.newest).ok()?);
        let positions = range.pinned.iter().copied().chain(newest);
        if range.pinned.is_empty() && range.newest == 0 {
            return Some(Vec::new());
        }
        let turns = self.loops.get(&range.of)?;
        positions.map(|position| turns.get(usize::try_from(position).ok()?).cloned()).collect()
    }

    /// The next message is the first of the history of this context. Earlier prompts refer to the messages before.
    fn begin(&mut self, context: &ContextId) {
        let start = self.contexts.get(context).map_or(0, Vec::len);
        self.starts.insert(context.clone(), start);
    }

    /// Adds the history as a person edited it: prompts from there on refer to it as a whole.
    fn edit(&mut self, context: &ContextId, edits: &[EditedMessage]) {
        let start = self.starts.get(context).copied().unwrap_or_default();
        let log = self.contexts.get(context).map(Vec::as_slice).unwrap_or_default();
        let before: History = log.get(start..).unwrap_or_default().iter().cloned().collect();
        let messages: Vec<SharedMessage> = with_edits(&before, edits).iter().cloned().collect();
        self.begin(context);
        self.add(context, &messages);
    }

    fn add(&mut self, context: &ContextId, messages: &[SharedMessage]) {
        let log = self.contexts.entry(context.clone()).or_default();
        for message in messages {
            self.places.entry(message.id.clone()).or_default().push((context.clone(), log.len()));
            log.push(Arc::clone(message));
        }
    }

    /// The messages from `first` to `last` as a prompt of `epoch` had them, if they are exactly `count`.
    pub(super) fn range(
        &self,
        (first, last): (&MessageId, &MessageId),
        count: u64,
        epoch: &Epoch,
    ) -> Option<Vec<SharedMessage>> {
        let count = usize::try_from(count).ok()?;
        let ends = self.places.get(last)?;
        for (context, start) in self.places.get(first)? {
            let log = self.contexts.get(context)?;
            for (_, end) in ends.iter().filter(|(other, end)| other == context && end >= start) {
                let range = log.get(*start..=*end)?;
                if range.len() == count {
                    return Some(range.to_vec());
                }
                // Earlier versions sent system messages of a history with the instructions.
                let spoken: Vec<&SharedMessage> =
                    range.iter().filter(|message| !is_system(message)).collect();
                if spoken.len() == count {
                    return Some(spoken.into_iter().cloned().collect());
                }
                // Iterations that run at the same time add their messages in between.
                let own: Vec<&SharedMessage> =
                    spoken.into_iter().filter(|message| is_visible(&message.author.epoch, epoch)).collect();
                if own.len() == count {
                    return Some(own.into_iter().cloned().collect());
                }
            }
        }
        None
    }
}

fn is_system(message: &SharedMessage) -> bool {
    message.role == plait_llm::context::Role::System
}

/// Whether the writes of one iteration are part of another: of itself, and of iterations around it or inside it.
fn is_visible(author: &Epoch, reader: &Epoch) -> bool {
    author.starts_with(reader) || reader.starts_with(author)
}
