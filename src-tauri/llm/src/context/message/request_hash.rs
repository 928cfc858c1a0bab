//! The hash of what a model is sent of a message, kept with the message: the key of a request with a long history is made from these, so
//! that only new messages are hashed.

use std::sync::OnceLock;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Content, Message, Role, ToolCall};

/// A SHA-256 hash.
pub type MessageHash = [u8; 32];

/// Empty until it is asked for, and in a copy, which may be changed.
#[derive(Debug, Default)]
pub struct KeptHash(OnceLock<MessageHash>);

impl Clone for KeptHash {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for KeptHash {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What every protocol may send. Who wrote a message, where it comes from and what it counts is not part of a request.
#[derive(Debug, Serialize)]
struct Sent<'m> {
    role: Role,
    content: &'m Content,
    tool_calls: &'m [ToolCall],
    tool_call_id: Option<&'m str>,
    is_error: bool,
}

impl Message {
    /// The hash of its role, content, tool calls and results, without the reasoning and the data of its provider, which few protocols send.
    pub fn request_hash(&self) -> MessageHash {
        *self.hash.0.get_or_init(|| {
            let Self { role, content, tool_calls, tool_call_id, is_error, .. } = self;
            let tool_call_id = tool_call_id.as_deref();
            let sent = Sent { role: *role, content, tool_calls, tool_call_id, is_error: *is_error };
            // Texts and values of JSON can be written as JSON. Otherwise no two messages may look the same.
            let text = serde_json::to_vec(&sent).unwrap_or_else(|_| format!("{sent:?}").into_bytes());
            Sha256::digest(text).into()
        })
    }
}
