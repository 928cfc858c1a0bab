//! Finds conversations: lists, full-text search, and lookup by the beginning of an id.

use parking_lot::MutexGuard;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationMessage, ConversationRecord};
use super::{ConversationKey, HeadCache, head, id_of, key_of, rows, unknown};
use crate::store::key::{self, Space};
use crate::store::store_core::StoreCore;

/// The number of messages a search reads at a time.
const SEARCH_PAGE_SIZE: usize = 256;

/// Which conversations to list.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    /// Only those with this flow: its file, or `name:` followed by its name.
    pub flow: Option<String>,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only those whose title or messages contain all of these words, ignoring case.
    pub search: Option<String>,
    /// The maximum number of results.
    pub limit: Option<usize>,
}

/// The conversations, most recently changed first.
pub(in crate::store) fn list(
    core: &StoreCore,
    filter: &ConversationFilter,
) -> Result<Vec<ConversationRecord>, Fault> {
    let mut records = all(core, &mut core.conversations())?;
    records.retain(|record| {
        filter.flow.as_ref().is_none_or(|flow| *flow == record.flow)
            && filter.user.as_ref().is_none_or(|user| *user == record.user)
    });
    let words: Vec<String> =
        filter.search.iter().flat_map(|search| search.split_whitespace()).map(str::to_lowercase).collect();
    let limit = filter.limit.unwrap_or(usize::MAX);
    if words.is_empty() {
        records.truncate(limit);
        return Ok(records);
    }
    let mut matching = Vec::new();
    for record in records {
        if matching.len() >= limit {
            break;
        }
        if contains_words(core, &record, words.clone())? {
            matching.push(record);
        }
    }
    Ok(matching)
}

/// The user's latest conversation with the flow.
pub(super) fn latest(
    core: &StoreCore,
    heads: &mut MutexGuard<'_, HeadCache>,
    flow: &str,
    user: &str,
) -> Result<Option<ConversationRecord>, Fault> {
    Ok(all(core, heads)?.into_iter().find(|record| record.flow == flow && record.user == user))
}

/// The conversation whose id begins with `prefix`. Faults `conversation.unknown`, `conversation.ambiguous`.
pub(in crate::store) fn find(core: &StoreCore, prefix: &str) -> Result<ConversationId, Fault> {
    core.writer.settle()?;
    let wanted = prefix.trim().to_lowercase();
    let ids = keys(core)?.into_iter().map(id_of);
    let records: Vec<_> = ids.filter(|id| id.as_str().starts_with(&wanted)).take(2).collect();
    match records.as_slice() {
        [only] if !wanted.is_empty() => Ok(only.clone()),
        [_, _] => Err(Fault::new(
            ErrorCode::ConversationAmbiguous,
            format!("More than record conversation's id begins with `{prefix}`."),
        )
        .hint("Enter more characters; `plait conversations list` lists the ids.")),
        _ => Err(unknown(prefix)),
    }
}

/// Up to `limit` messages of a conversation, starting at position `from`.
pub(in crate::store) fn messages(
    core: &StoreCore,
    id: &ConversationId,
    from: u64,
    limit: usize,
) -> Result<Vec<ConversationMessage>, Fault> {
    rows::from(core, key_of(id)?, from, limit)
}

fn all(core: &StoreCore, heads: &mut HeadCache) -> Result<Vec<ConversationRecord>, Fault> {
    core.writer.settle()?;
    let heads = keys(core)?.into_iter().map(|key| head(core, heads, key));
    // A damaged record must not hide the others.
    let is_readable = |read: &Result<_, Fault>| {
        !read.as_ref().is_err_and(|fault| fault.code == ErrorCode::ConversationCorrupt)
    };
    let mut records = heads.filter(is_readable).collect::<Result<Vec<_>, _>>()?;
    records.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
    Ok(records)
}

fn keys(core: &StoreCore) -> Result<Vec<ConversationKey>, Fault> {
    let keys = core
        .database
        .read(|db| db.scan_prefix(key::of(Space::Conversation, &[])).keys().collect::<Result<Vec<_>, _>>())?;
    Ok(keys.iter().filter_map(|key| key.last_chunk().copied()).collect())
}

/// Whether each of the words occurs in the conversation.
fn contains_words(
    core: &StoreCore,
    record: &ConversationRecord,
    mut words: Vec<String>,
) -> Result<bool, Fault> {
    let mut remove_found = |text: &str| {
        let text = text.to_lowercase();
        words.retain(|word| !text.contains(word));
        words.is_empty()
    };
    if remove_found(&record.title) {
        return Ok(true);
    }
    let key = key_of(&record.id)?;
    let mut next = 0;
    while next < record.messages {
        let page = rows::from(core, key, next, SEARCH_PAGE_SIZE)?;
        let Some(last) = page.last() else { break };
        next = last.id + 1;
        if page.iter().any(|message| remove_found(&message.content.text())) {
            return Ok(true);
        }
    }
    Ok(false)
}
