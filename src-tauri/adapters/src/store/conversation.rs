//! Conversations: one record each, each message once, and the summaries of their beginnings.
//!
//! A turn is added to its conversation in the same batch as the journal's `turn.committed`, so a crash loses both or neither,
//! and a resumed run never adds it twice ([`projector`]). A run's journal refers to recalled messages instead of copying them
//! ([`reference`]); otherwise a long conversation would be stored once per run. References are expanded where the journal is
//! read, so that the window, the terminal and a resumed run all see events with their messages.
//!
//! Owns the records; the engine decides what part of a conversation a run recalls.

mod fork;
mod list;
mod projector;
mod reader;
pub(in crate::store) mod reference;
mod remove;
mod rows;

pub mod record;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::MutexGuard;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;
use plait_engine::journal::Spending;
use uuid::Uuid;

use super::key::{self, Space};
use super::store_core::StoreCore;
use super::writer::{Change, Write};
pub use fork::ConversationFork;
pub(in crate::store) use fork::fork;
pub use list::ConversationFilter;
pub(in crate::store) use list::{find, list, messages};
pub(in crate::store) use projector::ConversationProjector;
pub use reader::StoredConversation;
use record::{ConversationRecord, ForkOrigin};
pub(in crate::store) use remove::remove;

/// The binary id of a conversation in database keys.
pub(in crate::store) type ConversationKey = [u8; 16];

/// The latest conversation records, including queued changes, each with the writer's generation. A record of an older
/// generation may contain changes that were lost, so it is read again. Locked from reading a record until its change is
/// queued, so that changes are queued in the order they were made.
#[derive(Default)]
pub(in crate::store) struct HeadCache(HashMap<ConversationKey, (u64, ConversationRecord)>);

/// The properties of a new conversation.
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// The flow's file, or `name:` followed by its name.
    pub flow: String,
    /// The flow's name.
    pub flow_name: String,
    /// The person who owns it.
    pub user: String,
    /// The creation time, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// The conversation's UUID. Fault `conversation.unknown` if the id is not a UUID.
pub(in crate::store) fn key_of(id: &ConversationId) -> Result<ConversationKey, Fault> {
    Uuid::try_parse(id.as_str()).map(Uuid::into_bytes).map_err(|_| unknown(id.as_str()))
}

pub(in crate::store) fn id_of(key: ConversationKey) -> ConversationId {
    Uuid::from_bytes(key).to_string().into()
}

pub(in crate::store) fn unknown(id: &str) -> Fault {
    Fault::new(ErrorCode::ConversationUnknown, format!("There is no conversation `{id}`."))
        .hint("`plait conversations list` lists the conversations; `--conversation new` starts one.")
}

/// The record, including changes by active runs.
pub(in crate::store) fn get(core: &StoreCore, id: &ConversationId) -> Result<ConversationRecord, Fault> {
    head(core, &mut core.conversations(), key_of(id)?)
}

/// Creates a conversation. On disk when this returns.
pub(in crate::store) fn create(core: &StoreCore, new: NewConversation) -> Result<ConversationRecord, Fault> {
    let mut heads = core.conversations();
    let record = insert_new(core, &mut heads, new)?;
    drop(heads);
    core.flush_blocking()?;
    Ok(record)
}

/// The user's latest conversation with the flow, or a new one.
pub(in crate::store) fn find_or_create(
    core: &StoreCore,
    new: NewConversation,
) -> Result<ConversationRecord, Fault> {
    let mut heads = core.conversations();
    let latest = list::latest(core, &mut heads, &new.flow, &new.user)?;
    if let Some(latest) = latest {
        return Ok(latest);
    }
    let record = insert_new(core, &mut heads, new)?;
    drop(heads);
    core.flush_blocking()?;
    Ok(record)
}

/// Changes the title.
pub(in crate::store) fn rename(
    core: &StoreCore,
    id: &ConversationId,
    title: &str,
    at: u64,
) -> Result<ConversationRecord, Fault> {
    let title = title.trim();
    if title.is_empty() {
        return Err(Fault::new(ErrorCode::ConversationNoTitle, "A conversation needs a title.")
            .hint("Enter a title."));
    }
    let key = key_of(id)?;
    let mut heads = core.conversations();
    let mut record = head(core, &mut heads, key)?;
    title.clone_into(&mut record.title);
    record.updated_at = at;
    queue(core, &mut heads, key, record.clone(), Vec::new())?;
    drop(heads);
    core.flush_blocking()?;
    Ok(record)
}

fn insert_new(
    core: &StoreCore,
    heads: &mut MutexGuard<'_, HeadCache>,
    new: NewConversation,
) -> Result<ConversationRecord, Fault> {
    let record = new_record(new, None);
    queue(core, heads, key_of(&record.id)?, record.clone(), Vec::new())?;
    Ok(record)
}

fn new_record(new: NewConversation, forked_from: Option<ForkOrigin>) -> ConversationRecord {
    ConversationRecord {
        id: Uuid::now_v7().to_string().into(),
        flow: new.flow,
        flow_name: new.flow_name,
        user: new.user,
        thread_id: Uuid::now_v7().to_string(),
        title: String::new(),
        created_at: new.at,
        updated_at: new.at,
        messages: 0,
        tokens: 0,
        spent: Spending::default(),
        summary: None,
        forked_from,
    }
}

/// The latest record, including queued changes.
fn head(core: &StoreCore, heads: &mut HeadCache, key: ConversationKey) -> Result<ConversationRecord, Fault> {
    let generation = core.writer.generation();
    if let Some((of, record)) = heads.0.get(&key)
        && *of == generation
    {
        return Ok(record.clone());
    }
    let at = key::of(Space::Conversation, &key);
    let stored = core.get(&at)?.ok_or_else(|| unknown(id_of(key).as_str()))?;
    let record: ConversationRecord = decode(core, key, &stored, "record")?;
    heads.0.insert(key, (core.writer.generation(), record.clone()));
    Ok(record)
}

/// Queues the record together with other changes.
fn queue(
    core: &StoreCore,
    heads: &mut HeadCache,
    key: ConversationKey,
    record: ConversationRecord,
    mut changes: Vec<Change>,
) -> Result<(), Fault> {
    changes.push((key::of(Space::Conversation, &key), Some(json(&record)?)));
    let generation = core.writer.generation();
    core.writer.write(Some(generation), Write::of(record.id.as_str(), changes))?;
    heads.0.insert(key, (generation, record));
    Ok(())
}

fn decode<T: serde::de::DeserializeOwned>(
    core: &StoreCore,
    key: ConversationKey,
    stored: &[u8],
    what: &str,
) -> Result<T, Fault> {
    let id = id_of(key);
    let read = core.blobs.load(id.as_str(), stored);
    read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string())).map_err(|why| {
        Fault::new(
            ErrorCode::ConversationCorrupt,
            format!("A {what} of conversation `{id}` is damaged: {why}."),
        )
        .hint("Fork the conversation from an earlier message, or start a new one.")
    })
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| {
        Fault::new(ErrorCode::StoreIo, format!("A conversation can't be written as JSON: {error}."))
    })
}

/// The core that a run's journal and its conversation share.
pub(in crate::store) type SharedCore = Arc<StoreCore>;
