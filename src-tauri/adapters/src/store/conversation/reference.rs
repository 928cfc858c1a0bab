//! Journals refer to the messages of a conversation and do not copy them: they are taken out of an event before it is
//! written, and put back when it is read. Of a conversation that was deleted nothing is put back; the event still says
//! how many there were.

use std::borrow::Cow;
use std::sync::Arc;

use plait_engine::context::conversation::{Recalled, summary_message};
use plait_engine::context::{ContextChange, SharedMessage};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::Activation;
use plait_engine::run::{Entry, Event};

use super::{key_of, rows};
use crate::store::inner::Inner;

/// The entry as a journal keeps it.
pub(in crate::store) fn kept(entry: &Entry) -> Cow<'_, Entry> {
    let Event::ContextChanged { change: ContextChange::Recalled(recalled), .. } = &entry.event else {
        return Cow::Borrowed(entry);
    };
    let bare = Recalled { messages: Vec::new(), ..Recalled::clone(recalled) };
    let mut entry = entry.clone();
    if let Event::ContextChanged { change, .. } = &mut entry.event {
        *change = ContextChange::Recalled(Arc::new(bare));
    }
    Cow::Owned(entry)
}

/// Puts the messages back. Everything queued must be written by now.
pub(in crate::store) fn expand(inner: &Inner, entry: &mut Entry) -> Result<(), Fault> {
    let Event::ContextChanged { node, epoch, change: ContextChange::Recalled(recalled), .. } =
        &mut entry.event
    else {
        return Ok(());
    };
    let author = Activation { node: node.clone(), epoch: epoch.clone() };
    let messages = match messages(inner, recalled, author) {
        Err(fault) if fault.code == ErrorCode::ConversationUnknown => return Ok(()),
        read => read?,
    };
    *recalled = Arc::new(Recalled { messages, ..Recalled::clone(recalled) });
    Ok(())
}

fn messages(inner: &Inner, recalled: &Recalled, author: Activation) -> Result<Vec<SharedMessage>, Fault> {
    let key = key_of(&recalled.conversation)?;
    let summary = recalled.summary.as_ref().map(|summary| rows::summary(inner, key, summary)).transpose()?;
    let summary = summary.map(|summary| Ok(summary_message(summary, author)));
    let places = recalled.first..recalled.first.saturating_add(recalled.count);
    let messages = places.map(|place| Ok(rows::at(inner, key, place)?.remembered().into()));
    summary.into_iter().chain(messages).collect()
}
