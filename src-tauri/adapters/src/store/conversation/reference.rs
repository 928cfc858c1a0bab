//! Journals refer to the messages of a conversation instead of copying them: recalled messages are removed from an event
//! before it is written, and restored when it is read. Nothing is restored if the conversation was deleted; the event still
//! contains the number of messages.

use std::borrow::Cow;
use std::sync::Arc;

use plait_engine::context::conversation::{Recalled, summary_message};
use plait_engine::context::{ContextChange, SharedMessage};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::Activation;
use plait_engine::journal::{ContextEvent, Entry, Event};

use super::{key_of, rows};
use crate::store::store_core::StoreCore;

/// The entry as the journal stores it, without recalled messages.
pub(in crate::store) fn without_messages(entry: &Entry) -> Cow<'_, Entry> {
    let Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) =
        &entry.event
    else {
        return Cow::Borrowed(entry);
    };
    let bare = Recalled { messages: Vec::new(), ..Recalled::clone(recalled) };
    let mut entry = entry.clone();
    if let Event::Context(_, ContextEvent::Changed { change, .. }) = &mut entry.event {
        *change = ContextChange::Recalled(Arc::new(bare));
    }
    Cow::Owned(entry)
}

/// Restores the messages. Everything queued must have been written.
pub(in crate::store) fn expand(core: &StoreCore, entry: &mut Entry) -> Result<(), Fault> {
    let Event::Context(
        Activation { node, epoch },
        ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. },
    ) = &mut entry.event
    else {
        return Ok(());
    };
    let author = Activation { node: node.clone(), epoch: epoch.clone() };
    let messages = match messages(core, recalled, author) {
        Err(fault) if fault.code == ErrorCode::ConversationUnknown => return Ok(()),
        read => read?,
    };
    *recalled = Arc::new(Recalled { messages, ..Recalled::clone(recalled) });
    Ok(())
}

fn messages(core: &StoreCore, recalled: &Recalled, author: Activation) -> Result<Vec<SharedMessage>, Fault> {
    let key = key_of(&recalled.conversation)?;
    let summary = recalled.summary.as_ref().map(|summary| rows::summary(core, key, summary)).transpose()?;
    let summary = summary.map(|summary| Ok(summary_message(summary, author)));
    let places = recalled.first..recalled.first.saturating_add(recalled.count);
    let messages = places.map(|place| Ok(rows::at(core, key, place)?.into_message().into()));
    summary.into_iter().chain(messages).collect()
}
