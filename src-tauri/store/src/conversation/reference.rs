//! Journals refer to the messages of a conversation instead of copying them: recalled messages are removed from an event
//! before it is written, and restored when it is read. Nothing is restored if the conversation was deleted; the event still
//! contains the number of messages.

use std::borrow::Cow;
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use plait_journal::{ContextEvent, Entry, Event};
use plait_llm::context::conversation::{Recalled, summary_message};
use plait_llm::context::{ContextChange, Role, SharedMessage};

use super::{Conversations, key_of};
use crate::codes;

/// The entry as the journal of `run` stores it, without recalled messages. A summary that the run itself made stays: the
/// conversation gets it from there.
pub(crate) fn without_messages<'e>(entry: &'e Entry, run: &RunId) -> Cow<'e, Entry> {
    let Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) =
        &entry.event
    else {
        return Cow::Borrowed(entry);
    };
    let is_own = recalled.summary.as_ref().is_some_and(|summary| summary.run == *run);
    let messages = if is_own { stored_summary(recalled).cloned().into_iter().collect() } else { Vec::new() };
    let bare = Recalled { messages, ..Recalled::clone(recalled) };
    let mut entry = entry.clone();
    if let Event::Context(_, ContextEvent::Changed { change, .. }) = &mut entry.event {
        *change = ContextChange::Recalled(Arc::new(bare));
    }
    Cow::Owned(entry)
}

/// The summary among the messages.
fn stored_summary(recalled: &Recalled) -> Option<&SharedMessage> {
    recalled.messages.first().filter(|first| first.role == Role::System)
}

/// Restores the messages.
pub(crate) fn expand(conversations: &Conversations, entry: &mut Entry) -> Result<(), Fault> {
    let Event::Context(
        Activation { node, epoch },
        ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. },
    ) = &mut entry.event
    else {
        return Ok(());
    };
    let author = Activation { node: node.clone(), epoch: epoch.clone() };
    let messages = match messages(conversations, recalled, author) {
        Err(fault) if fault.code == codes::CONVERSATION_UNKNOWN => return Ok(()),
        read => read?,
    };
    *recalled = Arc::new(Recalled { messages, ..Recalled::clone(recalled) });
    Ok(())
}

fn messages(
    conversations: &Conversations,
    recalled: &Recalled,
    author: Activation,
) -> Result<Vec<SharedMessage>, Fault> {
    let key = key_of(&recalled.conversation)?;
    let summary = match (stored_summary(recalled), &recalled.summary) {
        (Some(stored), _) => Some(Ok(Arc::clone(stored))),
        (None, Some(summary)) => {
            Some(conversations.summary(key, summary).map(|summary| summary_message(summary, author)))
        }
        (None, None) => None,
    };
    let places = recalled.first..recalled.first.saturating_add(recalled.count);
    let messages = places.map(|place| conversations.shared_message(key, place));
    summary.into_iter().chain(messages).collect()
}
