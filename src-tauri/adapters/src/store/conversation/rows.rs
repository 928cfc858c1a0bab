//! The messages and summaries of a conversation in the database. Owns their keys; a message is written once.

use plait_engine::context::conversation::{Summary, SummaryRef};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationMessage, Row};
use super::{ConversationKey, decode, id_of, unknown};
use crate::store::key::{self, Space};
use crate::store::store_core::StoreCore;

/// The key of the message at a position.
pub(super) fn key_at(conversation: ConversationKey, position: u64) -> Vec<u8> {
    let mut key = key::of(Space::Message, &conversation);
    key.extend_from_slice(&position.to_be_bytes());
    key
}

/// The key of a summary.
pub(super) fn summary_key(conversation: ConversationKey, summary: &SummaryRef) -> Result<Vec<u8>, Fault> {
    let mut key = key::of(Space::Summary, &conversation);
    key.extend_from_slice(&summary.places.to_be_bytes());
    key.extend_from_slice(&key::run(&summary.run)?);
    Ok(key)
}

/// The message at a position. Everything queued must have been written.
pub(super) fn at(
    core: &StoreCore,
    conversation: ConversationKey,
    position: u64,
) -> Result<ConversationMessage, Fault> {
    let key = key_at(conversation, position);
    let id = id_of(conversation);
    let stored = core.database.read(|db| db.get(&key))?.ok_or_else(|| missing(core, conversation, &id))?;
    let row: Row = decode(core, conversation, &stored, "message")?;
    Ok(row.at_place(position, &id))
}

/// Up to `limit` messages, starting at a position.
pub(super) fn from(
    core: &StoreCore,
    conversation: ConversationKey,
    position: u64,
    limit: usize,
) -> Result<Vec<ConversationMessage>, Fault> {
    core.writer.settle()?;
    let range = key_at(conversation, position)..=key_at(conversation, u64::MAX);
    let stored: Vec<(sled::IVec, sled::IVec)> =
        core.database.read(|db| db.range(range).take(limit).collect())?;
    let id = id_of(conversation);
    let message = |(key, stored): (sled::IVec, sled::IVec)| {
        let row: Row = decode(core, conversation, &stored, "message")?;
        Ok(row.at_place(key::seq_of(&key).unwrap_or_default(), &id))
    };
    stored.into_iter().map(message).collect()
}

/// The text of a summary. Everything queued must have been written.
pub(super) fn summary(
    core: &StoreCore,
    conversation: ConversationKey,
    summary: &SummaryRef,
) -> Result<Summary, Fault> {
    let key = summary_key(conversation, summary)?;
    let stored = core.database.read(|db| db.get(&key))?;
    let stored = stored.ok_or_else(|| missing(core, conversation, &id_of(conversation)))?;
    decode(core, conversation, &stored, "summary")
}

/// The fault for missing data: the conversation was deleted, or it is damaged.
fn missing(core: &StoreCore, conversation: ConversationKey, id: &ConversationId) -> Fault {
    let record = core.database.read(|db| db.get(key::of(Space::Conversation, &conversation)));
    match record {
        Ok(None) => unknown(id.as_str()),
        _ => Fault::new(ErrorCode::ConversationCorrupt, format!("A part of conversation `{id}` is missing."))
            .hint("Fork the conversation from an earlier message, or start a new one."),
    }
}
