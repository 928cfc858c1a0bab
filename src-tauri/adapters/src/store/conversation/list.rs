//! Finding conversations: lists, search in what was said, and the one a person means by the beginning of its id.

use std::sync::MutexGuard;

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ConversationId;

use super::record::{ConversationMessage, ConversationRecord};
use super::{ConversationKey, Heads, head, id_of, key_of, rows, unknown};
use crate::store::inner::Inner;
use crate::store::key::{self, Space};

/// How many messages a search reads at once.
const PAGE: usize = 256;

/// Which conversations to list.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    /// Only those with this flow: its file, or its name behind `name:`.
    pub flow: Option<String>,
    /// Only those of this person.
    pub user: Option<String>,
    /// Only those in whose title or messages each of these words stands, whatever its case.
    pub search: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// The conversations, the one that changed last first.
pub(in crate::store) fn list(
    inner: &Inner,
    filter: &ConversationFilter,
) -> Result<Vec<ConversationRecord>, Fault> {
    let mut found = all(inner, &mut inner.conversations())?;
    found.retain(|one| {
        filter.flow.as_ref().is_none_or(|flow| *flow == one.flow)
            && filter.user.as_ref().is_none_or(|user| *user == one.user)
    });
    let words: Vec<String> =
        filter.search.iter().flat_map(|search| search.split_whitespace()).map(str::to_lowercase).collect();
    let limit = filter.limit.unwrap_or(usize::MAX);
    if words.is_empty() {
        found.truncate(limit);
        return Ok(found);
    }
    let mut matching = Vec::new();
    for one in found {
        if matching.len() >= limit {
            break;
        }
        if says(inner, &one, words.clone())? {
            matching.push(one);
        }
    }
    Ok(matching)
}

/// The conversation that this person last had with this flow.
pub(super) fn latest(
    inner: &Inner,
    heads: &mut MutexGuard<'_, Heads>,
    flow: &str,
    user: &str,
) -> Result<Option<ConversationRecord>, Fault> {
    Ok(all(inner, heads)?.into_iter().find(|one| one.flow == flow && one.user == user))
}

/// The conversation whose id begins with `prefix`. Faults `conversation.unknown`, `conversation.ambiguous`.
pub(in crate::store) fn find(inner: &Inner, prefix: &str) -> Result<ConversationId, Fault> {
    inner.writer.settle()?;
    let wanted = prefix.trim().to_lowercase();
    let ids = keys(inner)?.into_iter().map(id_of);
    let found: Vec<_> = ids.filter(|id| id.as_str().starts_with(&wanted)).take(2).collect();
    match found.as_slice() {
        [only] if !wanted.is_empty() => Ok(only.clone()),
        [_, _] => Err(Fault::new(
            ErrorCode::ConversationAmbiguous,
            format!("More than one conversation's id begins with `{prefix}`."),
        )
        .hint("Give more of it; `plait conversations list` shows them.")),
        _ => Err(unknown(prefix)),
    }
}

/// The messages of a conversation from a place on, at most so many.
pub(in crate::store) fn messages(
    inner: &Inner,
    id: &ConversationId,
    from: u64,
    most: usize,
) -> Result<Vec<ConversationMessage>, Fault> {
    rows::from(inner, key_of(id)?, from, most)
}

fn all(inner: &Inner, heads: &mut Heads) -> Result<Vec<ConversationRecord>, Fault> {
    inner.writer.settle()?;
    let heads = keys(inner)?.into_iter().map(|key| head(inner, heads, key));
    // One that is damaged hides no other.
    let is_whole = |read: &Result<_, Fault>| {
        !read.as_ref().is_err_and(|fault| fault.code == ErrorCode::ConversationCorrupt)
    };
    let mut found = heads.filter(is_whole).collect::<Result<Vec<_>, _>>()?;
    found.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
    Ok(found)
}

fn keys(inner: &Inner) -> Result<Vec<ConversationKey>, Fault> {
    let keys = inner
        .database
        .read(|db| db.scan_prefix(key::of(Space::Conversation, &[])).keys().collect::<Result<Vec<_>, _>>())?;
    Ok(keys.iter().filter_map(|key| key.last_chunk().copied()).collect())
}

/// Whether each of the words stands somewhere in the conversation.
fn says(inner: &Inner, one: &ConversationRecord, mut words: Vec<String>) -> Result<bool, Fault> {
    let mut strike = |text: &str| {
        let text = text.to_lowercase();
        words.retain(|word| !text.contains(word));
        words.is_empty()
    };
    if strike(&one.title) {
        return Ok(true);
    }
    let key = key_of(&one.id)?;
    let mut next = 0;
    while next < one.messages {
        let page = rows::from(inner, key, next, PAGE)?;
        let Some(last) = page.last() else { break };
        next = last.id + 1;
        if page.iter().any(|message| strike(&message.content.text())) {
            return Ok(true);
        }
    }
    Ok(false)
}
