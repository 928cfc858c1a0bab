//! Step 3: what of the conversation fits the window.
//!
//! Works on what messages are and what they take, not on what they say. The latest user message and all after it stay
//! whatever happens; before it, as much as fits of what is newest, beginning at a user message and never with a tool's
//! result whose call is left out.

use std::collections::HashSet;

use crate::context::{History, Message, Weight};

/// Why a conversation can't be made to fit: what must be sent takes more than there is room for, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What must be sent.
    pub needed: u64,
    /// What there is room for.
    pub room: u64,
}

/// From which message on a conversation (its history, and behind it a `question` that is not in it yet) fits into `room`
/// tokens: 0 when all of it does, else the earliest user message from which it does; the question's place is the
/// history's length. Looks at the newest first, and no further than they fit.
pub fn trim(history: &History, question: Option<&Message>, room: u64) -> Result<usize, TooLarge> {
    let mut walk = Walk { room, taken: 0, start: None, results: HashSet::new() };
    if let Some(question) = question {
        walk.take(history.len(), question.into(), || Some(question))?;
    }
    let mut first = history.len();
    for chunk in history.weights_newest_first() {
        first -= chunk.len();
        if walk.take_whole(first, chunk) {
            continue;
        }
        for (at, &weight) in chunk.iter().enumerate().rev() {
            let index = first + at;
            if let Some(start) = walk.take(index, weight, || history.get(index).map(|message| &**message))? {
                return Ok(start);
            }
        }
    }
    // All of it was walked. Without any user message there is nothing to begin at, and all of it must fit.
    if walk.taken > room { Err(TooLarge { needed: walk.taken, room }) } else { Ok(0) }
}

/// A way through a conversation from its end.
struct Walk<'a> {
    room: u64,
    /// What the messages so far take.
    taken: u64,
    /// The earliest message so far that a prompt may begin with.
    start: Option<usize>,
    /// Tool results so far whose call is yet to come.
    results: HashSet<&'a str>,
}

impl<'a> Walk<'a> {
    /// Takes a chunk of messages, the first of which is `first`, where that is the same as taking each: all of it fits,
    /// and no tools are in sight. That is nearly always so, and sums are quick.
    fn take_whole(&mut self, first: usize, chunk: &[Weight]) -> bool {
        let tokens: u64 = chunk.iter().map(|weight| u64::from(weight.tokens)).sum();
        let tools = chunk.iter().fold(false, |tools, weight| tools | weight.has_tools);
        if self.taken + tokens > self.room || tools || !self.results.is_empty() {
            return false;
        }
        self.taken += tokens;
        if let Some(earliest) = chunk.iter().position(|weight| weight.is_user) {
            self.start = Some(first + earliest);
        }
        true
    }

    /// Takes the message before; gives where to begin once that is certain. The message itself is needed but rarely.
    fn take(
        &mut self,
        index: usize,
        weight: Weight,
        message: impl FnOnce() -> Option<&'a Message>,
    ) -> Result<Option<usize>, TooLarge> {
        self.taken += u64::from(weight.tokens);
        if self.taken > self.room {
            if self.start.is_some() {
                return Ok(self.start);
            }
            if weight.is_user {
                return Err(TooLarge { needed: self.taken, room: self.room });
            }
        }
        if weight.has_tools
            && let Some(message) = message()
        {
            self.results.extend(message.tool_call_id.as_deref());
            for call in &message.tool_calls {
                self.results.remove(call.id.as_str());
            }
        }
        if weight.is_user && (self.start.is_none() || self.results.is_empty()) {
            self.start = Some(index);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
