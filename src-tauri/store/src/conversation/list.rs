//! Finds conversations: lists, full-text search, and lookup by the beginning of an id.

use plait_core::error::Fault;
use plait_core::id::ConversationId;

use super::record::ConversationRecord;
use super::{Conversations, State, id_of, key_of, unknown};
use crate::codes;

/// Which conversations to list.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    /// Only those with this flow: its file, or `name:` followed by its name.
    pub flow: Option<String>,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only conversations with all of these words in their title or messages, ignoring case.
    pub search: Option<String>,
    /// The maximum number of results.
    pub limit: Option<usize>,
}

impl Conversations {
    /// The conversations, most recently changed first.
    pub(crate) fn list(&self, filter: &ConversationFilter) -> Result<Vec<ConversationRecord>, Fault> {
        let mut state = self.lock();
        let mut records: Vec<_> = state
            .records()
            .filter(|record| {
                filter.flow.as_ref().is_none_or(|flow| *flow == record.flow)
                    && filter.user.as_ref().is_none_or(|user| *user == record.user)
            })
            .cloned()
            .collect();
        records.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
        let words: Vec<String> = filter
            .search
            .iter()
            .flat_map(|search| search.split_whitespace())
            .map(str::to_lowercase)
            .collect();
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
            if self.contains_words(&mut state, &record, words.clone())? {
                matching.push(record);
            }
        }
        Ok(matching)
    }

    /// The conversation whose id begins with `prefix`. Faults `conversation.unknown`, `conversation.ambiguous`.
    pub(crate) fn find(&self, prefix: &str) -> Result<ConversationId, Fault> {
        let wanted = prefix.trim().to_lowercase();
        let state = self.lock();
        let entries = state.index.records().iter().filter(|(_, entry)| entry.record.is_some());
        let ids: Vec<_> = entries
            .map(|(key, _)| id_of(*key))
            .filter(|id| id.as_str().starts_with(&wanted))
            .take(2)
            .collect();
        match ids.as_slice() {
            [only] if !wanted.is_empty() => Ok(only.clone()),
            [_, _] => Err(Fault::new(
                codes::CONVERSATION_AMBIGUOUS,
                format!("More than one conversation's id begins with `{prefix}`."),
            )
            .hint("Enter more characters; `plait conversations list` lists the ids.")),
            _ => Err(unknown(prefix)),
        }
    }

    /// Whether each of the words occurs in the conversation. Messages that can't be read are passed over.
    fn contains_words(
        &self,
        state: &mut State,
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
        // One whose file is missing must not hide the others.
        let Ok(Some(file)) = self.file(state, key_of(&record.id)?) else { return Ok(false) };
        let mut messages = (0..record.messages).filter_map(|place| file.message(place).ok());
        Ok(messages.any(|message| remove_found(&message.content.text())))
    }
}
