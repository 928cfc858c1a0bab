//! Conversations: one record each, their messages once each, and the summaries of their beginnings.
//!
//! A turn enters its conversation in the same batch as the journal's `turn.committed`, so that a crash loses both or
//! neither and a run that is taken up again never doubles it ([`taking`]). A run's journal names the messages it was
//! given and does not copy them ([`reference`]): otherwise a long conversation would be kept once for each of its runs.
//! Expanding them where the journal is read, rather than by a command of its own, keeps one rule for everybody: the
//! window, the terminal and a resumed run see events with their messages, and none of them knows where they are kept.
//!
//! Owns the records; refuses to decide what of a conversation is remembered: the engine does.

mod fork;
mod list;
mod past;
pub(in crate::store) mod reference;
mod remove;
mod rows;
mod taking;

pub mod record;

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard};

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;
use plait_engine::run::Spending;
use uuid::Uuid;

use super::inner::Inner;
use super::key::{self, Space};
use super::writer::{Change, Write};
pub use fork::Forked;
pub(in crate::store) use fork::fork;
pub use list::ConversationFilter;
pub(in crate::store) use list::{find, list, messages};
pub use past::StoredPast;
use record::{ConversationRecord, ForkOrigin};
pub(in crate::store) use remove::remove;
pub(in crate::store) use taking::Taking;

/// A conversation as keys have it.
pub(in crate::store) type ConversationKey = [u8; 16];

/// Records as they will be once everything queued is written, each with the writer's generation it belongs to: one of an
/// older generation may be ahead of the disk and is read again. Locked from reading a record to queueing its change, so
/// that changes are queued in the order in which they were made.
#[derive(Default)]
pub(in crate::store) struct Heads(HashMap<ConversationKey, (u64, ConversationRecord)>);

/// What a new conversation is to be.
#[derive(Clone, Debug)]
pub struct NewConversation {
    /// The flow: its file, or its name behind `name:`.
    pub flow: String,
    /// The flow's name.
    pub flow_name: String,
    /// Who has it.
    pub user: String,
    /// Now, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// The conversation's UUID. A fault `conversation.unknown` for what is none.
pub(in crate::store) fn key_of(id: &ConversationId) -> Result<ConversationKey, Fault> {
    Uuid::try_parse(id.as_str()).map(Uuid::into_bytes).map_err(|_| unknown(id.as_str()))
}

pub(in crate::store) fn id_of(key: ConversationKey) -> ConversationId {
    Uuid::from_bytes(key).to_string().into()
}

pub(in crate::store) fn unknown(id: &str) -> Fault {
    Fault::new(ErrorCode::ConversationUnknown, format!("There is no conversation `{id}`.")).hint(
        "`plait conversations list` shows the conversations there are; `--conversation new` begins one.",
    )
}

/// The record, also while runs go on in it.
pub(in crate::store) fn get(inner: &Inner, id: &ConversationId) -> Result<ConversationRecord, Fault> {
    head(inner, &mut inner.conversations(), key_of(id)?)
}

/// Makes a conversation. On disk when this returns.
pub(in crate::store) fn make(inner: &Inner, new: NewConversation) -> Result<ConversationRecord, Fault> {
    let mut heads = inner.conversations();
    let record = make_in(inner, &mut heads, new)?;
    drop(heads);
    inner.flush_blocking()?;
    Ok(record)
}

/// The conversation that this person last had with this flow, or a new one.
pub(in crate::store) fn find_or_make(
    inner: &Inner,
    new: NewConversation,
) -> Result<ConversationRecord, Fault> {
    let mut heads = inner.conversations();
    let latest = list::latest(inner, &mut heads, &new.flow, &new.user)?;
    if let Some(latest) = latest {
        return Ok(latest);
    }
    let record = make_in(inner, &mut heads, new)?;
    drop(heads);
    inner.flush_blocking()?;
    Ok(record)
}

/// Gives it another title.
pub(in crate::store) fn rename(
    inner: &Inner,
    id: &ConversationId,
    title: &str,
    at: u64,
) -> Result<ConversationRecord, Fault> {
    let title = title.trim();
    if title.is_empty() {
        return Err(Fault::new(ErrorCode::ConversationNoTitle, "A conversation needs a title.")
            .hint("Give it a word or two."));
    }
    let key = key_of(id)?;
    let mut heads = inner.conversations();
    let mut record = head(inner, &mut heads, key)?;
    title.clone_into(&mut record.title);
    record.updated_at = at;
    keep(inner, &mut heads, key, record.clone(), Vec::new())?;
    drop(heads);
    inner.flush_blocking()?;
    Ok(record)
}

fn make_in(
    inner: &Inner,
    heads: &mut MutexGuard<'_, Heads>,
    new: NewConversation,
) -> Result<ConversationRecord, Fault> {
    let record = fresh(new, None);
    keep(inner, heads, key_of(&record.id)?, record.clone(), Vec::new())?;
    Ok(record)
}

fn fresh(new: NewConversation, forked_from: Option<ForkOrigin>) -> ConversationRecord {
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

/// The record as it will be once everything queued is written.
fn head(inner: &Inner, heads: &mut Heads, key: ConversationKey) -> Result<ConversationRecord, Fault> {
    let generation = inner.writer.generation();
    if let Some((of, record)) = heads.0.get(&key)
        && *of == generation
    {
        return Ok(record.clone());
    }
    let at = key::of(Space::Conversation, &key);
    let stored = inner.get(&at)?.ok_or_else(|| unknown(id_of(key).as_str()))?;
    let record: ConversationRecord = decode(inner, key, &stored, "record")?;
    heads.0.insert(key, (inner.writer.generation(), record.clone()));
    Ok(record)
}

/// Queues the record together with what else changes.
fn keep(
    inner: &Inner,
    heads: &mut Heads,
    key: ConversationKey,
    record: ConversationRecord,
    mut changes: Vec<Change>,
) -> Result<(), Fault> {
    changes.push((key::of(Space::Conversation, &key), Some(json(&record)?)));
    let generation = inner.writer.generation();
    inner.writer.write(Some(generation), Write::of(record.id.as_str(), changes))?;
    heads.0.insert(key, (generation, record));
    Ok(())
}

fn decode<T: serde::de::DeserializeOwned>(
    inner: &Inner,
    key: ConversationKey,
    stored: &[u8],
    what: &str,
) -> Result<T, Fault> {
    let id = id_of(key);
    let read = inner.blobs.load(id.as_str(), stored);
    read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string())).map_err(|why| {
        Fault::new(
            ErrorCode::ConversationCorrupt,
            format!("A {what} of conversation `{id}` is damaged: {why}."),
        )
        .hint("Fork the conversation from a message before it, or begin a new one.")
    })
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| {
        Fault::new(ErrorCode::StoreIo, format!("A conversation can't be written as JSON: {error}."))
    })
}

/// What is shared by a run's journal and its conversation.
pub(in crate::store) type SharedInner = Arc<Inner>;
