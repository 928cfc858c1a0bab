//! Step 4: trims the history to the window.
//!
//! The latest user message and everything after it always stay. Before it, the newest messages that fit stay; the result
//! starts at a user message and never contains a tool result without its call. Content is not looked at.

use std::collections::HashSet;

use plait_llm::context::{History, Message, MessageStats};

/// The part of a conversation that must be sent does not fit. In tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub needed: u64,
    pub room: u64,
}

/// The index of the first message to send so that the rest of the conversation (the history, then `question` if it is not
/// in it) fits into `room` tokens: 0 if all of it fits, else the earliest user message from which it does. The index of the
/// question is the length of the history. Scans from the newest message and stops where the room ends.
pub fn trim(history: &History, question: Option<&Message>, room: u64) -> Result<usize, TooLarge> {
    let mut scan = BackwardScan { room, tokens: 0, start: None, results: HashSet::new() };
    if let Some(question) = question {
        scan.add_message(history.len(), question.into(), || Some(question))?;
    }
    let mut first = history.len();
    for chunk in history.stats_newest_first() {
        first -= chunk.len();
        if scan.add_chunk(first, chunk) {
            continue;
        }
        for (at, &stats) in chunk.iter().enumerate().rev() {
            let index = first + at;
            if let Some(start) =
                scan.add_message(index, stats, || history.get(index).map(|message| &**message))?
            {
                return Ok(start);
            }
        }
    }
    // Without any user message there is no valid start, so all of it must fit.
    if scan.tokens > room { Err(TooLarge { needed: scan.tokens, room }) } else { Ok(0) }
}

/// A scan through a conversation from its end.
struct BackwardScan<'a> {
    room: u64,
    /// The tokens of the messages so far.
    tokens: u64,
    /// The earliest message so far that a prompt may start with.
    start: Option<usize>,
    /// Tool results without their call so far.
    results: HashSet<&'a str>,
}

impl<'a> BackwardScan<'a> {
    /// The fast path: adds a chunk that begins at the message `first`. Only if all of it fits and no tools are
    /// involved, the usual case; otherwise `false`.
    fn add_chunk(&mut self, first: usize, chunk: &[MessageStats]) -> bool {
        let sum = MessageStats::sum(chunk);
        if self.tokens + sum.tokens > self.room || sum.has_tools() || !self.results.is_empty() {
            return false;
        }
        self.tokens += sum.tokens;
        if let Some(earliest) = chunk.iter().position(|stats| stats.is_user()) {
            self.start = Some(first + earliest);
        }
        true
    }

    /// Adds the next older message. Returns the start once it is certain. Calls `message` only for messages with tools.
    fn add_message(
        &mut self,
        index: usize,
        stats: MessageStats,
        message: impl FnOnce() -> Option<&'a Message>,
    ) -> Result<Option<usize>, TooLarge> {
        self.tokens += u64::from(stats.tokens);
        if self.tokens > self.room {
            if self.start.is_some() {
                return Ok(self.start);
            }
            if stats.is_user() {
                return Err(TooLarge { needed: self.tokens, room: self.room });
            }
        }
        if stats.has_tools()
            && let Some(message) = message()
        {
            self.results.extend(message.tool_call_id.as_deref());
            for call in &message.tool_calls {
                self.results.remove(call.id.as_str());
            }
        }
        if stats.is_user() && (self.start.is_none() || self.results.is_empty()) {
            self.start = Some(index);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
