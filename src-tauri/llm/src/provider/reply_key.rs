//! The key of a request, from the hashes of its messages.

use sha2::{Digest as _, Sha256};

use crate::context::SharedMessage;
use plait_core::id::ReplyKey;
use std::fmt::Write as _;

/// What keys begin with that are made from the hashes of messages.
const PREFIX: &str = "m:";

/// Whether a key is the hash of a whole request: earlier versions made no others.
pub fn is_whole_hash(key: &ReplyKey) -> bool {
    !key.as_str().starts_with(PREFIX)
}

/// The key of a request with these messages. `frame` is the hash of all else, `form` says how the messages are written.
pub(super) fn of_messages(
    frame: &ReplyKey,
    form: &str,
    returns_reasoning: bool,
    messages: &[SharedMessage],
) -> ReplyKey {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update(text.len().to_be_bytes());
        hash.update(text);
    };
    add(frame.as_str());
    add(form);
    for message in messages {
        hash.update(message.request_hash());
        // Only replies with tool calls keep these, and only until the end of their turn.
        if message.tool_calls.is_empty() {
            continue;
        }
        let reasoning = message.reasoning.as_deref().filter(|_| returns_reasoning);
        let state = message.provider_state.as_ref().map(ToString::to_string);
        for part in [reasoning, state.as_deref()].into_iter().flatten() {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
    }
    let mut key = PREFIX.to_owned();
    for byte in hash.finalize() {
        // Writing to a String does not fail.
        let _ = write!(key, "{byte:02x}");
    }
    key.into()
}
