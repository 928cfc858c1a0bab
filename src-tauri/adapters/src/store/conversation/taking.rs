//! Taking what a run says into its conversation: the turns of its main context, and the summaries it had written.
//!
//! A turn is a question and its answer. Where the question stood in the history already (a node before had written it
//! there) it is taken from there; what else a flow puts into the history it puts there again in every run, so it is not
//! kept. What is taken is queued together with the entry that says so.
//!
//! What a run's model calls used and cost is put on the conversation's account with the next of these, or with the run's
//! end; so do the runs that it began, of which nothing else is taken.

use plait_engine::context::conversation::{Summary, SummaryRef};
use plait_engine::context::{ContextChange, MAIN, Message, Role, SharedMessage};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::{ContextId, RunId};
use plait_engine::run::{Entry, Event, Spending};

use super::record::{ConversationRecord, Row, title_of};
use super::{ConversationKey, Heads, head, json, key_of, rows};
use crate::store::inner::Inner;
use crate::store::key::{self, Space};
use crate::store::record::RunRecord;
use crate::store::writer::{Change, Write};

/// What one run does to its conversation.
pub(in crate::store) struct Taking {
    key: ConversationKey,
    run: RunId,
    /// Whether what the run says is said in the conversation; else it is only paid for there.
    speaks: bool,
    /// The last message of the main context, while that is the user's and not yet answered.
    asked: Option<SharedMessage>,
    /// What was spent and is not on the conversation's account yet.
    unpaid: Spending,
}

/// What one entry brings.
struct Brought {
    said: Vec<SharedMessage>,
    summary: Option<(SummaryRef, Summary)>,
    spent: Spending,
}

impl Taking {
    /// Of a run that goes on in a conversation, or of one that was begun by such a run; nothing of any other.
    pub(in crate::store) fn of(record: &RunRecord) -> Result<Option<Self>, Fault> {
        let Some(id) = record.conversation.as_ref().or(record.paid_by.as_ref()) else { return Ok(None) };
        Ok(Some(Self {
            key: key_of(id)?,
            run: record.run.clone(),
            speaks: record.conversation.is_some(),
            asked: None,
            unpaid: Spending::default(),
        }))
    }

    /// Goes through what the run has said before it was taken up again.
    pub(in crate::store) fn follow(&mut self, entry: &Entry) {
        self.bring(&entry.event);
    }

    /// What the entries change in the conversation; queue it together with them, and then let [`Taken::done`] know. The
    /// conversation must still be there: a run can't begin in one that is not. Faults `conversation.unknown`, `store.*`.
    pub(in crate::store) fn take(
        &mut self,
        inner: &Inner,
        heads: &mut Heads,
        entries: &[Entry],
    ) -> Result<Option<Taken>, Fault> {
        let mut taken: Option<Taken> = None;
        for entry in entries {
            let Brought { said, summary, spent } = self.bring(&entry.event);
            let brings = !said.is_empty() || summary.is_some() || spent != Spending::default();
            let begins = matches!(entry.event, Event::RunStarted { .. });
            if !brings && !begins {
                continue;
            }
            let taken = match &mut taken {
                Some(taken) => taken,
                none => none.insert(Taken {
                    key: self.key,
                    record: match head(inner, heads, self.key) {
                        // Who only pays there goes on without it.
                        Err(gone) if !self.speaks && gone.code == ErrorCode::ConversationUnknown => continue,
                        read => read?,
                    },
                    changes: Vec::new(),
                    changed: false,
                }),
            };
            taken.changed |= brings;
            taken.record.spent += spent;
            for message in said {
                taken.add(&message, &self.run, entry.at)?;
            }
            if let Some((summary, text)) = summary {
                taken.changes.push((rows::summary_key(self.key, &summary)?, Some(json(&text)?)));
                let known = taken.record.summary.as_ref().map_or(0, |known| known.places);
                if summary.places > known {
                    taken.record.summary = Some(summary);
                }
            }
        }
        Ok(taken.filter(|taken| taken.changed))
    }

    /// What an event brings to the conversation.
    fn bring(&mut self, event: &Event) -> Brought {
        self.unpaid += Spending::of(event).unwrap_or_default();
        let said = if self.speaks { self.turn(event) } else { Vec::new() };
        let summary = self.summary(event).filter(|_| self.speaks);
        let ends =
            matches!(event, Event::RunFinished { .. } | Event::RunFailed { .. } | Event::RunCancelled { .. });
        // A record is not written for each call alone.
        let pays = ends || summary.is_some() || !said.is_empty();
        let spent = if pays { std::mem::take(&mut self.unpaid) } else { Spending::default() };
        Brought { said, summary, spent }
    }

    /// The question and the answer, where the event is a turn of the main context.
    fn turn(&mut self, event: &Event) -> Vec<SharedMessage> {
        let is_main = |id: &ContextId| id.as_str() == MAIN;
        match event {
            Event::ContextChanged { context_id, change, .. } if is_main(context_id) => {
                match change {
                    ContextChange::Messages { messages } => {
                        self.asked = messages.last().filter(|last| last.role == Role::User).cloned();
                    }
                    ContextChange::Recalled(_) | ContextChange::Reset => self.asked = None,
                    _ => {}
                }
                Vec::new()
            }
            Event::TurnCommitted { context_id, messages, .. } if is_main(context_id) => {
                let asked = self.asked.take();
                let begins = messages.first().is_some_and(|first| first.role == Role::User);
                let asked = asked.filter(|_| !begins);
                let spoken = messages.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant));
                asked.into_iter().chain(spoken.cloned()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The summary that this run had written, where the event is that it remembers by it.
    fn summary(&self, event: &Event) -> Option<(SummaryRef, Summary)> {
        let Event::ContextChanged { change: ContextChange::Recalled(recalled), .. } = event else {
            return None;
        };
        let summary = recalled.summary.clone().filter(|summary| summary.run == self.run)?;
        let message = recalled.messages.first().filter(|first| first.role == Role::System)?;
        Some((summary, Summary { text: message.content.text(), tokens: message.tokens }))
    }
}

/// Changes of a conversation that are to be queued.
pub(in crate::store) struct Taken {
    key: ConversationKey,
    record: ConversationRecord,
    /// Of its messages and summaries.
    changes: Vec<Change>,
    /// Whether anything is to be written: that it is there may be all there was to see.
    changed: bool,
}

impl Taken {
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

    /// Puts the changes beside those of `write`, in the same batch.
    pub(in crate::store) fn beside(&mut self, write: &mut Write) -> Result<(), Fault> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.push((key::of(Space::Conversation, &self.key), Some(json(&self.record)?)));
        write.beside = Some((self.record.id.as_str().into(), changes));
        Ok(())
    }

    /// They are queued, in this generation of the writer.
    pub(in crate::store) fn done(self, heads: &mut Heads, generation: u64) {
        heads.0.insert(self.key, (generation, self.record));
    }
}
