//! The messages of a context, with the statistics that trimming reads for every message before each call.

use std::hash::BuildHasher;
use std::ops::{Deref, Range};

use imbl::Vector;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::{Message, Role, SharedMessage};
use plait_core::id::{Epoch, MessageId};
use plait_core::origin::Origins;

/// The messages of a context, oldest first. Persistent: cloning takes the same time at any length. Derefs to the vector of
/// messages and serializes as one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vector<SharedMessage>", into = "Vector<SharedMessage>")]
pub struct History {
    messages: Vector<SharedMessage>,
    /// One per message. They are contiguous in memory, messages are not: reading ten thousand of them before each call
    /// would otherwise be dominated by cache misses.
    stats: Vector<MessageStats>,
    /// One per message, apart from the statistics: trimming reads those alone, a search by id these alone.
    ids: Vector<IdHashes>,
}

/// What trimming needs to know about a message.
#[derive(Clone, Copy, Debug)]
pub struct MessageStats {
    pub tokens: u32,
    /// [`USER`](Self::USER), [`TOOLS`](Self::TOOLS) and [`ORIGINS`](Self::ORIGINS), in a word: a chunk of messages is summed in one
    /// pass without branches.
    flags: u32,
}

/// Hashes of the id of a message and of the id of the message that it repeats.
#[derive(Clone, Copy, Debug)]
struct IdHashes([u32; 2]);

impl From<&Message> for IdHashes {
    fn from(message: &Message) -> Self {
        Self([hash(&message.id), message.repeats.as_ref().map_or(0, hash)])
    }
}

impl MessageStats {
    const USER: u32 = 1;
    const TOOLS: u32 = 2;
    const ORIGINS: u32 = 4;

    pub fn is_user(self) -> bool {
        self.flags & Self::USER != 0
    }

    /// Whether it calls tools or is the result of a tool.
    pub fn has_tools(self) -> bool {
        self.flags & Self::TOOLS != 0
    }

    /// Whether any of its text comes from somewhere else than the flow.
    fn has_origins(self) -> bool {
        self.flags & Self::ORIGINS != 0
    }

    /// The statistics of these messages together.
    pub fn sum(messages: &[Self]) -> MessageSum {
        messages.iter().fold(MessageSum::default(), |MessageSum { tokens, flags }, message| MessageSum {
            tokens: tokens + u64::from(message.tokens),
            flags: flags | message.flags,
        })
    }
}

/// The statistics of several messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageSum {
    pub tokens: u64,
    flags: u32,
}

impl MessageSum {
    /// Whether one of them calls tools or is the result of a tool.
    pub fn has_tools(self) -> bool {
        self.flags & MessageStats::TOOLS != 0
    }

    fn has_origins(self) -> bool {
        self.flags & MessageStats::ORIGINS != 0
    }
}

impl From<&Message> for MessageStats {
    fn from(message: &Message) -> Self {
        let is_user = message.role == Role::User;
        let has_tools = message.tool_call_id.is_some() || !message.tool_calls.is_empty();
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let has_origins = !message.origins.is_empty();
        let flags =
            flag(is_user, Self::USER) | flag(has_tools, Self::TOOLS) | flag(has_origins, Self::ORIGINS);
        Self { tokens: message.tokens, flags }
    }
}

/// A hash by which a search passes over most messages without looking at them.
fn hash(id: &MessageId) -> u32 {
    // The upper half is the better mixed one.
    (FxBuildHasher.hash_one(id.as_str()) >> 32) as u32
}

/// A set of hashes that says of almost every other hash that it is not in it.
struct HashFilter([u64; 16]);

impl HashFilter {
    fn of(hashes: &[u32]) -> Self {
        let mut bits = [0; 16];
        for hash in hashes {
            let (word, bit) = Self::place(*hash);
            bits[word] |= bit;
        }
        Self(bits)
    }

    fn may_have(&self, hash: u32) -> bool {
        let (word, bit) = Self::place(hash);
        self.0[word] & bit != 0
    }

    /// Ten bits of the hash: the word and the bit in it.
    fn place(hash: u32) -> (usize, u64) {
        ((hash >> 6 & 15) as usize, 1 << (hash & 63))
    }
}

/// Visits the items of a range in chunks that are contiguous in memory, each with the position of its first item.
fn for_each_chunk<T: Clone>(items: &Vector<T>, range: Range<usize>, mut visit: impl FnMut(usize, &[T])) {
    let mut focus = items.focus();
    let end = range.end.min(items.len());
    let mut at = range.start;
    while at < end {
        let (place, chunk) = focus.chunk_at(at);
        visit(at, &chunk[at - place.start..end.min(place.end) - place.start]);
        at = place.end;
    }
}

impl History {
    /// For each id, whether a message has it or repeats the message that has it. Looks through the messages once.
    pub fn has_each(&self, ids: &[&MessageId]) -> Vec<bool> {
        let wanted: Vec<u32> = ids.iter().map(|id| hash(id)).collect();
        let filter = HashFilter::of(&wanted);
        let mut found = vec![false; ids.len()];
        let mut first = 0;
        for chunk in self.ids.leaves() {
            for (at, IdHashes(hashes)) in chunk.iter().enumerate() {
                if !hashes.iter().any(|hash| filter.may_have(*hash)) {
                    continue;
                }
                for (index, id) in ids.iter().enumerate() {
                    found[index] |= hashes.contains(&wanted[index])
                        && self.messages.get(first + at).is_some_and(|message| {
                            message.id == **id || message.repeats.as_ref() == Some(id)
                        });
                }
            }
            first += chunk.len();
        }
        found
    }

    /// The position of the newest message with this id.
    pub fn position(&self, id: &MessageId) -> Option<usize> {
        self.newest(id, |message| message.id == *id)
    }

    /// The position of the message `id`, or else of a message that says the same in its place. A loop or cycle that holds a message from
    /// outside says it in each iteration once more: `reader` is the iteration in which it is read.
    pub fn position_of_said(&self, id: &MessageId, text: &str, reader: &Epoch) -> Option<usize> {
        let depth = id.depth();
        let is_same_iteration =
            |at: &Epoch| at.0.iter().zip(&reader.0).skip(depth).all(|(said, read)| said == read);
        self.position(id).or_else(|| {
            self.newest(id, |message| {
                message.repeats.as_ref() == Some(id)
                    && is_same_iteration(&message.author.epoch)
                    && message.content.is_text(text)
            })
        })
    }

    /// The position of the newest message of which `is_it` holds, among those with this id or the id as that of the message they repeat.
    fn newest(&self, id: &MessageId, is_it: impl Fn(&Message) -> bool) -> Option<usize> {
        let wanted = hash(id);
        let mut first = self.messages.len();
        for chunk in self.ids.leaves().rev() {
            first -= chunk.len();
            for (at, IdHashes(hashes)) in chunk.iter().enumerate().rev() {
                let position = first + at;
                if hashes.contains(&wanted) && self.messages.get(position).is_some_and(|found| is_it(found)) {
                    return Some(position);
                }
            }
        }
        None
    }

    /// Removes the message at this position.
    pub fn remove(&mut self, position: usize) {
        self.ids.remove(position);
        self.stats.remove(position);
        self.messages.remove(position);
    }

    /// The statistics in chunks, the newest chunk first; within a chunk, oldest first.
    pub fn stats_newest_first(&self) -> impl Iterator<Item = &[MessageStats]> {
        self.stats.leaves().rev()
    }

    /// The tokens of the messages in this range together, and where they come from.
    pub fn totals(&self, range: Range<usize>) -> (u64, Origins) {
        let (mut tokens, mut origins) = (0, Origins::NONE);
        let mut messages = self.messages.focus();
        for_each_chunk(&self.stats, range, |first, chunk| {
            let sum = MessageStats::sum(chunk);
            tokens += sum.tokens;
            if sum.has_origins() {
                for (position, _) in (first..).zip(chunk).filter(|(_, stats)| stats.has_origins()) {
                    origins.add(&messages.index(position).origins);
                }
            }
        });
        (tokens, origins)
    }

    /// The messages from this position on. Takes about the same time at any length.
    #[must_use]
    pub fn suffix(&self, start: usize) -> Self {
        let start = start.min(self.len());
        Self { messages: self.messages.skip(start), stats: self.stats.skip(start), ids: self.ids.skip(start) }
    }

    /// The messages before this position. Takes about the same time at any length.
    #[must_use]
    pub fn prefix(&self, end: usize) -> Self {
        let end = end.min(self.len());
        Self { messages: self.messages.take(end), stats: self.stats.take(end), ids: self.ids.take(end) }
    }

    /// The messages in this range. Takes about the same time at any length.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        self.prefix(range.end).suffix(range.start)
    }

    /// Adds the messages of another history. Takes about the same time at any length.
    pub fn append(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        self.messages.append(other.messages);
        self.stats.append(other.stats);
        self.ids.append(other.ids);
    }

    /// Adds clones of the messages from this position on to `list`.
    pub fn copy_from(&self, start: usize, list: &mut Vec<SharedMessage>) {
        list.reserve(self.len().saturating_sub(start));
        for_each_chunk(&self.messages, start..self.len(), |_, chunk| list.extend_from_slice(chunk));
    }

    /// Removes the last message.
    pub fn pop(&mut self) {
        self.ids.pop_back();
        self.stats.pop_back();
        self.messages.pop_back();
    }
}

impl Deref for History {
    type Target = Vector<SharedMessage>;

    fn deref(&self) -> &Vector<SharedMessage> {
        &self.messages
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

impl Extend<SharedMessage> for History {
    fn extend<I: IntoIterator<Item = SharedMessage>>(&mut self, messages: I) {
        for message in messages {
            self.stats.push_back(MessageStats::from(&*message));
            self.ids.push_back(IdHashes::from(&*message));
            self.messages.push_back(message);
        }
    }
}

impl FromIterator<SharedMessage> for History {
    fn from_iter<I: IntoIterator<Item = SharedMessage>>(messages: I) -> Self {
        let mut history = Self::default();
        history.extend(messages);
        history
    }
}

impl From<Vector<SharedMessage>> for History {
    fn from(messages: Vector<SharedMessage>) -> Self {
        messages.into_iter().collect()
    }
}

impl From<History> for Vector<SharedMessage> {
    fn from(history: History) -> Self {
        history.messages
    }
}

#[cfg(test)]
mod tests;
