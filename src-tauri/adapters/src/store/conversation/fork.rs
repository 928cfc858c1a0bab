//! Forking: a conversation that goes another way from one of its messages. The fork has messages of its own, so that
//! either can be deleted without the other.

use plait_engine::context::Role;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationRecord, ForkOrigin, Row};
use super::{NewConversation, decode, fresh, head, keep, key_of, rows};
use crate::store::inner::Inner;

/// A fork, and what was asked at its end.
pub struct Forked {
    /// The new conversation.
    pub record: ConversationRecord,
    /// Where it was forked from a question: that question. It is not in the fork, which would else have two in a row.
    pub asked: Option<String>,
}

/// Forks at a message, which is the fork's last, unless it is a question: the fork then ends before it. On disk when
/// this returns.
pub(in crate::store) fn fork(
    inner: &Inner,
    id: &ConversationId,
    message: u64,
    at: u64,
) -> Result<Forked, Fault> {
    let key = key_of(id)?;
    inner.writer.settle()?;
    let mut heads = inner.conversations();
    let origin = head(inner, &mut heads, key)?;
    if message >= origin.messages {
        let held = origin.messages;
        return Err(Fault::new(
            ErrorCode::ConversationNoMessage,
            format!("Conversation `{id}` has no message {message}."),
        )
        .hint(format!("It holds {held}, counted from 0; `plait conversations show {id}` numbers them.")));
    }
    let last = rows::at(inner, key, message)?;
    let asked = (last.role == Role::User).then(|| last.content.text());
    let kept = message + u64::from(asked.is_none());
    let new = NewConversation { flow: origin.flow, flow_name: origin.flow_name, user: origin.user, at };
    let mut record = fresh(new, Some(ForkOrigin { conversation: id.clone(), message }));
    record.title = if origin.title.is_empty() { String::new() } else { format!("{} (fork)", origin.title) };
    let fork = key_of(&record.id)?;
    let mut changes = Vec::new();
    for place in 0..kept {
        let stored = inner.get(&rows::key_at(key, place))?;
        let stored = stored.ok_or_else(|| super::unknown(id.as_str()))?;
        let row: Row = decode(inner, key, &stored, "message")?;
        changes.push((rows::key_at(fork, place), Some(super::json(&row)?)));
        record.tokens += u64::from(row.at_place(place, id).tokens);
        record.messages += 1;
    }
    // A summary of what the fork has stands for it there as well.
    if let Some(summary) = origin.summary.filter(|summary| summary.places <= kept) {
        let text = rows::summary(inner, key, &summary)?;
        changes.push((rows::summary_key(fork, &summary)?, Some(super::json(&text)?)));
        record.summary = Some(summary);
    }
    keep(inner, &mut heads, fork, record.clone(), changes)?;
    drop(heads);
    inner.flush_blocking()?;
    Ok(Forked { record, asked })
}
