//! Encodes the conversation as messages: user and assistant alternate, each with a list of blocks. Merges adjacent messages
//! of one role, sends thinking blocks back unchanged, and places the cache breakpoints within the conversation.

use plait_core::attachment::{Attachment, AttachmentKind};
use plait_llm::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use serde_json::{Value, json};

use super::{STATE_KEY, prompt_cache};
use crate::providers::protocol::tool_call_ids::word_id;
use crate::providers::protocol::tool_calls::arguments_object;

/// The messages without system messages, which are part of the instructions.
pub(super) fn messages(history: &[SharedMessage]) -> Vec<Value> {
    let newest = history.iter().rposition(|message| message.role == Role::User);
    let mut messages: Vec<WireMessage> = Vec::new();
    for (at, message) in history.iter().enumerate() {
        if Some(at) == newest {
            mark_end(&mut messages);
        }
        let (role, blocks) = match message.role {
            Role::System => continue,
            Role::User => ("user", content(&message.content)),
            Role::Tool => ("user", vec![tool_result(message)]),
            Role::Assistant => ("assistant", assistant(message)),
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some(message) if message.role == role => message.blocks.extend(blocks),
            _ => messages.push(WireMessage { role, blocks }),
        }
    }
    let has_tool_steps = newest.is_some_and(|newest| newest + 1 < history.len());
    if has_tool_steps {
        mark_end(&mut messages);
    }
    messages.into_iter().map(|message| json!({ "role": message.role, "content": message.blocks })).collect()
}

struct WireMessage {
    role: &'static str,
    blocks: Vec<Value>,
}

fn mark_end(messages: &mut [WireMessage]) {
    if let Some(block) = messages.last_mut().and_then(|message| message.blocks.last_mut()) {
        prompt_cache::mark(block);
    }
}

/// A text block; the protocol rejects empty ones.
fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

/// An image, or a PDF with its name.
fn media(attachment: &Attachment) -> Value {
    let source =
        json!({ "type": "base64", "media_type": attachment.media_type, "data": attachment.base64() });
    match attachment.kind() {
        AttachmentKind::Image => json!({ "type": "image", "source": source }),
        AttachmentKind::Pdf | AttachmentKind::Text => {
            json!({ "type": "document", "source": source, "title": attachment.name })
        }
    }
}

fn content(content: &Content) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text { text: content } => text(content),
        Part::Attachment(attachment) => Some(media(attachment)),
    };
    match content {
        Content::Text(content) => text(content).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    }
}

fn tool_result(message: &Message) -> Value {
    let content = match &message.content {
        Content::Text(text) => json!(text),
        Content::Parts(_) => json!(content(&message.content)),
    };
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let mut block = json!({ "type": "tool_result", "tool_use_id": word_id(id), "content": content });
    if message.is_error {
        block["is_error"] = json!(true);
    }
    block
}

fn assistant(message: &Message) -> Vec<Value> {
    from_provider_state(message).unwrap_or_else(|| {
        let calls = message.tool_calls.iter().map(tool_use);
        // The protocol takes images from users alone.
        text(&message.content.text()).into_iter().chain(calls).collect()
    })
}

/// The blocks in their original order, including thinking blocks. None if there is no state, or if it no longer matches the
/// message.
fn from_provider_state(message: &Message) -> Option<Vec<Value>> {
    let state = message.provider_state.as_ref()?.get(STATE_KEY)?.as_array()?;
    let content = message.content.text();
    let (mut at, mut calls, mut blocks) = (0, message.tool_calls.iter(), Vec::new());
    for block in state {
        match block.get("type")?.as_str()? {
            "text" => {
                let end = usize::try_from(block.get("bytes")?.as_u64()?).ok()?.checked_add(at)?;
                blocks.extend(text(content.get(at..end)?));
                at = end;
            }
            "tool_use" => blocks.push(tool_use(calls.next()?)),
            _ => blocks.push(block.clone()),
        }
    }
    (at == content.len() && calls.next().is_none()).then_some(blocks)
}

fn tool_use(call: &ToolCall) -> Value {
    let input = arguments_object(call, "arguments");
    json!({ "type": "tool_use", "id": word_id(&call.id), "name": call.name, "input": input })
}
