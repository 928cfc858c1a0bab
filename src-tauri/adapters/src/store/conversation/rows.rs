//! The messages and summaries of a conversation in the database. Owns their keys' order; a message is written once.

use plait_engine::context::conversation::{Summary, SummaryRef};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationMessage, Row};
use super::{ConversationKey, decode, id_of, unknown};
use crate::store::inner::Inner;
use crate::store::key::{self, Space};

/// The key of the message at a place.
pub(super) fn key_at(conversation: ConversationKey, place: u64) -> Vec<u8> {
    let mut key = key::of(Space::Message, &conversation);
    key.extend_from_slice(&place.to_be_bytes());
    key
}

/// The key of a summary.
pub(super) fn summary_key(conversation: ConversationKey, summary: &SummaryRef) -> Result<Vec<u8>, Fault> {
    let mut key = key::of(Space::Summary, &conversation);
    key.extend_from_slice(&summary.places.to_be_bytes());
    key.extend_from_slice(&key::run(&summary.run)?);
    Ok(key)
}

/// The message at a place. Everything queued must be written by now.
pub(super) fn at(
    inner: &Inner,
    conversation: ConversationKey,
    place: u64,
) -> Result<ConversationMessage, Fault> {
    let key = key_at(conversation, place);
    let id = id_of(conversation);
    let stored = inner.database.read(|db| db.get(&key))?.ok_or_else(|| gone(inner, conversation, &id))?;
    let row: Row = decode(inner, conversation, &stored, "message")?;
    Ok(row.at_place(place, &id))
}

/// The messages from a place on, at most so many.
pub(super) fn from(
    inner: &Inner,
    conversation: ConversationKey,
    place: u64,
    most: usize,
) -> Result<Vec<ConversationMessage>, Fault> {
    inner.writer.settle()?;
    let range = key_at(conversation, place)..=key_at(conversation, u64::MAX);
    let stored: Vec<(sled::IVec, sled::IVec)> =
        inner.database.read(|db| db.range(range).take(most).collect())?;
    let id = id_of(conversation);
    let message = |(key, stored): (sled::IVec, sled::IVec)| {
        let row: Row = decode(inner, conversation, &stored, "message")?;
        Ok(row.at_place(key::seq_of(&key).unwrap_or_default(), &id))
    };
    stored.into_iter().map(message).collect()
}

/// The text of a summary. Everything queued must be written by now.
pub(super) fn summary(
    inner: &Inner,
    conversation: ConversationKey,
    summary: &SummaryRef,
) -> Result<Summary, Fault> {
    let key = summary_key(conversation, summary)?;
    let stored = inner.database.read(|db| db.get(&key))?;
    let stored = stored.ok_or_else(|| gone(inner, conversation, &id_of(conversation)))?;
    decode(inner, conversation, &stored, "summary")
}

/// A part that is missing: of a conversation that was deleted, or of one that is damaged.
fn gone(inner: &Inner, conversation: ConversationKey, id: &ConversationId) -> Fault {
    let record = inner.database.read(|db| db.get(key::of(Space::Conversation, &conversation)));
    match record {
        Ok(None) => unknown(id.as_str()),
        _ => Fault::new(ErrorCode::ConversationCorrupt, format!("A part of conversation `{id}` is missing."))
            .hint("Fork the conversation from a message before it, or begin a new one."),
    }
}
