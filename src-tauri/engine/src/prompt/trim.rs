//! Step 4: what of the conversation fits the window.
//!
//! Works on what messages are and what they take, not on what they say. The latest user message and all after it stay
//! whatever happens; before it, as much as fits of what is newest, beginning at a user message and never with a tool's
//! result whose call is left out.

use std::collections::HashSet;

use crate::context::{Message, Role};

/// Why a conversation can't be made to fit: what must be sent takes more than there is room for, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What must be sent.
    pub needed: u64,
    /// What there is room for.
    pub room: u64,
}

/// From which of `count` messages on the conversation fits into `room` tokens: 0 when all of it does, else the earliest
/// user message from which it does. The messages come newest first and are taken only as far as they fit.
pub fn trim<'a>(
    newest_first: impl Iterator<Item = &'a Message>,
    count: usize,
    room: u64,
) -> Result<usize, TooLarge> {
    let mut taken = 0;
    let mut best = None;
    let mut results = HashSet::new();
    for (index, message) in (0..count).rev().zip(newest_first) {
        taken += u64::from(message.tokens);
        if let Some(best) = best.filter(|_| taken > room) {
            return Ok(best);
        }
        if let Some(id) = &message.tool_call_id {
            results.insert(id.as_str());
        }
        for call in &message.tool_calls {
            results.remove(call.id.as_str());
        }
        let latest = best.is_none() && message.role == Role::User;
        if latest && taken > room {
            return Err(TooLarge { needed: taken, room });
        }
        if latest || (message.role == Role::User && results.is_empty()) {
            best = Some(index);
        }
    }
    // All of it was walked. Without any user message there is nothing to begin at, and all of it must fit.
    if taken > room { Err(TooLarge { needed: taken, room }) } else { Ok(0) }
}

#[cfg(test)]
mod tests;
