//! Forks a conversation at one of its messages. The fork has its own copies of the messages, so either conversation can be
//! deleted without the other.

use plait_engine::context::Role;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationRecord, ForkOrigin, Row};
use super::{NewConversation, decode, head, key_of, new_record, queue, rows};
use crate::store::store_core::StoreCore;

/// A fork, and the question it was forked from.
pub struct ConversationFork {
    pub record: ConversationRecord,
    /// The text of the message, if it is the user's. The fork does not contain it, so that it can be asked again.
    pub asked: Option<String>,
}

/// Forks at a message. It becomes the fork's last message, unless it is the user's: then the fork ends before it. On disk
/// when this returns.
pub(in crate::store) fn fork(
    core: &StoreCore,
    id: &ConversationId,
    message: u64,
    at: u64,
) -> Result<ConversationFork, Fault> {
    let key = key_of(id)?;
    core.writer.settle()?;
    let mut heads = core.conversations();
    let origin = head(core, &mut heads, key)?;
    if message >= origin.messages {
        let count = origin.messages;
        return Err(Fault::new(
            ErrorCode::ConversationNoMessage,
            format!("Conversation `{id}` has no message {message}."),
        )
        .hint(format!(
            "It has {count} messages, numbered from 0; `plait conversations show {id}` numbers them."
        )));
    }
    let last = rows::at(core, key, message)?;
    let asked = (last.role == Role::User).then(|| last.content.text());
    let copied = message + u64::from(asked.is_none());
    let new = NewConversation { flow: origin.flow, flow_name: origin.flow_name, user: origin.user, at };
    let mut record = new_record(new, Some(ForkOrigin { conversation: id.clone(), message }));
    record.title = if origin.title.is_empty() { String::new() } else { format!("{} (fork)", origin.title) };
    let fork = key_of(&record.id)?;
    let mut changes = Vec::new();
    for place in 0..copied {
        let stored = core.get(&rows::key_at(key, place))?;
        let stored = stored.ok_or_else(|| super::unknown(id.as_str()))?;
        let row: Row = decode(core, key, &stored, "message")?;
        changes.push((rows::key_at(fork, place), Some(super::json(&row)?)));
        record.tokens += u64::from(row.at_place(place, id).tokens);
        record.messages += 1;
    }
    // A summary also applies to the fork if the fork contains all summarized messages.
    if let Some(summary) = origin.summary.filter(|summary| summary.places <= copied) {
        let text = rows::summary(core, key, &summary)?;
        changes.push((rows::summary_key(fork, &summary)?, Some(super::json(&text)?)));
        record.summary = Some(summary);
    }
    queue(core, &mut heads, fork, record.clone(), changes)?;
    drop(heads);
    core.flush_blocking()?;
    Ok(ConversationFork { record, asked })
}
